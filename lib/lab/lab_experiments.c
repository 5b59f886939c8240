/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_experiments.h"

#include "lab/lab_coates.h"

const struct lab_experiment *const lab_experiments[] = {
    &lab_coates_speed, &lab_coates_substitutions, &lab_coates_blocks,     &lab_coates_embedded,
    &lab_coates_split, &lab_coates_2015,          &lab_coates_2015_speed, NULL,
};

struct lab_document *lab_experiments_run(const struct lab_experiment *experiment, const struct lab_run *run,
                                         struct error *err)
{
    struct lab_document *document =
        lab_document_new(experiment->name, experiment->summary, experiment->source);

    if (document && experiment->run(run, document, err) == 0 && !lab_failed(document))
        return document;
    if (!document || lab_failed(document))
        error_set(err, "%s: out of memory", experiment->name);
    lab_document_free(document);
    return NULL;
}
