/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "evidence/evidence.h"
#include "evidence/evidence_rules.h"

/*
 * What compromised workers can do to the parent.  The crew is the one below: no process is started,
 * and what a worker would send is written as the input says.  All that comes after that is the parent's own
 * code: it judges the result of each task, takes what it accepted, and gives out the next tasks.
 *
 * The input is read byte by byte.  Its first says what is read and how; then each task takes one that says
 * how its worker behaves, and each message one for its kind and one for each number in it: a small one, one
 * that the task has, one at a limit.  Where the input ends workers are honest, and find little.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* Sizes come from the worker, and so may be absurd: there is no memory for what depends on them. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum {
    IMAGE_LEN = 1 << 20,
    DEPTH = 4,
    MOST_TASKS = 200, /* then it is interrupted */
    MOST_MESSAGES = 40,
    TRIES = 3,
};

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- the input ---- */

static const uint8_t *next, *end;

static unsigned next_byte(void)
{
    return next < end ? *next++ : 0;
}

static bool is_over(void)
{
    return next >= end;
}

/* ---- the crew ---- */

struct task {
    struct crew_task given;
    char *data;
};

struct crew {
    struct crew_job job;
    struct task tasks[DEPTH], popped;
    size_t count;
    struct buffer result, losses;
};

static unsigned tasks_done;
static atomic_bool stop;

struct crew *crew_new(const struct crew_job *job, unsigned workers, struct error *err)
{
    struct crew *crew = calloc(1, sizeof *crew);

    (void)workers, (void)err;
    require(crew != NULL && job->accept && job->accept_size > 0);
    crew->job = *job;
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    for (size_t i = 0; i < crew->count; i++)
        free(crew->tasks[i].data);
    free(crew->popped.data);
    buffer_release(&crew->result);
    buffer_release(&crew->losses);
    free(crew);
}

unsigned crew_missing(const struct crew *crew)
{
    (void)crew;
    return 0;
}

bool crew_full(const struct crew *crew)
{
    return crew->count == DEPTH;
}

bool crew_empty(const struct crew *crew)
{
    return crew->count == 0;
}

uint64_t crew_bytes(const struct crew *crew)
{
    return crew->count;
}

int crew_push(struct crew *crew, const struct crew_task *task, struct error *err)
{
    struct task *added = &crew->tasks[crew->count];

    (void)err;
    require(crew->count < DEPTH && task->items > 0 && task->seconds > 0 && task->most > 0);
    *added = (struct task){*task, malloc(task->len + 1)};
    require(added->data != NULL);
    memcpy(added->data, task->data, task->len);
    for (unsigned i = 0; i < task->fd_count; i++)
        close(task->fds[i]);
    crew->count++;
    return 0;
}

/* ---- what a worker sends ---- */

static uint64_t number_of(const struct task *task, size_t place)
{
    uint64_t number = 0;

    if ((place + 1) * sizeof number <= task->given.len)
        memcpy(&number, task->data + place * sizeof number, sizeof number);
    return number;
}

static uint64_t next_number(const struct task *task)
{
    static const uint64_t limits[] = {INT64_MAX,     UINT64_MAX,       IMAGE_LEN,     IMAGE_LEN - 1,
                                      IMAGE_LEN + 1, UINT32_MAX,       INT64_MAX - 1, 512,
                                      4096,          UINT64_MAX - 511, 1ull << 32,    1ull << 40,
                                      1ull << 62,    IMAGE_LEN / 2,    65536,         INT64_MAX - 511};
    const unsigned byte = next_byte();

    switch (byte >> 5) {
    case 4: /* one of the task's */
        return number_of(task, byte & 31);
    case 5:
        return limits[byte & 15];
    case 6:
        return (byte & 31) * (uint64_t)512;
    case 7:
        return 1ull << (2 * (byte & 31));
    default:
        return byte;
    }
}

static void put_number(struct buffer *out, const struct task *task)
{
    wire_put(out, next_number(task));
}

