/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/evidence_rules.h"

#include <string.h>

#include "base/digest.h"
#include "disk/object.h"
#include "evidence/batch.h"
#include "evidence/evidence_rules_inner.h"

/* Checks results. */

enum {
    MOST_TEXT = 5120, /* in bytes, of a problem (which is what an error holds) or any other text */
    MOST_SECTOR = 1 << 20,
    MOST_FILES = 4096, /* other files of a container, and bytes of their names */
    MOST_FILE_NAMES = 256 << 10,
    MOST_OVERHANG = 64 << 20, /* of free blocks beyond the end of a truncated image: less than a cluster */
};

/* How far the result of a task has been checked. */
struct checked {
    size_t done;
    uint64_t counts[EVIDENCE_MESSAGES];
    uint64_t item;    /* lowest that may come next, for messages that come in order */
    uint64_t objects; /* one more than the item of the last object; 0: none has come */
    uint64_t end;     /* of the last range */
    size_t files_len; /* TASK_FILES: bytes of the task after the files whose results have come, ... */
    uint64_t files;   /* ... and the number of these files */
};

const size_t evidence_rules_state = sizeof(struct checked);

/* The check of one message. */
struct check {
    const struct evidence_bounds *bounds;
    const struct crew_result *result;
    struct checked *checked;
    uint64_t items;
    struct wire *wire;
};

static uint64_t asked(const struct check *check, uint64_t item, size_t place)
{
    return evidence_rules_argument(check->result->task, check->result->task_len, item, place);
}

/* item: as the crew counts it. */
static bool is_lost(const struct crew_result *result, uint64_t item)
{
    for (size_t i = 0; i < result->loss_count; i++)
        if (result->losses[i].item == item)
            return true;
    return false;
}

static void skip_numbers(struct wire *wire, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        wire_get(wire);
}

static bool is_text(struct wire *wire)
{
    size_t len;

    wire_get_bytes(wire, &len);
    return len <= MOST_TEXT;
}

static bool is_digests(struct wire *wire)
{
    skip_numbers(wire, 1 + sizeof((struct digest_values *)NULL)->bytes / sizeof(uint64_t));
    return true;
}

/* Names of files in one folder, each NUL-terminated. */
static bool is_files(struct wire *wire)
{
    size_t len, count = 0;
    const char *names = wire_get_bytes(wire, &len);

    if (len > MOST_FILE_NAMES || (len > 0 && names[len - 1] != '\0') || memchr(names, '/', len))
        return false;
    for (size_t i = 0; i < len; i++)
        count += names[i] == '\0';
    return count <= MOST_FILES;
}

/* A raw image is as large as its files; a container may hold more. */
static bool is_image(const struct check *check)
{
    struct wire *wire = check->wire;
    size_t len;
    const char *format = wire_get_bytes(wire, &len);
    const bool is_raw = len == 3 && memcmp(format, "raw", 3) == 0;
    const uint64_t size = wire_get(wire), sector_size = wire_get(wire);

    return is_digests(wire) && is_files(wire) && len <= MOST_TEXT && sector_size > 0 &&
           sector_size <= MOST_SECTOR &&
           size <= (is_raw && check->bounds->bytes ? check->bounds->bytes : INT64_MAX);
}

static bool is_volume(struct wire *wire)
{
    skip_numbers(wire, 4);
    return is_text(wire);
}

/* Accepts only items of the task, in ascending order; `again`: the same one may come repeatedly. */
static bool is_item(struct check *check, bool again)
{
    const uint64_t item = wire_get(check->wire);
    struct checked *checked = check->checked;

    const bool halved = evidence_rules_has_halves(check->result->task, check->result->task_len);

    if (item < checked->item || item >= check->items ||
        is_lost(check->result, halved ? item * BATCH_HALVES : item))
        return false;
    checked->item = item + !again;
    return true;
}

static bool is_system(struct check *check)
{
    if (wire_get(check->wire) >= check->items)
        return false;
    skip_numbers(check->wire, EVIDENCE_RULES_SYSTEM);
    if (!is_text(check->wire))
        return false;
    skip_numbers(check->wire, EVIDENCE_FACTS);
    return true;
}

static bool is_content(struct check *check)
{
    const bool known = is_item(check, false);
    const bool named = is_text(check->wire);

    skip_numbers(check->wire, 2);
    return known && named;
}

static bool is_in_records(const struct check *check, uint64_t inode)
{
    const void *task = check->result->task;
    const uint64_t first = evidence_rules_number(task, check->result->task_len, 1 + EVIDENCE_RULES_SYSTEM);

    return inode >= first && inode - first < check->items;
}

/* A name must belong to a folder or record of the task; folders come in order. */
static bool is_in_folders(struct check *check, uint64_t parent)
{
    struct checked *checked = check->checked;

    while (checked->item < check->items && asked(check, checked->item, 0) != parent)
        checked->item++;
    return checked->item < check->items;
}

