/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_cherkasova_collection.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/memory.h"
#include "lab/lab_edits.h"
#include "lab/lab_text.h"

enum { SHORTEST = 600, LONGEST = 64 << 10, MOST = 5040, LONG_ONES = 20, PHRASES = 270 };

/* What section 5 states of a collection; lengths in bytes. */
struct shape {
    size_t count, pairs;
    size_t shortest, longest; /* of most documents */
    size_t long_from, long_to;
};

static const struct shape shapes[] = {
    [LAB_COLLECTION_1] = {MOST, 60, 680, 1420, 1500, 20000},
    [LAB_COLLECTION_2] = {2500, 80, 2080, 3920, 10000, 40000},
};

static size_t between(struct lab_random *random, size_t from, size_t to)
{
    return from + (size_t)lab_random_below(random, to - from + 1);
}

/* ---- a document ---- */

/* What differs between the near-duplicates of a document. */
struct heading {
    unsigned number, day, month, year, product;
};

static struct heading random_heading(struct lab_random *random)
{
    return (struct heading){
        .number = (unsigned)between(random, 10000, 99999),
        .day = (unsigned)between(random, 1, 28),
        .month = (unsigned)between(random, 1, 12),
        .year = (unsigned)between(random, 1999, 2008),
        .product = (unsigned)between(random, 100, 999),
    };
}

static void add_product(struct buffer *out, const struct heading *heading)
{
    static const char *const families[] = {"LaserJet", "ProLiant", "StorageWorks", "OpenView", "Integrity"};

    buffer_printf(out, "%s %u", families[heading->product % 5], heading->product);
}

/* Fixed and optional parts: the template is loose. */
static void add_heading(struct lab_random *random, const struct heading *heading, struct buffer *out)
{
    buffer_printf(out, "Document ID: emr_na-c%08u\nLast modified: %02u/%02u/%u\n", heading->number,
                  heading->day, heading->month, heading->year);
    if (lab_random_below(random, 4) > 0)
        buffer_add_text(out, "Document type: Technical support document, for use by customers and support\n");
    buffer_add_text(out, "Product: ");
    add_product(out, heading);
    buffer_add_text(out, "\n\n");
}

static void add_body(struct lab_random *random, const struct heading *heading, size_t len, struct buffer *out)
{
    buffer_add_text(out, "PROBLEM\n");
    lab_text_generate(random, len / 4, out);
    buffer_add_text(out, "\n\nThe problem was seen on ");
    add_product(out, heading);
    buffer_add_text(out, lab_random_below(random, 2) ? " and may affect other products.\n\n" : ".\n\n");
    if (lab_random_below(random, 3) > 0)
        buffer_add_text(out, "CAUSE\n");
    lab_text_generate(random, len / 4, out);
    buffer_add_text(out, "\n\nSOLUTION\nOn ");
    add_product(out, heading);
    buffer_add_text(out, ":\n");
    lab_text_generate(random, len / 2, out);
    if (lab_random_below(random, 3) > 0)
        buffer_add_text(out, "\n\nIf the problem persists, contact your support representative.\n");
}

/* Of len bytes, give or take 90, which depend on the optional parts.  The length of the body must not depend
 * on the heading: the texts of near-duplicates are the same. */
static void add_document(uint64_t seed, const struct heading *heading, size_t len, struct buffer *out)
{
    struct lab_random random;

    lab_random_seed(&random, seed);
    add_heading(&random, heading, out);
    add_body(&random, heading, len - PHRASES, out);
}

/* The same document with another number and date and, each for half of them, another product and some words
 * less. */
static void add_near(uint64_t seed, const struct heading *heading, size_t len, struct lab_random *random,
                     struct buffer *out)
{
    struct heading other = random_heading(random);
    struct buffer whole = {0};
    unsigned words = 0;

    if (lab_random_below(random, 2))
        other.product = heading->product;
    add_document(seed, &other, len, &whole);
    if (lab_random_below(random, 2))
        words = (unsigned)between(random, 1, 1 + whole.len / 120);
    lab_edits_remove_words(random, (const uint8_t *)whole.data, whole.len, words, out);
    buffer_inherit(out, &whole);
    buffer_release(&whole);
}

/* ---- a collection ---- */

