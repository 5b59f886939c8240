/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/groups.h"
#include "cluster_case.h"
#include "cluster_passages.h"
#include "cluster_report.h"
#include "cmd_cluster_inner.h"
#include "file_kind.h"
#include "interrupt.h"
#include "terminal.h"

static const struct option_spec cluster_options[] = {
    OPTIONS_SKETCH_SPECS,
    {0, "method", "NAME", "how to cluster (default: greedy)", &values_methods},
    {0, "resemblance", "R", "least resemblance, 0 to 1 (default: 0.5 if no other limit is given)", NULL},
    {0, "containment", "C", "least containment of one file in the other, 0 to 1", NULL},
    {0, "edits", "N|P%", "most bytes that differ, or their share of the longer file", NULL},
    {0, "certain", NULL, "relate files only if the whole interval of 95 % meets the limits", NULL},
    {0, "candidates", "NAME", "how to find pairs (default: index; scheme hamming: hamming)",
     &values_candidates},
    {0, "groups", "M", "groups of bits, for alg-h and alg-g (default: the best number)", NULL},
    {0, "common", "N", "do not compare files because of a fingerprint that more than N have (default: 1000)",
     NULL},
    {0, "plagiarism", NULL, "list which files are contained in others, and the passages", NULL},
    {0, "most", "N",
     "with --plagiarism: compare each file with the N closest; with --index: report the N nearest (default:"
     " 64; 0: all)",
     NULL},
    {0, "index", "FILE", "keep fingerprints in this file, and report what is near files that are added",
     NULL},
    {0, "query", NULL, "with --index: report what is near the files, without adding them", NULL},
    {0, "drop", NULL, "with --index: remove the files, or all below the folders, from the index", NULL},
    OPTIONS_EVIDENCE_SPECS("file, stream", "no"),
    {0, "format", "FORM", "output format (default: text on a terminal, else csv)", &formats_cluster},
    {0, "csv", NULL, "the same as --format csv", NULL},
    {0, "json", NULL, "the same as --format json: JSON Lines, one for each cluster", NULL},
    {'q', "quiet", NULL, "show no progress, no notes and no summary", NULL},
    {0, NULL, NULL, NULL, NULL},
};

static const double usual_limit = 0.5; /* of resemblance, as Broder's; of containment */

/* ---- options ---- */

static int take_edits(struct cmd_cluster *cluster, const struct options *options)
{
    struct likeness_limits *limits = &cluster->options.limits;
    const size_t len = strlen(options->value);
    uint64_t edits = 0;

    limits->has_edits = true;
    limits->most_edits = limits->most_edit_share = INFINITY;
    if (len && options->value[len - 1] == '%')
        return options_share(options, &limits->most_edit_share);
    if (options_size(options, 0, INT64_MAX, &edits))
        return -1;
    limits->most_edits = (double)edits;
    return 0;
}

/* The number of the name that was given, or -1. */
static int named(const struct options *options)
{
    return options_named(options, options->value, strlen(options->value));
}

static const struct options_flag simple_options[] = {
    {CLUSTER_CERTAIN, offsetof(struct cmd_cluster, options.limits.certain)},
    {CLUSTER_PLAGIARISM, offsetof(struct cmd_cluster, plagiarism)},
    {CLUSTER_QUERY, offsetof(struct cmd_cluster, index.query)},
    {CLUSTER_DROP, offsetof(struct cmd_cluster, index.drop)},
    {CLUSTER_QUIET, offsetof(struct cmd_cluster, input.run.quiet)},
};

static int take_option(void *arg, const struct options *options, int option)
{
    struct cmd_cluster *cluster = arg;
    const bool is_evidence = option >= CLUSTER_EVIDENCE && option < CLUSTER_FORMAT;
    int found;

    cluster->given |= CLUSTER_BIT(option);
    if (options_flag(simple_options, option, arg))
        return 0;
    if (option < OPTIONS_SKETCH)
        return sketch_flags_take(&cluster->flags, options, option);
    if (is_evidence && option != CLUSTER_EVIDENCE + OPTION_JOBS)
        cluster->input.evidence_option = options->spec->name;
    if (is_evidence)
        return evidence_flags_take(&cluster->input.run.options, options, option - CLUSTER_EVIDENCE);
    switch (option) {
    case CLUSTER_METHOD:
        found = named(options);
        cluster->options.method = (enum clusters_method)found;
        return found < 0 ? -1 : 0;
    case CLUSTER_RESEMBLANCE:
        return options_share(options, &cluster->options.limits.resemblance);
    case CLUSTER_CONTAINMENT:
        return options_share(options, &cluster->options.limits.containment);
    case CLUSTER_EDITS:
        return take_edits(cluster, options);
    case CLUSTER_CANDIDATES:
        found = named(options);
        cluster->options.candidates = (enum clusters_candidates)found;
        return found < 0 ? -1 : 0;
    case CLUSTER_GROUPS:
        return options_number32(options, 1, GROUPS_MOST_BITS, &cluster->options.groups);
    case CLUSTER_COMMON:
        return options_number32(options, 1, UINT32_MAX, &cluster->options.common);
    case CLUSTER_MOST:
        return options_number32(options, 0, UINT32_MAX, &cluster->most);
    case CLUSTER_INDEX:
        cluster->index.path = options->value;
        return 0;
    default:
        return formats_take(&cluster->format, options);
    }
}

