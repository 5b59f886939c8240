/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "case/casefile_inner.h"

/*
 * Lists in a blob: numbers of seven bits a byte, lowest first; in signed ones the sign is the lowest bit.
 *
 * Of a range, four numbers: the distance of its start from that of the range before; its length; the signed
 * distance of its start in the reference from the end of the range before; and its length there.
 *
 * Of a run, three: the distance of its offset from the end of the run before; the signed distance of its
 * place on the image from there; and its length.
 */
enum { NUMBER_MOST = 10, RANGE_NUMBERS = 4, RUN_NUMBERS = 3 };

static void put_number(struct buffer *out, uint64_t number)
{
    for (; number > 127; number >>= 7)
        buffer_add_char(out, (char)(uint8_t)(number | 128));
    buffer_add_char(out, (char)(uint8_t)number);
}

static void put_signed(struct buffer *out, uint64_t number)
{
    put_number(out, number << 1 ^ (number >> 63 ? UINT64_MAX : 0));
}

void casefile_pack(struct buffer *out, const struct finding *finding)
{
    struct finding_range before = {0};

    for (size_t i = 0; i < finding->range_count; i++) {
        const struct finding_range *range = &finding->ranges[i];

        put_number(out, range->obj_start - before.obj_start);
        put_number(out, range->obj_end - range->obj_start);
        put_signed(out, range->ref_start - before.ref_end);
        put_number(out, range->ref_end - range->ref_start);
        before = *range;
    }
}

struct unpacking {
    const uint8_t *at, *end;
    bool broken;
};

static uint64_t get_number(struct unpacking *from)
{
    uint64_t number = 0;

    for (unsigned i = 0; i < NUMBER_MOST && from->at < from->end; i++) {
        const uint8_t byte = *from->at++;

        number |= (uint64_t)(byte & 127) << (7 * i);
        if (byte < 128)
            return number;
    }
    from->broken = true;
    return 0;
}

static uint64_t get_signed(struct unpacking *from)
{
    const uint64_t number = get_number(from);

    return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

/* Each number ends with a byte below 128. */
static size_t count_numbers(const uint8_t *data, size_t len)
{
    size_t count = 0;

    for (size_t i = 0; i < len; i++)
        count += data[i] < 128;
    return count;
}

bool casefile_unpack(const void *data, size_t len, struct finding *finding)
{
    struct unpacking from = {.at = data, .end = (const uint8_t *)data + len};
    const size_t numbers = count_numbers(data, len);
    struct finding_range before = {0};

    if (numbers % RANGE_NUMBERS || finding_resize(finding, numbers / RANGE_NUMBERS, NULL))
        return false;
    for (size_t i = 0; i < finding->range_count; i++) {
        struct finding_range *range = &finding->ranges[i];

        range->obj_start = before.obj_start + get_number(&from);
        range->obj_end = range->obj_start + get_number(&from);
        range->ref_start = before.ref_end + get_signed(&from);
        range->ref_end = range->ref_start + get_number(&from);
        before = *range;
    }
    return !from.broken && from.at == from.end;
}

/* ---- runs ---- */

/* What lies after the end of the object, in its last block, is not part of it. */
size_t casefile_pack_runs(struct buffer *out, const struct case_object *object)
{
    struct object_run before = {0};
    size_t i = 0;

    for (; i < object->run_count && i < CASE_MOST_RUNS && object->runs[i].offset < object->size; i++) {
        struct object_run run = object->runs[i];

        if (run.len > object->size - run.offset)
            run.len = object->size - run.offset;
        put_number(out, run.offset - before.offset - before.len);
        put_signed(out, run.image - before.image - before.len);
        put_number(out, run.len);
        before = run;
    }
    return i;
}

/* Whether the run lies after the one before, and its ends are numbers that SQLite has. */
static bool run_is_sound(const struct object_run *run, uint64_t at, uint64_t size)
{
    return run->len && run->offset >= at && run->offset <= size && run->len <= size - run->offset &&
           run->image <= INT64_MAX && run->len <= INT64_MAX - run->image;
}

bool casefile_unpack_runs(const void *data, size_t len, uint64_t size, struct case_runs *out)
{
    struct unpacking from = {.at = data, .end = (const uint8_t *)data + len};
    const size_t numbers = count_numbers(data, len);
    struct object_run before = {0};

    out->count = 0;
    if (numbers % RUN_NUMBERS || numbers / RUN_NUMBERS > CASE_MOST_RUNS ||
        array_reserve(&out->list, &out->room, numbers / RUN_NUMBERS))
        return false;
    for (; out->count < numbers / RUN_NUMBERS; out->count++) {
        struct object_run *run = &out->list[out->count];
        const uint64_t at = before.offset + before.len;

        run->offset = at + get_number(&from);
        run->image = before.image + before.len + get_signed(&from);
        run->len = get_number(&from);
        if (!run_is_sound(run, at, size))
            return false;
        before = *run;
    }
    return !from.broken && from.at == from.end;
}
