/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/wire.h"
#include "check_main.h"
#include "evidence/batch.h"
#include "small_crew.h"

/*
 * A batch reports its progress to the crew, so each test runs in a crew of one worker.  Worker and test
 * derive the same objects from the same seed: the worker passes them to a batch and sends what its inspector
 * saw, and the test assembles each object byte by byte.
 */
enum {
    MEBIBYTE = 1 << 20,
    SIZE = 8 * MEBIBYTE + 777, /* of the medium */
    PIECE = 4096,
    MAX_RUNS = 40,
    MOST_AGAIN = 2500, /* bytes at once */
};

#define GIBIBYTE ((uint64_t)1 << 30)

enum shape {
    TINY,     /* nothing, or a few bytes */
    SMALL,    /* runs of a few blocks, overlapping each other */
    ADJACENT, /* each follows the one before it on the medium */
    SPARSE,   /* more holes than runs, runs far from each other */
    MIDDLE,   /* a few of them fill the memory for reading together */
    LARGE,    /* read alone */
    PAST_END, /* across the end of the medium, or wholly after it */
    HOLES,    /* no runs, but a size */
    SHAPES,
};

struct spec {
    uint64_t seed, count;
    unsigned shapes; /* a set of bits */
    unsigned flush;  /* after this many objects; 0: only at the end */
    bool bad_sectors, no_inspector, refuse_some;
    bool again;       /* the inspector reads here and there again, and compares */
    bool unwant_some; /* their content is not requested */
    bool blame_some;  /* they arrive as unreadable */
    uint64_t holes;   /* size of the objects that are nothing but holes, if not 0 */
};

/* ---- the medium ---- */

static const struct spec *spec; /* of the current task */
static uint64_t reads;

static uint64_t mix(uint64_t a, uint64_t b)
{
    a = (a ^ b * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    a = (a ^ a >> 31) * 0x94d049bb133111ebu;
    return a ^ a >> 29;
}

static uint8_t byte_at(uint64_t offset)
{
    return (uint8_t)(1 + (offset * 0x9e3779b97f4a7c15u >> 32) % 255);
}

static bool is_bad(uint64_t offset)
{
    return spec->bad_sectors && mix(spec->seed, offset / PIECE) % 50 == 0;
}

static ssize_t read_medium(void *state, uint64_t offset, void *into, size_t len)
{
    (void)state;
    reads++;
    if (offset >= SIZE || len > SIZE - offset)
        abort();
    for (uint64_t i = offset; i < offset + len; i = (i / PIECE + 1) * PIECE)
        if (is_bad(i)) {
            errno = EIO;
            return -1;
        }
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)into)[i] = byte_at(offset + i);
    return (ssize_t)len;
}

static void close_medium(void *state)
{
    (void)state;
}

static struct medium *make_medium(void)
{
    const struct backend backend = {
        .size = SIZE, .sector_size = 512, .read = read_medium, .close = close_medium};

    return medium_new(&backend, "fake", NULL);
}

/* ---- a sum over a stream, to which any number of zeros can be added at once ---- */

#define BASE 0x100000001b3u

struct sum {
    uint64_t value, len;
};

static void sum_byte(struct sum *sum, uint8_t byte)
{
    sum->value = sum->value * BASE + byte;
    sum->len++;
}

static void sum_zeros(struct sum *sum, uint64_t len)
{
    uint64_t factor = BASE;

    sum->len += len;
    for (; len > 0; len >>= 1, factor *= factor)
        if (len & 1)
            sum->value *= factor;
}

/* ---- objects ---- */

struct dice {
    uint64_t seed, rolls;
};

static uint64_t roll(struct dice *dice, uint64_t below)
{
    return mix(dice->seed, ++dice->rolls) % below;
}

