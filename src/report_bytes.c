/* SPDX-License-Identifier: Apache-2.0 */
#include "report_bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "base/json_write.h"
#include "command.h"
#include "extract_case.h"
#include "fetch.h"
#include "report/report_html_page.h"

enum {
    RANGES = 8,                /* of a finding */
    WINDOW = 64,               /* bytes at each end of a range */
    PICTURE_MOST = 256 << 10,  /* bytes */
    PICTURES_MOST = 16 << 20,  /* bytes of all pictures together */
    VERIFIED_MOST = 256 << 20, /* bytes of an object that is read to compare its digest */
};

/* Some bytes of an object; a bit of `known` for each that was read. */
struct window {
    uint64_t start, known;
    unsigned len;
    uint8_t bytes[WINDOW];
};

/* A finding, and what is read of its object. */
struct target {
    struct case_finding_id id;
    char *volume, *address, *path;
    uint64_t start, size; /* of the object; of a chunk, its part of the object */
    struct digest_values digests;
    struct finding_range list[RANGES];
    size_t range_count;
    struct window windows[2 * RANGES];
    size_t window_count;
    struct ranges wanted;
    struct digest *digest; /* NULL: it is not compared */
    bool whole, begun, ended, wrong;
    uint8_t *picture; /* all of a small object */
    bool partial;     /* some bytes could not be read */
    const char *note; /* why nothing is shown */
};

struct session {
    struct target *targets;
    size_t count, room;
    size_t *here;      /* those that are in the evidence that is read: a number for each want */
    uint64_t pictures; /* bytes of those that are kept */
    struct evidence_run *run;
};

/* ---- what to read ---- */

static void add_window(struct target *target, uint64_t start, uint64_t len)
{
    target->windows[target->window_count++] = (struct window){.start = start, .len = (unsigned)len};
}

/* Both ends of a range, or all of it if that is no more. */
static void add_windows(struct target *target, const struct finding_range *range)
{
    const uint64_t len = range->obj_end - range->obj_start;

    target->list[target->range_count++] = *range;
    if (len <= 2 * (uint64_t)WINDOW) {
        add_window(target, range->obj_start, len < WINDOW ? len : WINDOW);
        add_window(target, range->obj_start + (len < WINDOW ? len : WINDOW), len < WINDOW ? 0 : len - WINDOW);
    } else {
        add_window(target, range->obj_start, WINDOW);
        add_window(target, range->obj_end - WINDOW, WINDOW);
    }
}

static int fill_target(struct target *target, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    const char *plus = object->chunk ? strrchr(object->address, '+') : NULL;

    *target = (struct target){.id = row->id, .size = object->size, .digests = object->digests};
    target->start = plus ? strtoull(plus + 1, NULL, 10) : 0;
    target->volume = strdup(object->volume);
    target->address =
        plus ? strndup(object->address, (size_t)(plus - object->address)) : strdup(object->address);
    target->path = strdup(object->path_count ? object->paths : "");
    for (size_t i = 0; i < row->finding.range_count && i < RANGES; i++)
        add_windows(target, &row->finding.ranges[i]);
    return target->volume && target->address && target->path ? 0 : -1;
}

static int read_rows(struct session *session, struct casefile *casefile, const struct case_filter *filter,
                     struct error *err)
{
    struct case_reader *reader = casefile_reader_new(casefile, filter, err);
    struct case_row row;
    int result = reader ? 0 : -1;

    while (!result && session->count < REPORT_BYTES_FINDINGS &&
           (result = casefile_reader_next(reader, &row, err)) > 0) {
        result = 0;
        if (!row.has_finding)
            continue;
        if (array_reserve(&session->targets, &session->room, session->count + 1) ||
            fill_target(&session->targets[session->count++], &row))
            result = error_set(err, "out of memory");
    }
    casefile_reader_free(reader);
    return result < 0 ? -1 : 0;
}

