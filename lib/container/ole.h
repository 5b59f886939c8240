/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_OLE_H
#define KITH_OLE_H

#include "container/container.h"

/*
 * OLE2 compound files (MS-CFB): documents of Office 97 to 2003, mails of Outlook, installers.
 *
 * Each stream is a member, named by its path in UTF-8 ("ObjectPool/_123/\001Ole10Native").  Streams whose
 * directory entry no folder leads to, because they were deleted, follow under their own name.  A file
 * embedded in an Ole10Native stream is a member of its own, whose name follows that of the stream.
 */
extern const struct container_format ole_format;

#endif
