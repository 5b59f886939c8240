/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_NEW_FOLDER_H
#define KITH_NEW_FOLDER_H

/* Makes a folder for output.  It may exist if it is empty: nothing is overwritten.  Returns -1 after an error
 * was shown. */
int new_folder_make(const char *path);

#endif
