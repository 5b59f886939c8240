/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "crew/crew_inner.h"
#include "crew/sandbox.h"
#include "take_away.h"

enum { ITEMS = 10, BAD_ITEM = 4, MOST_ITEMS = 5000, MEBIBYTE = 1 << 20 };

static const unsigned crew_sizes[] = {1, 2, 8};
static const char *const no_folders[] = {NULL};

/* What workers and parent exchange besides messages. */
struct shared {
    atomic_uint tries[100]; /* of a task, or an item */
    atomic_int victim;      /* a worker that waits to be killed */
    atomic_int pids[8];
    atomic_uint pid_count;
    atomic_bool refuse; /* to start */
    atomic_bool stop;
};

static struct shared *shared;

static void share(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(shared, MAP_FAILED);
}

typedef void (*work_function)(void *state, struct crew_worker *worker, const void *task, size_t len,
                              const int *fds, unsigned fd_count);

static void *start_at_once(void *arg, struct crew_worker *worker, struct error *err)
{
    (void)worker;
    (void)err;
    return arg ? arg : &shared;
}

static struct crew_job job_of(work_function work)
{
    return (struct crew_job){.start = start_at_once,
                             .work = work,
                             .folders = no_folders,
                             .no_sandbox = true, /* as far as there is one, these work without */
                             .memory = (uint64_t)1024 * MEBIBYTE,
                             .seconds = 600, /* none of the workers needs that long, on any machine */
                             .patience = 20};
}

static struct crew *make(const struct crew_job *job, unsigned workers)
{
    struct error err = {""};
    struct crew *crew = crew_new(job, workers, &err);

    ck_assert_msg(crew != NULL, "%s", err.text);
    return crew;
}

static void push(struct crew *crew, uint64_t tag, const void *task, size_t len)
{
    struct error err = {""};

    ck_assert(!crew_full(crew));
    ck_assert_msg(crew_push(crew,
                            &(struct crew_task){.tag = tag,
                                                .data = task,
                                                .len = len,
                                                .items = MOST_ITEMS,
                                                .seconds = 600,
                                                .most = (uint64_t)1024 * MEBIBYTE},
                            &err) == 0,
                  "%s", err.text);
}

static struct crew_result pop(struct crew *crew, uint64_t tag)
{
    struct crew_result result;
    struct error err = {""};

    ck_assert_msg(crew_pop(crew, &result, &err) == 1, "%s", err.text);
    ck_assert_uint_eq(result.tag, tag);
    return result;
}

static void assert_data(const struct crew_result *result, const char *data)
{
    ck_assert_msg(result->len == strlen(data) &&
                      (result->len == 0 || memcmp(result->data, data, result->len) == 0),
                  "%.*s, not %s", (int)result->len, result->data, data);
}

static void assert_loss(const struct crew_result *result, uint32_t item, const char *reason)
{
    ck_assert_uint_eq(result->loss_count, 1);
    ck_assert_uint_eq(result->losses[0].item, item);
    ck_assert_msg(strstr(result->losses[0].reason, reason) != NULL, "%s, not %s", result->losses[0].reason,
                  reason);
}

static void assert_next(struct crew *crew, uint64_t tag, const char *data)
{
    struct crew_result result = pop(crew, tag);

    assert_data(&result, data);
    ck_assert_uint_eq(result.loss_count, 0);
}

/* Checks that the result lacks the bad one of the ten items. */
static void assert_bad_item(struct crew *crew, uint64_t tag, const char *reason)
{
    const struct crew_result result = pop(crew, tag);

    assert_data(&result, "012356789");
    assert_loss(&result, BAD_ITEM, reason);
}

static void assert_empty(struct crew *crew)
{
    struct crew_result result;

    ck_assert(crew_empty(crew));
    ck_assert_int_eq(crew_pop(crew, &result, NULL), 0);
}

static unsigned open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* ---- successful tasks ---- */

/* A task is a seed; its result is a list of numbers. */
static size_t expand(uint64_t seed, uint64_t *numbers, size_t most)
{
    const size_t count = seed % most;

    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = seed;
    }
    return count;
}

static void work_from_seed(void *state, struct crew_worker *worker, const void *task, size_t len,
                           const int *fds, unsigned fd_count)
{
    uint64_t seed, numbers[5000];
    size_t count;

    (void)state, (void)fds, (void)fd_count;
    if (len != sizeof seed)
        abort();
    memcpy(&seed, task, len);
    count = expand(seed, numbers, 5000);
    for (uint32_t i = 0; i < count; i++)
        if (crew_begin(worker, i)) {
            crew_send(worker, &numbers[i], sizeof numbers[i]);
            crew_progress(worker, 8);
        }
}

static uint64_t seed_of(uint64_t task)
{
    return (task + 1) * 0x9e3779b97f4a7c15u >> 20;
}

static uint64_t assert_expanded(struct crew *crew, uint64_t task)
{
    uint64_t numbers[5000];
    struct crew_result result = pop(crew, task);

    ck_assert_uint_eq(result.loss_count, 0);
    ck_assert_uint_eq(result.len, expand(seed_of(task), numbers, 5000) * sizeof *numbers);
    ck_assert(result.len == 0 || memcmp(result.data, numbers, result.len) == 0);
    return result.len;
}

static void run_seeds(unsigned workers, uint64_t tasks)
{
    const struct crew_job job = job_of(work_from_seed);
    struct crew *crew = make(&job, workers);
    uint64_t popped = 0, bytes = 0;

    for (uint64_t i = 0; i < tasks; i++) {
        uint64_t seed = seed_of(i);

        if (crew_full(crew))
            bytes += assert_expanded(crew, popped++);
        push(crew, i, &seed, sizeof seed);
    }
    ck_assert_uint_eq(tasks - popped, 4 * workers + 4);
    while (popped < tasks)
        bytes += assert_expanded(crew, popped++);
    assert_empty(crew);
    ck_assert_uint_eq(crew_bytes(crew), bytes);
    crew_free(crew);
}

START_TEST(results_are_equal_and_in_order_for_any_number_of_workers)
{
    for (size_t i = 0; i < 3; i++)
        run_seeds(crew_sizes[i], 200);
}
END_TEST

START_TEST(a_small_crew_completes_a_thousand_tasks)
{
    run_seeds(2, 1000);
}
END_TEST

static void work_backwards(void *state, struct crew_worker *worker, const void *task, size_t len,
                           const int *fds, unsigned fd_count)
{
    const char *text = task;

    (void)state, (void)fds, (void)fd_count;
    for (size_t i = len; i > 0; i--)
        crew_send(worker, &text[i - 1], 1);
    for (size_t i = 0; i < 3; i++)
        crew_send(worker, task, len);
}