static void put_numbers(struct buffer *out, const struct task *task, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put_number(out, task);
}

static void put_text(struct buffer *out)
{
    static const char *const texts[] = {"a",       "..",  ".",   "a/b", "\x1b[2J",
                                        "$Extend", "dos", "raw", "",    "a\0b"};
    static const char long_text[8000] = {'x'};
    const unsigned byte = next_byte();

    if (byte < 10)
        wire_put_bytes(out, texts[byte], byte == 9 ? 3 : strlen(texts[byte]));
    else if (byte < 20)
        wire_put_bytes(out, long_text, 50u << (byte % 8));
    else
        wire_put_bytes(out, "name", 1 + byte % 4);
}

/* Names of other files of the image. */
static void put_files(struct buffer *out)
{
    static const struct {
        const char *names;
        size_t len;
    } files[] = {{"", 0}, {"a", 2}, {"a\0b", 4}, {"a", 1}, {"..", 3}, {"a/b", 4}, {"", 1}, {"self", 5}};
    const unsigned byte = next_byte() % (sizeof files / sizeof *files);

    wire_put_bytes(out, files[byte].names, files[byte].len);
}

/* The items of a task, whose halves the crew counts. */
static uint64_t items_of(const struct task *task)
{
    return task->given.items / (evidence_rules_has_halves(task->data, task->given.len) ? 2 : 1);
}

/* A member of the object, or rather the same object as one. */
static void put_member(struct buffer *out, const struct object *parent)
{
    struct object member = {.size = parent->size, .flags = parent->flags, .state = parent->state};

    const struct object_member name = {.opener = "zip", .name = "a/b", .name_len = 3, .number = 1};

    if (parent->kind == OBJECT_MEMBER) /* it has no parent itself, and so no address */
        object_encode(out, parent);
    else if (object_set_parent(&member, parent, &name) == 0)
        object_encode(out, &member);
    object_release(&member);
}

/* The requested object, unless the input says otherwise. */
static void put_object(struct buffer *out, const struct task *task, uint64_t item, bool is_member,
                       bool honest)
{
    const uint64_t kind = number_of(task, 0);
    struct object object = {.kind = OBJECT_FILE, .flags = OBJECT_ALLOCATED, .size = 1000};
    struct wire wire = {task->data, task->given.len, false};
    const unsigned what = honest ? 0 : next_byte() | next_byte() << 8;

    if (kind == TASK_RANGES) {
        object.kind = (enum object_kind)number_of(task, 1);
        object.flags = OBJECT_RANGE;
        object.start = evidence_rules_argument(task->data, task->given.len, item, 0);
        object.size = evidence_rules_argument(task->data, task->given.len, item, 1);
    } else if (kind == TASK_OBJECTS) {
        object.inode = evidence_rules_argument(task->data, task->given.len, item, 0);
    } else if (kind == TASK_FILES) {
        wire_get(&wire);
        wire_get(&wire);
        for (uint64_t i = 0; i <= item && object_decode(&wire, &object); i++)
            ;
    }
    if (what & 1)
        object.kind = (enum object_kind)(next_byte() % OBJECT_KINDS);
    if (what & 2)
        object.flags = next_byte();
    if (what & 4)
        object.inode = next_number(task);
    if (what & 8)
        object.start = next_number(task);
    if (what & 16)
        object.size = next_number(task);
    if (what & 32)
        object.state = (enum object_state)(next_byte() % (OBJECT_CHANGED + 1));
    if (kind == TASK_RANGES)
        object_add_run(&object, 0, object.start, object.size);
    for (unsigned runs = what & 64 ? next_byte() % 8 : 0; runs > 0; runs--) {
        const uint64_t offset = next_number(task), image = next_number(task);

        object_add_run(&object, offset, image, next_number(task));
    }
    if (what & 128)
        buffer_add_text(&object.stream, "stream");
    wire_put(out, what & 256 ? next_number(task) : item);
    if (is_member)
        put_member(out, &object);
    else
        object_encode(out, &object);
    object_release(&object);
}

