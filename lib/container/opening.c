/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "container/opening_inner.h"

/* Formats without a signature are looked for in no larger content, since all of it has to be looked through.
 */
#define GUESS_MOST ((uint64_t)64 << 20)

/* For the character set of names: archive.c. */
const char *const opening_folders[] = {"/usr/lib/locale", NULL};

const char *opening_mode_name(unsigned mode)
{
    static const char *const names[OPENING_MODES] = {"no", "known", "all"};

    return mode < OPENING_MODES ? names[mode] : NULL;
}

/* ---- from beginning to end ---- */

static void no_progress(void *arg)
{
    (void)arg;
}

static int prepare_formats(struct error *err)
{
    for (size_t i = 0; container_formats[i]; i++)
        if (container_formats[i]->prepare && container_formats[i]->prepare(err))
            return -1;
    return 0;
}

static void note_first_bytes(struct opening *opening)
{
    for (size_t i = 0; container_formats[i]; i++)
        for (unsigned value = 0; value < sizeof opening->first / sizeof *opening->first; value++) {
            const char *first = container_formats[i]->first;

            if (!first || (value && strchr(first, (int)value)))
                opening->first[value] |= UINT64_C(1) << i;
        }
}

static int prepare(struct opening *opening, struct error *err)
{
    opening->window = malloc(CONTAINER_PIECE);
    opening->carve = opening_carve_new();
    if (!opening->window || !opening->carve)
        return error_set(err, "out of memory");
    if (getrandom(opening->key, sizeof opening->key, 0) != sizeof opening->key)
        return error_errno(err, "cannot get random bytes");
    note_first_bytes(opening);
    return prepare_formats(err);
}

struct opening *opening_new(const struct opening_extent *extent, const struct opening_sink *sink,
                            struct error *err)
{
    struct opening *opening = memory_new(sizeof *opening, err);

    if (!opening)
        return NULL;
    opening->mode = extent->mode;
    opening->depth = extent->depth < OPENING_MOST_DEPTH ? extent->depth : OPENING_MOST_DEPTH;
    opening->is_chosen = extent->is_chosen;
    opening->sink = *sink;
    opening->watch = (struct container_watch){sink->progress ? sink->progress : no_progress, sink->arg};
    opening->room_left = OPENING_ROOM;
    if (prepare(opening, err)) {
        opening_free(opening);
        return NULL;
    }
    return opening;
}

void opening_free(struct opening *opening)
{
    if (!opening)
        return;
    for (unsigned i = 0; i <= OPENING_MOST_DEPTH; i++) {
        object_release(&opening->levels[i].object);
        free(opening->levels[i].names);
    }
    opening_carve_free(opening->carve);
    free(opening->window);
    free(opening);
}

/* ---- names ---- */

static void forget_names(struct opening_level *level)
{
    free(level->names);
    level->names = NULL;
    level->name_count = level->name_room = 0;
}

static bool put_name(struct opening_level *level, uint64_t hash)
{
    size_t at = hash & (level->name_room - 1);

    while (level->names[at] && level->names[at] != hash)
        at = (at + 1) & (level->name_room - 1);
    if (level->names[at])
        return false;
    level->names[at] = hash;
    level->name_count++;
    return true;
}

static bool grow_names(struct opening_level *level)
{
    enum { FIRST_ROOM = 64 };
    struct opening_level old = *level;

    level->name_room = old.name_room ? 2 * old.name_room : FIRST_ROOM;
    level->name_count = 0;
    level->names = calloc(level->name_room, sizeof *level->names);
    if (!level->names) {
        level->names = old.names;
        level->name_room = old.name_room;
        level->name_count = old.name_count;
        return false;
    }
    for (size_t i = 0; i < old.name_room; i++)
        if (old.names[i])
            put_name(level, old.names[i]);
    free(old.names);
    return true;
}

/* Without memory every name counts as repeated: then all are numbered, and unique. */
static bool is_repeated(struct opening *opening, struct opening_level *level,
                        const struct container_member *member)
{
    const uint64_t hash = siphash(opening->key, member->name, member->name_len) | 1;

    if (2 * level->name_count >= level->name_room && !grow_names(level))
        return true;
    return !put_name(level, hash);
}

/* ---- members ---- */

static int begin_member(struct opening *opening, struct opening_level *level,
                        const struct container_member *member)
{
    struct object *object = &level->object;
    const struct object_member names = {.opener = level->format->name,
                                        .offset = level->offset,
                                        .name = member->name,
                                        .name_len = member->name_len,
                                        .number = level->number,
                                        .is_repeated = is_repeated(opening, level, member)};

    object_reset(object);
    memcpy(object->times, member->times, sizeof object->times);
    object->mode = member->mode;
    object->uid = member->uid;
    object->gid = member->gid;
    return object_set_parent(object, level->parent, &names);
}