START_TEST(tasks_of_8_MiB_and_results_of_32_MiB_are_carried)
{
    const struct crew_job job = job_of(work_backwards);
    const size_t len = 8 * MEBIBYTE;
    struct crew *crew = make(&job, 2);
    uint8_t *task = malloc(len);

    ck_assert_ptr_nonnull(task);
    fill_random(task, len);
    for (unsigned i = 0; i < 4; i++)
        push(crew, i, task + i, len - i);
    for (unsigned i = 0; i < 4; i++) {
        struct crew_result result = pop(crew, i);

        ck_assert_uint_eq(result.len, 4 * (len - i));
        for (size_t j = 0; j < len - i; j++)
            if ((uint8_t)result.data[j] != task[len - 1 - j])
                ck_abort_msg("byte %zu of task %u", j, i);
        for (size_t j = 1; j < 4; j++)
            ck_assert_int_eq(memcmp(result.data + j * (len - i), task + i, len - i), 0);
    }
    crew_free(crew);
    free(task);
}
END_TEST

START_TEST(an_empty_task_has_an_empty_result)
{
    const struct crew_job job = job_of(work_backwards);
    struct crew *crew = make(&job, 1);

    push(crew, 5, NULL, 0);
    assert_next(crew, 5, "");
    assert_empty(crew);
    crew_free(crew);
    crew_free(NULL);
}
END_TEST

/* ---- failing items ---- */

static void work_on_items(struct crew_worker *worker, void (*deed)(char how, uint32_t item), char how)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        char c = (char)('0' + i);

        if (!crew_begin(worker, i))
            continue;
        crew_send(worker, &c, 1);
        deed(how, i);
    }
}

static void send_everywhere(const void *data, size_t len)
{
    for (int fd = 0; fd < 20; fd++)
        send(fd, data, len, MSG_NOSIGNAL);
}

static void send_garbage(void)
{
    unsigned char garbage[1000];

    memset(garbage, 0xee, sizeof garbage);
    send_everywhere(garbage, sizeof garbage);
}

static void close_everything(void)
{
    for (int fd = 0; fd < 20; fd++)
        close(fd);
}

static void spin(void)
{
    for (volatile uint64_t i = 0; i < UINT64_MAX; i = i + 1)
        ;
}

static unsigned run_out_of_stack(unsigned depth)
{
    volatile char frame[4096];

    frame[depth % 4096] = 1;
    return depth == UINT32_MAX ? 0 : run_out_of_stack(depth + 1) + (unsigned)frame[depth / 2 % 4096];
}

static void end_badly(char how, uint32_t item)
{
    if (item != BAD_ITEM)
        return;
    atomic_fetch_add(&shared->tries[how - 'A'], 1);
    switch (how) {
    case 'A':
        abort();
    case 'E':
        _exit(3);
    case 'G':
        send_garbage();
        spin();
        break;
    case 'C':
        close_everything();
        spin();
        break;
    case 'L':
        spin();
        break;
    case 'O':
        open("/dev/null", O_RDONLY);
        break;
    case 'P':
        send_everywhere("x", 1); /* part of a frame */
        abort();
    case 'R':
        run_out_of_stack(0);
        break;
    case 'S':
        raise(SIGSEGV);
        break;
    default:
        break;
    }
}

static void work_that_ends_badly(void *state, struct crew_worker *worker, const void *task, size_t len,
                                 const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    work_on_items(worker, end_badly, *(const char *)task);
}

static void assert_costs_one_item(char how, const char *reason, unsigned tries, unsigned workers)
{
    struct crew_job job = job_of(work_that_ends_badly);
    struct crew *crew;
    struct crew_result result;

    if (how == 'L')
        job.seconds = 1;
    crew = make(&job, workers);
    if (how == 'O' && (crew_missing(crew) & SANDBOX_NO_SECCOMP)) {
        crew_free(crew);
        return;
    }
    atomic_store(&shared->tries[how - 'A'], 0);
    push(crew, 1, "Z", 1);
    push(crew, 2, &how, 1);
    push(crew, 3, "Z", 1);
    assert_next(crew, 1, "0123456789");
    result = pop(crew, 2);
    assert_data(&result, "012356789");
    assert_loss(&result, BAD_ITEM, reason);
    ck_assert_uint_eq(atomic_load(&shared->tries[how - 'A']), tries);
    assert_next(crew, 3, "0123456789");
    assert_empty(crew);
    crew_free(crew);
}

static void assert_costs_one_item_after_two_tries(char how, const char *reason)
{
    share();
    for (size_t i = 0; i < 3; i++)
        assert_costs_one_item(how, reason, 2, crew_sizes[i]);
}

START_TEST(a_segmentation_fault_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('S', "the worker died: Segmentation fault");
    assert_costs_one_item_after_two_tries('R', "the worker died: Segmentation fault");
}
END_TEST

START_TEST(an_abort_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('A', "the worker died: Aborted");
}
END_TEST

START_TEST(an_exit_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('E', "exit status 3");
}
END_TEST

START_TEST(a_call_that_the_sandbox_forbids_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('O', "stopped by the sandbox");
}
END_TEST

START_TEST(garbage_on_the_socket_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('G', "the worker broke the protocol");
}
END_TEST

START_TEST(dying_in_the_middle_of_a_message_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('P', "the worker died: Aborted");
}
END_TEST

static void work_that_ends_late(void *state, struct crew_worker *worker, const void *task, size_t len,
                                const int *fds, unsigned fd_count)
{
    (void)state, (void)fds, (void)fd_count;
    crew_begin(worker, 0);
    for (unsigned i = 0; i < 100; i++)
        crew_send(worker, task, len);
    if (atomic_fetch_add(&shared->tries[0], 1) == 0)
        abort();
}

START_TEST(what_a_worker_sent_before_it_died_is_dropped)
{
    const struct crew_job job = job_of(work_that_ends_late);
    static char task[10000];
    struct crew_result result;
    struct crew *crew;

    share();
    crew = make(&job, 1);
    push(crew, 1, task, sizeof task);
    result = pop(crew, 1);
    ck_assert_uint_eq(result.len, 100 * sizeof task);
    ck_assert_uint_eq(result.loss_count, 0);
    crew_free(crew);
}
END_TEST

START_TEST(a_worker_that_hangs_up_and_lives_on_costs_only_the_item)
{
    assert_costs_one_item_after_two_tries('C', "the worker died");
}
END_TEST

START_TEST(an_endless_loop_costs_only_the_item_and_is_not_retried)
{
    share();
    assert_costs_one_item('L', "stopped after 1 s of CPU time without progress", 1, 1);
    assert_costs_one_item('L', "stopped after 1 s of CPU time without progress", 1, 2);
}
END_TEST

/* The bad item has five steps.  task: how it ends badly, and at which step at each attempt; 0: before the
 * first. */