static void add_runs(struct object *object, struct dice *dice, unsigned runs, uint64_t longest, uint64_t hole,
                     uint64_t window)
{
    const uint64_t from = roll(dice, SIZE - window);
    uint64_t at = 0;

    for (unsigned i = 0; i < runs; i++) {
        const uint64_t len = 1 + roll(dice, longest), room = window > len ? window - len : 1;

        at += hole && roll(dice, 3) == 0 ? roll(dice, hole) : 0;
        if (object_add_run(object, at, from + roll(dice, room) / (roll(dice, 2) ? 512 : 1), len))
            abort();
        at += len;
    }
    object->size = at + (hole && roll(dice, 2) ? roll(dice, hole) : 0);
}

static void add_one_run(struct object *object, uint64_t image, uint64_t len)
{
    if (object_add_run(object, 0, image, len))
        abort();
    object->size = len;
}

static void fill_object(struct object *object, const struct spec *from, uint64_t number)
{
    struct dice dice = {mix(from->seed, number), 0};
    enum shape shape;

    do
        shape = (enum shape)roll(&dice, SHAPES);
    while (!(from->shapes >> shape & 1));
    object->inode = number;
    object->kind = OBJECT_FILE;
    if (shape == TINY)
        add_runs(object, &dice, (unsigned)roll(&dice, 3), 3, 0, 100);
    else if (shape == SMALL)
        add_runs(object, &dice, (unsigned)roll(&dice, MAX_RUNS), 9000, 5000, 200000);
    else if (shape == ADJACENT)
        add_one_run(object, (number * 7919 % from->count) * 1024, 1024);
    else if (shape == SPARSE)
        add_runs(object, &dice, 1 + (unsigned)roll(&dice, 8), 5000, 3 * (uint64_t)MEBIBYTE, SIZE - 1);
    else if (shape == MIDDLE)
        add_runs(object, &dice, 1 + (unsigned)roll(&dice, 3), MEBIBYTE / 3, 100, 3 * (uint64_t)MEBIBYTE);
    else if (shape == LARGE)
        add_runs(object, &dice, 4 + (unsigned)roll(&dice, 3), MEBIBYTE, 100000, 3 * (uint64_t)MEBIBYTE);
    else if (shape == PAST_END)
        add_one_run(object, SIZE - 5000 + roll(&dice, 10000),
                    1 + roll(&dice, roll(&dice, 2) ? 20000 : 2 * (uint64_t)MEBIBYTE));
    else
        object->size = from->holes ? from->holes : roll(&dice, 100000);
    if (from->blame_some && roll(&dice, 3) == 0)
        object_blame(object, OBJECT_UNREADABLE, "for the test");
}

static bool is_unwanted(const struct spec *from, uint64_t number)
{
    return from->unwant_some && mix(from->seed, number + 1) % 3 == 0;
}

static bool is_refused(const struct spec *from, uint64_t number)
{
    return from->refuse_some && mix(from->seed, number) % 3 == 0;
}

/* ---- the worker's side ---- */

struct inspection {
    struct sum sum;
    bool open;
    size_t ended;
    struct buffer out;
    struct content *content;
    const struct object *object;
    struct dice dice;
};

static void require(bool holds)
{
    if (!holds)
        abort(); /* seen as a loss */
}

/* Byte by byte; -1 if one of them cannot be read. */
static int naive_read(const struct object *object, uint64_t offset, uint8_t *into, size_t len)
{
    int result = 0;

    memset(into, 0, len);
    for (size_t i = 0; i < object->run_count; i++)
        for (uint64_t k = 0; k < object->runs[i].len; k++) {
            const uint64_t to = object->runs[i].offset + k, at = object->runs[i].image + k;

            if (to < offset || to - offset >= len)
                continue;
            if (at >= SIZE || is_bad(at))
                result = -1;
            else
                into[to - offset] = byte_at(at);
        }
    return result;
}

