/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RECORD_H
#define KITH_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/error.h"
#include "sample/sampler.h"

/*
 * A file's record: its length, digests and samples, and the parameters they were taken with.
 *
 * The text form is one line of printable characters, described in kith-record(5).  It is lossless: a record
 * that was written and read back gives the same answers as the file.
 */
struct record {
    struct sampler_params params; /* c is a number here, never SAMPLER_AUTO */
    uint64_t len;
    struct digest_values digests; /* SHA-1 is always there */
    uint32_t coincidence;         /* as in struct sampler_result */
    struct sample *samples;
    size_t count;
    size_t room;
    struct buffer name; /* raw bytes */
};

/* The first bytes of a record's line. */
#define RECORD_MAGIC     "kith1:"
#define RECORD_MAGIC_LEN 6

/* A zeroed struct is an empty record.  Records may be refilled without releasing them first. */
void record_release(struct record *record);

/* Returns -1 and a message if no record has these parameters.  They are those of samplers, and of records
 * that are sampled with a key. */
int record_check(const struct sampler_params *params, struct error *err);

/* Copies the samples.  -1 if memory runs out. */
int record_set_samples(struct record *record, const struct sample *samples, size_t count, struct error *err);
/* Makes room for `count` samples, to be filled in by the caller. */
int record_resize(struct record *record, size_t count, struct error *err);
void record_set_name(struct record *record, const void *name, size_t len);

/* Reduces the samples to those selected at a larger c; scheme gf8 only. */
void record_reduce(struct record *record, uint32_t c);
/* Returns the record itself if it was sampled at c, else a copy that is reduced to it, without name and
 * digests; NULL if memory runs out. */
const struct record *record_reduced(const struct record *record, uint32_t c, struct record *copy,
                                    struct error *err);

/* Appends the Coates signature: one character per sample. */
void record_signature(const struct record *record, struct buffer *out);

/* Append the record as a line of text or JSON, with a newline. */
void record_format(const struct record *record, struct buffer *out);
void record_format_json(const struct record *record, struct buffer *out);

/* Parses a line without its newline; anything record_format would not have written is an error. */
int record_parse(struct record *record, const char *line, size_t len, struct error *err);

#endif