static void work_in_steps(void *state, struct crew_worker *worker, const void *task, size_t len,
                          const int *fds, unsigned fd_count)
{
    const char *given = task;

    (void)state, (void)fds, (void)fd_count;
    for (uint32_t i = 0; i < ITEMS; i++) {
        const unsigned attempt = i == BAD_ITEM ? atomic_load(&shared->tries[given[0] - 'A']) : 0;
        const char *reason = NULL;

        if (!crew_begin(worker, i))
            continue;
        crew_send(worker, &(char){(char)('0' + i)}, 1);
        for (uint32_t step = 0; i == BAD_ITEM && step <= 5 && !reason; step++) {
            reason = step ? crew_step(worker, step) : NULL;
            crew_send(worker, reason ? "." : &"^abcde"[step], 1);
            if (!reason && attempt + 1 < len && (uint32_t)(given[attempt + 1] - '0') == step)
                end_badly(given[0], i);
        }
    }
}

static void assert_cut(const char *task, const char *data, size_t cuts, unsigned tries)
{
    struct crew_job job = job_of(work_in_steps);
    struct crew_result result;
    struct crew *crew;

    if (task[0] == 'L')
        job.seconds = 1;
    atomic_store(&shared->tries[task[0] - 'A'], 0);
    crew = make(&job, 1);
    push(crew, 1, task, strlen(task));
    result = pop(crew, 1);
    assert_data(&result, data);
    ck_assert_uint_eq(result.cut_count, cuts);
    ck_assert_uint_eq(result.loss_count, strchr(data, '4') == NULL);
    ck_assert_uint_eq(atomic_load(&shared->tries[task[0] - 'A']), tries);
    crew_free(crew);
}

START_TEST(an_item_is_cut_before_the_step_at_which_workers_die)
{
    share();
    assert_cut("A33", "01234^ab.56789", 1, 2);
    assert_cut("A11", "01234^.56789", 1, 2);
    assert_cut("S53", "01234^ab.56789", 1, 2); /* the earlier one of the two */
    assert_cut("S35", "01234^ab.56789", 1, 2);
    assert_cut("A3", "01234^abcde56789", 0, 1);
    assert_cut("L2", "01234^a.56789", 1, 1);
}
END_TEST

START_TEST(an_item_is_lost_where_cutting_it_does_not_help)
{
    share();
    assert_cut("A552", "012356789", 0, 3);
    assert_cut("A00", "012356789", 0, 2);
    assert_cut("G33", "012356789", 0, 2); /* what an offender claims is doubtful */
}
END_TEST

/* From the last to the first; all but these two are bad. */
static void work_that_ends_all_over(void *state, struct crew_worker *worker, const void *task, size_t len,
                                    const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    for (uint32_t i = ITEMS; i-- > 0;) {
        char c = (char)('0' + i);

        if (!crew_begin(worker, i))
            continue;
        crew_send(worker, &c, 1);
        if (i > 0 && i < ITEMS - 1)
            end_badly(*(const char *)task, BAD_ITEM);
    }
}

START_TEST(many_bad_items_are_all_skipped_and_recorded_by_number)
{
    const struct crew_job job = job_of(work_that_ends_all_over);
    struct crew *crew;

    share();
    crew = make(&job, 2);
    push(crew, 1, "A", 1);
    push(crew, 2, "E", 1);
    for (unsigned tag = 1; tag <= 2; tag++) {
        struct crew_result result = pop(crew, tag);

        assert_data(&result, "90");
        ck_assert_uint_eq(result.loss_count, ITEMS - 2);
        for (uint32_t i = 0; i < ITEMS - 2; i++)
            ck_assert_uint_eq(result.losses[i].item, i + 1);
    }
    crew_free(crew);
}
END_TEST

static void work_that_hangs_at_each_item(void *state, struct crew_worker *worker, const void *task,
                                         size_t len, const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    for (uint32_t i = 0; i < *(const uint8_t *)task; i++)
        if (crew_begin(worker, i))
            spin();
}

START_TEST(each_timeout_halves_the_next_one)
{
    static const uint8_t items = 4;
    struct crew_job job = job_of(work_that_hangs_at_each_item);
    static const char *const said[] = {"after 4 s", "after 2 s", "after 1 s", "after 1 s"};
    struct crew_result result;
    struct crew *crew;

    job.seconds = 4;
    crew = make(&job, 1);
    push(crew, 0, &items, 1);
    result = pop(crew, 0);
    ck_assert_uint_eq(result.loss_count, items);
    for (size_t i = 0; i < items; i++)
        ck_assert_msg(strstr(result.losses[i].reason, said[i]), "%s", result.losses[i].reason);
    crew_free(crew);
}
END_TEST

static void work_that_never_begins(void *state, struct crew_worker *worker, const void *task, size_t len,
                                   const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    crew_send(worker, "something", 9);
    atomic_fetch_add(&shared->tries[0], 1);
    if (*(const char *)task == 'A')
        abort();
}

START_TEST(a_task_that_kills_workers_before_an_item_begins_is_lost_as_a_whole)
{
    const struct crew_job job = job_of(work_that_never_begins);

    for (size_t i = 0; i < 3; i++) {
        struct crew *crew;
        struct crew_result result;

        share();
        crew = make(&job, crew_sizes[i]);
        push(crew, 1, "Z", 1);
        push(crew, 2, "A", 1);
        push(crew, 3, "Z", 1);
        assert_next(crew, 1, "something");
        result = pop(crew, 2);
        assert_data(&result, "");
        assert_loss(&result, CREW_WHOLE_TASK, "Aborted");
        assert_next(crew, 3, "something");
        ck_assert_uint_eq(atomic_load(&shared->tries[0]), 2 + 3);
        crew_free(crew);
    }
}
END_TEST

/* ---- workers killed from outside ---- */

static void wait_to_be_killed(void)
{
    int nobody = 0;

    while (!atomic_compare_exchange_weak(&shared->victim, &nobody, getpid()))
        nobody = 0;
    spin();
}

static void wait_at_first_try(char how, uint32_t item)
{
    if (atomic_fetch_add(&shared->tries[(how - '0') * ITEMS + (int)item], 1) == 0)
        wait_to_be_killed();
}

static void work_that_is_killed(void *state, struct crew_worker *worker, const void *task, size_t len,
                                const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    crew_send(worker, "<", 1);
    work_on_items(worker, wait_at_first_try, *(const char *)task);
    crew_send(worker, ">", 1);
}

static void *kill_victims(void *arg)
{
    (void)arg;
    while (!atomic_load(&shared->stop)) {
        int victim = atomic_load(&shared->victim);

        if (victim) {
            kill(victim, SIGKILL);
            atomic_store(&shared->victim, 0);
        }
        free(malloc(100)); /* so that a fork may happen while the thread holds locks */
        usleep(100);
    }
    return NULL;
}

