/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "evidence_list.h"
#include "file_kind.h"
#include "interrupt.h"
#include "set/refset_reader.h"
#include "sketch_inspector.h"

/* ---- sets ---- */

static int add_known(struct cluster_input *input, struct known *known, uint64_t id, uint32_t block,
                     struct error *err)
{
    const char *name = known->names.len ? known->names.data : "";

    atomic_fetch_add_explicit(&input->run.progress.count, 1, memory_order_relaxed);
    if (known->has_size && known->size == 0) {
        input->losses.empty++;
        return 0;
    }
    if (!known->has_record) {
        input->losses.hash_only++;
        return 0;
    }
    known->record.digests = known->digests;
    known_reduce(known, input->plan.c);
    return known_check(known, input->plan.n, sampler_key_number(input->key), block, err) ||
           collection_add(&input->collection, &known->record, name,
                          (struct collection_origin){input->operand, id, OBJECT_FILE, false}, err);
}

static int read_records(struct cluster_input *input, struct refset *set, struct error *err)
{
    struct refset_reader *reader = refset_reader_new(set, true, err);
    int result = reader ? 1 : -1;

    while (result > 0 && !atomic_load(interrupt_flag()))
        if ((result = refset_reader_next(reader, err)) > 0 &&
            add_known(input, refset_reader_known(reader), refset_reader_id(reader),
                      refset_info(set)->params.block, err))
            result = -1;
    refset_reader_free(reader);
    return result < 0 ? -1 : 0;
}

static int read_set(struct cluster_input *input, const char *path)
{
    struct refset *set = refset_open(path, REFSET_READ, &input->err);

    if (!set || read_records(input, set, &input->err))
        input->failed = true;
    refset_close(set, NULL);
    if (input->failed)
        interrupt_request();
    return EXIT_DONE;
}

/* ---- evidence ---- */

static void leave_out(struct cluster_input *input, uint64_t *counter, const char *name, const char *why)
{
    struct error text;

    error_set(&text, "%s: left out: %s", *name ? name : "a file without a name", why);
    evidence_run_problem(&input->run, text.text);
    ++*counter;
}

/* In an image the volume's label comes first, since several volumes may hold the same paths. */
static void name_object(struct buffer *out, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    if (strcmp(volume->label, "-") != 0)
        buffer_printf(out, "%s/", volume->label);
    if (count)
        buffer_add_text(out, paths);
    else
        object_address(out, object);
    buffer_add_char(out, '\0');
}

static void fail(struct cluster_input *input)
{
    input->failed = true;
    interrupt_request();
}

static struct collection_origin origin_of(const struct cluster_input *input, const struct object *object)
{
    return (struct collection_origin){.source = input->operand,
                                      .kind = object->kind,
                                      .is_source = object->flags & OBJECT_HOST && !input->is_folder};
}

static void add_record(struct cluster_input *input, const struct object *object, const char *name)
{
    const struct collection_origin origin = origin_of(input, object);
    struct known known = {0};

    if (!signer_result(object, &known) || known_check(&known, input->plan.n, 0, BLOCKS_DEFAULT, NULL)) {
        leave_out(input, &input->losses.unread, name, "invalid result from worker");
    } else {
        known.record.digests = known.digests;
        if (collection_add(&input->collection, &known.record, name, origin, &input->err))
            fail(input);
    }
    known_release(&known);
}

static void add_sketch(struct cluster_input *input, const struct object *object, const char *name)
{
    const struct collection_origin origin = origin_of(input, object);
    struct sketch sketch = {0};

    if (sketch_inspector_result(object, &input->sketch, &sketch, &input->err))
        leave_out(input, &input->losses.unread, name, input->err.text);
    else if (collection_add_sketch(&input->collection, &sketch, name, origin, &input->err))
        fail(input);
    sketch_release(&sketch);
}

