/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_COLLECTION_INNER_H
#define KITH_COLLECTION_INNER_H

#include "cluster/collection.h"

/* What the files of collection share: documents and records are in collection.c, sketches in
 * collection_sketch.c, and collection_judge.c knows both. */

/* Adds a document with this size, SHA-1 and origin.  *fresh: its content, to be filled in, or NULL if an
 * earlier document has it.  Returns -1 on error. */
int collection_enter(struct collection *collection, const struct collection_document *document,
                     const char *name, struct collection_content **fresh, struct error *err);

/* What an index takes of a content with a sketch. */
struct postings_list collection_sketch_list(const struct collection_content *content);
/* A judge that compares sketches. */
struct likeness_judge collection_sketch_judge(const struct collection_judge *judge);

#endif