START_TEST(a_worker_killed_from_outside_costs_nothing)
{
    const struct crew_job job = job_of(work_that_is_killed);

    for (size_t i = 0; i < 3; i++) {
        pthread_t killer;
        struct crew *crew;

        share();
        ck_assert_int_eq(pthread_create(&killer, NULL, kill_victims, NULL), 0);
        crew = make(&job, crew_sizes[i]);
        for (unsigned tag = 0; tag < 8; tag++)
            push(crew, tag, &"01234567"[tag], 1);
        for (unsigned tag = 0; tag < 8; tag++)
            assert_next(crew, tag, "<0123456789>");
        crew_free(crew);
        atomic_store(&shared->stop, true);
        pthread_join(killer, NULL);
        for (unsigned j = 0; j < 8 * ITEMS; j++)
            ck_assert_uint_ge(atomic_load(&shared->tries[j]), 2); /* each was killed once */
    }
}
END_TEST

static void work_that_tells_who_it_is(void *state, struct crew_worker *worker, const void *task, size_t len,
                                      const int *fds, unsigned fd_count)
{
    const pid_t self = getpid();

    (void)state, (void)task, (void)len, (void)fds, (void)fd_count;
    crew_send(worker, &self, sizeof self);
}

START_TEST(a_worker_killed_while_idle_is_replaced)
{
    const struct crew_job job = job_of(work_that_tells_who_it_is);
    struct crew *crew = make(&job, 2);

    for (unsigned i = 0; i < 50; i++) {
        struct crew_result result;
        pid_t pid;

        push(crew, i, "", 0);
        result = pop(crew, i);
        ck_assert_uint_eq(result.len, sizeof pid);
        ck_assert_uint_eq(result.loss_count, 0);
        memcpy(&pid, result.data, sizeof pid);
        ck_assert_int_eq(kill(pid, SIGKILL), 0);
    }
    crew_free(crew);
}
END_TEST

/* ---- descriptors ---- */

static void *start_and_tell(void *arg, struct crew_worker *worker, struct error *err)
{
    unsigned number = atomic_fetch_add(&shared->pid_count, 1);

    (void)worker;
    if (atomic_load(&shared->refuse)) {
        error_set(err, "the disk is gone");
        return NULL;
    }
    atomic_store(&shared->pids[number % 8], getpid());
    return arg ? arg : &shared;
}

/* As when a terminal stops the program and resumes it: a worker waiting for the rest of its task then has
 * part of it. */
START_TEST(a_worker_stopped_in_the_middle_of_a_task_resumes_it)
{
    const struct timespec moment = {0, 50000000};
    const size_t len = 8 * MEBIBYTE;
    struct crew_job job = job_of(work_backwards);
    uint8_t *task = random_block(len);
    struct crew_result result;
    struct crew *crew;

    share();
    job.start = start_and_tell;
    crew = make(&job, 1);
    push(crew, 0, task, len);
    nanosleep(&moment, NULL);
    ck_assert_int_eq(kill(atomic_load(&shared->pids[0]), SIGSTOP), 0);
    nanosleep(&moment, NULL);
    ck_assert_int_eq(kill(atomic_load(&shared->pids[0]), SIGCONT), 0);
    nanosleep(&moment, NULL);
    result = pop(crew, 0);
    ck_assert_uint_eq(result.len, 4 * len);
    ck_assert_int_eq(memcmp(result.data + len, task, len), 0);
    ck_assert_uint_eq(atomic_load(&shared->pid_count), 1);
    crew_free(crew);
    free(task);
}
END_TEST

static void work_from_files(void *state, struct crew_worker *worker, const void *task, size_t len,
                            const int *fds, unsigned fd_count)
{
    (void)state, (void)task;
    if (fd_count != len)
        abort();
    if (len == 3 && atomic_fetch_add(&shared->tries[1], 1) < 2)
        abort(); /* they are to come again */
    for (unsigned i = 0; i < fd_count; i++) {
        char text[20];
        ssize_t got = pread(fds[i], text, sizeof text, 0);

        if (got < 0)
            abort();
        crew_send(worker, text, (size_t)got);
    }
}

static int file_with(const char *text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    return fd;
}

static void push_files(struct crew *crew, unsigned tag, unsigned count)
{
    static const char as_long_as_that[CREW_MAX_FDS];
    int fds[CREW_MAX_FDS];

    for (unsigned i = 0; i < count; i++) {
        char text[20];

        snprintf(text, sizeof text, "%u/%u ", tag, i);
        fds[i] = file_with(text);
    }
    ck_assert_int_eq(crew_push(crew,
                               &(struct crew_task){.tag = tag,
                                                   .data = as_long_as_that,
                                                   .len = count,
                                                   .fds = fds,
                                                   .fd_count = count,
                                                   .items = count,
                                                   .seconds = 600,
                                                   .most = MEBIBYTE},
                               NULL),
                     0);
}

static void assert_files(struct crew *crew, unsigned tag, unsigned count)
{
    char expected[CREW_MAX_FDS * 20] = "";
    size_t len = 0;

    for (unsigned i = 0; i < count; i++)
        len += (size_t)snprintf(expected + len, sizeof expected - len, "%u/%u ", tag, i);
    assert_next(crew, tag, expected);
}

START_TEST(descriptors_come_with_the_task_and_are_closed_after_it)
{
    struct crew_job job = job_of(work_from_files);
    const unsigned before = open_descriptors();
    unsigned popped = 0;
    struct crew *crew;

    share();
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){120, 120}), 0);
    job.start = start_and_tell;
    crew = make(&job, 2);
    for (unsigned i = 0; i < 300; i++) {
        if (i - popped == 8)
            assert_files(crew, popped, popped % 9), popped++;
        push_files(crew, i, i % 9);
    }
    for (; popped < 300; popped++)
        assert_files(crew, popped, popped % 9);
    push_files(crew, 300, CREW_MAX_FDS);
    assert_files(crew, 300, CREW_MAX_FDS);
    ck_assert_uint_eq(atomic_load(&shared->pid_count), 2 + 2); /* no worker ran out of them */
    ck_assert_uint_eq(open_descriptors(), before + 2);
    push_files(crew, 1, 5);
    push_files(crew, 2, 5);
    crew_free(crew);
    ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

static void *start_without_descriptor(void *arg, struct crew_worker *worker, struct error *err)
{
    (void)worker;
    if (fcntl(*(int *)arg, F_GETFD) < 0)
        return arg;
    error_set(err, "it is open");
    return NULL;
}

START_TEST(descriptors_of_the_parent_are_closed_in_a_worker)
{
    struct crew_job job = job_of(work_backwards);
    int fd = fcntl(file_with("secret"), F_DUPFD, 50);

    job.start = start_without_descriptor;
    job.arg = &fd;
    crew_free(make(&job, 2));
}
END_TEST

/* ---- a compromised worker ---- */

