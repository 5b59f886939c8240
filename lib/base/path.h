/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PATH_H
#define KITH_PATH_H

/* Paths of the host as text: no file is looked at. */

/* What comes after the last slash; "" if that is the end. */
const char *path_last(const char *path);

/* The folder that it lies in: "." without a slash, else what comes before the last one.  To be freed; NULL
 * without memory. */
char *path_folder(const char *path);

/* The path of another file in its folder.  To be freed; NULL without memory. */
char *path_beside(const char *path, const char *name);

#endif
