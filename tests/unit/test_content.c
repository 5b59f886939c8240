/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "disk/content.h"
#include "evidence/batch.h"
#include "match/scanner.h"
#include "sample/hasher.h"
#include "set/known.h"
#include "set/refset_writer.h"

/*
 * Content of a kind that the program does not have: bytes in memory, as the opener of a container would
 * unpack them, of objects that are members of others.  They pass through a batch and the scanner in a worker,
 * and return as messages.
 */

enum { LEN = 200000, CHANGED_AT = 100000, NOW = 1700000000 };

static struct error err;
static uint8_t original[LEN], changed[LEN];

/* ---- content in memory ---- */

struct memory {
    struct content content;
    const uint8_t *bytes;
    size_t at_once; /* returns no more than that */
    uint64_t broken_from;
};

static ssize_t read_memory(struct content *content, uint64_t offset, void *into, size_t len)
{
    const struct memory *memory = (const struct memory *)content;

    if (offset >= memory->broken_from)
        return -1;
    len = len < memory->at_once ? len : memory->at_once;
    if (len > memory->broken_from - offset)
        len = (size_t)(memory->broken_from - offset);
    memcpy(into, memory->bytes + offset, len);
    return (ssize_t)len;
}

static struct memory in_memory(const uint8_t *bytes, uint64_t size)
{
    return (struct memory){{.size = size, .read = read_memory}, bytes, SIZE_MAX, UINT64_MAX};
}

START_TEST(all_bytes_are_read_or_none_are)
{
    struct memory memory = in_memory(original, LEN);
    static uint8_t got[LEN];

    fill_random(original, LEN);
    memory.at_once = 7;
    memory.broken_from = 150000;
    for (int i = 0; i < 1000; i++) {
        const uint64_t offset = random64() % (LEN + 10), len = random64() % 200 * (random64() % 300);
        const bool there = len == 0 ? offset <= LEN : offset + len <= memory.broken_from;

        ck_assert_int_eq(content_read(&memory.content, offset, got, len), there ? 0 : -1);
        if (there && len)
            ck_assert_mem_eq(got, original + offset, len);
    }
    ck_assert_int_eq(content_read(&memory.content, UINT64_MAX, got, 1), -1);
    ck_assert_int_eq(content_read(&memory.content, 5, got, SIZE_MAX), -1);
}
END_TEST

static void sha1_of(const uint8_t *bytes, size_t len, uint8_t sha1[20])
{
    unsigned got;

    ck_assert_int_eq(EVP_Digest(bytes, len, sha1, &got, EVP_sha1(), NULL), 1);
    ck_assert_uint_eq(got, 20);
}

START_TEST(the_digest_of_a_part_matches_its_bytes)
{
    struct memory memory = in_memory(original, LEN);
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), &err);
    struct digest_values values;
    uint8_t sha1[20];

    fill_random(original, LEN);
    memory.at_once = 1000;
    sha1_of(original + 12345, 100000, sha1);
    ck_assert_int_eq(content_digest(&memory.content, digest, 12345, 100000, &values, &err), 1);
    ck_assert_uint_eq(values.kinds, DIGEST_BIT(DIGEST_SHA1));
    ck_assert_mem_eq(values.bytes[DIGEST_SHA1], sha1, 20);
    ck_assert_int_eq(content_digest(&memory.content, digest, LEN - 5, 6, &values, &err), 0);
    memory.broken_from = 50000;
    ck_assert_int_eq(content_digest(&memory.content, digest, 12345, 100000, &values, &err), 0);
    digest_free(digest);
}
END_TEST

/* ---- a reference set of the original ---- */

static char folder[64], path[100];
static const char *const paths[] = {path};
static struct refset *set;
static struct refset_search *search;
static struct scanner_plan plan;
static struct inspector inspector;

