/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_experiments.h"

#include "lab/lab_broder.h"
#include "lab/lab_cherkasova.h"
#include "lab/lab_coates.h"
#include "lab/lab_yuan.h"

/* clang-format off */
const struct lab_experiment *const lab_experiments[] = {
    &lab_broder_rose,
    &lab_broder_sample,
    &lab_broder_collisions,
    &lab_broder_azuma,
    &lab_broder_letters,
    &lab_broder_heap,
    &lab_broder_speed,
    &lab_broder_estimates,
    &lab_broder_clusters,
    &lab_coates_speed,
    &lab_coates_substitutions,
    &lab_coates_blocks,
    &lab_coates_embedded,
    &lab_coates_split,
    &lab_coates_locality,
    &lab_coates_errors,
    &lab_coates_2015,
    &lab_coates_2015_speed,
    &lab_coates_places,
    &lab_coates_unrelated,
    &lab_cherkasova_windows,
    &lab_cherkasova_distinct,
    &lab_cherkasova_sampling,
    &lab_cherkasova_schemes,
    &lab_cherkasova_properties,
    &lab_cherkasova_collections,
    &lab_cherkasova_common,
    &lab_cherkasova_speed,
    &lab_cherkasova_chunks,
    &lab_yuan_examples,
    &lab_yuan_variance,
    &lab_yuan_complexity,
    &lab_yuan_group_size,
    &lab_yuan_precision,
    &lab_yuan_time,
    &lab_yuan_change,
    NULL,
};
/* clang-format on */

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

struct lab_document *lab_experiments_not_run(const struct lab_experiment *experiment,
                                             const struct error *reason)
{
    struct lab_document *document =
        lab_document_new(experiment->name, experiment->summary, experiment->source);

    if (document)
        lab_remark(document, "Not run: %s.", reason->text);
    return document;
}