/* Frames of a worker, sent with one call. */
static void send_frames(const struct head *heads, size_t count)
{
    static char data[1000];
    size_t len = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t room = sizeof data - len - sizeof *heads;

        memcpy(data + len, &heads[i], sizeof *heads);
        len += sizeof *heads + (heads[i].len < room ? heads[i].len : 0);
    }
    send_everywhere(data, len);
}

/* Frames that a worker with a task may not send, or no worker at all; their content is zeros. */
static const struct head bad_frames[] = {{STARTED, sizeof(unsigned)},
                                         {FAILED, 8},
                                         {DATA, FRAME_MAX + 1},
                                         {DONE, 0},
                                         {DONE, 8}, /* claims no data, but there is some */
                                         {DONE, 12},
                                         {STREAM, 8}, /* the job takes none */
                                         {DONE + 1, 0},
                                         {UINT32_MAX, UINT32_MAX}};

static void work_with_a_bad_frame(void *state, struct crew_worker *worker, const void *task, size_t len,
                                  const int *fds, unsigned fd_count)
{
    static const char data[FRAME_MAX];

    (void)state, (void)len, (void)fds, (void)fd_count;
    for (uint32_t i = 0; i < 2; i++) {
        if (!crew_begin(worker, i))
            continue;
        if (i == 1) {
            crew_send(worker, data, sizeof data);
            atomic_fetch_add(&shared->tries[0], 1);
            send_frames(&bad_frames[*(const uint8_t *)task], 1);
            spin();
        }
    }
}

START_TEST(a_frame_that_no_worker_with_a_task_may_send_costs_only_the_item)
{
    const struct crew_job job = job_of(work_with_a_bad_frame);
    struct crew *crew;

    share();
    crew = make(&job, 1);
    for (uint8_t i = 0; i < sizeof bad_frames / sizeof *bad_frames; i++) {
        struct crew_result result;

        atomic_store(&shared->tries[0], 0);
        push(crew, i, &i, 1);
        result = pop(crew, i);
        assert_loss(&result, 1, "the worker broke the protocol");
        ck_assert_uint_eq(result.len, 0);
        ck_assert_uint_eq(atomic_load(&shared->tries[0]), 2);
    }
    crew_free(crew);
}
END_TEST

/* Ends its task twice, or keeps sending for it. */
static void work_that_does_not_end(void *state, struct crew_worker *worker, const void *task, size_t len,
                                   const int *fds, unsigned fd_count)
{
    static const struct head twice[] = {{DONE, 8}, {DONE, 8}}, more[] = {{DONE, 8}, {DATA, 8}};
    const char how = *(const char *)task;

    (void)state, (void)len, (void)fds, (void)fd_count;
    if (how == 'Z') {
        crew_send(worker, task, 1);
        return;
    }
    send_frames(how == 'D' ? twice : more, 2);
    spin();
}

/* Ends its task itself, and a little later the next one, of which it has not read all. */
static void work_that_is_ahead(void *state, struct crew_worker *worker, const void *task, size_t len,
                               const int *fds, unsigned fd_count)
{
    static const struct head done = {DONE, 8};
    struct timespec now, start;

    (void)state, (void)len, (void)fds, (void)fd_count;
    if (*(const char *)task == 'Z') {
        crew_send(worker, task, 1);
        return;
    }
    send_frames(&done, 1);
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - start.tv_sec < 2);
    send_frames(&done, 1);
    spin();
}

START_TEST(a_task_cannot_end_before_the_worker_has_it)
{
    enum { LARGE_TASK = 16 << 20 };
    const struct crew_job job = job_of(work_that_is_ahead);
    struct crew *crew;
    char *large = malloc(LARGE_TASK);

    ck_assert_ptr_nonnull(large);
    memset(large, 'Z', LARGE_TASK);
    share();
    crew = make(&job, 1);
    push(crew, 1, "A", 1);
    push(crew, 2, large, LARGE_TASK);
    assert_next(crew, 1, "");
    assert_next(crew, 2, "Z");
    crew_free(crew);
    free(large);
}
END_TEST

START_TEST(a_frame_from_a_worker_without_a_task_ends_the_worker)
{
    struct crew_job job = job_of(work_that_does_not_end);
    static const char *const hows[] = {"D", "M"};

    share();
    job.start = start_and_tell;
    for (size_t i = 0; i < 2; i++) {
        struct crew *crew;

        atomic_store(&shared->pid_count, 0);
        crew = make(&job, 1);
        push(crew, 1, hows[i], 1);
        assert_next(crew, 1, "");
        push(crew, 2, "Z", 1);
        assert_next(crew, 2, "Z");
        ck_assert_uint_eq(atomic_load(&shared->pid_count), 2);
        crew_free(crew);
    }
}
END_TEST

/* Names a different item each time. */
static void work_that_blames_others(void *state, struct crew_worker *worker, const void *task, size_t len,
                                    const int *fds, unsigned fd_count)
{
    const unsigned tries = atomic_fetch_add(&shared->tries[0], 1);

    (void)state, (void)len, (void)fds, (void)fd_count;
    switch (*(const char *)task) {
    case 'A': /* no item of the task */
        crew_begin(worker, MOST_ITEMS + tries);
        abort();
    case 'G': /* any */
        crew_begin(worker, tries);
        send_garbage();
        spin();
        break;
    default:
        break;
    }
}

START_TEST(a_worker_cannot_blame_its_end_on_item_after_item)
{
    const struct crew_job job = job_of(work_that_blames_others);
    static const char *const hows[] = {"A", "G"}, *const reasons[] = {"Aborted", "broke the protocol"};

    share();
    for (size_t i = 0; i < 2; i++) {
        struct crew *crew = make(&job, 1);
        struct crew_result result;

        atomic_store(&shared->tries[0], 0);
        push(crew, 1, hows[i], 1);
        result = pop(crew, 1);
        assert_loss(&result, CREW_WHOLE_TASK, reasons[i]);
        ck_assert_uint_eq(atomic_load(&shared->tries[0]), STARTS);
        crew_free(crew);
    }
}
END_TEST

/* ---- limits of a task ---- */

static struct crew_result run_limited(struct crew *crew, const char *task, uint64_t seconds, uint64_t most)
{
    const struct crew_task given = {
        .tag = 5, .data = task, .len = 1, .items = ITEMS, .seconds = seconds, .most = most};
    struct error err = {""};

    ck_assert_msg(crew_push(crew, &given, &err) == 0, "%s", err.text);
    return pop(crew, 5);
}

static void work_without_end(void *state, struct crew_worker *worker, const void *task, size_t len,
                             const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    crew_begin(worker, 0);
    atomic_fetch_add(&shared->tries[0], 1);
    while (*(const char *)task != 'Z') {
        crew_progress(worker, 1);
        if (*(const char *)task == 'S')
            poll(NULL, 0, 10);
    }
    crew_send(worker, "done", 4);
}