static void add_original(struct refset_writer *writer)
{
    const struct sampler_params params = {
        .scheme = SAMPLER_GF8, .n = SAMPLER_DEFAULT_N, .c = SAMPLER_DEFAULT_C};
    struct hasher *hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), &err);
    struct known known = {.size = LEN, .has_size = true, .has_record = true};

    ck_assert_int_eq(hasher_begin(hasher, LEN, &err), 0);
    ck_assert_int_eq(hasher_update(hasher, original, LEN, &err), 0);
    ck_assert_int_eq(hasher_final(hasher, &known.record, &err), 0);
    known.digests = known.record.digests;
    ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_ADDED);
    hasher_free(hasher);
    known_release(&known);
}

static void begin_set(void)
{
    static const struct refset_source source = {
        .path = "/a", .path_len = 2, .kind = "folder", .format = "", .tool = "test 1", .note = ""};
    struct refset_params params;
    struct refset_writer *writer;

    fill_text(original, LEN);
    memcpy(changed, original, LEN);
    changed[CHANGED_AT] ^= 1;
    strcpy(folder, "/tmp/test_content.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/set.kith", folder);
    params = refset_defaults(path);
    params.kind = REFSET_NOTABLE;
    set = refset_create(path, &params, "test 1", NOW, &err);
    ck_assert_msg(set != NULL, "%s", err.text);
    writer = refset_writer_new(set, true, &err);
    ck_assert_int_ge(refset_writer_source(writer, &source, &err), 0);
    add_original(writer);
    ck_assert_msg(refset_writer_commit(writer, &err) == 0, "%s", err.text);
    refset_writer_free(writer);
    ck_assert_int_eq(refset_close(set, &err), 0);
    set = refset_open(path, REFSET_READ, &err);
    search = refset_search_new(set, REFSET_SEARCH_FEATURES | REFSET_SEARCH_DIGESTS, &err);
    ck_assert_ptr_nonnull(search);
    plan = (struct scanner_plan){.paths = paths,
                                 .searches = &search,
                                 .count = 1,
                                 .matching = {.most_ln_e = log(1e-3)},
                                 .most = UINT64_MAX};
    ck_assert_msg(scanner_plan_sets(&plan, false, &err) == 0, "%s", err.text);
    ck_assert_int_eq(scanner_inspector(&inspector, &plan, &err), 0);
}

