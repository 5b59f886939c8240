/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LAB_TILT_H
#define KITH_LAB_TILT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "lab/lab_random.h"

/*
 * Random objects in which samples line up far more often than chance lets them, each with a weight that
 * makes up for it: importance sampling.
 *
 * By chance, each slot of an object holds any sample of the references, all equally likely.  Events that one
 * in a hundred million such objects shows cannot be counted.  So most objects here get a line: after a sample
 * comes, at one of the next slots, one that lies about as much farther on in the same reference, and so on.
 * The weight is how much more often chance makes this very object than this procedure does, with all lines
 * that it could have begun with; the sum of the weights of objects that show an event, divided by the number
 * of all objects, has the frequency of the event by chance as its expected value.
 */
struct lab_tilt_sample {
    uint64_t fp;        /* its fingerprint */
    uint64_t pos;       /* its offset in the reference */
    uint32_t reference; /* samples are in the order of references and offsets */
};

struct lab_tilt_slot {
    uint64_t pos;  /* its offset in the object: ascending */
    size_t sample; /* index of the sample that it holds, or of another one with this fingerprint */
};

struct lab_tilt;

/* Borrows the samples, of which there is at least one.  NULL without memory. */
struct lab_tilt *lab_tilt_new(const struct lab_tilt_sample *samples, size_t count, struct error *err);
void lab_tilt_free(struct lab_tilt *tilt);

/* Chooses the sample of each slot, whose offsets are given.  Returns the weight of the object, or -1 without
 * memory. */
double lab_tilt_draw(struct lab_tilt *tilt, struct lab_random *random, struct lab_tilt_slot *slots,
                     size_t slot_count, struct error *err);

#endif