/* ---- clustering ---- */

static int chosen_format(const struct cmd_cluster *cluster)
{
    if (cluster->format.format)
        return cluster->format.format->number;
    return isatty(STDOUT_FILENO) ? FORMAT_TEXT : FORMAT_CSV;
}

static struct cluster_report make_report(const struct cmd_cluster *cluster, char **paths)
{
    const struct cluster_input *input = &cluster->input;

    return (struct cluster_report){.collection = &input->collection,
                                   .paths = paths,
                                   .most_shared = cluster->options.common,
                                   .losses = input->losses,
                                   .quiet = input->run.quiet,
                                   .format = chosen_format(cluster)};
}

static int write_clusters(struct cmd_cluster *cluster, struct cluster_report *report, struct error *err)
{
    struct progress progress = {.noun = "file compared"};
    struct clusters clusters;
    int result;

    cluster->options.count = &progress.count;
    progress_start(&progress, cluster->input.run.quiet);
    result = clusters_find(&clusters, &cluster->input.collection, &cluster->options, err);
    progress_stop();
    report->clusters = &clusters;
    if (!result)
        cluster_report_write(report);
    report->clusters = NULL;
    cluster->options.count = NULL;
    clusters_release(&clusters);
    return result;
}

static int cluster_contents(struct cmd_cluster *cluster, char **paths)
{
    struct cluster_report report = make_report(cluster, paths);
    struct error err;
    const int result = cluster->plagiarism
                           ? cluster_passages_write(&report, &cluster->options, cluster->most, &err)
                           : write_clusters(cluster, &report, &err);

    if (result < 0)
        complain_error(&err);
    if (result > 0)
        complain("interrupted");
    return result < 0 ? EXIT_USAGE : result > 0 ? EXIT_INTERRUPTED : EXIT_DONE;
}

static bool has_files(const struct cluster_input *input)
{
    const bool has = input->collection.document_count || input->losses.empty || input->losses.hash_only;

    if (!has && input->losses.unread + input->losses.too_large > 0)
        complain("nothing to cluster: none of the files could be read and sampled");
    else if (!has)
        complain("nothing to cluster: no %s were found", input->run.options.kinds & OBJECT_BIT(OBJECT_FILE)
                                                             ? "files"
                                                             : "objects of the kinds in --only");
    return has;
}

static int cluster_paths(struct cmd_cluster *cluster, size_t count, char **paths)
{
    int status = EXIT_USAGE, outcome;

    if (cluster_input_check(&cluster->input, count, paths) == 0)
        status = cluster_input_read(&cluster->input, count, paths);
    if (status == EXIT_INTERRUPTED)
        complain("interrupted");
    if (status != EXIT_USAGE && status != EXIT_INTERRUPTED) {
        outcome = has_files(&cluster->input) ? cluster_contents(cluster, paths) : EXIT_PARTIAL;
        status = outcome == EXIT_DONE ? status : outcome;
    }
    cluster_input_release(&cluster->input);
    return status;
}

/* ---- a case ---- */

/* Options that need content, which a case does not have. */
static const uint64_t meaningless_for_case =
    (CLUSTER_BIT(OPTIONS_SKETCH) - 1) | CLUSTER_BIT(CLUSTER_CONTAINMENT) | CLUSTER_BIT(CLUSTER_EDITS) |
    CLUSTER_BIT(CLUSTER_CERTAIN) | CLUSTER_BIT(CLUSTER_CANDIDATES) | CLUSTER_BIT(CLUSTER_GROUPS) |
    CLUSTER_BIT(CLUSTER_COMMON) | CLUSTER_BIT(CLUSTER_PLAGIARISM) | CLUSTER_BIT(CLUSTER_MOST);

static int cluster_case(struct cmd_cluster *cluster, const struct command *command, size_t count,
                        char **paths)
{
    struct cluster_report report = make_report(cluster, paths);
    const uint64_t meaningless = meaningless_for_case & cluster->given;
    struct error err;

    if (meaningless)
        return options_wrong(command, "%s: a case has no content; --%s has no meaning", paths[0],
                             cmd_cluster_name_of(command, meaningless));
    if (count > 1)
        return options_wrong(command, "%s: a case is clustered on its own", paths[0]);
    if (cluster_case_write(paths[0], &cluster->options, &report, &err) == 0)
        return EXIT_DONE;
    complain_error(&err);
    return EXIT_USAGE;
}