static bool is_name(struct check *check)
{
    uint64_t numbers[5];
    size_t len;

    wire_get_numbers(check->wire, numbers, 5);
    wire_get_bytes(check->wire, &len);
    if (len > EVIDENCE_MOST_NAME)
        return false;
    switch (evidence_rules_kind(check->result->task, check->result->task_len)) {
    case TASK_FOLDERS:
        return check->wire->broken || is_in_folders(check, numbers[1]);
    case TASK_RECORDS:
        return check->wire->broken || is_in_records(check, numbers[0]);
    default:
        return true;
    }
}

static bool is_use(struct check *check)
{
    const uint64_t inode = wire_get(check->wire);

    skip_numbers(check->wire, 2);
    return check->wire->broken || is_in_records(check, inode);
}

/* The kinds that objects of an inode may have. */
static bool is_of_inode(enum object_kind kind)
{
    const unsigned kinds = OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_DELETED) | OBJECT_BIT(OBJECT_ORPHAN) |
                           OBJECT_BIT(OBJECT_STREAM) | OBJECT_BIT(OBJECT_SLACK) |
                           OBJECT_BIT(OBJECT_METADATA) | OBJECT_BIT(OBJECT_FOLDER);

    return (kinds & OBJECT_BIT(kind)) != 0;
}

static bool has_wanted(const struct object_view *view, uint64_t wanted)
{
    return wanted || ((view->flags & OBJECT_UNWANTED) && view->result_len == 0);
}

/* Checks that the object is the file at this position of the task. */
static bool is_file(const struct check *check, uint64_t item, const struct object_view *view)
{
    struct checked *checked = check->checked;
    const char *task = check->result->task;
    const size_t len = check->result->task_len;
    struct wire wire = checked->files
                           ? (struct wire){task + len - checked->files_len, checked->files_len, false}
                           : evidence_rules_files(task, len);
    struct object_view file = {.stream_len = 0};

    if (checked->files > item)
        return false;
    for (; checked->files <= item; checked->files++)
        if (!object_view(&wire, &file))
            return false;
    checked->files_len = wire.len;
    return view->kind == file.kind && (view->flags & OBJECT_HOST) && view->inode == file.inode &&
           view->stream_len == file.stream_len && memcmp(view->stream, file.stream, file.stream_len) == 0 &&
           has_wanted(view, !(file.flags & OBJECT_UNWANTED));
}

static bool is_what_was_asked(const struct check *check, uint64_t item, const struct object_view *view)
{
    switch (evidence_rules_kind(check->result->task, check->result->task_len)) {
    case TASK_OBJECTS:
        return is_of_inode(view->kind) && !(view->flags & OBJECT_HOST) &&
               view->inode == asked(check, item, 0) && has_wanted(view, asked(check, item, 1));
    case TASK_RANGES:
        return view->kind == evidence_rules_number(check->result->task, check->result->task_len, 1) &&
               (view->flags & OBJECT_RANGE) && !(view->flags & OBJECT_HOST) &&
               view->start == asked(check, item, 0) && view->size == asked(check, item, 1) &&
               view->in_one_piece && has_wanted(view, asked(check, item, 2));
    default:
        return is_file(check, item, view);
    }
}

static bool is_object(struct check *check)
{
    const bool one_each = evidence_rules_kind(check->result->task, check->result->task_len) != TASK_OBJECTS;
    struct object_view view;
    struct wire ahead = *check->wire;
    const uint64_t item = wire_get(&ahead);

    if (!object_view(&ahead, &view)) {
        check->wire->broken = true;
        return true;
    }
    if (!is_item(check, !one_each) || !is_what_was_asked(check, item, &view))
        return false;
    check->checked->objects = item + 1;
    *check->wire = ahead;
    return true;
}

/* Whether the content of this item was wanted. */
static bool is_wanted_item(const struct check *check, uint64_t item)
{
    switch (evidence_rules_kind(check->result->task, check->result->task_len)) {
    case TASK_OBJECTS:
        return asked(check, item, 1) != 0;
    case TASK_RANGES:
        return asked(check, item, 2) != 0;
    default:
        return true;
    }
}

/* A member follows the object in which it is packed, and has the inode or the start of that. */
static bool is_member(struct check *check)
{
    struct object_view view;
    const uint64_t item = wire_get(check->wire);

    if (!object_view(check->wire, &view))
        return true;
    if (!check->bounds->opens || view.kind != OBJECT_MEMBER || item + 1 != check->checked->objects ||
        is_lost(check->result, item * BATCH_HALVES + 1) || !is_wanted_item(check, item))
        return false;
    switch (evidence_rules_kind(check->result->task, check->result->task_len)) {
    case TASK_OBJECTS:
        return view.inode == asked(check, item, 0);
    case TASK_RANGES:
        return view.start == asked(check, item, 0);
    default:
        return true;
    }
}

