/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_JSON_H
#define KITH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * A pull parser for untrusted JSON (RFC 8259), in constant memory.
 *
 * The grammar is enforced strictly, but strings keep their bytes: invalid UTF-8 and raw control characters,
 * which many programs write, are passed through, and an unpaired \u surrogate becomes three bytes.
 */
struct json;

enum {
    JSON_DEPTH = 64, /* nested objects and arrays */
};

enum json_token {
    JSON_END, /* after the top-level value */
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_STRING,
    JSON_NUMBER,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
    JSON_BAD,    /* malformed: err says why and at which byte; only json_resync can continue */
    JSON_FAILED, /* the source failed, with its own err */
};

/* Supplies more bytes, valid until the next call.  Returns 1, 0 at the end, -1 on error. */
typedef int json_source(void *arg, const char **data, size_t *len, struct error *err);

/* longest: the most bytes of a key, string or number to keep; json_text is empty for longer ones. */
struct json *json_new(size_t longest, struct error *err);
void json_free(struct json *json);

/* Starts a new text: these bytes, then those of the source (NULL: none). */
void json_begin(struct json *json, const char *data, size_t len, json_source *source, void *arg);

/* The next token.  Invalidates json_text of the one before. */
enum json_token json_next(struct json *json, struct error *err);
/* Skips what the last token began: the value of a key, the rest of an object or array.  Returns the last
 * token of it, JSON_BAD or JSON_FAILED. */
enum json_token json_skip(struct json *json, enum json_token token, struct error *err);

/*
 * Resynchronises after JSON_BAD: continues with the next object of the array at nesting level `depth`
 * (1 .. JSON_DEPTH - 1), or of an array around it.  Returns JSON_OBJECT, JSON_END if the text ends properly,
 * JSON_BAD (without a message) if it does not, or JSON_FAILED.  Never goes backwards.  Where objects begin is
 * a guess that a missing or an extra quote or bracket seldom misleads; if it does, the array may seem to have
 * ended, and a further call can still continue in it.
 */
enum json_token json_resync(struct json *json, unsigned depth, struct error *err);

/* The text of the last key, string or number; valid until the next token. */
const char *json_text(const struct json *json, size_t *len);
bool json_is_long(const struct json *json);
/* Whether the last token is an unsigned integer that fits; if so, its value. */
bool json_number(const struct json *json, uint64_t *out);

/* The current nesting depth of objects and arrays. */
unsigned json_depth(const struct json *json);
/* The number of bytes consumed. */
uint64_t json_offset(const struct json *json);
/* The current line number, from 1. */
uint64_t json_line(struct json *json);

#endif