/* The task may take a second. */
static void assert_stopped(struct crew *crew, const char *task, const char *reason)
{
    const struct crew_result result = run_limited(crew, task, 1, MEBIBYTE);

    assert_loss(&result, CREW_WHOLE_TASK, reason);
}

static void assert_done(struct crew *crew)
{
    const struct crew_result result = run_limited(crew, "Z", 600, MEBIBYTE);

    assert_data(&result, "done");
}

START_TEST(progress_alone_does_not_keep_a_worker_at_a_task)
{
    struct crew_job job = job_of(work_without_end);
    struct crew *crew;

    share();
    crew = make(&job, 1);
    assert_stopped(crew, "L", "stopped after 1 s of CPU time for one task");
    assert_done(crew);
    crew_free(crew);
    job.patience = 2;
    crew = make(&job, 1);
    assert_stopped(crew, "S", "stopped after 2 s for one task");
    assert_done(crew);
    ck_assert_uint_eq(atomic_load(&shared->tries[0]), 4); /* each only once */
    crew_free(crew);
}
END_TEST

static void work_for_some_time_and_die(void *state, struct crew_worker *worker, const void *task, size_t len,
                                       const int *fds, unsigned fd_count)
{
    struct timespec now;

    (void)state, (void)task, (void)len, (void)fds, (void)fd_count;
    crew_begin(worker, atomic_fetch_add(&shared->tries[0], 1) % ITEMS);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while (now.tv_sec == 0 && now.tv_nsec < 400000000);
    abort();
}

START_TEST(the_time_of_a_task_includes_all_its_attempts)
{
    const struct crew_job job = job_of(work_for_some_time_and_die);
    struct crew *crew;

    share();
    crew = make(&job, 1);
    assert_stopped(crew, "x", "stopped after 1 s of CPU time for one task");
    ck_assert_uint_eq(atomic_load(&shared->tries[0]), 3);
    crew_free(crew);
}
END_TEST

/* 2 MiB; 'F': for ever. */
static void work_that_sends_much(void *state, struct crew_worker *worker, const void *task, size_t len,
                                 const int *fds, unsigned fd_count)
{
    static const char data[MEBIBYTE];

    (void)state, (void)len, (void)fds, (void)fd_count;
    if (!crew_begin(worker, 3))
        return;
    for (unsigned i = 0; i < 2 || *(const char *)task == 'F'; i++)
        crew_send(worker, data, sizeof data);
}

START_TEST(a_result_is_limited_to_the_bytes_that_its_task_allows)
{
    const struct crew_job job = job_of(work_that_sends_much);
    struct crew *crew = make(&job, 1);
    struct crew_result result = run_limited(crew, "x", 600, 2 * MEBIBYTE);

    ck_assert_uint_eq(result.len, 2 * MEBIBYTE);
    ck_assert_uint_eq(result.loss_count, 0);
    result = run_limited(crew, "x", 600, 2 * MEBIBYTE - 1);
    assert_loss(&result, 3, "more than its task allows");
    result = run_limited(crew, "F", 600, 100 * MEBIBYTE);
    assert_loss(&result, 3, "more than its task allows");
    crew_free(crew);
}
END_TEST

/* ---- acceptable results ---- */

/* How much of the result was checked, and what the check saw. */
struct judged {
    size_t len;
    unsigned complete;
};

static size_t most_judged;

/* It must not contain a zero. */
static bool accept_no_zeros(void *arg, void *state, const struct crew_result *result, bool complete)
{
    struct judged *judged = state;

    ck_assert_ptr_eq(arg, &most_judged);
    ck_assert_uint_ge(result->len, judged->len); /* from the start in every attempt */
    ck_assert_uint_eq(judged->complete, 0);
    judged->len = result->len;
    judged->complete += complete;
    most_judged = result->len > most_judged ? result->len : most_judged;
    return result->len == 0 || !memchr(result->data, 0, result->len);
}

static struct crew *judging_crew(work_function work)
{
    struct crew_job job = job_of(work);

    job.accept = accept_no_zeros;
    job.accept_arg = &most_judged;
    job.accept_size = sizeof(struct judged);
    most_judged = 0;
    return make(&job, 1);
}

static void work_with_a_zero(void *state, struct crew_worker *worker, const void *task, size_t len,
                             const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (crew_begin(worker, i))
            crew_send(worker, i == BAD_ITEM && *(const char *)task == 'x' ? "" : &"0123456789"[i], 1);
    crew_begin(worker, BAD_ITEM); /* at which it was when it sent that */
}

START_TEST(an_unacceptable_message_costs_only_the_item)
{
    struct crew *crew = judging_crew(work_with_a_zero);
    struct crew_result result = run_limited(crew, "x", 600, MEBIBYTE);

    assert_data(&result, "012356789");
    assert_loss(&result, BAD_ITEM, "invalid result from the worker");
    result = run_limited(crew, "y", 600, MEBIBYTE);
    assert_data(&result, "0123456789");
    ck_assert_uint_eq(result.loss_count, 0);
    crew_free(crew);
}
END_TEST

START_TEST(a_flood_of_unacceptable_messages_is_stopped_early)
{
    struct crew *crew = judging_crew(work_that_sends_much);
    struct crew_result result = run_limited(crew, "F", 600, (uint64_t)100 * 1024 * MEBIBYTE);

    assert_loss(&result, 3, "invalid result from the worker");
    ck_assert_uint_le(most_judged, MEBIBYTE);
    crew_free(crew);
}
END_TEST

static void work_without_memory(void *state, struct crew_worker *worker, const void *task, size_t len,
                                const int *fds, unsigned fd_count)
{
    (void)state, (void)len, (void)fds, (void)fd_count;
    if (crew_begin(worker, 0))
        crew_give_up();
    crew_send(worker, task, 1);
}

START_TEST(an_item_that_runs_out_of_memory_is_lost_with_that_reason)
{
    const struct crew_job job = job_of(work_without_memory);
    struct crew *crew = make(&job, 1);
    struct crew_result result = run_limited(crew, "x", 600, MEBIBYTE);

    assert_data(&result, "x");
    assert_loss(&result, 0, "the worker ran out of memory");
    crew_free(crew);
}
END_TEST

/* ---- the start ---- */

static void *start_as_told(void *arg, struct crew_worker *worker, struct error *err)
{
    const char *what = arg;

    (void)worker;
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "spin") == 0)
        spin();
    if (open(what, O_RDONLY) < 0) {
        error_errno(err, "cannot open %s", what);
        return NULL;
    }
    return arg;
}

