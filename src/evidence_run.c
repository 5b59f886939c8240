/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence_run.h"

#include <stdio.h>

#include "command.h"

enum { MOST_PROBLEMS = 50 };

static bool is_stopped(const struct evidence_run *run)
{
    return run->options.stop && atomic_load(run->options.stop);
}

int evidence_run_all(struct evidence_run *run, size_t count, char **paths,
                     int (*one)(void *arg, size_t number, const char *path), void *arg)
{
    int worst = EXIT_DONE;
    size_t done = 0;

    run->options.bytes = &run->progress.bytes;
    for (; done < count && !run->over && !is_stopped(run); done++) {
        const int status = one(arg, done, paths[done]);

        worst = status > worst ? status : worst;
    }
    return done < count && !run->over ? EXIT_INTERRUPTED : worst;
}

enum evidence_result evidence_run_read(struct evidence_run *run, const char *path,
                                       const struct evidence_sink *sink, struct error *err)
{
    struct evidence_sink shown = *sink;

    run->path = path;
    run->problems = 0;
    if (!sink->problem)
        shown.problem = evidence_run_problem;
    if (!sink->note)
        shown.note = evidence_run_note;
    return evidence_read(path, &run->options, &shown, err);
}

int evidence_run_end(const struct evidence_run *run, enum evidence_result result, const struct error *err)
{
    if (result == EVIDENCE_FAILED)
        complain_error(err);
    if (run->problems > MOST_PROBLEMS)
        complain("%s: %llu more problem%s of this kind", run->path, run->problems - MOST_PROBLEMS,
                 plural(run->problems - MOST_PROBLEMS));
    return evidence_flags_status(result);
}

void evidence_run_problem(void *arg, const char *text)
{
    struct evidence_run *run = arg;

    if (run->problems++ < MOST_PROBLEMS)
        complain("%s: %s", run->path, text);
}

void evidence_run_note(void *arg, const char *text)
{
    const struct evidence_run *run = arg;

    if (!run->quiet)
        complain("%s: %s", run->path, text);
}

bool evidence_run_contradicts(const struct digest_values *whole, const struct digest_values *stored,
                              void (*report)(void *arg, const char *text), void *arg)
{
    const unsigned differing = digest_differing(whole, stored);
    struct error text;

    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (differing & DIGEST_BIT(kind)) {
            error_set(&text, "the %s of the image does not match the one stored in it at acquisition",
                      digest_name((enum digest_kind)kind));
            report(arg, text.text);
        }
    return differing != 0;
}