static void give(struct opening *opening, struct opening_level *level, struct content *content)
{
    if (!opening->sink.member(opening->sink.arg, &level->object, content))
        opening->stopped = true;
}

/* Reports, as a member without a name, why no more members come. */
static void give_problem(struct opening *opening, struct opening_level *level, const char *reason)
{
    static const struct container_member nameless = {.name = ""};

    level->number++;
    if (begin_member(opening, level, &nameless))
        return;
    object_blame(&level->object, OBJECT_UNREADABLE, "%.240s", reason);
    give(opening, level, NULL);
}

static uint64_t open_at(struct opening *opening, const struct object *parent, struct content *content,
                        uint64_t offset, unsigned depth, bool is_carved);

/* Returns whether to stop here, because this is where a worker was lost. */
static bool is_refused(struct opening *opening)
{
    if (opening->sink.step && !opening->refusal)
        opening->refusal = opening->sink.step(opening->sink.arg);
    opening->stopped |= opening->refusal != NULL;
    return opening->refusal != NULL;
}

/* A member may be a container itself.  The recursion is limited by the number of levels. */
static void look_into(struct opening *opening, struct opening_level *level, struct content *content,
                      unsigned depth)
{
    if (!opening->stopped && content->size > 0 &&
        (!opening->sink.opens || opening->sink.opens(opening->sink.arg, &level->object)) &&
        !is_refused(opening))
        open_at(opening, &level->object, content, 0, depth + 1, false);
}

static void take_readable(struct opening *opening, struct opening_level *level, uint64_t stated,
                          unsigned depth)
{
    struct opening_bytes bytes;

    opening_bytes_load(&bytes, opening, level, stated);
    opening_bytes_locate(&bytes);
    give(opening, level, &bytes.content);
    look_into(opening, level, &bytes.content, depth);
    level->unpacked += bytes.content.size;
    opening_bytes_release(&bytes);
}

static void take_member(struct opening *opening, struct opening_level *level,
                        const struct container_member *member, unsigned depth)
{
    level->number++;
    if (begin_member(opening, level, member)) {
        opening->stopped = true; /* out of memory: the next member would fail as well */
        return;
    }
    if (!member->problem) {
        take_readable(opening, level, member->size, depth);
        return;
    }
    if (member->size != CONTAINER_UNKNOWN && member->size <= INT64_MAX)
        level->object.size = member->size;
    object_blame(&level->object, OBJECT_UNREADABLE, "%.240s", member->problem);
    give(opening, level, NULL);
}

/* ---- containers ---- */

static void give_stop(struct opening *opening, struct opening_level *level)
{
    char reason[200];

    opening->is_told = true;
    if (opening->refusal)
        snprintf(reason, sizeof reason, "opening stopped: %.150s", opening->refusal);
    else if (opening->members_left == 0)
        snprintf(reason, sizeof reason, "opening stopped: more than %d members in one object",
                 OPENING_MOST_MEMBERS);
    else if (opening->left == 0)
        snprintf(reason, sizeof reason, "opening stopped: more bytes were unpacked than an object may yield");
    else
        snprintf(reason, sizeof reason, "opening stopped: too many members to report");
    give_problem(opening, level, reason);
}

static void take_members(struct opening *opening, struct opening_level *level, unsigned depth)
{
    struct container_member member;
    struct error err;
    char reason[256];
    int more = 0;

    while (!is_refused(opening)) {
        member = (struct container_member){.name = "", .size = CONTAINER_UNKNOWN};
        opening->watch.progress(opening->watch.arg);
        more = level->container->next(level->container, &member, &err);
        if (more > 0 && opening->members_left == 0)
            opening->stopped = true;
        else if (more > 0) {
            opening->members_left--;
            take_member(opening, level, &member, depth);
        }
        if (more <= 0 || opening->stopped)
            break;
    }
    if (!opening->stopped && opening->is_spent) {
        opening->is_spent = false;
        give_problem(opening, level, "opening stopped: going back in it would mean to unpack it too often");
    } else if (opening->stopped && !opening->is_told) {
        give_stop(opening, level);
    } else if (more < 0 && (level->number > 0 || !level->sight.is_carved) && !level->format->is_guess) {
        snprintf(reason, sizeof reason, "opening stopped: the %s %.200s", level->format->name, err.text);
        give_problem(opening, level, reason);
    }
}

/* What only looks like a container, in free space or by guess, is no problem. */
static void give_unopened(struct opening *opening, struct opening_level *level, const struct error *err)
{
    char reason[256];

    if (level->sight.is_carved || level->format->is_guess || level->format->is_second)
        return;
    snprintf(reason, sizeof reason, "not opened: the %s %.200s", level->format->name, err->text);
    give_problem(opening, level, reason);
}

