/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MAIL_HEADER_H
#define KITH_MAIL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "container/charset.h"
#include "container/transfer.h"

/* The header of a mail and of its parts: RFC 5322, RFC 2045, RFC 2047 and RFC 2231. */

enum {
    MAIL_FIELD_MOST = 16 << 10, /* bytes of a field that are looked at */
    MAIL_NAME_MOST = 4096,      /* bytes of a file name */
};

enum mail_line {
    MAIL_EMPTY, /* the header ends */
    MAIL_FIELD,
    MAIL_FOLDED, /* the last field goes on */
    MAIL_OTHER,
};

/* What a line is that begins here; *colon is the length of the field's name, and what follows it may be
 * missing. */
enum mail_line mail_line(const uint8_t *line, size_t len, size_t *colon);

/* Whether these bytes begin with the header of a mail, strictly enough that other text is none: two of its
 * fields, one of which has a value that only mail has. */
bool mail_begins(const uint8_t *head, size_t len);
/* Whether they begin with the line that separates the messages of an mbox file, with a date, and a field
 * after it. */
bool mail_begins_postmark(const uint8_t *line, size_t len);

/* The fields that say what a part is, unfolded. */
struct mail_header {
    struct buffer type, encoding, disposition;
    struct buffer *present; /* the field that is being read, if it is one of these */
};

/* Empty it, keeping its memory or not.  A zeroed struct is empty. */
void mail_header_reset(struct mail_header *header);
void mail_header_release(struct mail_header *header);
/* Takes a line that is MAIL_FIELD or MAIL_FOLDED, without its end. */
void mail_header_line(struct mail_header *header, const uint8_t *line, size_t len);

/* The value of a field without white space around it and without parameters; NULL if it is empty. */
const char *mail_value(const struct buffer *field, size_t *len);
/* Whether a field's value is this one, in any case and apart from parameters; or begins like it, if it ends
 * in "/". */
bool mail_value_is(const struct buffer *field, const char *value);
/* Appends the value of a parameter in UTF-8, or raw if its charset is not known.  Returns false if there is
 * none. */
bool mail_parameter(const struct buffer *field, const char *name, struct buffer *out);

/* The boundary between the parts of what is divided into parts; false if it is not. */
bool mail_header_boundary(const struct mail_header *header, struct buffer *out);
/* Appends the file name, if there is one, to an empty buffer. */
void mail_header_name(const struct mail_header *header, struct buffer *out);
/* Whether a parameter of the type has this value, in any case. */
bool mail_header_states(const struct mail_header *header, const char *name, const char *value);
enum charset_kind mail_header_charset(const struct mail_header *header);
enum transfer_kind mail_header_transfer(const struct mail_header *header);

#endif
