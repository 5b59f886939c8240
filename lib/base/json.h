/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_JSON_H
#define KITH_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * JSON (RFC 8259) of others, token by token, in constant memory.
 *
 * The grammar is held to strictly, but the bytes of strings are kept as they are, UTF-8 or not, control
 * characters too, which many write so; half a surrogate pair that is written as \u becomes three bytes.
 */
struct json;

enum {
    JSON_DEPTH = 64, /* objects and arrays in one another */
};

enum json_token {
    JSON_END, /* after the one value */
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
    JSON_BAD, /* it is no JSON: err says why and at which byte; nothing comes after it but by json_resync */
    JSON_FAILED, /* the source failed: err is its own */
};

/* Gives more bytes, which stay valid until it is called again: 1, 0 at the end, -1. */
typedef int json_source(void *arg, const char **data, size_t *len, struct error *err);

/* longest: of a key, string or number that is kept; of a longer one json_text gives nothing. */
struct json *json_new(size_t longest, struct error *err);
void json_free(struct json *json);

/* A new text: the bytes, then what the source gives; NULL: nothing. */
void json_begin(struct json *json, const char *data, size_t len, json_source *source, void *arg);

/* The next token; what json_text has of the one before is gone. */
enum json_token json_next(struct json *json, struct error *err);
/* token: the last one.  After a key passes over its value; else over the rest of what the token began.
 * Returns the last token that belongs to it, JSON_BAD or JSON_FAILED. */
enum json_token json_skip(struct json *json, enum json_token token, struct error *err);

/*
 * After JSON_BAD: goes on with the next object of the array that is the depth-th of what is open, or of one
 * that this is in; JSON_OBJECT, JSON_END if the text ends as it should, JSON_BAD (without a message) if not,
 * or JSON_FAILED.  It only goes forward.  Where objects begin is a guess, which a quote or a bracket too many
 * or too few seldom misleads.  If it was misled, the array may seem to have ended, and it is not too late to
 * go on in it. depth: 1 .. JSON_DEPTH - 1, of an array.
 */
enum json_token json_resync(struct json *json, unsigned depth, struct error *err);

/* Of the last key, string or number; valid until the next token. */
const char *json_text(const struct json *json, size_t *len);
bool json_is_long(const struct json *json);
/* Whether the last token is a number without sign, fraction and exponent that fits. */
bool json_number(const struct json *json, uint64_t *out);

/* How many objects and arrays are open. */
unsigned json_depth(const struct json *json);
/* Bytes that were taken so far. */
uint64_t json_offset(const struct json *json);
/* The number of the line that they end in, from 1. */
uint64_t json_line(struct json *json);

#endif