/* All of an object that may be a picture or must be compared; else only the windows. */
static int plan(struct target *target, bool doubtful, struct error *err)
{
    const uint64_t size = target->size;

    target->whole = doubtful || size <= PICTURE_MOST;
    if (doubtful && !(target->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        target->note = "the evidence may have changed, and the case has no SHA-1 of the object";
    else if (doubtful && size > VERIFIED_MOST)
        target->note = "the evidence may have changed, and the object is too large to be compared";
    if (target->note)
        return 1;
    if (target->whole)
        return ranges_insert(&target->wanted, target->start, size) ? error_set(err, "out of memory") : 0;
    for (size_t i = 0; i < target->window_count; i++)
        if (target->windows[i].len &&
            ranges_insert(&target->wanted, target->start + target->windows[i].start, target->windows[i].len))
            return error_set(err, "out of memory");
    return target->wanted.count == 0;
}

/* ---- what was read ---- */

static struct target *target_of(struct session *session, size_t want)
{
    return &session->targets[session->here[want]];
}

static int begin_object(void *arg, size_t want, const char *volume, uint64_t size)
{
    struct target *target = target_of(arg, want);
    struct error err;

    (void)volume;
    (void)size;
    for (size_t i = 0; i < target->window_count; i++)
        target->windows[i].known = 0;
    target->begun = true;
    target->wrong = target->partial = false;
    digest_free(target->digest);
    target->digest = NULL;
    if (!target->whole)
        return 0;
    if ((target->digests.kinds & DIGEST_BIT(DIGEST_SHA1)) &&
        (!(target->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), &err)) || digest_begin(target->digest, &err)))
        return -1;
    if (!target->picture && target->size <= PICTURE_MOST && target->size)
        target->picture = malloc((size_t)target->size);
    return 0;
}

static void keep(struct window *window, uint64_t offset, const uint8_t *data, size_t len)
{
    for (unsigned i = 0; i < window->len; i++) {
        const uint64_t at = window->start + i;

        if (at < offset || at - offset >= len)
            continue;
        window->bytes[i] = data[at - offset];
        window->known |= UINT64_C(1) << i;
    }
}

static int take_data(void *arg, size_t want, uint64_t offset, const void *data, size_t len)
{
    struct target *target = target_of(arg, want);
    struct error err;

    if (offset < target->start || offset - target->start > target->size ||
        len > target->size - (offset - target->start)) {
        target->wrong = true;
        return 0;
    }
    offset -= target->start;
    for (size_t i = 0; i < target->window_count; i++)
        keep(&target->windows[i], offset, data, len);
    if (target->picture)
        memcpy(target->picture + offset, data, len);
    return target->digest && digest_update(target->digest, data, len, &err) ? -1 : 0;
}

static void drop_picture(struct target *target)
{
    free(target->picture);
    target->picture = NULL;
}

/* An object with such bytes has no digest of all its bytes, and makes no picture. */
static int take_bad(void *arg, size_t want, uint64_t offset, uint64_t len)
{
    static const uint8_t zeros[4096];
    struct target *target = target_of(arg, want);
    struct error err;

    (void)offset;
    target->partial = true;
    drop_picture(target);
    for (uint64_t left = len; target->digest && left;) {
        const size_t part = left < sizeof zeros ? (size_t)left : sizeof zeros;

        if (digest_update(target->digest, zeros, part, &err))
            return -1;
        left -= part;
    }
    return 0;
}

static int end_object(void *arg, size_t want, const char *volume, const struct object *object,
                      const char *paths, size_t count)
{
    struct session *session = arg;
    struct target *target = target_of(session, want);
    struct digest_values values = {0};
    struct error err;

    (void)volume;
    (void)object;
    (void)paths;
    (void)count;
    target->ended = true;
    if (target->digest && digest_final(target->digest, &values, &err))
        return -1;
    if (target->wrong || digest_differing(&values, &target->digests))
        target->note = "the object is not the one that was scanned: its SHA-1 differs";
    digest_free(target->digest);
    target->digest = NULL;
    if (target->picture && (target->note || target->size > PICTURES_MOST - session->pictures ||
                            !report_previews_picture(target->picture, (size_t)target->size)))
        drop_picture(target);
    session->pictures += target->picture ? target->size : 0;
    return 0;
}

