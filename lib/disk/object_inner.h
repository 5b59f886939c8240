/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OBJECT_INNER_H
#define KITH_OBJECT_INNER_H

/* What the files of this module share. */

#include "disk/object.h"

/* Whether these are what object_set_parent makes of a parent and a member: the grammar and the bounds of
 * object.h. */
bool object_is_member(const char *parent, size_t parent_len, const char *member, size_t member_len);

#endif
