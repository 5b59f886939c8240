/* SPDX-License-Identifier: Apache-2.0 */
#include "extract.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/array.h"
#include "base/path.h"
#include "command.h"
#include "extract_inner.h"
#include "extract_name.h"
#include "fetch.h"
#include "new_folder.h"

/* ---- items ---- */

struct extract_item *extract_add(struct extract_list *list)
{
    if (array_reserve(&list->items, &list->room, list->count + 1))
        return NULL;
    list->items[list->count] = (struct extract_item){.size = 0};
    return &list->items[list->count++];
}

void extract_release_item(struct extract_item *item)
{
    free(item->number);
    free(item->finding);
    free(item->volume);
    free(item->address);
    free(item->base);
    free(item->path);
    ranges_release(&item->parts);
}

void extract_release(struct extract_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        extract_release_item(&list->items[i]);
    free(list->items);
    *list = (struct extract_list){.count = 0};
}

static size_t count_parts(const struct extract_item *item)
{
    return item->parts.count ? item->parts.count : 1;
}

static struct range part_of(const struct extract_item *item, size_t i)
{
    return item->parts.count ? item->parts.list[i] : (struct range){0, item->size};
}

static bool is_too_large(const struct extract *extract, const struct extract_item *item)
{
    for (size_t i = 0; i < count_parts(item); i++)
        if (part_of(item, i).len > extract->most)
            return true;
    return false;
}

/* ---- before and after ---- */

enum { MOST_FILES = 1000000 };

static uint64_t sum_of(const struct extract *extract, const struct extract_list *list)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < count_parts(&list->items[i]) && !is_too_large(extract, &list->items[i]); k++) {
            const uint64_t len = part_of(&list->items[i], k).len;

            sum = len > INT64_MAX - sum ? INT64_MAX : sum + len;
        }
    return sum;
}

/* If it cannot be determined how much room there is, writing may fail. */
static uint64_t room_for(const char *folder)
{
    struct statvfs system;
    char *parent = path_folder(folder);
    const bool failed = statvfs(folder, &system) && (!parent || statvfs(parent, &system));

    free(parent);
    return failed ? UINT64_MAX : (uint64_t)system.f_bavail * system.f_frsize;
}

static int check_room(const struct extract *extract, uint64_t sum)
{
    const uint64_t room = room_for(extract->folder);

    if (sum > extract->most_in_all) {
        complain("%s: %" PRIu64 " bytes would be written, more than --max-total allows (%" PRIu64 ")",
                 extract->folder, sum, extract->most_in_all);
        return -1;
    }
    if (sum > room)
        complain("%s: %" PRIu64 " bytes would be written, but only %" PRIu64 " are free", extract->folder,
                 sum, room);
    return sum > room ? -1 : 0;
}

int extract_open(struct extract *extract, const struct extract_list *lists, size_t count)
{
    uint64_t sum = 0, files = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t more = sum_of(extract, &lists[i]);

        sum = more > INT64_MAX - sum ? INT64_MAX : sum + more;
        for (size_t k = 0; k < lists[i].count; k++)
            files += count_parts(&lists[i].items[k]);
    }
    if (files > MOST_FILES) {
        complain("%s: %" PRIu64 " files would be written, more than %d in a folder", extract->folder, files,
                 MOST_FILES);
        return -1;
    }
    if (check_room(extract, sum) || new_folder_make(extract->folder))
        return -1;
    extract->fd = open(extract->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (extract->fd < 0) {
        complain("%s: %m", extract->folder);
        return -1;
    }
    if (extract_manifest_begin(extract) == 0)
        return 0;
    close(extract->fd);
    return -1;
}

int extract_close(struct extract *extract)
{
    struct error err;

    if (fclose(extract->manifest) && !extract->failed) {
        error_errno(&err, "%s", extract->folder);
        extract_file_fail(extract, &err);
    }
    close(extract->fd);
    return extract->failed ? -1 : 0;
}

/* ---- one list of items ---- */

/* What has come of an item. */
struct work {
    const struct extract_item *item;
    struct range whole;         /* of the object */
    struct range *shifted;      /* its parts, as parts of the object */
    struct digest *digest;      /* of the whole item; NULL: there is nothing to compare it with */
    struct extract_file *files; /* one for each part */
    size_t at;                  /* the file that is written */
    uint64_t size;              /* of the object, as found */
    bool begun, ended;
    bool is_wrong;   /* the size differs, and nothing is written */
    bool is_partial; /* bytes cannot be read */
    struct digest_values values;
};