static void read_again(struct inspection *inspection)
{
    static uint8_t got[MOST_AGAIN], wanted[MOST_AGAIN];
    const uint64_t size = inspection->object->size;
    struct dice *dice = &inspection->dice;
    const uint64_t offset = roll(dice, size + 2), left = offset < size ? size - offset : 0;
    const size_t len = (size_t)roll(dice, left + 2 < MOST_AGAIN ? left + 2 : MOST_AGAIN);
    const bool inside = offset <= size && len <= size - offset;
    const int result = inside ? naive_read(inspection->object, offset, wanted, len) : -1;

    require(content_read(inspection->content, offset, got, len) == result);
    require(result || memcmp(got, wanted, len) == 0);
}

static bool inspect_begin(void *state, const struct object *object, struct content *content)
{
    struct inspection *inspection = state;

    require(!inspection->open && content && !(object->flags & OBJECT_UNWANTED));
    inspection->sum = (struct sum){0};
    inspection->open = !is_refused(spec, object->inode);
    inspection->content = content;
    inspection->object = object;
    inspection->dice = (struct dice){spec->seed, object->inode << 32};
    for (int i = 0; i < 3 && spec->again && inspection->open; i++)
        read_again(inspection);
    return inspection->open;
}

static void inspect_data(void *state, const void *data, size_t len)
{
    struct inspection *inspection = state;

    require(inspection->open);
    if (spec->again && roll(&inspection->dice, 5) == 0)
        read_again(inspection);
    for (size_t i = 0; i < len; i++)
        sum_byte(&inspection->sum, ((const uint8_t *)data)[i]);
}

static void inspect_zeros(void *state, uint64_t len)
{
    struct inspection *inspection = state;

    require(inspection->open);
    if (spec->again && roll(&inspection->dice, 5) == 0)
        read_again(inspection);
    sum_zeros(&inspection->sum, len);
}

static void inspect_end(void *state, struct object *object)
{
    struct inspection *inspection = state;

    require(inspection->open);
    for (int i = 0; i < 3 && spec->again; i++)
        read_again(inspection);
    inspection->open = false;
    inspection->ended++;
    buffer_add(&object->result, &inspection->sum, sizeof inspection->sum);
}

static bool take_done(void *arg, struct object *object)
{
    object_encode(arg, object);
    return true;
}

static const struct inspector inspector = {
    .begin = inspect_begin, .data = inspect_data, .zeros = inspect_zeros, .end = inspect_end};

static void work(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count)
{
    struct inspection inspection = {0};
    struct batch *batch;
    struct medium *medium;
    struct object object = {0};

    (void)state;
    (void)fds;
    require(len == sizeof *spec && fd_count == 0);
    spec = task;
    reads = 0;
    batch = batch_new(spec->no_inspector ? NULL : &inspector, &inspection, worker, NULL);
    medium = make_medium();
    require(batch && medium);
    batch_deliver(batch, take_done, &inspection.out);
    for (uint64_t i = 0; i < spec->count; i++) {
        object_reset(&object);
        fill_object(&object, spec, i);
        object.flags = is_unwanted(spec, i) ? OBJECT_UNWANTED : 0;
        crew_begin(worker, (uint32_t)i);
        require(batch_add(batch, medium, (uint32_t)i, &object, NULL) == 0);
        if (spec->flush && i % spec->flush == spec->flush - 1)
            batch_flush(batch, medium);
    }
    batch_flush(batch, medium);
    wire_put(&inspection.out, reads);
    crew_send(worker, inspection.out.data, inspection.out.len);
    object_release(&object);
    buffer_release(&inspection.out);
    batch_free(batch);
    medium_close(medium);
}

static void *start(void *arg, struct crew_worker *worker, struct error *err)
{
    (void)worker;
    (void)err;
    return arg;
}

/* ---- the test's side ---- */

static struct crew *crew_of(void (*of_what)(void *state, struct crew_worker *worker, const void *task,
                                            size_t len, const int *fds, unsigned fd_count))
{
    static int anything;

    return small_crew(
        (struct crew_job){.start = start, .work = of_what, .arg = &anything, .no_sandbox = true});
}

static struct sum naive_sum(const struct object *object, bool *partial)
{
    struct sum sum = {0};