static void take_problem(void *arg, const char *text)
{
    const struct session *session = arg;

    evidence_run_problem(session->run, text);
}

/* ---- one piece of evidence ---- */

static int fetch_wants(struct session *session, const char *path, const struct fetch_want *wants,
                       size_t count)
{
    const struct fetch_sink sink = {.begin = begin_object,
                                    .data = take_data,
                                    .bad = take_bad,
                                    .end = end_object,
                                    .problem = take_problem,
                                    .arg = session};
    struct error err;
    enum evidence_result result;

    session->run->path = path;
    session->run->problems = 0;
    result = fetch(path, &session->run->options, wants, count, &sink, &err);
    if (result == EVIDENCE_FAILED)
        complain_error(&err);
    for (size_t i = 0; i < count; i++) {
        struct target *target = target_of(session, i);

        if (!target->ended || !target->begun)
            target->note = "it was not found in the evidence, or could not be read";
    }
    return result == EVIDENCE_FAILED ? EXIT_USAGE : result == EVIDENCE_STOPPED ? EXIT_INTERRUPTED : EXIT_DONE;
}

/* Reads the findings in this evidence, which is now at that path. */
static int read_evidence(struct session *session, const struct case_evidence *evidence, const char *path,
                         struct error *err)
{
    struct fetch_want *wants = calloc(session->count + 1, sizeof *wants);
    char stamp[EVIDENCE_STAMP_LEN + 1] = "";
    bool doubtful;
    size_t count = 0;
    int status = -1;

    session->here = calloc(session->count + 1, sizeof *session->here);
    if (!wants || !session->here)
        error_set(err, "out of memory");
    else
        status = evidence_stamp(path, session->run->options.image_type, stamp, err);
    doubtful = status == 0 && (!stamp[0] || strcmp(stamp, evidence->stamp) != 0);
    for (size_t i = 0; i < session->count && status == 0; i++) {
        struct target *target = &session->targets[i];
        const int left_out = target->id.evidence == evidence->number ? plan(target, doubtful, err) : 1;

        if (left_out < 0)
            status = -1;
        if (left_out)
            continue;
        session->here[count] = i;
        wants[count++] = (struct fetch_want){.volume = target->volume,
                                             .address = target->address,
                                             .path = fetch_needs_path(target->address) ? target->path : NULL,
                                             .ranges = target->wanted.list,
                                             .range_count = target->wanted.count};
    }
    if (status == 0 && count)
        status = fetch_wants(session, path, wants, count);
    free(wants);
    free(session->here);
    session->here = NULL;
    return status;
}

/* ---- previews ---- */

static void put_window(struct json_write *json, const struct window *window)
{
    struct buffer text = {0};

    for (unsigned i = 0; i < window->len; i++)
        if (window->known >> i & 1)
            escape_hex(&text, &window->bytes[i], 1);
        else
            buffer_add_text(&text, "??");
    json_write_made(json, NULL, &text);
    buffer_release(&text);
}

static void put_ends(struct json_write *json, const struct target *target)
{
    json_write_open(json, "ends", '[');
    for (size_t i = 0; i < target->range_count; i++) {
        struct buffer text = {0};

        json_write_open(json, NULL, '[');
        buffer_printf(&text, "%" PRIu64, target->list[i].obj_start);
        json_write_made(json, NULL, &text);
        buffer_printf(&text, "%" PRIu64, target->list[i].obj_end);
        json_write_made(json, NULL, &text);
        put_window(json, &target->windows[2 * i]);
        put_window(json, &target->windows[2 * i + 1]);
        json_write_close(json, ']');
        buffer_release(&text);
    }
    json_write_close(json, ']');
}

