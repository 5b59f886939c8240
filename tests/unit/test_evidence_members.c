/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"
#include "evidence/evidence.h"
#include "zipped.h"

/* Reads folders of zip archives, with limits on what may come out of them. */

enum { MOST_ROWS = 400, FILES = 14 };

/* ---- an inspector: a sum over the bytes ---- */

struct sum {
    uint64_t value, len;
};

static void *sum_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    (void)watch;
    (void)err;
    return arg;
}

static bool sum_begin(void *state, const struct object *object, struct content *content)
{
    (void)object;
    (void)content;
    *(struct sum *)state = (struct sum){0};
    return true;
}

static void sum_data(void *state, const void *data, size_t len)
{
    struct sum *sum = state;

    sum->value = sum->value * 31 + deflate_crc(0, data, len);
    sum->len += len;
}

static void sum_zeros(void *state, uint64_t len)
{
    ((struct sum *)state)->len += len;
}

static void sum_end(void *state, struct object *object)
{
    buffer_add(&object->result, state, sizeof(struct sum));
}

static struct sum of_worker;

/* ---- rows ---- */

struct row {
    uint64_t item, size;
    unsigned kind, state;
    struct sum sum;
    char path[60], problem[100];
};

struct rows {
    struct row list[MOST_ROWS];
    size_t count;
};

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct rows *rows = arg;
    struct row *row = &rows->list[rows->count++];

    (void)volume;
    ck_assert_uint_le(rows->count, MOST_ROWS);
    memset(row, 0, sizeof *row);
    row->item = object->item;
    row->size = object->size;
    row->kind = object->kind;
    row->state = object->state;
    if (object->result.len)
        memcpy(&row->sum, object->result.data, sizeof row->sum);
    snprintf(row->path, sizeof row->path, "%s", count ? paths : "");
    snprintf(row->problem, sizeof row->problem, "%.*s", (int)object->problem.len,
             object->problem.len ? object->problem.data : "");
}

static char folder[64];

static void read_folder(struct rows *rows, const struct evidence_options *options)
{
    const struct evidence_sink sink = {.object = take_object, .arg = rows};
    struct error err = {""};
    enum evidence_result result;

    rows->count = 0;
    result = evidence_read(folder, options, &sink, &err);
    ck_assert_msg(result == EVIDENCE_DONE || result == EVIDENCE_PARTIAL, "%s", err.text);
}

static void assert_rows(const struct rows *a, const struct rows *b, uint64_t first_item)
{
    size_t i = 0, k = 0;

    while (i < a->count && a->list[i].item < first_item)
        i++;
    while (k < b->count && b->list[k].item < first_item)
        k++;
    ck_assert_uint_eq(a->count - i, b->count - k);
    for (; i < a->count; i++, k++) {
        const struct row *x = &a->list[i], *y = &b->list[k];

        ck_assert_msg(memcmp(x, y, sizeof *x) == 0, "%s %" PRIu64 " %u %s, not %s %" PRIu64 " %u %s", x->path,
                      x->size, x->state, x->problem, y->path, y->size, y->state, y->problem);
    }
}

/* ---- the folder ---- */

static const struct inspector inspector = {.open = sum_open,
                                           .begin = sum_begin,
                                           .data = sum_data,
                                           .zeros = sum_zeros,
                                           .end = sum_end,
                                           .arg = &of_worker};

static struct evidence_options defaults(unsigned workers)
{
    return (struct evidence_options){.workers = workers,
                                     .seconds = 600,
                                     .kinds = OBJECT_USUAL,
                                     .inspector = &inspector,
                                     .opening = OPENING_KNOWN,
                                     .depth = OPENING_USUAL_DEPTH,
                                     .no_sandbox = true};
}

static void write_file(const char *name, const void *data, size_t len)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

