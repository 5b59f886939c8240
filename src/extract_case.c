/* SPDX-License-Identifier: Apache-2.0 */
#include "extract_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "case_open.h"
#include "command.h"
#include "evidence_flags.h"
#include "evidence_list.h"

/* A piece of evidence of the case, and what is extracted from it. */
struct place {
    uint64_t number;
    char *path; /* where it is now */
    char stamp[EVIDENCE_STAMP_LEN + 1];
    struct extract_source source;
};

struct session {
    struct extract *extract;
    const struct extract_case *wanted;
    struct casefile *casefile;
    struct place *places;
    struct extract_list *lists; /* one for each place */
    size_t count;
    bool *seen; /* for each id */
};

/* ---- the options of the scan ---- */

/* The value of a parameter, as a string in the buffer; NULL if the scan had none.  Patterns come last, and
 * may be anything. */
static const char *find_value(const char *parameters, const char *name, size_t *len)
{
    const size_t name_len = strlen(name);

    for (const char *at = parameters; (at = strchr(at, ' ')); at++) {
        if (strncmp(at, " include=", 9) == 0 || strncmp(at, " exclude=", 9) == 0)
            return NULL;
        if (strncmp(at + 1, name, name_len) != 0)
            continue;
        at += 1 + name_len;
        *len = strcspn(at, " ");
        return at;
    }
    return NULL;
}

int extract_case_options(struct evidence_options *options, const char *parameters, struct buffer *texts)
{
    size_t type_len = 0, system_len = 0, len = 0;
    const char *type = find_value(parameters, "image-type=", &type_len),
               *system = find_value(parameters, "fs-type=", &system_len),
               *offset = find_value(parameters, "offset=", &len),
               *force = find_value(parameters, "force", &len);

    options->kinds = OBJECT_STORED;
    options->ok_unexamined = true; /* whatever cannot be examined has no findings */
    options->force = force && len == 0;
    options->has_offset = offset != NULL;
    options->sector = offset ? strtoull(offset, NULL, 10) : 0;
    buffer_add(texts, type ? type : "", type_len);
    buffer_add_char(texts, '\0');
    buffer_add(texts, system ? system : "", system_len);
    buffer_add_char(texts, '\0');
    if (texts->failed)
        return -1;
    options->image_type = type ? texts->data : NULL;
    options->system_type = system ? texts->data + type_len + 1 : NULL;
    return 0;
}

/* ---- items ---- */

static int compare_items(const void *a, const void *b)
{
    const struct extract_item *x = a, *y = b;

    const int order = strverscmp(x->number, y->number);

    return order ? order : strverscmp(x->finding, y->finding);
}

static void keep_seen(struct session *session, const struct case_finding_id *id)
{
    const struct extract_case *wanted = session->wanted;

    for (size_t i = 0; i < wanted->id_count; i++)
        if (wanted->ids[i].evidence == id->evidence && wanted->ids[i].object == id->object &&
            wanted->ids[i].rank == id->rank)
            session->seen[i] = true;
}

static int add_ranges(struct extract_item *item, const struct finding *finding)
{
    for (size_t i = 0; i < finding->range_count; i++)
        if (ranges_insert(&item->parts, finding->ranges[i].obj_start,
                          finding->ranges[i].obj_end - finding->ranges[i].obj_start))
            return -1;
    return 0;
}

/* Its address then says where its bytes are. */
static bool is_one_range(const struct case_object *object)
{
    char range[64];

    if (object->run_count != 1 || object->runs[0].offset != 0 || object->runs[0].len != object->size)
        return false;
    snprintf(range, sizeof range, "@%" PRIu64 "+%" PRIu64, object->runs[0].image, object->size);
    return strcmp(object->address, range) == 0;
}

/* An object's number is that of its findings without the last part. */
static int fill_item(struct extract_item *item, const struct case_row *row, bool ranges)
{
    const struct case_object *object = &row->object;
    const char *plus = object->chunk ? strrchr(object->address, '+') : NULL;
    struct buffer number = {0};

    casefile_put_id(&number, &row->id);
    buffer_add_char(&number, '\0');
    if (number.failed)
        return -1;
    item->finding = number.data;
    item->number = strdup(number.data);
    if (item->number && !ranges)
        *strrchr(item->number, '.') = '\0';
    item->volume = strdup(object->volume);
    item->address = strdup(object->address);
    item->base = plus ? strndup(object->address, (size_t)(plus - object->address)) : strdup(object->address);
    item->path = strdup(object->path_count ? object->paths : "");
    item->kind = object->kind;
    item->start = plus ? strtoull(plus + 1, NULL, 10) : 0;
    item->size = object->size;
    item->on_image = !plus && is_one_range(object);
    item->digests = object->digests;
    if (!item->number || !item->volume || !item->address || !item->base || !item->path)
        return -1;
    return ranges ? add_ranges(item, &row->finding) : 0;
}