    for (size_t i = 0; i < object->run_count; i++) {
        const struct object_run *run = &object->runs[i];

        sum_zeros(&sum, run->offset - sum.len);
        for (uint64_t at = run->image; at < run->image + run->len; at++) {
            const bool gone = at >= SIZE || is_bad(at);

            *partial = *partial || gone;
            sum_byte(&sum, gone ? 0 : byte_at(at));
        }
    }
    sum_zeros(&sum, object->size - sum.len);
    return sum;
}

static bool lies_behind(const struct object *object)
{
    bool past_end = false;

    for (size_t i = 0; i < object->run_count; i++)
        past_end = past_end || object->runs[i].image + object->runs[i].len > SIZE;
    return past_end;
}

static void assert_object(const struct object *object, uint64_t number)
{
    const bool refused = is_refused(spec, number) || is_unwanted(spec, number) || spec->no_inspector;
    struct object wanted = {0};
    bool partial = false;
    struct sum sum;

    fill_object(&wanted, spec, number);
    ck_assert_uint_eq(object->inode, number);
    ck_assert_uint_eq(object->flags, is_unwanted(spec, number) ? OBJECT_UNWANTED : 0);
    ck_assert_uint_eq(object->size, wanted.size);
    /* Objects that are not read must not claim blocks either. */
    ck_assert_uint_eq(object->run_count,
                      wanted.state == OBJECT_UNREADABLE && !spec->no_inspector ? 0 : wanted.run_count);
    if (wanted.state == OBJECT_UNREADABLE || refused) {
        ck_assert_uint_eq(object->result.len, 0);
        ck_assert_int_eq(object->state, wanted.state           ? wanted.state
                                        : lies_behind(&wanted) ? OBJECT_PARTIAL
                                                               : OBJECT_WHOLE);
    } else {
        sum = naive_sum(&wanted, &partial);
        ck_assert_uint_eq(object->result.len, sizeof sum);
        ck_assert_msg(memcmp(object->result.data, &sum, sizeof sum) == 0, "object %llu has other bytes",
                      (unsigned long long)number);
        ck_assert_int_eq(object->state, partial ? OBJECT_PARTIAL : OBJECT_WHOLE);
    }
    ck_assert_int_eq(object->problem.len > 0, object->state != OBJECT_WHOLE);
    object_release(&wanted);
}

/* Returns the number of reads. */
static uint64_t assert_batch(struct crew *crew, const struct spec *given)
{
    const struct crew_task task = {.tag = 1,
                                   .data = given,
                                   .len = sizeof *given,
                                   .items = (uint32_t)given->count,
                                   .seconds = 600,
                                   .most = UINT64_MAX};
    struct crew_result result;
    struct object object = {0};
    struct error err = {""};
    struct wire wire;
    uint64_t count;

    spec = given;
    ck_assert_int_eq(crew_push(crew, &task, &err), 0);
    ck_assert_msg(crew_pop(crew, &result, &err) == 1, "%s", err.text);
    ck_assert_msg(result.loss_count == 0, "item %u: %s", result.losses[0].item, result.losses[0].reason);
    wire = (struct wire){result.data, result.len, false};
    for (uint64_t i = 0; i < given->count; i++) {
        ck_assert(object_decode(&wire, &object));
        assert_object(&object, i);
    }
    count = wire_get(&wire);
    ck_assert(!wire.broken && !wire_more(&wire));
    object_release(&object);
    return count;
}

static void assert_batches(struct spec wanted, int rounds)
{
    struct crew *crew = crew_of(work);

    for (int round = 0; round < rounds; round++) {
        wanted.seed = random64();
        assert_batch(crew, &wanted);
    }
    crew_free(crew);
}

enum { ALL = (1 << SHAPES) - 1 };

START_TEST(small_objects_have_the_content_of_their_runs)
{
    assert_batches((struct spec){.count = 100, .shapes = 1 << TINY | 1 << SMALL | 1 << HOLES}, 3);
    assert_batches((struct spec){.count = 30, .shapes = 1 << TINY | 1 << SPARSE | 1 << ADJACENT | 1 << HOLES},
                   3);
    assert_batches((struct spec){.count = 1, .shapes = ALL & ~(1 << LARGE)}, 20);
    assert_batches((struct spec){.count = 0, .shapes = ALL}, 1);
}
END_TEST

