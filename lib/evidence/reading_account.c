/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "evidence/reading.h"

/*
 * Every byte of an image must belong to an object.  The image is read in parts - a volume, or the space
 * between two - and each part has an account; bytes that no object of a file system claims become objects of
 * their own.
 */
enum { SMALLEST_UNIT = 512 };

bool reading_wants(const struct reading *reading, enum object_kind kind)
{
    return (reading->options->kinds & OBJECT_BIT(kind)) != 0;
}

bool reading_tracks(const struct reading *reading)
{
    return reading_wants(reading, OBJECT_UNCLAIMED);
}

/* ---- claims ---- */

static unsigned row_of(const struct reading *reading, enum object_kind kind)
{
    if (!reading_wants(reading, kind))
        return ACCOUNT_NOT_SELECTED;
    return kind == OBJECT_UNALLOCATED && reading->shown.unexamined && !reading->shown.system[0]
               ? ACCOUNT_NOT_EXAMINED
               : kind;
}

/* An inode's object that is not allocated: its blocks may belong to another file by now. */
static bool is_deleted(const struct object *object)
{
    return object->inode && !(object->flags & OBJECT_ALLOCATED);
}

void reading_claim(struct reading *reading, const struct object *object)
{
    int failed = 0;

    if (reading->account && (object->flags & OBJECT_HOST)) /* the image as a whole, read as a single file */
        failed = account_claim(reading->account, row_of(reading, object->kind), 0, object->size, NULL);
    for (size_t i = 0; i < object->run_count && reading->account && !failed; i++) {
        const struct object_run *run = &object->runs[i];

        failed = is_deleted(object) ? account_claim_deleted(reading->account, run->image, run->len)
                                    : account_claim(reading->account, row_of(reading, object->kind),
                                                    run->image, run->len, &reading->bad);
    }
    if (failed)
        reading_out_of_memory(reading);
}

void reading_claim_range(struct reading *reading, enum object_kind kind, const struct range *range)
{
    if (reading->account &&
        account_claim(reading->account, row_of(reading, kind), range->start, range->len, &reading->bad))
        reading_out_of_memory(reading);
}

void reading_claim_lost(struct reading *reading, uint64_t start, uint64_t len)
{
    if (reading->account && account_claim(reading->account, ACCOUNT_UNREADABLE, start, len, NULL))
        reading_out_of_memory(reading);
}

void reading_count(struct reading *reading, enum object_kind kind)
{
    if (reading->account)
        account_count(reading->account, row_of(reading, kind));
}

/* ---- parts ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/*
 * Returns the largest unit that divides the blocks of all file systems in a volume.  After the end of a file
 * system, one block may hold both structures and a gap.
 */
uint64_t reading_unit(const struct volume *volume, uint64_t start)
{
    uint64_t unit = 0;

    for (size_t i = 0; i < volume->system_count; i++) {
        const struct filesystem_facts *facts = &volume->systems[i].facts;
        const uint64_t apart = facts->start > start ? facts->start - start : start - facts->start;

        unit = common_divisor(unit, facts->block_size);
        unit = common_divisor(unit, apart);
        if (facts->start + facts->len < volume->start + volume->len)
            unit = common_divisor(unit, SMALLEST_UNIT);
    }
    return unit < SMALLEST_UNIT ? SMALLEST_UNIT : unit;
}

void reading_account_open(struct reading *reading, uint64_t start, uint64_t len, uint64_t unit)
{
    reading->account = account_new(start, len, unit);
    if (!reading->account)
        reading_out_of_memory(reading);
}

void reading_account_close(struct reading *reading, bool was_read)
{
    const struct account_table *table;
    uint64_t sum;

    if (!reading->account)
        return;
    if (!was_read || !reading_tracks(reading))
        account_rest(reading->account, ACCOUNT_NOT_SELECTED);
    table = account_table(reading->account);
    sum = account_sum(table);
    if (!reading->failed && sum != table->len)
        reading_problem(reading,
                        "internal error: %" PRIu64 " of %" PRIu64 " bytes from byte %" PRIu64
                        " are accounted for",
                        sum, table->len, table->start);
    if (!reading->failed && reading->sink->account)
        reading->sink->account(reading->sink->arg, &reading->shown, table);
    reading->accounted += table->len;
    account_free(reading->account);
    reading->account = NULL;
}
