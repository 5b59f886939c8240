/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BATCH_H
#define KITH_BATCH_H

#include "crew/crew.h"
#include "disk/content.h"
#include "disk/inspector.h"
#include "disk/medium.h"
#include "disk/object.h"

/*
 * Objects on their way through an inspector, read together: the runs of many small ones are sorted by their
 * place on the image and read in a few large stretches, then each object is inspected as a whole, in the
 * order in which it came.
 */
struct batch;

/* inspector may be NULL: nothing is read.  worker is told of each item, and of the progress. */
struct batch *batch_new(const struct inspector *inspector, void *state, struct crew_worker *worker,
                        struct error *err);
void batch_free(struct batch *batch);

/* From now on objects are files of this system: their holes are as long as they say, and are inspected to the
 * end. */
void batch_trust(struct batch *batch);

/*
 * Takes the object by swapping: what the caller gets for it is an empty one.  item: of the crew's task, which
 * becomes the object's.  content: NULL if the runs say all.  With it, and if the object is large, it is
 * inspected before this returns; with OBJECT_UNWANTED it never is.  -1 without memory.
 */
int batch_add(struct batch *batch, struct medium *medium, uint32_t item, struct object *object,
              struct content *content);

/* Inspects what is left, and calls done for all objects since the last time, in order. */
void batch_flush(struct batch *batch, struct medium *medium,
                 void (*done)(void *arg, const struct object *object), void *arg);

#endif
