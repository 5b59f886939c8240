/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/queue.h"
#include "check_main.h"

enum { MAX_THREADS = 8, MAX_JOBS = 1500 };

struct job {
    unsigned number;
    uint64_t spins; /* how much work it is */
    uint64_t result;
    atomic_uint worked; /* times */
};

/* A thread's own; only one job may have it at a time. */
struct state {
    atomic_flag busy;
    unsigned jobs;
};

static const unsigned thread_counts[] = {1, 2, MAX_THREADS};
static struct job jobs[MAX_JOBS];
static struct state states[MAX_THREADS];

static uint64_t spin(uint64_t seed, uint64_t spins)
{
    for (; spins > 0; spins--)
        seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

/* Check's assertions are for the main thread; so this aborts. */
static void work(void *state, void *job)
{
    struct state *mine = state;
    struct job *todo = job;

    if (atomic_flag_test_and_set(&mine->busy))
        abort();
    mine->jobs++;
    todo->result = spin(todo->number, todo->spins);
    atomic_fetch_add(&todo->worked, 1);
    atomic_flag_clear(&mine->busy);
}

static void prepare(uint64_t most_spins)
{
    for (unsigned i = 0; i < MAX_JOBS; i++) {
        jobs[i].number = i;
        jobs[i].spins = most_spins ? random64() % most_spins : 0;
        jobs[i].result = 0;
        atomic_init(&jobs[i].worked, 0);
    }
    for (unsigned i = 0; i < MAX_THREADS; i++) {
        atomic_flag_clear(&states[i].busy);
        states[i].jobs = 0;
    }
}

static struct queue *make(unsigned threads, size_t depth, queue_work todo)
{
    void *borrowed[MAX_THREADS];
    struct error err;
    struct queue *queue;

    for (unsigned i = 0; i < threads; i++)
        borrowed[i] = &states[i];
    queue = queue_new(threads, depth, todo, borrowed, &err);
    memset(borrowed, 0, sizeof borrowed); /* it is borrowed for the call only */
    ck_assert_msg(queue != NULL, "%s", queue ? "" : err.text);
    return queue;
}

static void assert_next(struct queue *queue, unsigned number)
{
    struct job *job = queue_pop(queue);

    ck_assert_ptr_eq(job, &jobs[number]);
    ck_assert_uint_eq(atomic_load(&job->worked), 1);
    ck_assert(job->result == spin(number, job->spins));
}

static unsigned jobs_of_all_threads(void)
{
    unsigned sum = 0;

    for (unsigned i = 0; i < MAX_THREADS; i++)
        sum += states[i].jobs;
    return sum;
}

/* Pushes all jobs and pops them, as a program does that reads as far ahead as it may. */
static void run_all(unsigned threads, size_t depth)
{
    struct queue *queue = make(threads, depth, work);
    unsigned popped = 0;

    for (unsigned i = 0; i < MAX_JOBS; i++) {
        if (queue_full(queue))
            assert_next(queue, popped++);
        queue_push(queue, &jobs[i]);
    }
    ck_assert_uint_eq(MAX_JOBS - popped, depth);
    while (popped < MAX_JOBS)
        assert_next(queue, popped++);
    ck_assert_ptr_null(queue_pop(queue));
    queue_free(queue);
    ck_assert_uint_eq(jobs_of_all_threads(), MAX_JOBS);
}

START_TEST(each_job_comes_back_once_finished_and_in_order)
{
    static const size_t depths[] = {1, 2, 7, 64};

    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++) {
            prepare(8000);
            run_all(thread_counts[i], depths[j]);
        }
}
END_TEST

START_TEST(jobs_without_work_come_back_in_order)
{
    for (size_t i = 0; i < 3; i++) {
        prepare(0);
        run_all(thread_counts[i], 32);
    }
}
END_TEST

START_TEST(one_long_job_keeps_its_place)
{
    for (size_t i = 0; i < 3; i++) {
        prepare(10);
        for (unsigned j = 0; j < MAX_JOBS; j += 100)
            jobs[j].spins = 300000;
        run_all(thread_counts[i], 16);
    }
}
END_TEST

START_TEST(pushes_and_pops_in_any_pattern_keep_the_order)
{
    for (size_t i = 0; i < 3; i++) {
        struct queue *queue = make(thread_counts[i], 9, work);
        unsigned pushed = 0, popped = 0;

        prepare(2000);
        while (popped < MAX_JOBS) {
            ck_assert_int_eq(queue_full(queue), pushed - popped == 9);
            if (pushed < MAX_JOBS && !queue_full(queue) && random64() % 2)
                queue_push(queue, &jobs[pushed++]);
            else if (popped < pushed)
                assert_next(queue, popped++);
            else
                ck_assert_ptr_null(queue_pop(queue));
        }
        queue_free(queue);
    }
}
END_TEST