static void end_set(void)
{
    scanner_inspector_release(&inspector);
    refset_search_free(search);
    ck_assert_int_eq(refset_close(set, &err), 0);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

/* ---- the worker ---- */

static ssize_t read_nothing(void *state, uint64_t offset, void *into, size_t len)
{
    (void)state, (void)offset, (void)into, (void)len;
    abort(); /* members do not lie on the disk */
}

static void close_nothing(void *state)
{
    (void)state;
}

static void *start(void *arg, struct crew_worker *worker, struct error *start_err)
{
    (void)arg, (void)worker;
    return inspector.open(inspector.arg, NULL, start_err);
}

static bool send_object(void *arg, struct object *object)
{
    struct buffer message = {0};

    object_encode(&message, object);
    crew_send(arg, message.data, message.len);
    buffer_release(&message);
    return true;
}

/* A document in an archive in a file, and a changed copy in the archive itself; the last one cannot be
 * unpacked completely. */
static void add_members(struct batch *batch, struct medium *medium)
{
    static const struct object file = {.inode = 1234, .type = 128, .id = 1, .flags = OBJECT_ALLOCATED};
    static const struct object_member names[] = {{"zip", 0, "inner.zip", 9, 1, false},
                                                 {"zip", 0, "word/document.xml", 17, 1, false},
                                                 {"zip", 0, "a//b", 4, 2, false},
                                                 {"zip", 0, "cut", 3, 3, false}};
    struct object archive = {0}, object = {0};
    const struct object *const parents[] = {&archive, &file, &archive};
    struct memory contents[] = {in_memory(original, LEN), in_memory(changed, LEN), in_memory(original, LEN)};
    bool good = object_set_parent(&archive, &file, &names[0]) == 0;

    contents[2].broken_from = 3 * 65536;
    for (uint32_t i = 0; i < 3; i++) {
        object.size = LEN;
        object.flags = OBJECT_RESIDENT; /* no runs */
        contents[i].at_once = 70000;
        good = good && object_set_parent(&object, parents[i], &names[i + 1]) == 0 &&
               batch_add(batch, medium, i, &object, &contents[i].content) == 0 && !object.parent.len;
    }
    if (!good)
        abort();
    object_release(&archive);
    object_release(&object);
}

static void work(void *state, struct crew_worker *worker, const void *task, size_t len, const int *fds,
                 unsigned fd_count)
{
    const struct backend backend = {
        .size = 512, .sector_size = 512, .read = read_nothing, .close = close_nothing};
    struct medium *medium = medium_new(&backend, "none", NULL);
    struct batch *batch = batch_new(&inspector, state, worker, NULL);

    (void)task, (void)len, (void)fds, (void)fd_count;
    crew_begin(worker, 0);
    batch_deliver(batch, send_object, worker);
    add_members(batch, medium);
    batch_flush(batch, medium);
    batch_free(batch);
    medium_close(medium);
}

/* ---- what comes back ---- */

static void assert_member(struct wire *wire, const char *address, enum object_state state,
                          const uint8_t *bytes, enum verdict verdict)
{
    struct object object = {0};
    struct buffer text = {0};
    struct scanner_result result;
    struct scanner_part part = {0};
    uint8_t sha1[20];

    ck_assert(object_decode(wire, &object));
    object_address(&text, &object);
    ck_assert_msg(text.len == strlen(address) && memcmp(text.data, address, text.len) == 0, "%.*s",
                  (int)text.len, text.data);
    ck_assert_int_eq(object.state, state);
    scanner_result_begin(&result, &object);
    ck_assert_msg(scanner_result_next(&result, &plan, &part, &err) == 1, "%s", err.text);
    sha1_of(bytes, LEN, sha1);
    ck_assert_mem_eq(part.digests.bytes[DIGEST_SHA1], sha1, 20);
    ck_assert_int_eq(part.verdict, verdict);
    ck_assert_int_eq(scanner_result_next(&result, &plan, &part, &err), 0);
    finding_list_release(&part.findings);
    object_release(&object);
    buffer_release(&text);
}

START_TEST(members_in_memory_are_scanned_like_objects_on_disk)
{
    const char *folders[] = {folder, NULL};
    const struct crew_job job = {.start = start,
                                 .work = work,
                                 .folders = folders,
                                 .memory = (uint64_t)4 << 30,
                                 .no_sandbox = true,
                                 .seconds = 60,
                                 .patience = 10};
    const struct crew_task task = {.data = "", .items = 1, .seconds = 600, .most = UINT64_MAX};
    static uint8_t cut[LEN];
    struct crew *crew;
    struct crew_result result;
    struct wire wire;

    begin_set();
    memcpy(cut, original, (size_t)3 * 65536);
    crew = crew_new(&job, 1, &err);
    ck_assert_msg(crew != NULL, "%s", err.text);
    ck_assert_int_eq(crew_push(crew, &task, &err), 0);
    ck_assert_msg(crew_pop(crew, &result, &err) == 1, "%s", err.text);
    ck_assert_msg(result.loss_count == 0, "%s", result.losses[0].reason);
    wire = (struct wire){result.data, result.len, false};
    assert_member(&wire, "1234-128-1/zip/inner.zip//zip/word/document.xml", OBJECT_WHOLE, original,
                  VERDICT_IDENTICAL);
    assert_member(&wire, "1234-128-1/zip/a/%2Fb", OBJECT_WHOLE, changed, VERDICT_VARIANT);
    assert_member(&wire, "1234-128-1/zip/inner.zip//zip/cut", OBJECT_PARTIAL, cut, VERDICT_VARIANT);
    ck_assert(!wire_more(&wire));
    crew_free(crew);
    end_set();
}
END_TEST

RUN_TESTS("content", all_bytes_are_read_or_none_are, the_digest_of_a_part_matches_its_bytes,
          members_in_memory_are_scanned_like_objects_on_disk)
