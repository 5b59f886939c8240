/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "container/opening.h"
#include "disk/object.h"
#include "evidence/batch.h"
#include "evidence/evidence_rules_inner.h"

/* What tasks consist of, and the limits on their results. */

enum {
    MOST_PROBLEMS = 1024,
    MOST_BAD = 1 << 16,
    ITEM_BYTES = 256 << 10, /* of a result, for each item, not counting content */
    NAME_BYTES = 9,         /* for each byte of the image, in tasks that read names */
    LEAST_BYTES = 8 << 20,
    /* A task may take this many times the CPU time of one item, and once more for each SHARE_BYTES. */
    LEAST_SHARES = 15,
    SHARE_BYTES = 64 << 20,
    MOST_MEMBERS = 1 << 20, /* of a task */
};

static const uint64_t MOST_BYTES = (uint64_t)256 << 20;

/* How the items of a task are laid out: the numbers before their count, and the numbers in each item.  Items
 * without numbers are objects.  Tasks that are missing here are a single item. */
static const struct layout {
    bool is_list;
    unsigned before, each;
} layouts[] = {
    [TASK_FOLDERS] = {true, 1 + EVIDENCE_RULES_SYSTEM, 1},
    [TASK_OBJECTS] = {true, 1 + EVIDENCE_RULES_SYSTEM + 2, 2},
    [TASK_RANGES] = {true, 1 + 2, 3},
    [TASK_FILES] = {true, 1, 0},
    [TASK_DIGEST] = {false, 0, 0},
};

uint64_t evidence_rules_number(const void *task, size_t len, uint64_t place)
{
    uint64_t number = 0;

    if (place < len / sizeof number)
        memcpy(&number, (const char *)task + place * sizeof number, sizeof number);
    return number;
}

enum evidence_task evidence_rules_kind(const void *task, size_t len)
{
    const uint64_t kind = evidence_rules_number(task, len, 0);

    return kind <= TASK_DIGEST ? (enum evidence_task)kind : TASK_DIGEST;
}

uint64_t evidence_rules_argument(const void *task, size_t len, uint64_t item, size_t place)
{
    const struct layout *layout = &layouts[evidence_rules_kind(task, len)];

    return evidence_rules_number(task, len, layout->before + 1 + item * layout->each + place);
}

uint64_t evidence_rules_items(const void *task, size_t len)
{
    const enum evidence_task kind = evidence_rules_kind(task, len);
    struct wire wire = {task, len, false};
    size_t type_len;

    switch (kind) {
    case TASK_RECORDS:
        return evidence_rules_number(task, len, 1 + EVIDENCE_RULES_SYSTEM + 1);
    case TASK_SYSTEMS:
        wire_get(&wire);
        wire_get_bytes(&wire, &type_len);
        return wire_get(&wire);
    default:
        return layouts[kind].is_list ? evidence_rules_number(task, len, layouts[kind].before) : 1;
    }
}

bool evidence_rules_has_halves(const void *task, size_t len)
{
    const enum evidence_task kind = evidence_rules_kind(task, len);

    return kind == TASK_OBJECTS || kind == TASK_RANGES || kind == TASK_FILES;
}

uint64_t evidence_rules_allowance(const void *task, size_t len)
{
    uint64_t number = 0;

    if (evidence_rules_has_halves(task, len) && len >= sizeof number)
        memcpy(&number, (const char *)task + len - sizeof number, sizeof number);
    return number;
}

uint64_t evidence_rules_crew_items(const void *task, size_t len)
{
    return evidence_rules_items(task, len) * (evidence_rules_has_halves(task, len) ? BATCH_HALVES : 1);
}

struct wire evidence_rules_files(const void *task, size_t len)
{
    struct wire wire = {task, len, false};

    wire_get(&wire);
    wire_get(&wire);
    return wire;
}

/* Returns how many bytes a worker reads for the task at most. */
static uint64_t work_of(const void *task, size_t len, uint64_t size)
{
    const uint64_t items = evidence_rules_items(task, len);
    struct object_view view;
    struct wire wire;
    uint64_t sum = 0;

    switch (evidence_rules_kind(task, len)) {
    case TASK_RANGES:
        for (uint64_t i = 0; i < items; i++)
            sum += evidence_rules_argument(task, len, i, 1);
        return sum;
    case TASK_FILES:
        wire = evidence_rules_files(task, len);
        for (uint64_t i = 0; i < items && object_view(&wire, &view); i++)
            sum = view.size > INT64_MAX - sum ? INT64_MAX : sum + view.size;
        return sum;
    default: /* twice, since files may share blocks */
        return 2 * size;
    }
}

/* ---- rules ---- */

enum { ANY_TASK = TASK_DIGEST + 1 };

/* The maximum number of messages: per task, plus per item, plus one for each bytes_each bytes of the
 * image. */
