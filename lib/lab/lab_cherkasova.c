/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_cherkasova.h"

#include <stdlib.h>

#include "base/array.h"

enum {
    DOCUMENTS = 100, /* of the paper's research corpus */
    SHORTEST = 1000,
    LONGEST = 1 << 20,
    QUICK_DOCUMENTS = 12,
    QUICK_LONGEST = 50000,
};

static bool is_chosen(const struct lab_text_file *document, const struct lab_run *run)
{
    return document->len >= SHORTEST && document->len <= (run->quick ? QUICK_LONGEST : LONGEST);
}

/* Of `count` documents, keeps `most` at equal distances, the first and the last included. */
static size_t thin(struct lab_text_file *documents, size_t count, size_t most)
{
    if (count <= most)
        return count;
    for (size_t i = 0; i < most; i++)
        documents[i] = documents[i * (count - 1) / (most - 1)];
    return most;
}

int lab_cherkasova_corpus_init(struct lab_cherkasova_corpus *corpus, const struct lab_run *run,
                               struct lab_document *out, struct error *err)
{
    const size_t total = lab_data_count(run->data);
    double sum = 0;

    *corpus = (struct lab_cherkasova_corpus){NULL, 0};
    if (array_resize(&corpus->documents, total))
        return error_set(err, "out of memory");
    for (size_t i = 0; i < total; i++)
        if (is_chosen(lab_data_get(run->data, i), run))
            corpus->documents[corpus->count++] = *lab_data_get(run->data, i);
    corpus->count = thin(corpus->documents, corpus->count, run->quick ? QUICK_DOCUMENTS : DOCUMENTS);
    if (corpus->count < 2)
        return error_set(err, "%s: fewer than two documents of %d to %d bytes", lab_data_source(run->data),
                         SHORTEST, run->quick ? QUICK_LONGEST : LONGEST);
    for (size_t i = 0; i < corpus->count; i++)
        sum += (double)corpus->documents[i].len;
    lab_remark(out,
               "Documents: %zu of %s, %zu to %zu bytes, %.0f on average. The paper has 100 technical reports "
               "of 9 to 540 KB, about 50 KB on average (section 3, figure 1).",
               corpus->count, lab_data_source(run->data), corpus->documents[0].len,
               corpus->documents[corpus->count - 1].len, sum / (double)corpus->count);
    return 0;
}

void lab_cherkasova_corpus_release(struct lab_cherkasova_corpus *corpus)
{
    free(corpus->documents);
    *corpus = (struct lab_cherkasova_corpus){NULL, 0};
}

struct sketch_params lab_cherkasova_params(enum sketch_scheme scheme, uint32_t window, uint32_t n)
{
    struct sketch_params params = sketch_defaults(scheme);

    params.tokens = (struct tokens_rules){.unit = TOKENS_BYTES};
    params.window = window;
    if (scheme == SKETCH_MOD || scheme == SKETCH_BSW || scheme == SKETCH_CHUNKS)
        params.rate = n;
    else if (scheme == SKETCH_MIN || scheme == SKETCH_MINWISE)
        params.size = n;
    return params;
}

void lab_cherkasova_percent(struct lab_table *table, size_t column, double share)
{
    lab_number(table, column, 100 * share);
}