static struct extract_list *list_of(struct session *session, uint64_t evidence)
{
    size_t i;

    for (i = 0; i < session->count; i++)
        if (session->places[i].number == evidence)
            return &session->lists[i];
    if (array_resize(&session->places, i + 1))
        return NULL;
    session->places[i] = (struct place){.number = evidence};
    session->count++;
    if (array_resize(&session->lists, i + 1)) {
        session->count--;
        return NULL;
    }
    session->lists[i] = (struct extract_list){.count = 0};
    return &session->lists[i];
}

static int take_row(struct session *session, const struct case_row *row, struct error *err)
{
    struct extract_list *list;
    struct extract_item *item;

    if (!row->has_finding)
        return 0;
    keep_seen(session, &row->id);
    list = list_of(session, row->object.evidence);
    item = list ? extract_add(list) : NULL;
    return item && fill_item(item, row, session->wanted->ranges) == 0 ? 0 : error_set(err, "out of memory");
}

/* Whether a finding is the last of a list, which has all in order. */
static bool ends_with(const char *list, const char *finding)
{
    const size_t len = strlen(list), tail = strlen(finding);

    return len >= tail && strcmp(list + len - tail, finding) == 0 &&
           (len == tail || list[len - tail - 1] == ' ');
}

/* Several findings of an object need it only once, and so does one that was named twice. */
static int merge_items(struct extract_list *list)
{
    size_t kept = 0;
    int result = 0;

    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_items);
    for (size_t i = 0; i < list->count; i++) {
        struct extract_item *last = kept ? &list->items[kept - 1] : NULL, *item = &list->items[i];
        char *both = NULL;

        if (!last || strcmp(last->number, item->number) != 0) {
            list->items[kept++] = *item;
            continue;
        }
        if (!ends_with(last->finding, item->finding) &&
            asprintf(&both, "%s %s", last->finding, item->finding) < 0) {
            both = NULL;
            result = -1;
        }
        if (both) {
            free(last->finding);
            last->finding = both;
        }
        extract_release_item(item);
    }
    list->count = kept;
    return result;
}

static int read_rows(struct session *session, struct error *err)
{
    const struct extract_case *wanted = session->wanted;
    struct finding_flags selected = wanted->selected;
    const struct case_filter filter = {.known = wanted->selected.set != NULL,
                                       .ids = wanted->id_count ? wanted->ids : NULL,
                                       .id_count = wanted->id_count,
                                       .wants = finding_flags_any(&selected) ? finding_flags_want : NULL,
                                       .arg = &selected};
    struct case_reader *reader = casefile_reader_new(session->casefile, &filter, err);
    struct case_row row;
    int result = reader ? 0 : -1;

    while (!result && (result = casefile_reader_next(reader, &row, err)) > 0)
        result = take_row(session, &row, err);
    casefile_reader_free(reader);
    for (size_t i = 0; i < session->count && !result; i++)
        result = merge_items(&session->lists[i]) ? error_set(err, "out of memory") : 0;
    return result;
}

/* ---- where the evidence is ---- */

static bool is_of(const char *moved, const char *path)
{
    const size_t len = strlen(path);

    return strncmp(moved, path, len) == 0 && moved[len] == '=';
}

/* The new path that was given for this one; NULL: none. */
static const char *find_moved(const struct extract_case *wanted, const char *path)
{
    for (size_t i = 0; i < wanted->moved_count; i++)
        if (is_of(wanted->moved[i], path))
            return wanted->moved[i] + strlen(path) + 1;
    return wanted->now;
}

/* Each path that was given must be that of some evidence. */
static int check_moved(const struct session *session, struct error *err)
{
    const struct extract_case *wanted = session->wanted;
    struct case_evidence evidence;
    uint64_t count, pieces = 0; /* readings, and what is read */
    int found;

    for (count = 0; (found = casefile_evidence(session->casefile, count + 1, &evidence, err)) > 0; count++)
        pieces += !evidence.again;
    if (found == 0 && wanted->now && pieces != 1)
        return error_set(
            err, "the case has %" PRIu64 " pieces of evidence: say which one is %s, as in --evidence OLD=NEW",
            pieces, wanted->now);
    for (size_t i = 0; i < wanted->moved_count && found == 0; i++) {
        bool any = false;

        for (uint64_t k = 1;
             k <= count && (found = casefile_evidence(session->casefile, k, &evidence, err)) > 0; k++)
            any |= is_of(wanted->moved[i], evidence.path);
        if (found >= 0 && !any)
            return error_set(err,
                             "--evidence %s: the case has no such evidence (kith report --about lists it)",
                             wanted->moved[i]);
        found = found < 0 ? -1 : 0;
    }
    return found;
}

