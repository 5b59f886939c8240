/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BATCH_H
#define KITH_BATCH_H

#include "container/opening.h"
#include "crew/crew.h"
#include "disk/content.h"
#include "disk/inspector.h"
#include "disk/medium.h"
#include "disk/object.h"
#include "evidence/allowance.h"

/*
 * Passes objects to an inspector, reading them in batches: the runs of many small objects are sorted by their
 * position on the image and read in a few large pieces; each object is then inspected as a whole, in the
 * order in which it was added.  What is packed in an object follows it.
 *
 * An item has two halves, which are items of their own for the crew, so that an object is not lost because of
 * what is packed in it: twice the number for the objects, and one more for the members of these.  Opening a
 * container and going on to its next member are steps of the latter.
 */
struct batch;

enum { BATCH_HALVES = 2 };

/* The receiver of the objects, which may change one for good.  Returns false if it takes no further members
 * of containers. */
typedef bool batch_done(void *arg, struct object *object);

/* inspector may be NULL: no content is read.  Each item, and progress on it, is reported to worker.  NULL on
 * error. */
struct batch *batch_new(const struct inspector *inspector, void *state, struct crew_worker *worker,
                        struct error *err);
void batch_free(struct batch *batch);

/* From now on, objects are passed to done, in the order in which they were added. */
void batch_deliver(struct batch *batch, batch_done *done, void *arg);
/* From now on, containers are opened, to this extent, as long as something is left of allowance, which the
 * receiver charges.  Must be called while files can still be opened; needs an inspector.  -1 on error. */
int batch_open(struct batch *batch, const struct opening_extent *extent, const struct allowance *allowance,
               struct error *err);

/* From now on objects are files of the host, whose sizes are trusted: even very large holes are inspected to
 * the end. */
void batch_trust(struct batch *batch);

/*
 * Takes over the object by swapping; the caller gets an empty one in exchange.  item: number within the
 * task, stored in object->item.  content: NULL if the runs hold all of the content.  An object with
 * content, or a large one, is inspected before this returns; one flagged OBJECT_UNWANTED is never inspected.
 * -1 if out of memory.
 */
int batch_add(struct batch *batch, struct medium *medium, uint32_t item, struct object *object,
              struct content *content);

/* Inspects and delivers what is still pending. */
void batch_flush(struct batch *batch, struct medium *medium);

#endif
