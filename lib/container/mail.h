/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MAIL_H
#define KITH_MAIL_H

#include "container/container.h"

/*
 * Mail: RFC 5322 with MIME.
 *
 * `mail` yields each part that is not itself divided, decoded, by the file name that it has, or else by its
 * place: "part-2.1" is the first part of the second.  An attached mail is one part.  After a plain text part
 * follow its running text, "NAME text", and, if lines of it are quoted or it is not in UTF-8, the lines
 * without marks of quotation in UTF-8, "NAME unquoted"; each only if it differs from the part.
 *
 * `mbox` yields each message, by its number from 1.  It begins after a line "From " with a date that a field
 * follows. Its bytes are as stored: whether ">From " in them was "From " once, no variant of the format says
 * for sure.
 */
extern const struct container_format mail_format;
extern const struct container_format mail_box_format;

#endif