START_TEST(objects_beyond_one_batch_have_the_content_of_their_runs)
{
    assert_batches((struct spec){.count = 60, .shapes = 1 << MIDDLE | 1 << TINY}, 3);
    assert_batches((struct spec){.count = 1500, .shapes = 1 << TINY}, 2);
}
END_TEST

START_TEST(large_objects_keep_their_place_among_small_ones)
{
    assert_batches((struct spec){.count = 12, .shapes = 1 << LARGE | 1 << SMALL | 1 << TINY}, 3);
}
END_TEST

START_TEST(a_batch_can_be_reused)
{
    assert_batches((struct spec){.count = 100, .shapes = ALL & ~(1 << LARGE), .flush = 7}, 2);
    assert_batches((struct spec){.count = 50, .shapes = ALL & ~(1 << LARGE), .flush = 1}, 1);
}
END_TEST

START_TEST(objects_on_bad_sectors_or_past_the_end_are_partial)
{
    assert_batches(
        (struct spec){.count = 100, .shapes = ALL & ~(1 << MIDDLE | 1 << LARGE), .bad_sectors = true}, 3);
    assert_batches((struct spec){.count = 10, .shapes = 1 << LARGE | 1 << MIDDLE, .bad_sectors = true}, 2);
    assert_batches((struct spec){.count = 20, .shapes = 1 << PAST_END | 1 << TINY}, 3);
}
END_TEST

START_TEST(unwanted_objects_are_passed_on_unread)
{
    assert_batches((struct spec){.count = 60, .shapes = ALL, .refuse_some = true}, 2);
    assert_batches((struct spec){.count = 60, .shapes = ALL & ~(1 << LARGE), .blame_some = true}, 2);
}
END_TEST

START_TEST(objects_whose_content_is_not_requested_are_passed_on_unread)
{
    assert_batches((struct spec){.count = 60, .shapes = ALL, .unwant_some = true, .flush = 25}, 3);
}
END_TEST

/* ---- rereading ---- */

START_TEST(rereading_returns_the_content_of_the_runs)
{
    const unsigned small = 1 << TINY | 1 << SMALL | 1 << HOLES;

    assert_batches((struct spec){.count = 60, .shapes = small, .again = true}, 3);
    assert_batches(
        (struct spec){.count = 30, .shapes = 1 << SPARSE | 1 << ADJACENT, .again = true, .flush = 7}, 2);
    assert_batches((struct spec){.count = 4, .shapes = 1 << LARGE | 1 << TINY, .again = true}, 2);
    assert_batches((struct spec){.count = 12, .shapes = 1 << MIDDLE, .again = true}, 1);
}
END_TEST

START_TEST(unreadable_bytes_are_missing_when_reread)
{
    assert_batches((struct spec){.count = 50, .shapes = 1 << SMALL, .bad_sectors = true, .again = true}, 3);
    assert_batches((struct spec){.count = 12, .shapes = 1 << PAST_END | 1 << TINY, .again = true}, 3);
    assert_batches((struct spec){.count = 2, .shapes = 1 << LARGE, .bad_sectors = true, .again = true}, 1);
}
END_TEST

START_TEST(rereads_are_not_counted)
{
    const struct spec given = {.seed = 8,
                               .count = 30,
                               .shapes = ALL & ~(1 << LARGE | 1 << MIDDLE),
                               .again = true,
                               .refuse_some = true};
    struct crew *crew = crew_of(work);
    struct object object = {0};
    uint64_t all = 0;

    assert_batch(crew, &given);
    for (uint64_t i = 0; i < given.count; i++) {
        object_reset(&object);
        fill_object(&object, &given, i);
        all += is_refused(&given, i) ? 0 : object.size;
    }
    ck_assert_uint_eq(crew_bytes(crew), all);
    object_release(&object);
    crew_free(crew);
}
END_TEST

