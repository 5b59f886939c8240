/* SPDX-License-Identifier: Apache-2.0 */
#include "sets_combine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "set/refset_copy.h"
#include "set/refset_search.h"

/* A set to combine. */
struct input {
    struct refset *set;
    struct refset_search *search; /* for looking up files; NULL in the first set, and for merge */
};

struct inputs {
    struct input *list;
    int count;
};

static void close_inputs(struct inputs *inputs)
{
    for (int i = 0; inputs->list && i < inputs->count; i++) {
        refset_search_free(inputs->list[i].search);
        refset_close(inputs->list[i].set, NULL);
    }
    free(inputs->list);
}

static int open_inputs(struct inputs *inputs, bool searched, int count, char **paths, struct error *err)
{
    inputs->list = calloc((size_t)count, sizeof *inputs->list);
    inputs->count = count;
    if (!inputs->list)
        return error_set(err, "out of memory");
    for (int i = 0; i < count; i++) {
        struct input *input = &inputs->list[i];

        input->set = refset_open(paths[i], REFSET_READ, err);
        if (!input->set)
            return -1;
        if (searched && i > 0 && !(input->search = refset_search_new(input->set, REFSET_SEARCH_DIGESTS, err)))
            return -1;
    }
    return 0;
}

/* How many of the other sets have the content; -1 on error. */
static int found_in(const struct inputs *inputs, const struct known *known, struct error *err)
{
    int found = 0;

    for (int i = 1; i < inputs->count; i++) {
        uint64_t file = 0;

        if (refset_search_digests(inputs->list[i].search, &known->digests, 0, &file, err))
            return -1;
        found += file != 0;
    }
    return found;
}

static int keep_missing(void *arg, const struct known *known, struct error *err)
{
    const int found = found_in(arg, known, err);

    return found < 0 ? -1 : found == 0;
}

static int keep_shared(void *arg, const struct known *known, struct error *err)
{
    const struct inputs *inputs = arg;
    const int found = found_in(inputs, known, err);

    return found < 0 ? -1 : found == inputs->count - 1;
}

static const struct refset_params *params_of(const struct inputs *inputs, int i)
{
    return &refset_info(inputs->list[i].set)->params;
}

/* The first `count` sets must have windows of the same size, and the same key; *c becomes the largest rate.
 */
static int join_sampling(const struct inputs *inputs, int count, uint32_t *c, struct error *err)
{
    const struct refset_params *first = params_of(inputs, 0);

    *c = first->c;
    for (int i = 1; i < count; i++) {
        const struct refset_params *other = params_of(inputs, i);

        if (other->n != first->n)
            return error_set(
                err, "%s has windows of %u bytes, but %s has windows of %u: they cannot be combined",
                refset_path(inputs->list[0].set), first->n, refset_path(inputs->list[i].set), other->n);
        if (memcmp(other->key, first->key, sizeof first->key) != 0)
            return error_set(err,
                             "%s and %s are sampled with different keys, or only one with a key: they "
                             "cannot be combined",
                             refset_path(inputs->list[0].set), refset_path(inputs->list[i].set));
        *c = other->c > *c ? other->c : *c;
    }
    return 0;
}

static int check_kinds(const struct inputs *inputs, int count, struct error *err)
{
    const enum refset_kind kind = params_of(inputs, 0)->kind;

    for (int i = 1; i < count; i++)
        if (params_of(inputs, i)->kind != kind)
            return error_set(err, "%s is %s but %s is %s: give the kind of the new set (--kind)",
                             refset_path(inputs->list[0].set), refset_kind_name(kind),
                             refset_path(inputs->list[i].set), refset_kind_name(params_of(inputs, i)->kind));
    return 0;
}

/* The parameters of the new set: those of the first one, with the largest C of all that are copied, changed
 * by the options. */
static int join_params(const struct sets_combine *combine, const struct inputs *inputs, int count,
                       struct refset_params *params, struct error *err)
{
    const struct refset_params named = refset_defaults(combine->output);
    const uint32_t n = params_of(inputs, 0)->n;
    uint32_t c;

