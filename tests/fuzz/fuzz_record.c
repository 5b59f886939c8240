/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sample/record.h"

/*
 * The input is a record's line, without its newline.
 *
 * Either there is a message, or the record is written as the same line again; then its samples ascend within
 * its length, and its JSON is one line.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void require_in_bounds(const struct record *record)
{
    require(record_check(&record->params, NULL) == 0 && record->params.c != SAMPLER_AUTO);
    require(record->len <= INT64_MAX && record->coincidence <= SAMPLER_COINCIDENCE_ONE);
    require(record->digests.kinds & DIGEST_BIT(DIGEST_SHA1));
    for (size_t i = 0; i < record->count; i++) {
        require(i == 0 || record->samples[i].pos > record->samples[i - 1].pos);
        require(record->samples[i].pos <= record->len - record->params.n);
    }
}

static void require_same_line(const struct record *record, const uint8_t *data, size_t size)
{
    struct buffer line = {0};

    record_format(record, &line);
    require(!line.failed && line.len == size + 1 && line.data[size] == '\n');
    require(memcmp(line.data, data, size) == 0 && memchr(line.data, '\n', size) == NULL);
    buffer_release(&line);
}

static void require_one_line_of_json(const struct record *record)
{
    struct buffer json = {0};

    record_format_json(record, &json);
    require(!json.failed && json.len > 2 && json.data[0] == '{' && json.data[json.len - 2] == '}');
    for (size_t i = 0; i < json.len; i++)
        require((uint8_t)json.data[i] >= 0x20 || (json.data[i] == '\n' && i == json.len - 1));
    buffer_release(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char good[] =
        "kith1:gf8:12:128:0:99:da39a3ee5e6b4b0d3255bfef95601890afd80709:0:A:B:AAAAAAAAAA:x";
    static struct record record; /* filled again and again, by good lines and by bad ones */
    struct error err = {""};

    if (record_parse(&record, (const char *)data, size, &err)) {
        require(err.text[0] != '\0');
        require(record_parse(&record, good, sizeof good - 1, &err) == 0);
        require_same_line(&record, (const uint8_t *)good, sizeof good - 1);
        return 0;
    }
    require_in_bounds(&record);
    require_same_line(&record, data, size);
    require_one_line_of_json(&record);
    return 0;
}
