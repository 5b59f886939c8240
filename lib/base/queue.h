/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_QUEUE_H
#define KITH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Jobs for threads, handed back in the order they came in.
 *
 * One thread pushes jobs and pops them again; the queue's threads work on them in between.  What is popped is
 * always the oldest job, finished, so the output does not depend on the number of threads.  A job that was
 * pushed belongs to the queue until it is popped.
 */
struct queue;

/* Works on a job; state is the thread's own. */
typedef void (*queue_work)(void *state, void *job);

/* depth jobs can be in the queue.  states[i] belongs to thread i; the array itself is borrowed for the call
 * only. */
struct queue *queue_new(unsigned threads, size_t depth, queue_work work, void *const *states,
                        struct error *err);

/* Waits for the jobs that are being worked on; those that nobody began are dropped. */
void queue_free(struct queue *queue);

/* Whether as many jobs are in it as can be: one must be popped before another is pushed. */
bool queue_full(const struct queue *queue);

/* Must not be called while the queue is full. */
void queue_push(struct queue *queue, void *job);

/* Waits for the oldest job to be finished; NULL if the queue is empty. */
void *queue_pop(struct queue *queue);

/*
 * Waits until the last of so many jobs, from the oldest on, is finished: one wait instead of many.  Does not
 * wait if there are fewer.
 */
void queue_wait(struct queue *queue, size_t jobs);

#endif