static void assert_batch_alone(const struct spec *given, uint64_t wanted)
{
    struct crew *crew = crew_of(work);

    ck_assert_uint_eq(assert_batch(crew, given), wanted);
    crew_free(crew);
}

START_TEST(without_an_inspector_nothing_is_read)
{
    const struct spec given = {.seed = 5, .count = 200, .shapes = ALL, .no_inspector = true, .flush = 30};

    assert_batch_alone(&given, 0);
}
END_TEST

START_TEST(neighbours_are_read_together_in_any_order)
{
    const struct spec given = {
        .seed = 5, .count = 4000, .shapes = 1 << ADJACENT}; /* just below what is read together */

    assert_batch_alone(&given, 1);
}
END_TEST

START_TEST(holes_read_as_zeros_unless_absurdly_large)
{
    const struct spec few = {
        .seed = 6, .count = 2, .shapes = 1 << HOLES, .holes = 16 * GIBIBYTE}; /* together, the most */

    assert_batch_alone(&few, 0);
}
END_TEST

/* ---- properties within the worker ---- */

/* Expects the worker to do it all without dying. */
static void assert_done(void (*what)(void *state, struct crew_worker *worker, const void *task, size_t len,
                                     const int *fds, unsigned fd_count))
{
    static const struct spec any = {.seed = 9, .count = 10, .shapes = ALL};
    const struct crew_task task = {
        .tag = 1, .data = &any, .len = sizeof any, .items = 10, .seconds = 600, .most = UINT64_MAX};
    struct crew *crew = crew_of(what);
    struct crew_result result;
    struct error err = {""};

    ck_assert_int_eq(crew_push(crew, &task, &err), 0);
    ck_assert_msg(crew_pop(crew, &result, &err) == 1, "%s", err.text);
    ck_assert_msg(result.loss_count == 0, "%s", result.losses[0].reason);
    ck_assert_msg(result.len == 4 && memcmp(result.data, "done", 4) == 0, "%.*s", (int)result.len,
                  result.data);
    crew_free(crew);
}

struct bench {
    struct inspection inspection;
    struct batch *batch;
    struct medium *medium;
    struct object object;
};

static void begin_bench(struct bench *bench, struct crew_worker *worker, const void *task)
{
    *bench = (struct bench){.medium = make_medium()};
    spec = task;
    bench->batch = batch_new(&inspector, &bench->inspection, worker, NULL);
    require(bench->batch && bench->medium);
    batch_deliver(bench->batch, take_done, &bench->inspection.out);
    crew_begin(worker, 0);
}

static void end_bench(struct bench *bench, struct crew_worker *worker, bool good)
{
    batch_free(bench->batch);
    medium_close(bench->medium);
    object_release(&bench->object);
    buffer_release(&bench->inspection.out);
    crew_send(worker, good ? "done" : "it does not hold", good ? 4 : 16);
}

static bool (*at_bench)(struct bench *bench);

static void work_at_bench(void *state, struct crew_worker *worker, const void *task, size_t len,
                          const int *fds, unsigned fd_count)
{
    struct bench bench;

    (void)state, (void)len, (void)fds, (void)fd_count;
    begin_bench(&bench, worker, task);
    end_bench(&bench, worker, at_bench(&bench));
}

/* Checks that a worker confirms it. */
static void assert_holds(bool (*what)(struct bench *bench))
{
    at_bench = what;
    assert_done(work_at_bench);
}

static bool add_again_and_again(struct bench *bench)
{
    bool empty = true;

    for (uint32_t i = 0; i < 20; i++) {
        const struct object *object = &bench->object;

        fill_object(&bench->object, spec, i);
        buffer_add_text(&bench->object.stream, "name");
        require(batch_add(bench->batch, bench->medium, i, &bench->object, NULL) == 0);
        empty = empty && object->run_count == 0 && object->size == 0 && object->stream.len == 0 &&
                object->problem.len == 0 && object->result.len == 0 && object->state == OBJECT_WHOLE &&
                object->inode == 0;
        object_reset(&bench->object);
        if (i % 4 == 3)
            batch_flush(bench->batch, bench->medium);
    }
    return empty;
}

