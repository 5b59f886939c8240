/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CMD_CLUSTER_INNER_H
#define KITH_CMD_CLUSTER_INNER_H

/* Shared by the files of this command: cmd_cluster.c takes the options and runs it, cmd_cluster_check.c says
 * which of them have a meaning together. */

#include "cluster/clusters.h"
#include "cluster_index.h"
#include "cluster_input.h"
#include "command.h"
#include "formats.h"
#include "sketch_flags.h"

enum {
    CLUSTER_METHOD = OPTIONS_SKETCH, /* after those of sketches */
    CLUSTER_RESEMBLANCE,
    CLUSTER_CONTAINMENT,
    CLUSTER_EDITS,
    CLUSTER_CERTAIN,
    CLUSTER_CANDIDATES,
    CLUSTER_GROUPS,
    CLUSTER_COMMON,
    CLUSTER_PLAGIARISM,
    CLUSTER_MOST,
    CLUSTER_INDEX,
    CLUSTER_QUERY,
    CLUSTER_DROP,
    CLUSTER_EVIDENCE, /* .. OPTIONS_EVIDENCE of them */
    CLUSTER_FORMAT = CLUSTER_EVIDENCE + OPTIONS_EVIDENCE,
    CLUSTER_CSV,
    CLUSTER_JSON,
    CLUSTER_QUIET,
};

/* An option, or several, as bits. */
#define CLUSTER_BIT(option) (UINT64_C(1) << (option))

struct cmd_cluster {
    uint64_t given; /* options, as bits */
    struct cluster_input input;
    struct cluster_index index;
    struct clusters_options options;
    struct format_choice format;
    struct sketch_flags flags;
    uint32_t most; /* for plagiarism, or an index */
    bool plagiarism;
};

bool cmd_cluster_has(const struct cmd_cluster *cluster, int option);
/* Whether any limit of likeness was given. */
bool cmd_cluster_has_limit(const struct cmd_cluster *cluster);
/* The name of the first of these options, of which there is one. */
const char *cmd_cluster_name_of(const struct command *command, uint64_t options);

/* Both return EXIT_USAGE after an error was shown, else 0.  The first needs scheme and limits; the second is
 * for
 * --index, with `count` files, and chooses scheme hamming. */
int cmd_cluster_check(const struct cmd_cluster *cluster, const struct command *command);
int cmd_cluster_check_index(struct cmd_cluster *cluster, const struct command *command, size_t count);

#endif