struct session {
    struct extract *extract;
    const struct extract_source *source;
    struct work *works; /* one for each want */
    size_t count;
    int status;
    char refusal[200]; /* why nothing of the evidence is written; "" */
};

static void note(struct session *session, int status)
{
    session->status = status > session->status ? status : session->status;
}

static int fail_memory(struct session *session)
{
    struct error err;

    error_set(&err, "out of memory");
    return extract_file_fail(session->extract, &err);
}

static void drop_files(struct work *work)
{
    for (size_t i = 0; work->files && i < count_parts(work->item); i++)
        extract_file_remove(&work->files[i]);
    work->at = 0;
}

/* A row without a file, and a message that says why. */
static int reject(struct session *session, const struct work *work, enum extract_status status,
                  const char *reason)
{
    const struct extract_item *item = work->item;
    struct error text;

    note(session, status == EXTRACT_CHANGED ? EXIT_CHANGED : EXIT_PARTIAL);
    error_set(&text, "%s (%s in volume %s): %s", *item->path ? item->path : item->address, item->address,
              item->volume, reason);
    evidence_run_problem(&session->extract->run, text.text);
    return extract_manifest_add(session->extract, session->source->path, item, NULL, status, reason);
}

/* ---- what arrives ---- */

static int open_file(struct session *session, struct work *work)
{
    const struct extract_item *item = work->item;
    struct extract_file *file = &work->files[work->at];
    struct buffer name = {0};

    buffer_add_text(&name, item->number);
    if (item->parts.count)
        buffer_printf(&name, "+%" PRIu64, file->start);
    buffer_add_char(&name, '\0');
    if (!name.failed) {
        char *number = name.data;

        name = (struct buffer){0};
        extract_name(&name, number, item->path, strlen(item->path));
        buffer_add_char(&name, '\0');
        free(number);
    }
    if (name.failed) {
        buffer_release(&name);
        return fail_memory(session);
    }
    return extract_file_open(file, session->extract, name.data);
}

static int take_image(void *arg, const struct evidence_image *image)
{
    struct session *session = arg;
    const uint64_t size = session->source->image_size;

    if (size && size != image->size)
        snprintf(session->refusal, sizeof session->refusal,
                 "the image is not that of the scan: it has %" PRIu64 " bytes instead of %" PRIu64,
                 image->size, size);
    return session->refusal[0];
}

static int begin_item(void *arg, size_t want, const char *volume, uint64_t size)
{
    struct session *session = arg;
    struct work *work = &session->works[want];
    const struct extract_item *item = work->item;
    struct error err;

    (void)volume;
    drop_files(work);
    work->begun = true;
    work->is_partial = false;
    work->size = size;
    work->is_wrong = size < item->start || size - item->start < item->size ||
                     (item->start == 0 && strcmp(item->base, item->address) == 0 && size != item->size);
    if (work->digest && digest_begin(work->digest, &err))
        return extract_file_fail(session->extract, &err);
    return 0;
}

/* Opens and finishes files up to the next that lacks bytes. */
static int next_file(struct session *session, struct work *work)
{
    for (; work->at < count_parts(work->item); work->at++) {
        struct extract_file *file = &work->files[work->at];

        if (!file->name && open_file(session, work))
            return -1;
        if (file->done < file->len)
            return 0;
        if (extract_file_finish(file))
            return -1;
    }
    return 0;
}

/* data: NULL for bytes that cannot be read.  offset: in the item. */
static int write_parts(struct session *session, struct work *work, uint64_t offset, const char *data,
                       uint64_t len)
{
    const uint64_t end = offset + len;

    while (next_file(session, work) == 0 && work->at < count_parts(work->item)) {
        struct extract_file *file = &work->files[work->at];
        const uint64_t at = file->start + file->done,
                       stop = file->start + file->len < end ? file->start + file->len : end;

        if (at >= end || at < offset)
            return 0;
        if (extract_file_add(file, data ? data + (at - offset) : NULL, stop - at))
            return -1;
        atomic_fetch_add_explicit(&session->extract->run.progress.bytes, stop - at, memory_order_relaxed);
    }
    return session->extract->failed;
}