static void put_message(struct buffer *out, const struct task *task, unsigned message)
{
    wire_put(out, message);
    switch (message) {
    case MESSAGE_IMAGE:
        put_text(out);
        /* What a container claims to hold is arbitrary and slow, and not what this fuzzer looks for. */
        wire_put(out, next_number(task) & ((1ull << 34) - 1));
        put_number(out, task);
        put_numbers(out, task, 1 + sizeof((struct digest_values *)NULL)->bytes / 8);
        put_files(out);
        break;
    case MESSAGE_VOLUME:
        put_numbers(out, task, 4);
        put_text(out);
        break;
    case MESSAGE_SYSTEM:
        put_numbers(out, task, 1 + 4);
        put_text(out);
        put_numbers(out, task, EVIDENCE_FACTS);
        break;
    case MESSAGE_CONTENT:
        put_number(out, task);
        put_text(out);
        put_numbers(out, task, 2);
        break;
    case MESSAGE_NAME:
        put_numbers(out, task, 5);
        put_text(out);
        break;
    case MESSAGE_USE:
        put_numbers(out, task, 3);
        break;
    case MESSAGE_OBJECT:
    case MESSAGE_MEMBER:
        put_object(out, task, next_number(task) % (items_of(task) + 1), message == MESSAGE_MEMBER, false);
        break;
    case MESSAGE_RUN:
    case MESSAGE_BAD:
        put_numbers(out, task, 2);
        break;
    case MESSAGE_DIGEST:
        put_numbers(out, task, 1 + sizeof((struct digest_values *)NULL)->bytes / 8);
        break;
    default: /* MESSAGE_TABLE, MESSAGE_PROBLEM */
        put_text(out);
        break;
    }
}

static bool is_lost(const struct crew *crew, uint64_t item)
{
    const struct crew_loss *losses = (const struct crew_loss *)(const void *)crew->losses.data;

    for (size_t i = 0; i < crew->losses.len / sizeof *losses; i++)
        if (losses[i].item == item)
            return true;
    return false;
}

static void put_honest_system(struct buffer *out, unsigned plan)
{
    const uint64_t facts[EVIDENCE_FACTS] = {plan, 1, 40, 2, 0, IMAGE_LEN / 512 - 1, 512, 0, IMAGE_LEN};

    wire_put(out, MESSAGE_SYSTEM);
    for (unsigned i = 0; i < 5; i++)
        wire_put(out, 0);
    wire_put_bytes(out, "ext4", 4);
    buffer_add(out, facts, sizeof facts);
}

static bool opens; /* containers */

static bool is_wanted(const struct task *task, uint64_t item)
{
    const uint64_t kind = number_of(task, 0);

    return kind == TASK_FILES ||
           evidence_rules_argument(task->data, task->given.len, item, kind == TASK_RANGES ? 2 : 1);
}

