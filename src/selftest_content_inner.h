/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_CONTENT_INNER_H
#define KITH_SELFTEST_CONTENT_INNER_H

#include "selftest_content.h"

/* How many files of a size are wanted of each class. */
size_t selftest_content_wanted(enum selftest_size size, bool quick);

/* Add a file to the references, or to the strangers; take ownership of data also if they fail.  path: copied;
 * NULL if it is generated. */
int selftest_content_add(struct selftest_content *content, uint8_t *data, size_t len,
                         enum selftest_class class, const char *path, struct error *err);
int selftest_content_add_stranger(struct selftest_content *content, uint8_t *data, size_t len,
                                  enum selftest_class class, const char *path, struct error *err);

/* Whether a default set takes no samples of the content; -1 on error. */
int selftest_content_is_uniform(struct selftest_content *content, const uint8_t *data, size_t len,
                                struct error *err);

/* The size of a file of `len` bytes, or SELFTEST_SIZES if it is too small or too large. */
enum selftest_size selftest_content_size(uint64_t len);

/* Sorts the files and fills in the cells. */
void selftest_content_sort(struct selftest_content *content);

#endif