static int hash_bytes(struct session *session, struct work *work, const char *data, uint64_t len)
{
    static const char zeros[1 << 16];
    struct error err;

    while (len > 0) {
        const size_t piece = data ? (size_t)len : len < sizeof zeros ? (size_t)len : sizeof zeros;

        if (digest_update(work->digest, data ? data : zeros, piece, &err))
            return extract_file_fail(session->extract, &err);
        len -= piece;
    }
    return 0;
}

static int take_bytes(struct session *session, size_t want, uint64_t offset, const char *data, uint64_t len)
{
    struct work *work = &session->works[want];

    if (work->is_wrong)
        return 0;
    if (work->digest && hash_bytes(session, work, data, len))
        return -1;
    return write_parts(session, work, offset - work->item->start, data, len);
}

static int take_data(void *arg, size_t want, uint64_t offset, const void *data, size_t len)
{
    return take_bytes(arg, want, offset, data, len);
}

static int take_bad(void *arg, size_t want, uint64_t offset, uint64_t len)
{
    struct session *session = arg;

    session->works[want].is_partial = true;
    return take_bytes(arg, want, offset, NULL, len);
}

/* ---- the end of an item ---- */

/* cut: why a member ends early; NULL: it does not. */
static int list_files(struct session *session, struct work *work, bool is_equal, const char *cut)
{
    struct extract *extract = session->extract;

    if (work->is_partial || cut)
        note(session, EXIT_PARTIAL);
    for (size_t i = 0; i < count_parts(work->item); i++) {
        struct extract_file *file = &work->files[i];
        const enum extract_status status = file->bad.count || cut ? EXTRACT_PARTIAL
                                           : is_equal             ? EXTRACT_VERIFIED
                                                                  : EXTRACT_OK;

        if (extract_manifest_add(extract, session->source->path, work->item, file, status,
                                 file->bad.count ? "bytes that cannot be read are zeros in the file"
                                 : cut           ? cut
                                                 : ""))
            return -1;
        extract->files++;
        extract->bytes += file->len;
        atomic_fetch_add_explicit(&extract->run.progress.count, 1, memory_order_relaxed);
        extract_file_release(file);
    }
    return 0;
}

/* Compares the content with the digests that it should have.  They do not apply if not all of it can be
 * read, unless that was so before. */
static int conclude(struct session *session, struct work *work, const char *cut)
{
    unsigned differing = 0;
    struct error err;
    char reason[200];

    if (work->is_wrong) {
        snprintf(reason, sizeof reason,
                 "it is not the object of the scan: it has %" PRIu64 " bytes instead of %" PRIu64, work->size,
                 work->item->start + work->item->size);
        return reject(session, work, EXTRACT_CHANGED, reason);
    }
    if (next_file(session, work) || (work->digest && digest_final(work->digest, &work->values, &err)))
        return extract_file_fail(session->extract, &err);
    if (work->digest)
        differing = digest_differing(&work->values, &work->item->digests);
    if (!differing || work->is_partial)
        return list_files(session, work, work->digest && !differing, cut);
    drop_files(work);
    return reject(session, work, EXTRACT_CHANGED, "its content is not that of the scan: the digest differs");
}

static int end_item(void *arg, size_t want, const char *volume, const struct object *object,
                    const char *paths, size_t count)
{
    struct session *session = arg;
    struct work *work = &session->works[want];
    char reason[1000];

    (void)volume, (void)paths, (void)count;
    work->ended = true;
    snprintf(reason, sizeof reason, "%s%.*s",
             object->kind == OBJECT_MEMBER ? "" : "it cannot be read: ", (int)object->problem.len,
             object->problem.len ? object->problem.data : "");
    if (work->begun && object->state != OBJECT_UNREADABLE)
        return conclude(session, work,
                        object->kind == OBJECT_MEMBER && object->state == OBJECT_PARTIAL ? reason : NULL);
    drop_files(work);
    return reject(session, work, EXTRACT_UNREADABLE, reason);
}

static void take_problem(void *arg, const char *text)
{
    const struct session *session = arg;

    evidence_run_problem(&session->extract->run, text);
}

/* ---- planning ---- */

