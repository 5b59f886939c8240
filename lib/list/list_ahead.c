/* SPDX-License-Identifier: Apache-2.0 */
#include "list/list_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/queue.h"

enum {
    ITEMS = 512,      /* maximum per batch */
    ENOUGH = 1 << 20, /* bytes of text after which a batch ends */
    BATCHES = 4,
};

struct item {
    enum list_result result;
    struct list_entry entry;
    struct list_source source;
    size_t mark;    /* length of the entry's mark */
    size_t message; /* length of the error message */
};

/* Rows that were read together.  Their strings are stored one after the other, in the order of take_item. */
struct batch {
    struct item items[ITEMS];
    size_t count;
    struct buffer text;
    uint64_t bytes; /* read of the list so far */
};

/* The list's SHA-256, if a separate thread computes it. */
struct list_sum {
    int result;
    uint8_t sha256[DIGEST_SHA256_LEN];
    struct error err;
};

struct list_ahead {
    struct list *list;
    struct queue *queue, *hashing; /* hashing: NULL if the SHA-256 is computed while reading */
    struct list_sum sum;
    struct batch batches[BATCHES];
    size_t pushed, popped; /* batches so far */
    struct batch *batch;   /* the one whose items are being returned */
    size_t next;           /* its next item */
    size_t text;           /* offset of that item's strings */
    struct list_entry entry;
    struct list_source source;
    bool ended;
};

/* ---- the thread ---- */

static void put_source(struct buffer *text, const struct list_source *source)
{
    buffer_add(text, source->path, source->path_len);
    buffer_add(text, source->kind, strlen(source->kind) + 1);
    buffer_add(text, source->format, strlen(source->format) + 1);
    buffer_add(text, source->tool, strlen(source->tool) + 1);
    buffer_add(text, source->note, strlen(source->note) + 1);
}

static size_t padding(size_t len)
{
    return -len % sizeof(uint64_t);
}

static size_t strings(const struct list_entry *entry)
{
    size_t count = 0;

    for (size_t i = 0; i < entry->names_len; i++)
        count += entry->names[i] == '\0';
    return count;
}

static void put_entry(struct buffer *text, const struct list_entry *entry)
{
    buffer_add(text, entry->name, entry->name_len);
    if (entry->names_len)
        buffer_add(text, entry->names, entry->names_len);
    if (entry->names_from) { /* padded, since numbers must be aligned */
        static const char zeros[sizeof(uint64_t)];

        buffer_add(text, zeros, padding(text->len));
        buffer_add(text, entry->names_from, strings(entry) * sizeof(uint64_t));
    }
    if (entry->record)
        buffer_add(text, entry->record, entry->record_len);
    if (entry->block_count)
        buffer_add(text, entry->blocks, entry->block_count * DIGEST_SHA1_LEN);
    if (*entry->mark)
        buffer_add(text, entry->mark, strlen(entry->mark) + 1);
}

/* Returns whether there may be more. */
static bool take_item(struct list *list, struct batch *batch)
{
    struct item *item = &batch->items[batch->count++];
    struct error err;

    item->result = list_next(list, &err);
    switch (item->result) {
    case LIST_ENTRY:
        item->entry = *list_entry(list);
        item->mark = strlen(item->entry.mark);
        put_entry(&batch->text, &item->entry);
        return true;
    case LIST_SOURCE:
        item->source = *list_source(list);
        put_source(&batch->text, &item->source);
        return true;
    case LIST_BAD:
    case LIST_FAILED:
        item->message = strlen(err.text) + 1;
        buffer_add(&batch->text, err.text, item->message);
        return item->result == LIST_BAD;
    default:
        return item->result == LIST_SET;
    }
}

static void read_batch(void *state, void *job)
{
    struct list *list = state;
    struct batch *batch = job;

    batch->count = 0;
    buffer_reset(&batch->text);
    while (take_item(list, batch) && batch->count < ITEMS && batch->text.len < ENOUGH && !batch->text.failed)
        continue;
    batch->bytes = list_bytes(list);
}

static void make_sum(void *state, void *job)
{
    struct list_sum *sum = job;

    sum->result = list_sha256(state, sum->sha256, &sum->err);
}

/* ---- the caller ---- */

static void push(struct list_ahead *ahead)
{
    queue_push(ahead->queue, &ahead->batches[ahead->pushed++ % BATCHES]);
}

static void begin(struct list_ahead *ahead)
{
    if (ahead->hashing)
        queue_push(ahead->hashing, &ahead->sum);
    while (ahead->pushed < BATCHES)
        push(ahead);
}

