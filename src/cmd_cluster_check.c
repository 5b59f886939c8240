/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cluster/groups.h"
#include "cmd_cluster_inner.h"

bool cmd_cluster_has(const struct cmd_cluster *cluster, int option)
{
    return cluster->given & CLUSTER_BIT(option);
}

bool cmd_cluster_has_limit(const struct cmd_cluster *cluster)
{
    return cluster->given &
           (CLUSTER_BIT(CLUSTER_RESEMBLANCE) | CLUSTER_BIT(CLUSTER_CONTAINMENT) | CLUSTER_BIT(CLUSTER_EDITS));
}

const char *cmd_cluster_name_of(const struct command *command, uint64_t options)
{
    return command->options[__builtin_ctzll(options)].name;
}

/* What suits some ways to find candidates only. */
static int check_candidates(const struct cmd_cluster *cluster, const struct command *command)
{
    const struct clusters_options *options = &cluster->options;
    const struct sketch_params *sketch = &cluster->input.sketch;
    const char *name = clusters_candidates_name(options->candidates);
    const bool by_index = options->candidates == CLUSTERS_INDEX, has_bits = sketch->scheme == SKETCH_HAMMING;
    struct error err;

    if (cmd_cluster_has(cluster, CLUSTER_COMMON) && !by_index)
        return options_wrong(command, "--common has no meaning for --candidates %s, which has no index",
                             name);
    if (options->groups && (by_index || options->candidates == CLUSTERS_SCAN))
        return options_wrong(command, "--groups has no meaning for --candidates %s, which has no groups",
                             name);
    if (has_bits && sketch->size > GROUPS_MOST_BITS)
        return options_wrong(command, "fingerprints of scheme hamming can be clustered up to --size %d",
                             GROUPS_MOST_BITS);
    if (by_index && has_bits)
        return options_wrong(command,
                             "scheme hamming has no index: --candidates takes hamming, alg-h, alg-g or scan");
    if (by_index)
        return 0;
    if (options->limits.resemblance <= 0)
        return options_wrong(command, "--candidates %s needs a limit of resemblance (--resemblance)", name);
    if (clusters_check_groups(options, has_bits ? sketch->size : 0, &err))
        return options_wrong(command, "%s", err.text);
    return 0;
}

/* The estimate of unrelated files has a standard deviation of 1 / sqrt(bits) (Yuan et al., eq. 6): four of
 * them must be less than the limit. */
static int check_bits(const struct cmd_cluster *cluster, const struct command *command)
{
    const double least = cluster->options.limits.resemblance, size = cluster->input.sketch.size;
    const double needed = ceil(16 / (least * least));

    if (least <= 0 || size * least * least >= 16)
        return 0;
    if (cluster->index.path || needed > GROUPS_MOST_BITS)
        return options_wrong(command,
                             "fingerprints of %.0f bit%s do not separate a resemblance of %g from none:"
                             " --resemblance must be at least %.3g",
                             size, size > 1 ? "s" : "", least, ceil(4000 / sqrt(size)) / 1000);
    return options_wrong(command,
                         "fingerprints of %.0f bit%s do not separate a resemblance of %g from none:"
                         " --size must be at least %.0f",
                         size, size > 1 ? "s" : "", least, needed);
}

int cmd_cluster_check(const struct cmd_cluster *cluster, const struct command *command)
{
    const enum sketch_scheme scheme = cluster->input.sketch.scheme;
    struct error err;

    if (cluster->plagiarism && cmd_cluster_has(cluster, CLUSTER_METHOD))
        return options_wrong(command, "--method has no meaning with --plagiarism, which forms no clusters");
    if (!cluster->plagiarism && !cluster->index.path && cmd_cluster_has(cluster, CLUSTER_MOST))
        return options_wrong(command, "--most has no meaning without --plagiarism or --index");
    if (cluster->plagiarism && scheme != SKETCH_GF8)
        return options_wrong(command, "--plagiarism needs scheme gf8: scheme %s does not keep positions",
                             sketch_scheme_name(scheme));
    if ((scheme == SKETCH_COATES2011 || scheme == SKETCH_COATES2015) && !cmd_cluster_has_limit(cluster))
        return options_wrong(command, "scheme %s estimates only edits: limit them (--edits)",
                             sketch_scheme_name(scheme));
    if (collection_check_limits(scheme, &cluster->options.limits, &err))
        return options_wrong(command, "%s", err.text);
    if (scheme == SKETCH_HAMMING && check_bits(cluster, command))
        return EXIT_USAGE;
    return check_candidates(cluster, command);
}

/* ---- an index that is kept ---- */

/* Options that have no meaning with --index, as bits; `count` files are given. */
static uint64_t meaningless_for_index(const struct cluster_index *index, size_t count)
{
    uint64_t options = CLUSTER_BIT(CLUSTER_CONTAINMENT) | CLUSTER_BIT(CLUSTER_EDITS) |
                       CLUSTER_BIT(CLUSTER_COMMON) | CLUSTER_BIT(CLUSTER_PLAGIARISM);

    options |= count ? CLUSTER_BIT(CLUSTER_CERTAIN) | CLUSTER_BIT(CLUSTER_METHOD) : CLUSTER_BIT(CLUSTER_MOST);
    if (index->drop || index->query)
        options |= CLUSTER_BIT(CLUSTER_GROUPS);
    if (index->drop)
        options |= CLUSTER_BIT(CLUSTER_RESEMBLANCE) | CLUSTER_BIT(CLUSTER_CANDIDATES) |
                   CLUSTER_BIT(CLUSTER_MOST) | CLUSTER_BIT(CLUSTER_QUERY) | (CLUSTER_BIT(OPTIONS_SKETCH) - 1);
    return options;
}

int cmd_cluster_check_index(struct cmd_cluster *cluster, const struct command *command, size_t count)
{
    struct sketch_flags *flags = &cluster->flags;
    const uint64_t meaningless = meaningless_for_index(&cluster->index, count) & cluster->given;

    if (!cluster->index.path)
        return options_wrong(command, "%s needs --index", cluster->index.query ? "--query" : "--drop");
    if (count == 0 && (cluster->index.query || cluster->index.drop))
        return options_wrong(command, "%s: no files given", cluster->index.query ? "--query" : "--drop");
    if (meaningless)
        return options_wrong(command, "--%s has no meaning with --index%s",
                             cmd_cluster_name_of(command, meaningless),
                             cluster->index.drop    ? " and --drop"
                             : cluster->index.query ? " and --query"
                             : count                ? " and files"
                                                    : "");
    if (flags->given >> OPTION_SCHEME & 1 && flags->params.scheme != SKETCH_HAMMING)
        return options_wrong(command, "an index has fingerprints of scheme hamming, no others");
    cluster->index.has_params = flags->given & ~(1U << OPTION_SCHEME);
    flags->given |= 1U << OPTION_SCHEME;
    flags->params.scheme = SKETCH_HAMMING;
    return 0;
}