START_TEST(adding_leaves_the_object_empty)
{
    assert_holds(add_again_and_again);
}
END_TEST

static bool add_large_one(struct bench *bench)
{
    size_t small, large;

    add_one_run(&bench->object, 5, MEBIBYTE);
    require(batch_add(bench->batch, bench->medium, 0, &bench->object, NULL) == 0);
    small = bench->inspection.ended;
    object_reset(&bench->object);
    add_one_run(&bench->object, 5, 2 * (uint64_t)MEBIBYTE);
    require(batch_add(bench->batch, bench->medium, 0, &bench->object, NULL) == 0);
    large = bench->inspection.ended;
    batch_flush(bench->batch, bench->medium);
    return small == 0 && large == 2 && bench->inspection.ended == 2;
}

START_TEST(a_large_object_is_inspected_immediately)
{
    assert_holds(add_large_one);
}
END_TEST

static bool add_absurd_ones(struct bench *bench)
{
    struct object back = {0};
    struct wire wire;
    bool good = true;

    for (uint32_t i = 0; i < 3; i++) {
        object_reset(&bench->object);
        add_one_run(&bench->object, 5, 100);
        bench->object.size = i == 0 ? 64 * GIBIBYTE + 101 : i == 1 ? INT64_MAX : UINT64_MAX;
        require(batch_add(bench->batch, bench->medium, i, &bench->object, NULL) == 0);
    }
    batch_flush(bench->batch, bench->medium);
    wire = (struct wire){bench->inspection.out.data, bench->inspection.out.len, false};
    while (wire_more(&wire))
        good = object_decode(&wire, &back) && back.state == OBJECT_UNREADABLE && back.problem.len > 0 && good;
    object_release(&back);
    return good && bench->inspection.ended == 0;
}

START_TEST(an_object_with_absurdly_many_zeros_is_not_read)
{
    assert_holds(add_absurd_ones);
}
END_TEST

/* ---- content that a file system derives from the stored bytes ---- */

enum { STORED_LEN = 300000, STORED_PIECE = 65536, MASK = 0x5a };

/* In place of the file system's: the medium's bytes with a mask.  Like libtsk's now and then, it is right
 * only from the start of what was compressed together. */
struct masked {
    struct content content;
    struct medium *medium;
    uint64_t image, broken_from;
};

static ssize_t read_masked(struct content *base, uint64_t offset, void *into, size_t len)
{
    const struct masked *content = (const struct masked *)base;
    uint8_t *bytes = into;

    if (offset >= content->broken_from)
        return -1;
    len = len < STORED_PIECE ? len : STORED_PIECE;
    if (len > content->broken_from - offset)
        len = (size_t)(content->broken_from - offset);
    medium_read(content->medium, content->image + offset, bytes, len);
    for (size_t i = 0; i < len; i++)
        bytes[i] = offset % STORED_PIECE ? 0 : bytes[i] ^ MASK;
    return (ssize_t)len;
}

struct stored_range {
    uint64_t offset, len;
    int result;
};

static const struct stored_range *stored_ranges; /* to be read again at each piece, ended by nothing */
static uint64_t stored_image;

static bool holds_again(struct content *content, const struct stored_range *range)
{
    static uint8_t got[STORED_LEN + 1];

    if (content_read(content, range->offset, got, (size_t)range->len) != range->result)
        return false;
    for (uint64_t i = 0; i < range->len && range->result == 0; i++)
        if (got[i] != (byte_at(stored_image + range->offset + i) ^ MASK))
            return false;
    return true;
}

static void stored_data(void *state, const void *data, size_t len)
{
    struct inspection *inspection = state;

    for (const struct stored_range *range = stored_ranges; range->len; range++)
        require(holds_again(inspection->content, range));
    inspect_data(state, data, len);
}