static const struct rule {
    unsigned task;
    enum evidence_message message;
    unsigned per_task, per_item, bytes_each;
} rules[] = {
    {TASK_IMAGE, MESSAGE_IMAGE, 1, 0, 0},
    {TASK_TABLE, MESSAGE_TABLE, 1, 0, 0},
    {TASK_TABLE, MESSAGE_VOLUME, 4096, 0, 0},
    {TASK_SYSTEMS, MESSAGE_SYSTEM, 0, 256, 0},
    {TASK_SYSTEMS, MESSAGE_CONTENT, 0, 1, 0},
    {TASK_FOLDERS, MESSAGE_NAME, EVIDENCE_MORE_NAMES, 0, EVIDENCE_SMALLEST_NAME},
    {TASK_RECORDS, MESSAGE_NAME, EVIDENCE_MORE_NAMES, 0, EVIDENCE_SMALLEST_NAME},
    {TASK_RECORDS, MESSAGE_USE, 0, 1, 0},
    {TASK_LIST, MESSAGE_NAME, EVIDENCE_MORE_NAMES, 0, EVIDENCE_SMALLEST_NAME},
    {TASK_OBJECTS, MESSAGE_OBJECT, 0, 64, 16},
    {TASK_OBJECTS, MESSAGE_MEMBER, MOST_MEMBERS, 0, 0},
    {TASK_RANGES, MESSAGE_MEMBER, MOST_MEMBERS, 0, 0},
    {TASK_FILES, MESSAGE_MEMBER, MOST_MEMBERS, 0, 0},
    {TASK_STRUCTURES, MESSAGE_RUN, 1, 0, 512},
    {TASK_BLOCKS, MESSAGE_RUN, 1, 0, 512},
    {TASK_RANGES, MESSAGE_OBJECT, 0, 1, 0},
    {TASK_FILES, MESSAGE_OBJECT, 0, 1, 0},
    {TASK_DIGEST, MESSAGE_DIGEST, 1, 0, 0},
    {ANY_TASK, MESSAGE_BAD, MOST_BAD, 0, 0},
    {ANY_TASK, MESSAGE_PROBLEM, MOST_PROBLEMS, 2, 0},
    {ANY_TASK, MESSAGE_DONE, 1, 0, 0},
};

static const struct rule *rule_of(enum evidence_task task, uint64_t message)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].message == message && (rules[i].task == (unsigned)task || rules[i].task == ANY_TASK))
            return &rules[i];
    return NULL;
}

uint64_t evidence_rules_most(const void *task, size_t len, enum evidence_message message, uint64_t size)
{
    const struct rule *rule = rule_of(evidence_rules_kind(task, len), message);

    if (!rule)
        return 0;
    return rule->per_task + rule->per_item * evidence_rules_items(task, len) +
           (rule->bytes_each ? size / rule->bytes_each : 0);
}

static uint64_t most_bytes(const struct crew_task *task, const struct evidence_bounds *bounds)
{
    const enum evidence_task kind = evidence_rules_kind(task->data, task->len);
    const uint64_t work = work_of(task->data, task->len, bounds->size);
    const bool names = kind == TASK_FOLDERS || kind == TASK_RECORDS || kind == TASK_LIST;
    uint64_t most = LEAST_BYTES + (uint64_t)task->items * (kind == TASK_RECORDS ? 0 : ITEM_BYTES);

    if (names)
        most += bounds->size > MOST_BYTES ? MOST_BYTES : bounds->size * NAME_BYTES;
    else
        most += work > MOST_BYTES ? MOST_BYTES : 2 * work;
    most = most < MOST_BYTES ? most : MOST_BYTES;
    return evidence_rules_has_halves(task->data, task->len) && bounds->opens ? most + EVIDENCE_MEMBER_BYTES
                                                                             : most;
}

/* The bytes that may be unpacked for a task. */
static uint64_t unpacked_of(const struct crew_task *task, const struct evidence_bounds *bounds,
                            uint64_t items, uint64_t work)
{
    if (!bounds->opens || !evidence_rules_has_halves(task->data, task->len))
        return 0;
    return work > INT64_MAX / 2 / OPENING_RATIO ? INT64_MAX / 2
                                                : OPENING_RATIO * work + OPENING_LEAST * items;
}

void evidence_rules_limit(struct crew_task *task, const struct evidence_bounds *bounds)
{
    const uint64_t items = evidence_rules_items(task->data, task->len),
                   work = work_of(task->data, task->len, bounds->size);

    const uint64_t crew_items = evidence_rules_crew_items(task->data, task->len);

    task->items = crew_items < CREW_WHOLE_TASK ? (uint32_t)crew_items : CREW_WHOLE_TASK;
    task->seconds =
        (LEAST_SHARES + work / SHARE_BYTES + unpacked_of(task, bounds, items, work) / SHARE_BYTES) *
        bounds->seconds;
    task->most = most_bytes(task, bounds);
}