static void end_document(struct lab_collection *collection, size_t start)
{
    struct lab_text_file *document = &collection->documents[collection->count++];

    document->name = "";
    document->len = collection->text.len - start;
}

/* What generates a collection. */
struct maker {
    struct lab_collection *collection;
    const struct shape *shape;
    struct lab_random random, edits; /* apart, so that edits do not change the originals */
};

static void add_pair(struct maker *maker, uint64_t body, const struct heading *heading, size_t len)
{
    struct lab_collection *collection = maker->collection;
    const size_t start = collection->text.len;

    collection->planted[collection->planted_count++] =
        (struct lab_collection_pair){(uint32_t)collection->count - 1, (uint32_t)collection->count};
    add_near(body, heading, len, &maker->edits, &collection->text);
    end_document(collection, start);
}

static void add_original(struct maker *maker, bool with_near)
{
    const struct shape *shape = maker->shape;
    struct lab_random *random = &maker->random;
    const struct heading heading = random_heading(random);
    const bool is_long = lab_random_below(random, LONG_ONES) == 0;
    const size_t len = is_long ? between(random, shape->long_from, shape->long_to)
                               : between(random, shape->shortest, shape->longest);
    const uint64_t body = lab_random_next(random);
    const size_t start = maker->collection->text.len;

    add_document(body, &heading, len, &maker->collection->text);
    end_document(maker->collection, start);
    if (with_near)
        add_pair(maker, body, &heading, len);
}

static int generate(struct lab_collection *collection, const struct shape *shape, uint64_t seed,
                    struct error *err)
{
    const size_t distance = (shape->count - shape->pairs) / shape->pairs; /* in originals */
    struct maker maker = {.collection = collection, .shape = shape};

    lab_random_seed(&maker.random, seed);
    lab_random_seed(&maker.edits, lab_random_mix(seed));
    for (size_t i = 0; collection->count < shape->count && !collection->text.failed; i++)
        add_original(&maker, i % distance == 0 && collection->planted_count < shape->pairs);
    return collection->text.failed ? error_set(err, "out of memory") : 0;
}

/* Only now does the text stay where it is. */
static void place_documents(struct lab_collection *collection)
{
    const uint8_t *at = (const uint8_t *)collection->text.data;

    for (size_t i = 0; i < collection->count; i++) {
        collection->documents[i].data = at;
        at += collection->documents[i].len;
    }
}

static int make(struct lab_collection *collection, enum lab_collection_kind kind, const struct lab_run *run,
                struct error *err)
{
    struct shape shape = shapes[kind];

    if (run->quick) {
        shape.count /= 10;
        shape.pairs /= 5;
    }
    if (!(collection->documents = memory_new(shape.count * sizeof *collection->documents, err)) ||
        !(collection->planted = memory_new(shape.pairs * sizeof *collection->planted, err)) ||
        generate(collection, &shape, run->seed + kind, err))
        return -1;
    place_documents(collection);
    return 0;
}

/* If there are too many, those in the middle: near-duplicates have similar lengths. */
static int choose(struct lab_collection *collection, const struct lab_run *run, struct error *err)
{
    const size_t total = lab_data_count(run->data), most = run->quick ? MOST / 10 : MOST;
    size_t first = 0, end = total;

    while (first < end && lab_data_get(run->data, first)->len < SHORTEST)
        first++;
    while (end > first && lab_data_get(run->data, end - 1)->len > LONGEST)
        end--;
    if (end - first > most) {
        first += (end - first - most) / 2;
        end = first + most;
    }
    if (!(collection->documents = memory_new((end - first + 1) * sizeof *collection->documents, err)))
        return -1;
    while (first < end)
        collection->documents[collection->count++] = *lab_data_get(run->data, first++);
    return 0;
}

int lab_collection_init(struct lab_collection *collection, enum lab_collection_kind kind,
                        const struct lab_run *run, struct error *err)
{
    *collection = (struct lab_collection){0};
    return kind == LAB_COLLECTION_DATA ? choose(collection, run, err) : make(collection, kind, run, err);
}

void lab_collection_release(struct lab_collection *collection)
{
    free(collection->documents);
    free(collection->planted);
    buffer_release(&collection->text);
    *collection = (struct lab_collection){0};
}
