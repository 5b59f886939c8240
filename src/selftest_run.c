/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_run.h"

#include <string.h>

#include "interrupt.h"
#include "selftest_process.h"

static const char this_program[] = "/proc/self/exe";

struct lab_random selftest_run_random(const struct selftest_run *run, const char *id)
{
    struct lab_random random;
    uint64_t state = run->seed;

    for (; *id; id++)
        state = lab_random_mix(state ^ (uint8_t)*id);
    lab_random_seed(&random, state);
    return random;
}

int selftest_run_continue(struct error *err)
{
    return atomic_load(interrupt_flag()) ? error_set(err, "interrupted") : 0;
}

/* The first line of what a program complained about. */
static int fail(struct selftest_run *run, const char *const *argv, int status, struct error *err)
{
    const char *text = run->errors.data ? run->errors.data : "";
    const char *end = memchr(text, '\n', run->errors.len);

    return error_set(err, "'%s %s' exited with status %d: %.*s", argv[0], argv[1] ? argv[1] : "", status,
                     (int)(end ? end - text : (ptrdiff_t)run->errors.len), text);
}

int selftest_run_tool(struct selftest_run *run, const char *path, const char *in, const char *const *argv,
                      struct error *err)
{
    const struct selftest_process process = {run->scratch.folder, "out", "errors", in};
    int status;

    if (selftest_run_continue(err))
        return -1;
    status = selftest_process_run(&process, path, argv, err);
    if (selftest_run_continue(err) || status < 0 ||
        selftest_scratch_read(&run->scratch, "errors", &run->errors, err) ||
        selftest_scratch_read(&run->scratch, "out", &run->out, err))
        return -1;
    return status ? fail(run, argv, status, err) : 0;
}

int selftest_run_kith(struct selftest_run *run, const char *const *argv, struct error *err)
{
    return selftest_run_tool(run, this_program, NULL, argv, err);
}