static bool is_stretch(struct wire *wire, uint64_t *start, uint64_t *end)
{
    const uint64_t len = (*start = wire_get(wire), wire_get(wire));

    if (*start > INT64_MAX || len > INT64_MAX - *start)
        return false;
    *end = *start + len;
    return true;
}

/* In order and within the image, so that they cannot hold more bytes than it has. */
static bool is_run(struct check *check)
{
    uint64_t start, end;

    if (!is_stretch(check->wire, &start, &end) || start < check->checked->end ||
        end > check->bounds->size + MOST_OVERHANG)
        return false;
    check->checked->end = end;
    return true;
}

static bool is_bad(struct check *check)
{
    uint64_t start, end;

    return is_stretch(check->wire, &start, &end);
}

/*
 * Compares with the worker's own counts, so that anything dropped by the worker or on the way is noticed.
 * TASK_IMAGE begins no item; nor does a task whose file system cannot be opened, which sends a problem
 * instead.
 */
static bool is_end(struct check *check)
{
    const struct checked *checked = check->checked;
    const uint64_t messages = wire_get(check->wire), begun = wire_get(check->wire);
    uint64_t sum = 0;

    for (int i = 0; i < EVIDENCE_MESSAGES; i++)
        sum += checked->counts[i];
    return messages == sum &&
           (begun + check->result->loss_count ==
                evidence_rules_crew_items(check->result->task, check->result->task_len) ||
            (begun == 0 && (checked->counts[MESSAGE_PROBLEM] || checked->counts[MESSAGE_IMAGE])));
}

static bool is_sound(struct check *check, uint64_t message)
{
    switch (message) {
    case MESSAGE_IMAGE:
        return is_image(check);
    case MESSAGE_VOLUME:
        return is_volume(check->wire);
    case MESSAGE_SYSTEM:
        return is_system(check);
    case MESSAGE_CONTENT:
        return is_content(check);
    case MESSAGE_NAME:
        return is_name(check);
    case MESSAGE_USE:
        return is_use(check);
    case MESSAGE_OBJECT:
        return is_object(check);
    case MESSAGE_MEMBER:
        return is_member(check);
    case MESSAGE_RUN:
        return is_run(check);
    case MESSAGE_BAD:
        return is_bad(check);
    case MESSAGE_DIGEST:
        return is_digests(check->wire);
    case MESSAGE_DONE:
        return is_end(check);
    default: /* MESSAGE_TABLE, MESSAGE_PROBLEM */
        return is_text(check->wire);
    }
}

/* Losses of whole items, without those of what is packed in them. */
static uint64_t count_losses(const struct crew_result *result)
{
    const bool halved = evidence_rules_has_halves(result->task, result->task_len);
    uint64_t count = 0;

    for (size_t i = 0; i < result->loss_count; i++)
        count += !halved || result->losses[i].item % BATCH_HALVES == 0;
    return count;
}

/* Checks that everything has come that the task always yields. */
static bool is_complete(const struct check *check)
{
    const uint64_t *counts = check->checked->counts;
    /* while the task is not lost as a whole, each loss is an item */
    const uint64_t left = check->items - count_losses(check->result);

    switch (evidence_rules_kind(check->result->task, check->result->task_len)) {
    case TASK_IMAGE:
        return counts[MESSAGE_IMAGE] == 1;
    case TASK_SYSTEMS:
        return counts[MESSAGE_CONTENT] == left;
    case TASK_RANGES:
    case TASK_FILES:
        return counts[MESSAGE_OBJECT] == left;
    case TASK_DIGEST:
        return left == 0 || counts[MESSAGE_DIGEST] + counts[MESSAGE_PROBLEM] > 0;
    default:
        return true;
    }
}

/* A message that is still incomplete is checked again when more data has come. */
bool evidence_rules_accept(void *arg, void *state, const struct crew_result *result, bool complete)
{
    const struct evidence_bounds *bounds = arg;
    struct checked *checked = state;
    struct wire wire = {result->data + checked->done, result->len - checked->done, false};
    struct check check = {bounds, result, checked, evidence_rules_items(result->task, result->task_len),
                          &wire};
    uint64_t most[EVIDENCE_MESSAGES];

    for (int i = 0; i < EVIDENCE_MESSAGES; i++)
        most[i] = evidence_rules_most(result->task, result->task_len, (enum evidence_message)i, bounds->size);
    while (wire_more(&wire)) {
        const struct checked before = *checked;
        const uint64_t message = wire_get(&wire);

        if (!wire.broken && (message >= EVIDENCE_MESSAGES || checked->counts[MESSAGE_DONE] ||
                             checked->counts[message] >= most[message]))
            return false;
        if (!wire.broken && !is_sound(&check, message) && !wire.broken)
            return false;
        if (wire.broken) {
            *checked = before;
            return !complete;
        }
        checked->counts[message]++;
        checked->done = result->len - wire.len;
    }
    return !complete || is_complete(&check);
}