static void begin_folder(void)
{
    strcpy(folder, "/tmp/test_evidence_members_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void end_folder(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf -- %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void add_members(struct zipped *zip, unsigned count)
{
    static uint8_t text[30000];

    for (unsigned i = 0; i < count; i++) {
        const size_t len = random64() % 4 ? random64() % sizeof text : 0;
        char name[16];

        snprintf(name, sizeof name, "%u.txt", i);
        fill_text(text, len);
        zipped_add(zip, name, text, len);
    }
}

/* Archives with up to six members, in every third another one, and every fourth is cut off. */
static void make_folder(void)
{
    begin_folder();
    for (unsigned i = 0; i < FILES; i++) {
        struct zipped zip = {.count = 0}, inner = {.count = 0};
        char name[16];

        snprintf(name, sizeof name, "%02u", i);
        add_members(&zip, i % 7);
        if (i % 3 == 0) {
            add_members(&inner, 3);
            zipped_end(&inner);
            zipped_add(&zip, "inner.zip", inner.file.data, inner.file.len);
            zipped_add_text(&zip, "last.txt", "the last one");
        }
        zipped_end(&zip);
        write_file(name, zip.file.data, i % 4 == 3 ? zip.file.len / 2 : zip.file.len);
        zipped_release(&zip);
        zipped_release(&inner);
    }
}

/* ---- a limit on all members together ---- */

#define TOO_MUCH "opening stopped: more bytes were unpacked than all containers in the evidence may yield"

static uint64_t cost_of(const struct row *row)
{
    return row->kind != OBJECT_MEMBER ? 0 : 4096 + (row->state == OBJECT_UNREADABLE ? 0 : row->size);
}

/* What comes with a limit, made from what comes without one. */
static void limit_rows(struct rows *limited, const struct rows *all, uint64_t most)
{
    uint64_t spent = 0;
    bool is_over = false;

    limited->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct row row = all->list[i];

        if (row.kind != OBJECT_MEMBER) {
            is_over = false;
        } else if (is_over) {
            continue;
        } else if (spent + cost_of(&row) > most) {
            is_over = true;
            row.size = 0;
            row.state = OBJECT_UNREADABLE;
            row.sum = (struct sum){0};
            memset(row.problem, 0, sizeof row.problem);
            strcpy(row.problem, TOO_MUCH);
        }
        spent += cost_of(&row);
        limited->list[limited->count++] = row;
    }
}

static uint64_t cost_before(const struct rows *rows, uint64_t item)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < rows->count; i++)
        sum += rows->list[i].item < item ? cost_of(&rows->list[i]) : 0;
    return sum;
}

static struct rows all, wanted, got;

START_TEST(with_any_limit_members_are_the_same_for_any_number_of_workers)
{
    struct evidence_options options = defaults(2);
    uint64_t total;

    make_folder();
    read_folder(&all, &options);
    total = cost_before(&all, UINT64_MAX);
    ck_assert_uint_gt(all.count, 60);
    for (uint64_t most = 1; most < total + 50000; most += 1 + random64() % 60000) {
        limit_rows(&wanted, &all, most);
        options = defaults(1 + (unsigned)(most % 3));
        options.unpacked_most = most;
        read_folder(&got, &options);
        assert_rows(&got, &wanted, 0);
    }
    assert_rows(&wanted, &all, 0);
    end_folder();
}
END_TEST

START_TEST(with_a_limit_members_are_the_same_if_reading_is_resumed)
{
    struct evidence_options options = defaults(1);

    make_folder();
    read_folder(&all, &options);
    options.unpacked_most = cost_before(&all, UINT64_MAX) / 2;
    read_folder(&wanted, &options);
    ck_assert_uint_lt(wanted.count, all.count);
    for (uint64_t item = 1; item < FILES; item++) {
        options.workers = 1 + (unsigned)(item % 3);
        options.first_item = item;
        options.unpacked_before = cost_before(&wanted, item);
        read_folder(&got, &options);
        assert_rows(&got, &wanted, item);
    }
    end_folder();
}
END_TEST