/* What an honest worker sends, of an image with a file system and a few files. */
static void put_honest(struct buffer *out, const struct crew *crew, const struct task *task)
{
    static const char zeros[sizeof((struct digest_values *)NULL)->bytes];

    switch (number_of(task, 0)) {
    case TASK_IMAGE:
        wire_put(out, MESSAGE_IMAGE);
        wire_put_bytes(out, "raw", 3);
        wire_put(out, IMAGE_LEN);
        wire_put(out, 512);
        wire_put(out, 0);
        buffer_add(out, zeros, sizeof zeros);
        wire_put_bytes(out, "", 0);
        break;
    case TASK_SYSTEMS:
        for (uint64_t i = 0; i < task->given.items; i++) {
            if (is_lost(crew, i))
                continue;
            if (i == 0)
                put_honest_system(out, tasks_done % 4);
            wire_put(out, MESSAGE_CONTENT);
            wire_put(out, i);
            wire_put_bytes(out, "", 0);
            wire_put(out, 0);
            wire_put(out, 0);
        }
        break;
    case TASK_FOLDERS:
        wire_put(out, MESSAGE_NAME);
        wire_put(out, 10 + tasks_done);
        wire_put(out, evidence_rules_argument(task->data, task->given.len, 0, 0));
        wire_put(out, 0);
        wire_put(out, 1);
        wire_put(out, tasks_done % 3 == 0);
        wire_put_bytes(out, "file", 4);
        break;
    case TASK_DIGEST:
        wire_put(out, MESSAGE_DIGEST);
        wire_put(out, 1);
        buffer_add(out, zeros, sizeof zeros);
        break;
    case TASK_OBJECTS:
    case TASK_RANGES:
    case TASK_FILES:
        for (uint64_t i = 0; i < items_of(task); i++) {
            if (is_lost(crew, 2 * i))
                continue;
            wire_put(out, MESSAGE_OBJECT);
            put_object(out, task, i, false, true);
            if (opens && !is_lost(crew, 2 * i + 1) && is_wanted(task, i)) {
                wire_put(out, MESSAGE_MEMBER);
                put_object(out, task, i, true, true);
            }
        }
        break;
    default:
        break;
    }
}

/* How a worker behaves. */
enum {
    HONEST,
    ADDS,   /* honest, and then what the input says */
    FORGES, /* only messages of kinds that its task gives */
    ANY,    /* of any kind */
    LOSES,  /* dies at one item, otherwise honest */
    EXHAUSTED,
    CUT, /* ends within a message */
    WAYS,
};

static void write_result(struct crew *crew, const struct task *task, unsigned way)
{
    struct buffer *out = &crew->result;
    const void *data = task->data;

    buffer_reset(out);
    if (way == HONEST || way == ADDS || way == LOSES || way == CUT)
        put_honest(out, crew, task);
    for (unsigned i = 0; way != HONEST && way != LOSES && i < MOST_MESSAGES && !is_over(); i++) {
        const unsigned byte = next_byte(), message = byte % EVIDENCE_MESSAGES;

        if (byte >= 15 * EVIDENCE_MESSAGES)
            break;
        if (way != FORGES ||
            evidence_rules_most(data, task->given.len, (enum evidence_message)message, IMAGE_LEN) > 0)
            put_message(out, task, message);
    }
    require(!out->failed);
    if (way == CUT && out->len > 0)
        out->len -= 1 + next_byte() % out->len;
}

static struct crew_result result_of(const struct crew *crew, const struct task *task)
{
    return (struct crew_result){.tag = task->given.tag,
                                .task = task->data,
                                .task_len = task->given.len,
                                .data = crew->result.data,
                                .len = crew->result.len,
                                .losses = (const struct crew_loss *)(const void *)crew->losses.data,
                                .loss_count = crew->losses.len / sizeof(struct crew_loss)};
}

/* As the crew does it: now and then while it comes, and at its end; each time from memory of its own, so that
 * reads beyond it are seen. */
static bool judge(struct crew *crew, const struct task *task)
{
    void *state = calloc(1, crew->job.accept_size);
    struct crew_result result = result_of(crew, task);
    const size_t len = result.len;
    bool accepted = len <= task->given.most;

    require(state != NULL);
    for (size_t done = len / 3; accepted; done = done < len / 2 ? len / 2 : len) {
        char *copy = malloc(done + 1);

        require(copy != NULL);
        if (done)
            memcpy(copy, crew->result.data, done);
        copy = realloc(copy, done ? done : 1);
        result.data = copy;
        result.len = done;
        accepted = crew->job.accept(crew->job.accept_arg, state, &result, done == len);
        free(copy);
        if (done == len)
            break;
    }
    free(state);
    return accepted;
}

static void lose(struct crew *crew, uint32_t item)
{
    const struct crew_loss loss = {item, "the worker died"};

    buffer_add(&crew->losses, &loss, sizeof loss);
}