/* The first case among the paths moves to the front. */
static bool has_case(size_t count, char **paths)
{
    for (size_t i = 0; i < count; i++)
        if (file_kind_is_case(paths[i])) {
            char *path = paths[i];

            paths[i] = paths[0];
            paths[0] = path;
            return true;
        }
    return false;
}

/* ---- set-up ---- */

/* Fills in what depends on the scheme; -1 after an error was shown. */
static int choose_scheme(struct cmd_cluster *cluster, const struct command *command)
{
    struct cluster_input *input = &cluster->input;
    const struct sketch_params *given = &cluster->flags.params;

    if (sketch_flags_params(&cluster->flags, command, &input->sketch))
        return -1;
    if (input->sketch.scheme == SKETCH_GF8) {
        input->plan.n = given->window;
        input->plan.c = given->rate;
    }
    if (input->sketch.scheme == SKETCH_HAMMING && !cmd_cluster_has(cluster, CLUSTER_CANDIDATES))
        cluster->options.candidates = CLUSTERS_HAMMING;
    return 0;
}

static void choose_limits(struct cmd_cluster *cluster)
{
    const enum sketch_scheme scheme = cluster->input.sketch.scheme;
    struct likeness_limits *limits = &cluster->options.limits;

    if (cluster->plagiarism && !cmd_cluster_has(cluster, CLUSTER_CONTAINMENT))
        limits->containment = usual_limit;
    if (cluster->plagiarism || cmd_cluster_has_limit(cluster))
        return;
    if (scheme != SKETCH_COATES2011 && scheme != SKETCH_COATES2015)
        limits->resemblance = usual_limit;
}

/* ---- an index that is kept ---- */

/* Clusters all files of the index. */
static int cluster_whole_index(struct cmd_cluster *cluster, const struct command *command)
{
    /* in a text, for people, absolute paths do well without it */
    char *path = strdup(cluster->index.format == FORMAT_TEXT ? "" : cluster->index.path);
    int status = EXIT_USAGE;

    if (!path)
        complain("out of memory");
    else if (cluster_index_load(&cluster->index, &cluster->input) == 0 &&
             cmd_cluster_check(cluster, command) == 0)
        status = has_files(&cluster->input) ? cluster_contents(cluster, &path) : EXIT_PARTIAL;
    cluster_input_release(&cluster->input);
    free(path);
    return status;
}

static int cluster_by_index(struct cmd_cluster *cluster, const struct command *command, size_t count,
                            char **paths)
{
    struct cluster_index *index = &cluster->index;

    if (cmd_cluster_check_index(cluster, command, count) || choose_scheme(cluster, command))
        return EXIT_USAGE;
    choose_limits(cluster);
    index->groups = cluster->options.groups;
    index->resemblance = cluster->options.limits.resemblance;
    index->format = chosen_format(cluster);
    index->quiet = cluster->input.run.quiet;
    index->most = cluster->most;
    cluster->options.threads = cluster->input.run.options.workers;
    index->candidates = cluster->options.candidates;
    if (count == 0)
        return cluster_whole_index(cluster, command);
    if (index->candidates == CLUSTERS_ALG_G)
        return options_wrong(command,
                             "alg-g has no index that is kept: --candidates takes hamming, alg-h or scan");
    if (!index->drop && cmd_cluster_check(cluster, command))
        return EXIT_USAGE;
    return cluster_index_run(index, &cluster->input, count, paths);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct cmd_cluster cluster = {
        .input = {.run.options = evidence_flags_defaults(OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_STREAM)),
                  .plan = {.digests = DIGEST_BIT(DIGEST_SHA1)}},
        .most = 64,
        .options = {.common = CLUSTERS_COMMON, .stop = interrupt_flag()}};
    int operand = 0;
    const int status = options_read(command, argc, argv, take_option, &cluster, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (cluster.index.path || cluster.index.query || cluster.index.drop)
        return cluster_by_index(&cluster, command, (size_t)(argc - operand), argv + operand);
    if (operand == argc)
        return options_wrong(command, "no folder, file, set, image or case given");
    if (choose_scheme(&cluster, command))
        return EXIT_USAGE;
    choose_limits(&cluster);
    if (cmd_cluster_check(&cluster, command))
        return EXIT_USAGE;
    if (has_case((size_t)(argc - operand), argv + operand))
        return cluster_case(&cluster, command, (size_t)(argc - operand), argv + operand);
    cluster.options.threads = cluster.input.run.options.workers;
    return cluster_paths(&cluster, (size_t)(argc - operand), argv + operand);
}

const struct command command_cluster = {
    "cluster", "[options] FOLDER|FILE|SET|IMAGE|CASE...", "group near-duplicates", cluster_options, run, NULL,
    NULL};