static void put_picture(struct json_write *json, const struct target *target)
{
    struct buffer text = {0};

    buffer_printf(&text, "data:%s;base64,", report_previews_picture(target->picture, (size_t)target->size));
    report_html_page_base64(&text, target->picture, (size_t)target->size);
    json_write_made(json, "picture", &text);
    buffer_release(&text);
}

static void put_preview(struct buffer *out, const struct target *target)
{
    struct json_write json = {.to = out};

    json_write_open(&json, NULL, '{');
    if (target->note) {
        json_write_text(&json, "note", target->note);
    } else {
        put_ends(&json, target);
        if (target->picture)
            put_picture(&json, target);
    }
    json_write_close(&json, '}');
}

static int make_previews(struct report_previews *previews, const struct session *session, struct error *err)
{
    for (size_t i = 0; i < session->count; i++) {
        const struct target *target = &session->targets[i];
        struct report_preview *preview;

        if (!target->note && !target->ended)
            continue;
        preview = report_previews_add(previews, &target->id);
        if (!preview)
            return error_set(err, "out of memory");
        put_preview(&preview->json, target);
    }
    report_previews_sort(previews);
    return 0;
}

/* ---- all of it ---- */

/* Shows how many findings lack bytes; returns the exit status. */
static int show_lacking(const struct session *session)
{
    size_t without = 0, partial = 0;

    for (size_t i = 0; i < session->count; i++) {
        without += session->targets[i].note != NULL;
        partial += !session->targets[i].note && session->targets[i].partial;
    }
    if (without)
        complain("%zu finding%s without bytes: the page says why", without, plural(without));
    if (partial)
        complain("%zu finding%s with bytes that could not be read", partial, plural(partial));
    return without || partial ? EXIT_PARTIAL : EXIT_DONE;
}

/* Where the evidence of a path of the case is, according to a value of --with-bytes; NULL: it is of another.
 */
static const char *place_of(const char *value, const char *path, bool is_only)
{
    const size_t len = strlen(path);

    if (strncmp(value, path, len) == 0 && value[len] == '=')
        return value + len + 1;
    return is_only || strcmp(value, path) == 0 ? value : NULL;
}

static int read_value(struct session *session, struct casefile *casefile, const char *value,
                      struct error *err)
{
    struct case_evidence evidence;
    const bool is_only = casefile_evidence(casefile, 2, &evidence, err) == 0;
    int found;

    for (uint64_t number = 1; (found = casefile_evidence(casefile, number, &evidence, err)) > 0; number++) {
        const char *path = place_of(value, evidence.path, is_only);

        if (path)
            return read_evidence(session, &evidence, path, err);
    }
    return found < 0 ? -1
                     : error_set(err,
                                 "--with-bytes %s: the case has no such evidence (kith report --about "
                                 "lists it); if it was moved: OLD=NEW",
                                 value);
}

static void release(struct session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        struct target *target = &session->targets[i];

        free(target->volume);
        free(target->address);
        free(target->path);
        free(target->picture);
        ranges_release(&target->wanted);
        digest_free(target->digest);
    }
    free(session->targets);
}

int report_bytes(struct report_previews *previews, struct casefile *casefile,
                 const struct case_filter *filter, const char *const *evidence, size_t count,
                 struct evidence_run *run)
{
    struct session session = {.run = run};
    struct buffer texts = {0};
    struct error err;
    int status = extract_case_options(&run->options, casefile_info(casefile)->parameters, &texts)
                     ? error_set(&err, "out of memory")
                     : read_rows(&session, casefile, filter, &err);

    for (size_t i = 0; i < count && status == 0; i++)
        status = read_value(&session, casefile, evidence[i], &err);
    if (status == 0)
        status = make_previews(previews, &session, &err);
    if (status < 0)
        complain_error(&err);
    if (status == EXIT_DONE)
        status = show_lacking(&session);
    release(&session);
    buffer_release(&texts);
    return status < 0 ? EXIT_USAGE : status;
}
