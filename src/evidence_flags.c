/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence_flags.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crew/sandbox.h"
#include "file_kind.h"
#include "terminal.h"

enum { MAX_WORKERS = 256, DEFAULT_SECONDS = 20, MAX_SECONDS = 86400 };

struct evidence_options evidence_flags_defaults(unsigned kinds)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    return (struct evidence_options){
        .kinds = kinds,
        .seconds = DEFAULT_SECONDS,
        .opening = kinds & OBJECT_BIT(OBJECT_MEMBER) ? OPENING_ALL : OPENING_NO,
        .depth = OPENING_USUAL_DEPTH,
        .workers = processors < 1             ? 1
                   : processors > MAX_WORKERS ? MAX_WORKERS
                                              : (unsigned)processors,
    };
}

static int take_type(const struct options *options, const char **type)
{
    *type = options->value;
    return options_named(options, options->value, strlen(options->value)) < 0 ? -1 : 0;
}

static int take_count(const struct options *options, uint64_t most, unsigned *out)
{
    uint64_t number = 0;

    if (options_number(options, 1, most, &number))
        return -1;
    *out = (unsigned)number;
    return 0;
}

/* Commands that leave containers closed by default select no members either. */
static int take_opening(struct evidence_options *evidence, const struct options *options)
{
    const int found = options_named(options, options->value, strlen(options->value));

    if (found < 0)
        return -1;
    evidence->opening = (enum opening_mode)found;
    if (evidence->opening != OPENING_NO)
        evidence->kinds |= OBJECT_BIT(OBJECT_MEMBER);
    return 0;
}

int evidence_flags_take(struct evidence_options *evidence, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {OPTION_OK_UNEXAMINED, offsetof(struct evidence_options, ok_unexamined)},
        {OPTION_FORCE, offsetof(struct evidence_options, force)},
        {OPTION_NO_SANDBOX, offsetof(struct evidence_options, no_sandbox)},
    };

    if (options_flag(flags, option, evidence))
        return 0;
    switch (option) {
    case OPTION_IMAGE_TYPE:
        return take_type(options, &evidence->image_type);
    case OPTION_OFFSET:
        evidence->has_offset = true;
        return options_number(options, 0, INT64_MAX >> 16, &evidence->sector);
    case OPTION_SYSTEM_TYPE:
        return take_type(options, &evidence->system_type);
    case OPTION_ONLY:
        return options_list(options, &evidence->kinds);
    case OPTION_CONTAINERS:
        return take_opening(evidence, options);
    case OPTION_DEPTH:
        evidence->depth_is_chosen = true;
        return take_count(options, OPENING_MOST_DEPTH, &evidence->depth);
    case OPTION_JOBS:
        return take_count(options, MAX_WORKERS, &evidence->workers);
    default:
        return take_count(options, MAX_SECONDS, &evidence->seconds);
    }
}

int evidence_flags_sandbox(const struct evidence_options *evidence)
{
    unsigned missing = 0;
    struct error err;

    if (evidence->no_sandbox)
        return 0; /* what is missing is then reported for each evidence */
    if (sandbox_probe(&missing, &err)) {
        complain_error(&err);
        return -1;
    }
    if (missing)
        complain("this system lacks %s; no evidence was read (override with --no-sandbox)",
                 sandbox_lack(missing));
    return missing ? -1 : 0;
}

/* A sector and a file system are those of an image; with --images there may be some in the folder. */
static int check_folders(const struct evidence_options *evidence, size_t count, char **paths)
{
    struct stat st;

    if (evidence->images || (!evidence->has_offset && !evidence->system_type))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (stat(paths[i], &st) == 0 && S_ISDIR(st.st_mode)) {
            complain("%s: is a folder; %s needs an image", paths[i],
                     evidence->has_offset ? "--offset (-o)" : "--fs-type (-f)");
            return -1;
        }
    return 0;
}

int evidence_flags_check(const struct evidence_options *evidence, size_t count, char **paths)
{
    const bool any_file = evidence->image_type || evidence->as_file;

    if (check_folders(evidence, count, paths))
        return -1;
    for (size_t i = 0; i < count; i++)
        if ((!any_file || strcmp(paths[i], "-") == 0) && file_kind_check_evidence(paths[i]))
            return -1;
    return 0;
}

int evidence_flags_status(enum evidence_result result)
{
    switch (result) {
    case EVIDENCE_DONE:
        return EXIT_DONE;
    case EVIDENCE_CHANGED:
        return EXIT_CHANGED;
    case EVIDENCE_STOPPED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_PARTIAL;
    }
}
