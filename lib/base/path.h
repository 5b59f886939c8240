/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PATH_H
#define KITH_PATH_H

/* Host paths as text; the file system is not accessed. */

/* The part after the last slash; "" if the path ends with one. */
const char *path_last(const char *path);

/* The containing folder: the part before the last slash, or "." if there is none.  To be freed by the caller;
 * NULL if memory runs out. */
char *path_folder(const char *path);

/* The path of another file in the same folder.  To be freed by the caller; NULL if memory runs out. */
char *path_beside(const char *path, const char *name);

#endif