static void assert_start_fails(unsigned workers, const char *what, const char *message)
{
    struct crew_job job = job_of(work_backwards);
    char arg[40];
    struct error err = {""};

    snprintf(arg, sizeof arg, "%s", what);
    job.start = start_as_told;
    job.arg = arg;
    job.seconds = 1;
    ck_assert_ptr_null(crew_new(&job, workers, &err));
    ck_assert_msg(strstr(err.text, message) != NULL, "%s, not %s", err.text, message);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
}

START_TEST(a_failed_start_is_reported_with_its_message)
{
    const unsigned before = open_descriptors();

    for (size_t i = 0; i < 3; i++) {
        assert_start_fails(crew_sizes[i], "/nowhere/x", "cannot open /nowhere/x: ");
        assert_start_fails(crew_sizes[i], "abort", "Aborted");
    }
    assert_start_fails(1, "spin", "stopped after 1 s");
    ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

START_TEST(a_worker_without_its_sandbox_does_not_start_unless_allowed)
{
    struct crew_job job = job_of(work_backwards);
    struct error err = {""};
    unsigned missing = 0;
    struct crew *crew;

    ck_assert_int_eq(sandbox_probe(&missing, &err), 0);
    if (missing & SANDBOX_NO_SECCOMP) /* with which Landlock is taken away */
        return;
    ck_assert(take_away(SYS_landlock_create_ruleset));
    crew = make(&job, 1);
    ck_assert_uint_eq(crew_missing(crew), SANDBOX_NO_LANDLOCK);
    crew_free(crew);
    share();
    job.no_sandbox = false;
    job.start = start_and_tell;
    ck_assert_ptr_null(crew_new(&job, 2, &err));
    ck_assert_msg(strstr(err.text, "lacks Landlock") != NULL, "%s", err.text);
    ck_assert_uint_eq(atomic_load(&shared->pid_count), 0); /* start was never called */
}
END_TEST

START_TEST(start_reads_only_below_the_folders)
{
    static const char *const folders[] = {"/dev", NULL};
    struct crew_job job = job_of(work_backwards);
    char zero[] = "/dev/zero", passwd[] = "/etc/passwd";
    struct error err = {""};
    struct crew *crew;

    job.start = start_as_told;
    job.folders = folders;
    job.arg = zero;
    crew = make(&job, 1);
    job.arg = passwd;
    if (!(crew_missing(crew) & SANDBOX_NO_LANDLOCK)) {
        ck_assert_ptr_null(crew_new(&job, 1, &err));
        ck_assert_str_eq(err.text, "cannot open /etc/passwd: Permission denied");
    }
    crew_free(crew);
}
END_TEST

START_TEST(when_no_worker_can_be_replaced_the_error_is_reported)
{
    struct crew_job job = job_of(work_that_ends_badly);
    struct crew_result result;
    struct error err = {""};
    struct crew *crew;

    share();
    job.start = start_and_tell;
    crew = make(&job, 1);
    push(crew, 1, "Z", 1);
    assert_next(crew, 1, "0123456789");
    atomic_store(&shared->refuse, true);
    push(crew, 2, "A", 1);
    push(crew, 3, "Z", 1);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(crew_pop(crew, &result, &err), -1);
        ck_assert_str_eq(err.text, "the disk is gone");
    }
    ck_assert_uint_eq(atomic_load(&shared->pid_count), 1 + 3);
    crew_free(crew);
}
END_TEST

/* The system's functions, which fail as often as a test wants. */
static unsigned fork_failures, socket_failures;

