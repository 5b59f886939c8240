/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUEUE_H
#define KITH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * A thread pool that returns jobs in the order they were submitted.
 *
 * One thread pushes jobs and pops them; the queue's threads process them in between.  A pop always returns
 * the oldest job, finished, so output does not depend on the number of threads.  A pushed job belongs to the
 * queue until it is popped.
 */
struct queue;

/* Processes a job; state is private to the thread. */
typedef void (*queue_work)(void *state, void *job);

/* The queue holds up to `depth` jobs.  states[i] belongs to thread i; the array itself is only borrowed for
 * the call.  NULL on error. */
struct queue *queue_new(unsigned threads, size_t depth, queue_work work, void *const *states,
                        struct error *err);

/* Waits for the jobs in progress; those not started are dropped. */
void queue_free(struct queue *queue);

/* Whether the queue holds `depth` jobs, so that one must be popped before the next push. */
bool queue_full(const struct queue *queue);

/* Must not be called while the queue is full. */
void queue_push(struct queue *queue, void *job);

/* Waits for the oldest job to finish and returns it; NULL if the queue is empty. */
void *queue_pop(struct queue *queue);

/* Waits until the n-th oldest job (n = jobs) is finished: one wait instead of many.  Returns at once if there
 * are fewer. */
void queue_wait(struct queue *queue, size_t jobs);

#endif
