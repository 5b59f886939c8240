/* SPDX-License-Identifier: Apache-2.0 */
#include "base/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory.h"

struct queue_slot {
    void *job;
    bool done;
};

struct worker {
    struct queue *queue;
    void *state;
    pthread_t thread;
};

/* The jobs are slots[oldest % depth] .. slots[(next - 1) % depth]; those from `begun` on are not started. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t some_to_begin;
    pthread_cond_t awaited_done;
    queue_work work;
    size_t depth, oldest, begun, next;
    size_t awaited; /* the job the caller waits for */
    bool stop;
    struct queue_slot *slots;
    unsigned threads;
    struct worker *workers;
};

static void *run(void *arg)
{
    struct worker *worker = arg;
    struct queue *queue = worker->queue;

    pthread_mutex_lock(&queue->lock);
    for (;;) {
        size_t mine;

        while (!queue->stop && queue->begun == queue->next)
            pthread_cond_wait(&queue->some_to_begin, &queue->lock);
        if (queue->stop)
            break;
        mine = queue->begun++;
        pthread_mutex_unlock(&queue->lock);
        queue->work(worker->state, queue->slots[mine % queue->depth].job);
        pthread_mutex_lock(&queue->lock);
        queue->slots[mine % queue->depth].done = true;
        if (mine == queue->awaited)
            pthread_cond_signal(&queue->awaited_done);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static int start(struct queue *queue, unsigned threads, void *const *states, struct error *err)
{
    for (; queue->threads < threads; queue->threads++) {
        struct worker *worker = &queue->workers[queue->threads];

        *worker = (struct worker){.queue = queue, .state = states[queue->threads]};
        errno = pthread_create(&worker->thread, NULL, run, worker);
        if (errno)
            return error_errno(err, "cannot start a thread");
    }
    return 0;
}

struct queue *queue_new(unsigned threads, size_t depth, queue_work work, void *const *states,
                        struct error *err)
{
    struct queue *queue = memory_new(sizeof *queue, err);

    if (!queue)
        return NULL;
    queue->depth = depth;
    queue->work = work;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->some_to_begin, NULL);
    pthread_cond_init(&queue->awaited_done, NULL);
    if ((queue->slots = memory_new(depth * sizeof *queue->slots, err)) &&
        (queue->workers = memory_new(threads * sizeof *queue->workers, err)) &&
        start(queue, threads, states, err) == 0)
        return queue;
    queue_free(queue);
    return NULL;
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    pthread_cond_broadcast(&queue->some_to_begin);
    pthread_mutex_unlock(&queue->lock);
    for (unsigned i = 0; i < queue->threads; i++)
        pthread_join(queue->workers[i].thread, NULL);
    pthread_cond_destroy(&queue->awaited_done);
    pthread_cond_destroy(&queue->some_to_begin);
    pthread_mutex_destroy(&queue->lock);
    free(queue->workers);
    free(queue->slots);
    free(queue);
}

/* oldest and next are only changed by the one thread that calls these, so it can read them unlocked. */
bool queue_full(const struct queue *queue)
{
    return queue->next - queue->oldest == queue->depth;
}

void queue_push(struct queue *queue, void *job)
{
    pthread_mutex_lock(&queue->lock);
    queue->slots[queue->next % queue->depth] = (struct queue_slot){job, false};
    queue->next++;
    pthread_cond_signal(&queue->some_to_begin);
    pthread_mutex_unlock(&queue->lock);
}

/* With the lock held. */
static void wait_for(struct queue *queue, size_t job)
{
    queue->awaited = job;
    while (!queue->slots[job % queue->depth].done)
        pthread_cond_wait(&queue->awaited_done, &queue->lock);
}

void queue_wait(struct queue *queue, size_t jobs)
{
    if (jobs == 0 || jobs > queue->next - queue->oldest)
        return;
    pthread_mutex_lock(&queue->lock);
    wait_for(queue, queue->oldest + jobs - 1);
    pthread_mutex_unlock(&queue->lock);
}

void *queue_pop(struct queue *queue)
{
    void *job;

    if (queue->oldest == queue->next)
        return NULL;
    pthread_mutex_lock(&queue->lock);
    wait_for(queue, queue->oldest);
    job = queue->slots[queue->oldest % queue->depth].job;
    queue->oldest++;
    pthread_mutex_unlock(&queue->lock);
    return job;
}