pid_t fork(void)
{
    pid_t (*real)(void);

    if (fork_failures > 0) {
        fork_failures--;
        errno = EAGAIN;
        return -1;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    return real();
}

int socketpair(int domain, int type, int protocol, int pair[2])
{
    int (*real)(int, int, int, int *);

    if (socket_failures > 0) {
        socket_failures--;
        errno = EMFILE;
        return -1;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "socketpair");
    return real(domain, type, protocol, pair);
}

static void assert_started(unsigned *failures, const char *error)
{
    const struct crew_job job = job_of(work_that_ends_badly);
    struct error err = {""};
    struct crew *crew;

    *failures = 2;
    crew = make(&job, 1);
    ck_assert_uint_eq(*failures, 0);
    crew_free(crew);
    *failures = 3;
    ck_assert_ptr_null(crew_new(&job, 1, &err));
    ck_assert_str_eq(err.text, error);
    ck_assert_uint_eq(*failures, 0);
}

START_TEST(creating_a_process_or_socket_is_tried_three_times)
{
    assert_started(&fork_failures, "cannot start a process: Resource temporarily unavailable");
    assert_started(&socket_failures, "cannot create a socket: Too many open files");
}
END_TEST

START_TEST(a_failed_start_in_a_new_crew_is_not_retried)
{
    struct crew_job job = job_of(work_that_ends_badly);
    struct error err = {""};

    share();
    job.start = start_and_tell;
    atomic_store(&shared->refuse, true);
    ck_assert_ptr_null(crew_new(&job, 1, &err));
    ck_assert_str_eq(err.text, "the disk is gone");
    ck_assert_uint_eq(atomic_load(&shared->pid_count), 1);
}
END_TEST

static void *start_every_third_time(void *arg, struct crew_worker *worker, struct error *err)
{
    (void)arg;
    (void)worker;
    if (atomic_fetch_add(&shared->pid_count, 1) % 3 == 0)
        return &shared;
    error_set(err, "not now");
    return NULL;
}

START_TEST(every_replacement_of_a_worker_may_take_three_tries)
{
    struct crew_job job = job_of(work_that_ends_badly);
    struct crew *crew;

    share();
    job.start = start_every_third_time;
    crew = make(&job, 1);
    push(crew, 1, "G", 1);
    push(crew, 2, "A", 1);
    assert_bad_item(crew, 1, "broke the protocol");
    assert_bad_item(crew, 2, "Aborted");
    crew_free(crew);
}
END_TEST

/* ---- the end ---- */

START_TEST(free_ends_busy_workers_and_leaves_other_children_alone)
{
    const unsigned before = open_descriptors();
    struct crew_job job = job_of(work_that_ends_badly);
    pid_t other = fork();
    struct crew *crew;
    int status;

    ck_assert_int_ge(other, 0);
    if (other == 0)
        _exit(7);
    share();
    job.start = start_and_tell;
    crew = make(&job, 3);
    for (unsigned i = 0; i < 10; i++)
        push(crew, i, "L", 1);
    while (atomic_load(&shared->tries['L' - 'A']) < 3) /* all are busy */
        usleep(100);
    crew_free(crew);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(kill(atomic_load(&shared->pids[i]), 0), -1);
    ck_assert_int_eq(waitpid(-1, &status, 0), other);
    ck_assert_int_eq(WEXITSTATUS(status), 7);
    ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

START_TEST(workers_end_with_their_parent)
{
    struct crew_job job = job_of(work_that_ends_badly);
    pid_t parent;

    share();
    job.start = start_and_tell;
    ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    parent = fork();
    if (parent == 0) {
        push(make(&job, 2), 1, "L", 1);
        while (atomic_load(&shared->tries['L' - 'A']) == 0)
            usleep(100);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(parent, NULL, 0), parent);
    for (unsigned i = 0; i < 2; i++) /* one is idle, one would run for ever */
        ck_assert_int_gt(waitpid(-1, NULL, 0), 0);
}
END_TEST

/* ---- streaming ---- */

/* What arrived, with each worker's numbers in order; from the first number on again if a worker died. */
struct streamed {
    uint32_t next[2];
    unsigned restarts;
    uint64_t bytes;
    bool refuses;
};

enum { STREAMED_NUMBERS = 2000, STREAMED_LEN = 40000 };

static bool take_streamed(void *arg, const void *data, size_t len)
{
    struct streamed *streamed = arg;
    uint32_t head[2];

    if (streamed->refuses || len < sizeof head || len > CREW_STREAM_MAX)
        return false;
    memcpy(head, data, sizeof head);
    ck_assert_uint_lt(head[0], 2);
    if (head[1] == 0 && streamed->next[head[0]] != 0) {
        streamed->restarts++;
        streamed->next[head[0]] = 0;
    }
    ck_assert_uint_eq(head[1], streamed->next[head[0]]++);
    for (size_t i = sizeof head; i < len; i++)
        if (((const uint8_t *)data)[i] != (uint8_t)(head[1] + i))
            return false;
    streamed->bytes += len;
    return true;
}

/* Streams numbers, in between results; dies once in the middle if the task says so. */
static void work_that_streams(void *state, struct crew_worker *worker, const void *task, size_t len,
                              const int *fds, unsigned fd_count)
{
    const uint32_t which = (uint32_t)(*(const char *)task - 'A');
    uint8_t message[CREW_STREAM_MAX];

    (void)state, (void)len, (void)fds, (void)fd_count;
    for (uint32_t i = 0; i < STREAMED_NUMBERS && crew_begin(worker, 0); i++) {
        const size_t bytes = i % 100 == 7 ? sizeof message : 8 + i * 31 % STREAMED_LEN;

        for (size_t k = 0; k < bytes; k++)
            message[k] = (uint8_t)(i + k);
        memcpy(message, &which, sizeof which);
        memcpy(message + sizeof which, &i, sizeof i);
        crew_stream(worker, message, bytes);
        crew_send(worker, "r", i % 500 == 0);
        if (which == 1 && i == STREAMED_NUMBERS / 2 && atomic_fetch_add(&shared->tries[0], 1) == 0)
            abort();
    }
}

START_TEST(what_is_streamed_arrives_in_order_before_the_result_and_again_after_a_death)
{
    struct crew_job job = job_of(work_that_streams);
    struct streamed streamed = {.bytes = 0};
    struct crew *crew;

    share();
    job.stream = take_streamed;
    job.stream_arg = &streamed;
    crew = make(&job, 2);
    push(crew, 1, "A", 1);
    push(crew, 2, "B", 1);
    assert_next(crew, 1, "rrrr");
    ck_assert_uint_eq(streamed.next[0], STREAMED_NUMBERS);
    assert_next(crew, 2, "rrrr");
    ck_assert_uint_eq(streamed.next[1], STREAMED_NUMBERS);
    ck_assert_uint_eq(streamed.restarts, 1);
    ck_assert_uint_gt(streamed.bytes, 2 * STREAMED_NUMBERS * 8);
    crew_free(crew);
}
END_TEST

START_TEST(a_worker_that_streams_what_nobody_accepts_loses_its_task)
{
    struct crew_job job = job_of(work_that_streams);
    struct streamed streamed = {.refuses = true};

    share();
    for (unsigned i = 0; i < 2; i++) {
        struct crew *crew;
        struct crew_result result;

        job.stream = i ? take_streamed : NULL;
        job.stream_arg = &streamed;
        crew = make(&job, 1);
        push(crew, 1, "A", 1);
        result = pop(crew, 1);
        assert_loss(&result, 0, "the worker broke the protocol");
        ck_assert_uint_eq(result.len, 0);
        crew_free(crew);
    }
}
END_TEST

RUN_TESTS("crew", creating_a_process_or_socket_is_tried_three_times,
          a_task_cannot_end_before_the_worker_has_it,
          a_worker_without_its_sandbox_does_not_start_unless_allowed,
          results_are_equal_and_in_order_for_any_number_of_workers, a_small_crew_completes_a_thousand_tasks,
          tasks_of_8_MiB_and_results_of_32_MiB_are_carried, an_empty_task_has_an_empty_result,
          a_segmentation_fault_costs_only_the_item, an_abort_costs_only_the_item, an_exit_costs_only_the_item,
          a_call_that_the_sandbox_forbids_costs_only_the_item, garbage_on_the_socket_costs_only_the_item,
          dying_in_the_middle_of_a_message_costs_only_the_item, what_a_worker_sent_before_it_died_is_dropped,
          descriptors_of_the_parent_are_closed_in_a_worker,
          a_worker_that_hangs_up_and_lives_on_costs_only_the_item,
          an_endless_loop_costs_only_the_item_and_is_not_retried,
          an_item_is_cut_before_the_step_at_which_workers_die, an_item_is_lost_where_cutting_it_does_not_help,
          many_bad_items_are_all_skipped_and_recorded_by_number, each_timeout_halves_the_next_one,
          a_task_that_kills_workers_before_an_item_begins_is_lost_as_a_whole,
          a_worker_killed_from_outside_costs_nothing, a_worker_killed_while_idle_is_replaced,
          a_worker_stopped_in_the_middle_of_a_task_resumes_it,
          descriptors_come_with_the_task_and_are_closed_after_it, a_failed_start_is_reported_with_its_message,
          start_reads_only_below_the_folders, when_no_worker_can_be_replaced_the_error_is_reported,
          free_ends_busy_workers_and_leaves_other_children_alone, a_failed_start_in_a_new_crew_is_not_retried,
          every_replacement_of_a_worker_may_take_three_tries, workers_end_with_their_parent,
          a_frame_that_no_worker_with_a_task_may_send_costs_only_the_item,
          a_frame_from_a_worker_without_a_task_ends_the_worker,
          a_worker_cannot_blame_its_end_on_item_after_item, progress_alone_does_not_keep_a_worker_at_a_task,
          the_time_of_a_task_includes_all_its_attempts, a_result_is_limited_to_the_bytes_that_its_task_allows,
          an_unacceptable_message_costs_only_the_item, a_flood_of_unacceptable_messages_is_stopped_early,
          an_item_that_runs_out_of_memory_is_lost_with_that_reason,
          what_is_streamed_arrives_in_order_before_the_result_and_again_after_a_death,
          a_worker_that_streams_what_nobody_accepts_loses_its_task)