START_TEST(it_is_full_at_its_depth)
{
    for (size_t depth = 1; depth < 20; depth++) {
        struct queue *queue = make(2, depth, work);

        prepare(100);
        for (unsigned i = 0; i < depth; i++) {
            ck_assert(!queue_full(queue));
            queue_push(queue, &jobs[i]);
        }
        ck_assert(queue_full(queue)); /* however many of them are finished */
        assert_next(queue, 0);
        ck_assert(!queue_full(queue));
        queue_free(queue);
    }
}
END_TEST

START_TEST(an_empty_queue_has_nothing_to_pop)
{
    for (size_t i = 0; i < 3; i++) {
        struct queue *queue = make(thread_counts[i], 4, work);

        prepare(100);
        ck_assert(!queue_full(queue));
        ck_assert_ptr_null(queue_pop(queue));
        queue_push(queue, &jobs[0]);
        assert_next(queue, 0);
        ck_assert_ptr_null(queue_pop(queue));
        queue_free(queue);
    }
    queue_free(NULL);
}
END_TEST

START_TEST(waiting_for_many_jobs_waits_for_the_last_of_them)
{
    for (size_t i = 0; i < 3; i++) {
        struct queue *queue = make(thread_counts[i], 30, work);
        unsigned pushed = 0, popped = 0;

        prepare(4000);
        queue_wait(queue, 0);
        queue_wait(queue, 1); /* the queue is empty */
        while (popped < MAX_JOBS) {
            unsigned waited;

            for (; pushed < MAX_JOBS && !queue_full(queue); pushed++)
                queue_push(queue, &jobs[pushed]);
            waited = 1 + (unsigned)(random64() % (pushed - popped));
            queue_wait(queue, waited);
            ck_assert_uint_eq(atomic_load(&jobs[popped + waited - 1].worked), 1);
            for (uint64_t left = random64() % (pushed - popped) + 1; left > 0; left--)
                assert_next(queue, popped++);
        }
        queue_wait(queue, 1);
        ck_assert_ptr_null(queue_pop(queue));
        queue_free(queue);
    }
}
END_TEST

/* ---- freed before its end ---- */

static pid_t main_thread;
static atomic_bool freeing;
static atomic_uint begun;

/* Whether the main thread waits for something: its state in /proc. */
static bool main_thread_sleeps(void)
{
    char name[64], line[512] = "";
    const char *end;
    FILE *file;

    snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)main_thread);
    file = fopen(name, "r");
    if (!file)
        abort();
    if (!fgets(line, sizeof line, file))
        abort();
    fclose(file);
    end = strrchr(line, ')');
    return end && end[1] == ' ' && end[2] == 'S';
}

/* Ends only when queue_free waits for it. */
static void work_until_freed(void *state, void *job)
{
    atomic_fetch_add(&begun, 1);
    while (!atomic_load(&freeing) || !main_thread_sleeps())
        usleep(100);
    work(state, job);
}

START_TEST(free_finishes_started_jobs_and_drops_the_others)
{
    main_thread = (pid_t)syscall(SYS_gettid);
    for (size_t i = 0; i < 3; i++) {
        const unsigned threads = thread_counts[i];
        struct queue *queue = make(threads, 50, work_until_freed);
        unsigned worked = 0;

        prepare(1000);
        atomic_store(&freeing, false);
        atomic_store(&begun, 0);
        for (unsigned j = 0; j < 50; j++)
            queue_push(queue, &jobs[j]);
        while (atomic_load(&begun) < threads)
            usleep(100);
        atomic_store(&freeing, true);
        queue_free(queue);
        for (unsigned j = 0; j < 50; j++) {
            ck_assert_uint_eq(atomic_load(&jobs[j].worked), j < threads ? 1 : 0);
            worked += atomic_load(&jobs[j].worked);
        }
        ck_assert_uint_eq(worked, threads);
    }
}
END_TEST

START_TEST(free_at_any_moment_leaves_no_job_half_done)
{
    for (int round = 0; round < 300; round++) {
        struct queue *queue = make(thread_counts[round % 3], 40, work);
        unsigned pushed = (unsigned)(random64() % 41), popped = 0, worked = 0;

        prepare(3000);
        for (unsigned i = 0; i < pushed; i++)
            queue_push(queue, &jobs[i]);
        for (uint64_t left = random64() % (pushed + 1); left > 0; left--)
            assert_next(queue, popped++);
        queue_free(queue);
        for (unsigned i = 0; i < MAX_JOBS; i++) {
            unsigned times = atomic_load(&jobs[i].worked);

            ck_assert_uint_le(times, i < pushed ? 1 : 0);
            worked += times;
        }
        ck_assert_uint_eq(jobs_of_all_threads(), worked); /* those that were started are finished */
    }
}
END_TEST

RUN_TESTS("queue", each_job_comes_back_once_finished_and_in_order, jobs_without_work_come_back_in_order,
          one_long_job_keeps_its_place, pushes_and_pops_in_any_pattern_keep_the_order,
          it_is_full_at_its_depth, an_empty_queue_has_nothing_to_pop,
          waiting_for_many_jobs_waits_for_the_last_of_them, free_finishes_started_jobs_and_drops_the_others,
          free_at_any_moment_leaves_no_job_half_done)
