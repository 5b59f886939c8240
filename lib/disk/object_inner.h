/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OBJECT_INNER_H
#define KITH_OBJECT_INNER_H

/* Shared by the files of this module. */

#include "disk/object.h"

/* Returns whether these could be the result of object_set_parent: they obey the grammar and the limits in
 * object.h. */
bool object_is_member(const char *parent, size_t parent_len, const char *member, size_t member_len);

#endif
