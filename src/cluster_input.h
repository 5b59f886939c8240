/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CLUSTER_INPUT_H
#define KITH_CLUSTER_INPUT_H

#include "cluster/collection.h"
#include "evidence_run.h"
#include "hard_links.h"
#include "nesting.h"
#include "signer.h"
#include "sketch/sketch.h"

/* What is left out. */
struct cluster_losses {
    uint64_t empty;       /* empty files */
    uint64_t boilerplate; /* members that unrelated documents have in common */
    uint64_t links;       /* further names of files of the host, which would be identical to themselves */
    uint64_t hash_only;   /* entries of sets without a record */
    uint64_t unread;      /* files that could not be read */
    uint64_t too_large;   /* files of which no sketch of the scheme can be made */
};

/* Reads the documents to be clustered from folders, files, images and reference sets. */
struct cluster_input {
    struct evidence_run run;         /* must be first, for the sink */
    struct sketch_params sketch;     /* gf8: records are made by the plan */
    struct signer_plan plan;         /* n, c: 0 if not given; cluster_input_check completes them */
    const char *evidence_option;     /* one that has no meaning for sets; NULL: none was given */
    bool has_c;                      /* C was given */
    const char *first_set;           /* the first path that is a set; NULL: none */
    uint8_t key[SAMPLER_KEY_ID_LEN]; /* of all sets; zeros: none */
    bool *sets;                      /* which of the paths are sets, as cluster_input_check found */
    struct collection collection; /* sources are indexes of the list of paths; ids those of files in a set */

    struct cluster_losses losses;
    struct hard_links links; /* of files of the host */
    struct nesting nesting;  /* of the members */
    char *const *paths;      /* that are being read; */
    uint32_t operand;        /* which of them is being read, */
    bool is_folder;          /* and what it is */
    bool in_link;            /* the file that was delivered last, before its members, has come before */
    bool failed;             /* see err */
    struct error err;
};

/* Checks that all paths can be read, and that sets are sampled alike.  Returns -1 after an error was shown.
 */
int cluster_input_check(struct cluster_input *input, size_t count, char **paths);

/* Reads them all, once they were checked, and returns the exit status; EXIT_USAGE after an error was shown.
 */
int cluster_input_read(struct cluster_input *input, size_t count, char **paths);
void cluster_input_release(struct cluster_input *input);

#endif