static void work(struct crew *crew, const struct task *task)
{
    unsigned way = next_byte() % WAYS;

    buffer_reset(&crew->losses);
    if (way == LOSES)
        lose(crew, (uint32_t)(next_number(task) % task->given.items));
    for (unsigned tries = 0; way != EXHAUSTED && tries < TRIES; tries++) {
        write_result(crew, task, way);
        if (judge(crew, task))
            return;
        require(way != HONEST && way != LOSES);
    }
    buffer_reset(&crew->result);
    lose(crew, CREW_WHOLE_TASK);
}

int crew_pop(struct crew *crew, struct crew_result *result, struct error *err)
{
    free(crew->popped.data);
    crew->popped.data = NULL;
    if (crew->count == 0)
        return 0;
    if (++tasks_done > MOST_TASKS) {
        atomic_store(&stop, true);
        return error_set(err, "stopped");
    }
    crew->popped = crew->tasks[0];
    memmove(crew->tasks, crew->tasks + 1, --crew->count * sizeof *crew->tasks);
    work(crew, &crew->popped);
    *result = result_of(crew, &crew->popped);
    return 1;
}

/* ---- what comes out ---- */

static uint64_t image_size, last_item, sum;

/* All of it is memory that may be read. */
static void touch(const void *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum += ((const uint8_t *)data)[i];
}

static void touch_text(const char *text)
{
    touch(text, strlen(text));
}

static void see_image(void *arg, const struct evidence_image *image)
{
    (void)arg;
    require(image->size <= INT64_MAX && image->sector_size > 0);
    image_size = image->size;
    touch_text(image->format);
    touch_text(image->table);
}

static void see_volume(void *arg, const struct evidence_volume *volume)
{
    (void)arg;
    require(volume->start <= image_size && volume->len <= image_size - volume->start);
    touch_text(volume->label);
    touch_text(volume->about);
    touch_text(volume->system);
    touch_text(volume->content);
}

static void see_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                       const char *paths, size_t count)
{
    (void)arg;
    touch_text(volume->label);
    require(object->item >= last_item && object->kind < OBJECT_KINDS);
    last_item = object->item;
    touch(object->stream.data, object->stream.len);
    touch(object->problem.data, object->problem.len);
    touch(object->result.data, object->result.len);
    touch(object->runs, object->run_count * sizeof *object->runs);
    for (size_t i = 0; i < count; i++, paths += strlen(paths) + 1)
        touch_text(paths);
}

static void see_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    (void)arg;
    touch(whole, sizeof *whole);
    touch(stored, sizeof *stored);
}

static void see_text(void *arg, const char *text)
{
    (void)arg;
    touch_text(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct evidence_sink sink = {.image = see_image,
                                              .volume = see_volume,
                                              .object = see_object,
                                              .digests = see_digests,
                                              .problem = see_text,
                                              .note = see_text};
    static char path[40];
    struct evidence_options options = {.workers = 1, .seconds = 20, .stop = &stop};
    struct error err = {""};
    unsigned how;

    if (!path[0]) {
        const int fd = memfd_create("image", 0);

        require(fd >= 0 && ftruncate(fd, IMAGE_LEN) == 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    next = data;
    end = data + size;
    how = next_byte();
    options.kinds = how & 1 ? OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_UNALLOCATED) : OBJECT_USUAL;
    opens = (how & 1) == 0;
    options.inspector = opens ? &inspector_closed : NULL;
    options.opening = OPENING_ALL;
    options.depth = OPENING_USUAL_DEPTH;
    options.as_file = (how & 6) == 6;
    options.has_offset = (how & 24) == 24;
    options.image_digests = how & 32 ? 1 : 0;
    options.ok_unexamined = (how & 64) != 0;
    tasks_done = 0;
    atomic_store(&stop, false);
    image_size = last_item = 0;
    evidence_read(path, &options, &sink, &err);
    return 0;
}