/* ---- workers that die while they open a container ---- */

static struct row killer; /* the member at which a worker dies; without a path: any one */
static atomic_uint *deaths;

static void share_deaths(void)
{
    deaths = mmap(NULL, sizeof *deaths, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(deaths, MAP_FAILED);
}

static void die_at_killer(void *state, struct object *object)
{
    const bool is_it = killer.path[0] == '\0' || (object->item == killer.item && object->size == killer.size);

    if (object->kind == OBJECT_MEMBER && is_it) {
        atomic_fetch_add(deaths, 1);
        abort();
    }
    sum_end(state, object);
}

/* What comes if a worker dies at that row: a row of its container says so, after all members before it. */
static void cut_rows(struct rows *cut, const struct rows *whole, size_t at)
{
    struct row stop = {.item = whole->list[at].item, .kind = OBJECT_MEMBER, .state = OBJECT_UNREADABLE};

    strcpy(stop.path, whole->list[at].path);
    *strrchr(stop.path, '/') = '\0';
    memset(strchr(stop.path, '\0'), 0, sizeof stop.path - strlen(stop.path));
    strcpy(stop.problem, "opening stopped: the worker died: Aborted");
    cut->count = 0;
    for (size_t i = 0; i < whole->count; i++)
        if (i < at || whole->list[i].item > stop.item)
            cut->list[cut->count++] = whole->list[i];
        else if (i == at)
            cut->list[cut->count++] = stop;
}

/* The first member like it: only that is where workers die. */
static bool is_first(const struct rows *rows, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (rows->list[i].item == rows->list[at].item && rows->list[i].size == rows->list[at].size)
            return false;
    return rows->list[at].kind == OBJECT_MEMBER && rows->list[at].state != OBJECT_UNREADABLE;
}

START_TEST(if_a_worker_dies_the_members_before_are_kept)
{
    struct inspector dying = inspector;
    struct evidence_options options = defaults(2);
    unsigned tried = 0;

    share_deaths();
    dying.end = die_at_killer;
    make_folder();
    read_folder(&all, &options);
    options.inspector = &dying;
    for (size_t at = 1; at < all.count; at += 1 + random64() % 3) {
        if (!is_first(&all, at))
            continue;
        killer = all.list[at];
        atomic_store(deaths, 0);
        options.workers = 1 + (unsigned)(at % 2);
        cut_rows(&wanted, &all, at);
        read_folder(&got, &options);
        assert_rows(&got, &wanted, 0);
        ck_assert_uint_eq(atomic_load(deaths), 2);
        tried++;
    }
    ck_assert_uint_gt(tried, 15);
    end_folder();
}
END_TEST

START_TEST(containers_with_nothing_but_members_that_kill_cost_two_workers_each)
{
    struct inspector dying = inspector;
    struct evidence_options options = defaults(2);
    unsigned stops = 0;

    share_deaths();
    dying.end = die_at_killer;
    killer = (struct row){.item = 0};
    make_folder();
    options.inspector = &dying;
    read_folder(&got, &options);
    for (size_t i = 0; i < got.count; i++)
        if (got.list[i].kind == OBJECT_MEMBER) {
            ck_assert_uint_eq(got.list[i].state, OBJECT_UNREADABLE);
            stops += strcmp(got.list[i].problem, "opening stopped: the worker died: Aborted") == 0;
        }
    ck_assert_uint_ge(stops, FILES - 3);
    ck_assert_uint_eq(atomic_load(deaths), 2 * stops);
    end_folder();
}
END_TEST

RUN_TESTS("evidence_members", with_any_limit_members_are_the_same_for_any_number_of_workers,
          with_a_limit_members_are_the_same_if_reading_is_resumed,
          if_a_worker_dies_the_members_before_are_kept,
          containers_with_nothing_but_members_that_kill_cost_two_workers_each)