/* Opens content as one format.  Returns how far the container reaches. */
static uint64_t open_as(struct opening *opening, struct opening_level *level, unsigned depth)
{
    struct error err;
    uint64_t end = 0;

    level->number = level->unpacked = 0;
    if (is_refused(opening)) {
        give_stop(opening, level);
        return 0;
    }
    level->container = level->format->open(&level->sight, &opening->watch, &err);
    if (!level->container) {
        give_unopened(opening, level, &err);
        return 0;
    }
    take_members(opening, level, depth);
    if (level->number > 0 && level->container->end)
        end = level->container->end(level->container);
    level->container->close(level->container);
    forget_names(level);
    return end;
}

/* `number`: of the format. */
static bool is_tried(const struct opening *opening, size_t number, const struct container_sight *sight,
                     unsigned depth)
{
    const struct container_format *format = container_formats[number];

    if (format->notices && depth == 0 && opening->passed == sight->size && !(opening->noticed >> number & 1))
        return false;
    if (format->is_guess && (opening->mode != OPENING_ALL || sight->size > GUESS_MOST || sight->is_carved))
        return false;
    if (sight->is_carved && !format->magic)
        return false;
    return format->matches(sight);
}

static bool read_head(struct opening_level *level)
{
    struct container_sight *sight = &level->sight;

    sight->head_len = sight->size < CONTAINER_HEAD ? (size_t)sight->size : CONTAINER_HEAD;
    if (sight->content->head_len >= sight->head_len) {
        sight->head = sight->content->head;
        return true;
    }
    sight->head = level->head;
    return content_read(sight->content, 0, level->head, sight->head_len) == 0;
}

/* A level of its own, even if the limit is reached, to say so. */
static void begin_level(struct opening_level *level, const struct object *parent, struct content *content,
                        uint64_t offset, bool is_carved)
{
    content_part_init(&level->part, content, offset, content->size - offset);
    level->parent = parent;
    level->offset = offset;
    level->sight = (struct container_sight){.content = offset ? &level->part.content : content,
                                            .size = content->size - offset,
                                            .is_carved = is_carved};
}

static void give_too_deep(struct opening *opening, struct opening_level *level)
{
    char reason[128];

    if (level->format->is_guess || opening->is_chosen)
        return;
    snprintf(reason, sizeof reason, "not opened: it is nested more than %u deep (--depth)", opening->depth);
    level->number = 0;
    give_problem(opening, level, reason);
}

/* Opens what begins at an offset of the parent's content, if it is of a known format.  Returns its length as
 * far as that is known, otherwise 0. */
static uint64_t open_at(struct opening *opening, const struct object *parent, struct content *content,
                        uint64_t offset, unsigned depth, bool is_carved)
{
    struct opening_level *level = &opening->levels[depth];
    uint64_t end = 0;

    begin_level(level, parent, content, offset, is_carved);
    if (level->sight.size == 0 || !read_head(level))
        return 0;
    for (uint64_t left = opening->first[*level->sight.head]; left && !opening->stopped; left &= left - 1) {
        const size_t i = (size_t)__builtin_ctzll(left);
        uint64_t reached;

        level->format = container_formats[i];
        if ((level->format->is_evidence && (parent->flags & OBJECT_HOST)) ||
            !is_tried(opening, i, &level->sight, depth))
            continue;
        if (depth >= opening->depth) {
            give_too_deep(opening, level);
            return 0;
        }
        reached = open_as(opening, level, depth);
        end = reached > end ? reached : end;
    }
    return end;
}

enum { SECTOR = 512 };

static void open_carved(struct opening *opening, const struct object *object, struct content *content)
{
    uint64_t start = 0, end;

    while (!opening->stopped && (start = opening_carve_next(opening->carve, start)) < content->size) {
        end = open_at(opening, object, content, start, 0, true);
        end -= end % SECTOR; /* what follows one that is cut off may be taken for a part of it */
        start = end < content->size - start ? start + (end ? end : 1) : content->size;
    }
}

/* Holes cost nothing to claim.  What has no runs is stored elsewhere, and is no larger than it says. */
static uint64_t most_bytes(const struct object *object)
{
    const uint64_t stored = object->run_count ? object_stored(object) : object->size,
                   size = stored < object->size ? stored : object->size;

    return OPENING_LEAST + OPENING_RATIO * (size < INT64_MAX / 512 ? size : INT64_MAX / 512);
}

void opening_object(struct opening *opening, const struct object *object, struct content *content,
                    uint64_t most)
{
    opening->stopped = opening->is_told = opening->is_spent = false;
    opening->refusal = NULL;
    opening->members_left = OPENING_MOST_MEMBERS;
    opening->left = most_bytes(object);
    opening->again_left = 2 * opening->left;
    opening->left = opening->left < most ? opening->left : most;
    if (opening->mode == OPENING_NO || content->size == 0 || opening_carve_is_closed(opening->carve) ||
        (opening->sink.opens && !opening->sink.opens(opening->sink.arg, object)))
        return;
    if (opening_carve_is_on(opening->carve))
        open_carved(opening, object, content);
    else
        open_at(opening, object, content, 0, 0, false);
}