static void add_object(struct cluster_input *input, const struct object *object, const char *name)
{
    char why[200] = "";

    if (object->state != OBJECT_WHOLE) {
        if (object->problem.len)
            snprintf(why, sizeof why, "%.*s", (int)(object->problem.len & 0xffff), object->problem.data);
        leave_out(input,
                  sketch_inspector_is_too_large(object) ? &input->losses.too_large : &input->losses.unread,
                  name, why);
    } else if (object->size == 0) {
        input->losses.empty++;
    } else if (input->sketch.scheme == SKETCH_GF8) {
        add_record(input, object, name);
    } else {
        add_sketch(input, object, name);
    }
}

/* Whether it is a file of the host that was delivered before under another name; -1 on error. */
static int is_link(struct cluster_input *input, const struct object *object, const char *name)
{
    const char *operand = input->paths[input->operand];
    struct buffer path = {0};
    int result;

    if (!(object->flags & OBJECT_HOST))
        return 0;
    buffer_add_text(&path, operand);
    if (input->is_folder)
        buffer_printf(&path, "/%s", name);
    buffer_add_char(&path, '\0');
    result = path.failed ? error_set(&input->err, "out of memory")
                         : hard_links_seen(&input->links, path.data, &input->err);
    buffer_release(&path);
    return result;
}

/* Whether unrelated documents have the same member, or it is mark-up, whose text is a member of its own; -1
 * on error. */
static int is_boilerplate(struct cluster_input *input, const struct object *object)
{
    const int level = nesting_take(&input->nesting, object);

    if (level < 0)
        return error_set(&input->err, "out of memory");
    return level > 0 && input->nesting.levels[level].grade != BOILERPLATE_NONE;
}

static void take_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                        const char *paths, size_t count)
{
    struct cluster_input *input = arg;
    struct buffer name = {0};
    int link, boilerplate;

    atomic_fetch_add_explicit(&input->run.progress.count, 1, memory_order_relaxed);
    if (input->failed)
        return;
    boilerplate = is_boilerplate(input, object);
    if (boilerplate < 0)
        fail(input);
    if (boilerplate < 0 || (object->kind == OBJECT_MEMBER && input->in_link))
        return;
    if (boilerplate) {
        input->losses.boilerplate++;
        return;
    }
    name_object(&name, volume, object, paths, count);
    link = name.failed ? error_set(&input->err, "out of memory") : is_link(input, object, name.data);
    input->in_link = link > 0;
    if (link < 0)
        fail(input);
    else if (link > 0)
        input->losses.links++;
    else
        add_object(input, object, name.data);
    buffer_release(&name);
}

static int read_one(void *arg, size_t number, const char *path)
{
    struct cluster_input *input = arg;
    const struct evidence_sink sink = {.object = take_object, .arg = input};
    const uint64_t lost = input->losses.unread + input->losses.too_large;
    enum evidence_result result;
    struct error err;
    int status;

    input->operand = (uint32_t)number;
    input->is_folder = file_kind_is_folder(path);
    if (input->sets[number])
        return read_set(input, path);
    result = evidence_run_read(&input->run, path, &sink, &err);
    status = evidence_run_end(&input->run, result, &err);
    return status == EXIT_DONE && input->losses.unread + input->losses.too_large > lost ? EXIT_PARTIAL
                                                                                        : status;
}

/* ---- the interface ---- */

static int check_scheme(const struct cluster_input *input, const char *path)
{
    if (input->sketch.scheme == SKETCH_GF8)
        return 0;
    complain("%s: a reference set has records of scheme gf8; for scheme %s give its files", path,
             sketch_scheme_name(input->sketch.scheme));
    return -1;
}

static int check_set(struct cluster_input *input, const char *path)
{
    struct error err;
    struct refset *set = refset_open(path, REFSET_READ, &err);
    const struct refset_params params = set ? refset_info(set)->params : (struct refset_params){0};

    refset_close(set, NULL);
    if (!set) {
        complain_error(&err);
        return -1;
    }
    if (input->plan.n && input->plan.n != params.n) {
        complain(
            "%s: has windows of %u bytes; with other input sampled with windows of %u it cannot be clustered",
            path, params.n, input->plan.n);
        return -1;
    }
    if (input->has_c && params.c > input->plan.c) {
        complain("%s: was sampled with -C %u, which cannot be converted to -C %u", path, params.c,
                 input->plan.c);
        return -1;
    }
    if (input->first_set && memcmp(input->key, params.key, sizeof params.key) != 0) {
        complain("%s: is sampled with another key than %s, or one of them without: they cannot be clustered "
                 "together",
                 path, input->first_set);
        return -1;
    }
    input->first_set = path;
    memcpy(input->key, params.key, sizeof params.key);
    input->plan.n = params.n;
    if (params.c > input->plan.c)
        input->plan.c = params.c;
    return 0;
}