    *params = *params_of(inputs, 0);
    memcpy(params->name, named.name, sizeof params->name);
    if (join_sampling(inputs, count, &c, err) ||
        (combine->flags->kind < 0 && check_kinds(inputs, count, err)))
        return -1;
    params->c = c;
    set_flags_apply(combine->flags, params);
    if (params->n != n || params->c < c)
        return error_set(err, "files sampled with -n %u -C %u cannot be converted to -n %u -C %u", n, c,
                         params->n, params->c);
    return 0;
}

static int copy_inputs(const struct sets_combine *combine, const struct inputs *inputs, int count,
                       struct refset_copy *copy, struct refset *to, struct error *err)
{
    struct refset_writer *writer = refset_writer_new(to, true, err);
    int result = writer ? 0 : -1;

    for (int i = 0; i < count && !result; i++) {
        copy->drop_blocks = refset_info(inputs->list[i].set)->params.block != refset_info(to)->params.block;
        if (copy->drop_blocks && !combine->quiet)
            complain("%s: its block digests are left out, since the blocks of the new set have another size",
                     refset_path(inputs->list[i].set));
        result = refset_copy(copy, inputs->list[i].set, writer, err);
    }
    if (!result)
        result = refset_writer_compact(writer, 0, err);
    refset_writer_free(writer);
    return result;
}

static void show_refused(void *arg, const char *text)
{
    (void)arg;
    complain("%s", text);
}

static void show_combined(const struct sets_combine *combine, const struct refset_copy *copy, uint64_t files)
{
    if (files == 0)
        complain("%s: the result is empty", combine->output);
    if (!combine->quiet)
        say("%s: %" PRIu64 " file%s; %" PRIu64 " duplicate%s, %" PRIu64 " left out", combine->output, files,
            plural(files), copy->there + copy->extended, plural(copy->there + copy->extended),
            copy->left_out + copy->refused);
}

static int refuse_existing(const char *path, struct error *err)
{
    if (access(path, F_OK) != 0)
        return 0;
    errno = EEXIST;
    return error_errno(err, "%s", path);
}

/* The new set is renamed to its path when it is complete. */
static int write_combined(const struct sets_combine *combine, const struct inputs *inputs, int count,
                          struct refset_copy *copy, struct error *err)
{
    struct refset_params params;
    struct refset *to;
    char *fresh;
    uint64_t files;
    int result;

    if (join_params(combine, inputs, count, &params, err) || refuse_existing(combine->output, err))
        return -1;
    if (asprintf(&fresh, "%s.unfinished", combine->output) < 0)
        return error_set(err, "out of memory");
    refset_remove(fresh);
    to = refset_create(fresh, &params, set_flags_tool, set_flags_now(), err);
    result = to ? copy_inputs(combine, inputs, count, copy, to, err) : -1;
    files = to ? refset_info(to)->counts.files : 0;
    if (refset_close(to, result < 0 ? NULL : err))
        result = -1;
    if (!result && (refuse_existing(combine->output, err) || rename(fresh, combine->output)))
        result = error_errno(err, "%s", combine->output);
    if (result)
        refset_remove(fresh);
    else
        show_combined(combine, copy, files);
    free(fresh);
    return result;
}

int sets_combine(const struct sets_combine *combine, enum sets_combination how, int count, char **paths)
{
    struct inputs inputs = {0};
    struct refset_copy copy = {.keep = how == SETS_SUBTRACT    ? keep_missing
                                       : how == SETS_INTERSECT ? keep_shared
                                                               : NULL,
                               .change = combine->change,
                               .change_arg = combine->change_arg,
                               .tell = show_refused,
                               .arg = &inputs,
                               .stop = interrupt_flag(),
                               .count = &combine->progress->count};
    struct error err;
    int result;

    interrupt_catch();
    progress_start(combine->progress, combine->quiet);
    result = open_inputs(&inputs, copy.keep != NULL, count, paths, &err);
    if (!result)
        result = write_combined(combine, &inputs, copy.keep ? 1 : count, &copy, &err);
    progress_stop();
    close_inputs(&inputs);
    if (result < 0)
        complain_error(&err);
    else if (result > 0)
        complain("interrupted; %s was not created", combine->output);
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : copy.refused ? EXIT_PARTIAL : EXIT_DONE;
}