struct list_ahead *list_ahead_new(struct list *list, struct error *err)
{
    struct list_ahead *ahead = memory_new(sizeof *ahead, err);
    void *states[] = {list};

    if (!ahead)
        return NULL;
    ahead->list = list;
    if ((ahead->queue = queue_new(1, BATCHES, read_batch, states, err)) &&
        (!list_hashes_apart(list) || (ahead->hashing = queue_new(1, 1, make_sum, states, err)))) {
        begin(ahead);
        return ahead;
    }
    list_ahead_free(ahead);
    return NULL;
}

void list_ahead_free(struct list_ahead *ahead)
{
    if (!ahead)
        return;
    queue_free(ahead->queue);
    queue_free(ahead->hashing);
    for (int i = 0; i < BATCHES; i++)
        buffer_release(&ahead->batches[i].text);
    free(ahead);
}

static const char *take_bytes(struct list_ahead *ahead, size_t len)
{
    const char *text = ahead->batch->text.data ? ahead->batch->text.data + ahead->text : "";

    ahead->text += len;
    return text;
}

static const char *take_string(struct list_ahead *ahead)
{
    return take_bytes(ahead, strlen(ahead->batch->text.data + ahead->text) + 1);
}

static void give_source(struct list_ahead *ahead, const struct item *item)
{
    ahead->source = item->source;
    ahead->source.path = take_bytes(ahead, item->source.path_len);
    ahead->source.kind = take_string(ahead);
    ahead->source.format = take_string(ahead);
    ahead->source.tool = take_string(ahead);
    ahead->source.note = take_string(ahead);
}

static void give_entry(struct list_ahead *ahead, const struct item *item)
{
    struct list_entry *entry = &ahead->entry;

    *entry = item->entry;
    entry->name = take_bytes(ahead, entry->name_len);
    if (entry->names_len)
        entry->names = take_bytes(ahead, entry->names_len);
    if (entry->names_from) {
        ahead->text += padding(ahead->text);
        entry->names_from =
            (const uint64_t *)(const void *)take_bytes(ahead, strings(entry) * sizeof(uint64_t));
    }
    if (entry->record)
        entry->record = take_bytes(ahead, entry->record_len);
    if (entry->block_count)
        entry->blocks = (const uint8_t *)take_bytes(ahead, entry->block_count * DIGEST_SHA1_LEN);
    entry->mark = item->mark ? take_bytes(ahead, item->mark + 1) : "";
}

static struct batch *pop(struct list_ahead *ahead)
{
    ahead->popped++;
    return queue_pop(ahead->queue);
}

/* Moves to the next batch, and returns the finished one to the thread. */
static void next_batch(struct list_ahead *ahead)
{
    if (ahead->batch)
        push(ahead);
    ahead->batch = pop(ahead);
    ahead->next = ahead->text = 0;
}

enum list_result list_ahead_next(struct list_ahead *ahead, struct error *err)
{
    const struct item *item;

    if (ahead->ended)
        return LIST_END;
    if (!ahead->batch || ahead->next == ahead->batch->count)
        next_batch(ahead);
    if (ahead->batch->text.failed) {
        error_set(err, "out of memory");
        ahead->ended = true;
        return LIST_FAILED;
    }
    item = &ahead->batch->items[ahead->next++];
    if (item->result == LIST_ENTRY)
        give_entry(ahead, item);
    else if (item->result == LIST_SOURCE)
        give_source(ahead, item);
    else if (item->result == LIST_BAD || item->result == LIST_FAILED)
        error_set(err, "%s", take_bytes(ahead, item->message));
    ahead->ended = item->result == LIST_END || item->result == LIST_FAILED;
    return item->result;
}

const struct list_entry *list_ahead_entry(const struct list_ahead *ahead)
{
    return &ahead->entry;
}

const struct list_source *list_ahead_source(const struct list_ahead *ahead)
{
    return &ahead->source;
}

int list_ahead_sha256(struct list_ahead *ahead, uint8_t out[DIGEST_SHA256_LEN], struct error *err)
{
    /* wait until the thread is done with the list, including the batches it started after the end */
    while (ahead->popped < ahead->pushed)
        pop(ahead);
    if (!ahead->hashing)
        return list_sha256(ahead->list, out, err);
    queue_pop(ahead->hashing);
    memcpy(out, ahead->sum.sha256, DIGEST_SHA256_LEN);
    return ahead->sum.result ? error_set(err, "%s", ahead->sum.err.text) : 0;
}

uint64_t list_ahead_bytes(const struct list_ahead *ahead)
{
    return ahead->batch ? ahead->batch->bytes : 0;
}