/* The bytes to read: all that are compared, or only those that are written. */
static int plan_ranges(struct work *work, struct fetch_want *want)
{
    const struct extract_item *item = work->item;

    work->whole = (struct range){item->start, item->size};
    want->ranges = &work->whole;
    want->range_count = 1;
    if (work->digest || item->parts.count == 0)
        return 0;
    work->shifted = calloc(item->parts.count, sizeof *work->shifted);
    for (size_t i = 0; work->shifted && i < item->parts.count; i++)
        work->shifted[i] = (struct range){item->start + item->parts.list[i].start, item->parts.list[i].len};
    want->ranges = work->shifted;
    want->range_count = item->parts.count;
    return work->shifted ? 0 : -1;
}

static int plan_item(struct session *session, const struct extract_item *item, struct fetch_want *want)
{
    struct work *work = &session->works[session->count++];
    struct error err;

    work->item = item;
    *want = (struct fetch_want){.volume = item->volume,
                                .on_image = item->on_image,
                                .address = item->base,
                                .path = fetch_needs_path(item->base) ? item->path : NULL};
    work->files = calloc(count_parts(item), sizeof *work->files);
    if (!work->files)
        return fail_memory(session);
    for (size_t i = 0; i < count_parts(item); i++) {
        const struct range part = part_of(item, i);

        work->files[i] = (struct extract_file){.start = part.start, .len = part.len, .fd = -1};
    }
    if (item->digests.kinds &&
        !(work->digest = digest_new(item->digests.kinds | DIGEST_BIT(DIGEST_SHA1), &err)))
        return extract_file_fail(session->extract, &err);
    return plan_ranges(work, want) ? fail_memory(session) : 0;
}

/* Items that cannot or must not be written have a row at once. */
static int plan_all(struct session *session, const struct extract_list *list, struct fetch_want *wants)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct extract_item *item = &list->items[i];
        const struct work without = {.item = item};
        int result;

        if (is_too_large(session->extract, item))
            result = reject(session, &without, EXTRACT_TOO_LARGE, "it is larger than --max-size");
        else if (session->source->is_doubtful && !item->digests.kinds)
            result = reject(session, &without, EXTRACT_CHANGED,
                            "the evidence may have changed, and the case has no digest to compare it with");
        else
            result = plan_item(session, item, &wants[session->count]);
        if (result)
            return -1;
    }
    return 0;
}

/* Those that were not found, or not looked for. */
static void reject_rest(struct session *session)
{
    for (size_t i = 0; i < session->count && !session->extract->failed; i++) {
        struct work *work = &session->works[i];

        if (work->ended)
            continue;
        drop_files(work);
        if (session->refusal[0])
            reject(session, work, EXTRACT_CHANGED, session->refusal);
        else
            reject(session, work, EXTRACT_MISSING,
                   work->begun ? "it could not be read to its end" : "there is no such object");
    }
}

static int fetch_all(struct session *session, const struct fetch_want *wants)
{
    const struct fetch_sink sink = {.image = take_image,
                                    .begin = begin_item,
                                    .data = take_data,
                                    .bad = take_bad,
                                    .end = end_item,
                                    .problem = take_problem,
                                    .arg = session};
    struct evidence_run *run = &session->extract->run;
    struct error err;
    enum evidence_result result;

    run->path = session->source->path;
    run->problems = 0;
    result = fetch(session->source->path, &run->options, wants, session->count, &sink, &err);
    if (result == EVIDENCE_FAILED)
        complain_error(&err);
    if (result == EVIDENCE_STOPPED && !session->extract->failed && !session->refusal[0])
        return EXIT_INTERRUPTED;
    reject_rest(session);
    return session->status;
}

static void release(struct session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        struct work *work = &session->works[i];

        drop_files(work);
        free(work->files);
        free(work->shifted);
        digest_free(work->digest);
    }
    free(session->works);
}

int extract_items(struct extract *extract, const struct extract_source *source,
                  const struct extract_list *list)
{
    struct session session = {.extract = extract, .source = source};
    struct fetch_want *wants = calloc(list->count + 1, sizeof *wants);
    int status = EXIT_USAGE;

    extract->run.path = source->path;
    session.works = calloc(list->count + 1, sizeof *session.works);
    if (!wants || !session.works)
        fail_memory(&session);
    else if (plan_all(&session, list, wants) == 0)
        status = fetch_all(&session, wants);
    release(&session);
    free(wants);
    return extract->failed ? EXIT_USAGE : status;
}