/* Files in a folder that is given as well would be read twice, and be identical to themselves. */
static int check_nested(size_t count, char **paths)
{
    for (size_t i = 0; i < count; i++) {
        char *folder = file_kind_is_folder(paths[i]) ? realpath(paths[i], NULL) : NULL;
        const size_t len = folder ? strlen(folder) : 0;

        for (size_t k = 0; k < count && folder; k++) {
            char *path = k == i ? NULL : realpath(paths[k], NULL);
            const bool is_inside = path && strncmp(path, folder, len) == 0 &&
                                   (path[len] == '/' || (len && folder[len - 1] == '/'));

            free(path);
            if (is_inside) {
                complain("%s: lies in %s, which is given as well", paths[k], paths[i]);
                free(folder);
                return -1;
            }
        }
        free(folder);
    }
    return 0;
}

/* What a path is must be found once: read again, it might look different. */
static int find_sets(struct cluster_input *input, size_t count, char **paths)
{
    free(input->sets);
    input->sets = calloc(count + 1, sizeof *input->sets);
    if (!input->sets) {
        complain("out of memory");
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        const int is_set = file_kind_is_set(paths[i]);

        if (is_set < 0)
            return -1;
        input->sets[i] = is_set;
    }
    return 0;
}

int cluster_input_check(struct cluster_input *input, size_t count, char **paths)
{
    const struct evidence_list list = {paths, count, count};
    bool has_evidence = false;

    input->has_c = input->plan.c != 0;
    if (evidence_list_check_twice(&list) || check_nested(count, paths) || find_sets(input, count, paths))
        return -1;
    for (size_t i = 0; i < count; i++) {
        const bool is_set = input->sets[i];

        has_evidence = has_evidence || !is_set;
        if (is_set ? check_scheme(input, paths[i]) || check_set(input, paths[i])
                   : evidence_flags_check(&input->run.options, 1, &paths[i]))
            return -1;
    }
    if (!input->plan.n)
        input->plan.n = SAMPLER_DEFAULT_N;
    if (!input->plan.c)
        input->plan.c = SAMPLER_DEFAULT_C;
    if (has_evidence && sampler_key_is_set(input->key)) {
        complain(
            "%s: is sampled with a secret key: it can be clustered only with sets that have the same key",
            input->first_set);
        return -1;
    }
    if (!has_evidence && input->evidence_option) {
        complain("--%s has no meaning for reference sets", input->evidence_option);
        return -1;
    }
    return has_evidence ? evidence_flags_sandbox(&input->run.options) : 0;
}

int cluster_input_read(struct cluster_input *input, size_t count, char **paths)
{
    const struct inspector inspector = input->sketch.scheme == SKETCH_GF8 ? signer_inspector(&input->plan)
                                                                          : sketch_inspector(&input->sketch);
    int status;

    input->paths = paths;
    input->run.options.inspector = &inspector;
    input->run.options.files_expected = true;
    input->run.options.stop = interrupt_flag();
    input->run.progress.noun = "file";
    interrupt_catch();
    progress_start(&input->run.progress, input->run.quiet);
    status = evidence_run_all(&input->run, count, paths, read_one, input);
    progress_stop();
    if (!input->failed)
        return status;
    complain_error(&input->err);
    return EXIT_USAGE;
}

void cluster_input_release(struct cluster_input *input)
{
    collection_release(&input->collection);
    hard_links_release(&input->links);
    nesting_release(&input->nesting);
    free(input->sets);
}
