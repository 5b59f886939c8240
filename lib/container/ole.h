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

/*
 * The text of documents of Word (also of 6.0 and 95), Excel and PowerPoint, and of mails of Outlook, in the
 * form that document.h describes.  Of Word the codes of fields are left out; what was deleted while changes
 * were recorded is at its place, since only the formatting marks it.  Of mails there are the subject and the
 * body in plain text.
 */
extern const struct container_format ole_text_format;

#endif