/* How the evidence differs from what the scan saw, as far as the outside shows it. */
static int compare(const struct session *session, struct place *place, const struct case_evidence *evidence,
                   struct error *err)
{
    const struct extract *extract = session->extract;

    if (evidence_check(place->path, extract->run.options.image_type, err))
        return -1;
    if (evidence_stamp(place->path, extract->run.options.image_type, place->stamp, err))
        return -1;
    place->source.is_doubtful = !place->stamp[0] || strcmp(place->stamp, evidence->stamp) != 0;
    if (place->source.is_doubtful && !extract->run.quiet && evidence->stamp[0])
        complain(
            "%s: not as it was when it was scanned, so each object is compared with its digest: then %s; "
            "now %s",
            place->path, evidence->stamp, place->stamp[0] ? place->stamp : "unknown");
    return 0;
}

static int find_evidence(struct session *session, struct place *place, struct error *err)
{
    struct case_evidence evidence;
    const char *moved;

    if (casefile_evidence(session->casefile, place->number, &evidence, err) <= 0)
        return -1;
    moved = find_moved(session->wanted, evidence.path);
    place->path = strdup(moved ? moved : evidence.path);
    if (!place->path)
        return error_set(err, "out of memory");
    place->source =
        (struct extract_source){.path = place->path, .image_size = evidence.has_image ? evidence.size : 0};
    if (compare(session, place, &evidence, err)) {
        complain_error(err);
        return error_set(err, "if the evidence is elsewhere now: --evidence '%s=PATH'", evidence.path);
    }
    return 0;
}

static int find_all(struct session *session, struct error *err)
{
    if (check_moved(session, err))
        return -1;
    for (size_t i = 0; i < session->count; i++) {
        const struct evidence_list list = {.paths = &session->places[i].path, .count = 1};

        if (find_evidence(session, &session->places[i], err))
            return -1;
        if (evidence_list_check_output(&list, session->extract->folder))
            return error_set(err, "nothing was written");
    }
    return 0;
}

/* ---- all of it ---- */

static int check_seen(const struct session *session, const char *path)
{
    const struct extract_case *wanted = session->wanted;
    struct buffer text = {0};
    int status = EXIT_DONE;

    for (size_t i = 0; i < wanted->id_count; i++) {
        if (session->seen[i])
            continue;
        buffer_reset(&text);
        casefile_put_id(&text, &wanted->ids[i]);
        complain("%s: there is no finding %.*s", path, (int)text.len, text.data);
        status = EXIT_USAGE;
    }
    if (status == EXIT_DONE && session->count == 0) {
        complain("%s: no finding was selected", path);
        status = EXIT_USAGE;
    }
    buffer_release(&text);
    return status;
}

static int write_all(struct session *session)
{
    struct extract *extract = session->extract;
    int worst = EXIT_DONE;

    if (extract_open(extract, session->lists, session->count))
        return EXIT_USAGE;
    for (size_t i = 0; i < session->count && worst != EXIT_INTERRUPTED && !extract->failed; i++) {
        const int status = extract_items(extract, &session->places[i].source, &session->lists[i]);

        worst = status > worst ? status : worst;
    }
    return extract_close(extract) ? EXIT_USAGE : worst;
}

static int read_and_write(struct session *session, const char *path, struct error *err)
{
    struct buffer texts = {0};
    int status = -1;

    if (extract_case_options(&session->extract->run.options, casefile_info(session->casefile)->parameters,
                             &texts))
        error_set(err, "out of memory");
    else if (read_rows(session, err) == 0)
        status = check_seen(session, path);
    if (status == EXIT_DONE)
        status = find_all(session, err) ? -1 : write_all(session);
    buffer_release(&texts);
    return status;
}

int extract_case(struct extract *extract, const struct extract_case *wanted, const char *path)
{
    struct session session = {.extract = extract, .wanted = wanted};
    struct error err;
    bool faulty;
    int status = -1;

    session.casefile = case_open(path, &faulty, &err);
    session.seen = calloc(wanted->id_count + 1, sizeof *session.seen);
    if (session.casefile && session.seen)
        status = read_and_write(&session, path, &err);
    else if (session.casefile)
        error_set(&err, "out of memory");
    if (status < 0)
        complain_error(&err);
    for (size_t i = 0; i < session.count; i++) {
        free(session.places[i].path);
        extract_release(&session.lists[i]);
    }
    free(session.places);
    free(session.lists);
    free(session.seen);
    if (session.casefile)
        casefile_close(session.casefile, NULL);
    return status < 0 ? EXIT_USAGE : status == EXIT_DONE && faulty ? EXIT_PARTIAL : status;
}