/* Whether the bytes in order are right too, although all of them are read between their pieces. */
static bool inspect_stored(struct crew_worker *worker, const void *task, uint64_t image, uint64_t broken_from,
                           const struct stored_range *ranges)
{
    static const struct inspector twice = {
        .begin = inspect_begin, .data = stored_data, .zeros = inspect_zeros, .end = inspect_end};
    struct inspection inspection = {0};
    struct object object = {.inode = 1, .flags = OBJECT_COMPRESSED};
    struct masked content = {{.size = STORED_LEN, .read = read_masked}, make_medium(), image, broken_from};
    struct batch *batch = batch_new(&twice, &inspection, worker, NULL);
    struct sum sum = {0};
    bool same;

    batch_deliver(batch, take_done, &inspection.out);
    spec = task;
    stored_ranges = ranges;
    stored_image = image;
    require(batch && content.medium);
    add_one_run(&object, image, STORED_LEN);
    require(batch_add(batch, content.medium, 0, &object, &content.content) == 0);
    for (uint64_t i = 0; i < STORED_LEN; i++)
        sum_byte(&sum, i >= broken_from ? 0 : (uint8_t)((image + i < SIZE ? byte_at(image + i) : 0) ^ MASK));
    same = memcmp(&sum, &inspection.sum, sizeof sum) == 0;
    batch_flush(batch, content.medium);
    batch_free(batch);
    medium_close(content.medium);
    object_release(&object);
    buffer_release(&inspection.out);
    return same && inspection.ended == 1;
}

static void add_stored_ones(void *state, struct crew_worker *worker, const void *task, size_t len,
                            const int *fds, unsigned fd_count)
{
    static const struct stored_range all_good[] = {{0, STORED_LEN, 0},      {STORED_LEN - 1, 1, 0},
                                                   {12345, 67890, 0},       {STORED_LEN - 1, 2, -1},
                                                   {STORED_LEN + 1, 1, -1}, {0, 0, 0}};
    static const struct stored_range broken[] = {
        {0, 200000, 0}, {0, 200001, -1}, {250000, 1, -1}, {5, 9, 0}, {0, 0, 0}};
    /* An NTFS compression unit is bad as a whole. */
    static const struct stored_range past_end[] = {{0, 196608, 0},  {100000, 1000, 0},   {200000, 1, -1},
                                                   {299999, 1, -1}, {0, STORED_LEN, -1}, {0, 0, 0}};
    bool good;

    (void)state, (void)len, (void)fds, (void)fd_count;
    crew_begin(worker, 0);
    good = inspect_stored(worker, task, 777, STORED_LEN, all_good) &&
           inspect_stored(worker, task, 777, 200000, broken) &&
           inspect_stored(worker, task, SIZE - 200000, STORED_LEN, past_end);
    crew_send(worker, good ? "done" : "it does not hold", good ? 4 : 16);
}

START_TEST(file_system_content_is_reread_through_the_file_system)
{
    assert_done(add_stored_ones);
}
END_TEST

RUN_TESTS("batch", small_objects_have_the_content_of_their_runs,
          objects_beyond_one_batch_have_the_content_of_their_runs,
          large_objects_keep_their_place_among_small_ones, a_batch_can_be_reused,
          objects_on_bad_sectors_or_past_the_end_are_partial, unwanted_objects_are_passed_on_unread,
          without_an_inspector_nothing_is_read, neighbours_are_read_together_in_any_order,
          holes_read_as_zeros_unless_absurdly_large, adding_leaves_the_object_empty,
          objects_whose_content_is_not_requested_are_passed_on_unread,
          rereading_returns_the_content_of_the_runs, unreadable_bytes_are_missing_when_reread,
          rereads_are_not_counted, file_system_content_is_reread_through_the_file_system,
          a_large_object_is_inspected_immediately, an_object_with_absurdly_many_zeros_is_not_read)
