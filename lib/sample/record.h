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
 * What is kept of a file: its length, digests and samples, and how those were taken.
 *
 * As text it is one line of printable characters, described in kith-record(5); text and memory hold the same,
 * so a record that was written and read gives the same answers as the file.
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

/* A record of zeros is an empty one, which may be filled, and again. */
void record_release(struct record *record);

/* Copies them; -1 without memory. */
int record_set_samples(struct record *record, const struct sample *samples, size_t count, struct error *err);
/* Room for so many samples, which the caller fills. */
int record_resize(struct record *record, size_t count, struct error *err);
void record_set_name(struct record *record, const void *name, size_t len);

/* Reduces the samples to those selected at the larger c; only for records of gf8. */
void record_reduce(struct record *record, uint32_t c);

/* Appends the Coates signature: a character per sample. */
void record_signature(const struct record *record, struct buffer *out);

/* Append the line of text or of JSON, with its newline. */
void record_format(const struct record *record, struct buffer *out);
void record_format_json(const struct record *record, struct buffer *out);

/* Fills the record from a line (without its newline).  Anything but what record_format writes is an error. */
int record_parse(struct record *record, const char *line, size_t len, struct error *err);

#endif
