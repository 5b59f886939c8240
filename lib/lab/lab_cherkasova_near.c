/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_cherkasova_near.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/search.h"
#include "lab/lab_edits.h"

struct work {
    const struct lab_near_plan *plan;
    struct lab_near *near;
    struct sketcher **sketchers; /* one for each scheme */
    struct sketch *originals;    /* of one document under each scheme */
    struct buffer edited;
};

void lab_near_choose_steps(struct lab_near_plan *plan, bool quick)
{
    static const unsigned few[] = {1, 5, 10, 20, 30, 40, 50};

    plan->step_count = quick ? sizeof few / sizeof *few : LAB_NEAR_STEPS;
    for (size_t i = 0; i < plan->step_count; i++)
        plan->steps[i] = quick ? few[i] : (unsigned)i + 1;
}

/* The exact scheme and the one with many permutations take ten times as long as the others. */
static bool is_measured(enum sketch_scheme scheme, unsigned i)
{
    return (scheme != SKETCH_SHINGLES && scheme != SKETCH_MINWISE) || i < 5 || i % 5 == 0;
}

static void insert_evenly(const uint8_t *data, size_t len, unsigned i, struct buffer *out)
{
    size_t done = 0;

    for (unsigned k = 1; k <= i; k++) {
        const size_t at = (size_t)((double)len * k / (i + 1));

        buffer_add(out, data + done, at - done);
        buffer_add_text(out, "a ");
        done = at;
    }
    buffer_add(out, data + done, len - done);
}

void lab_near_edit(enum lab_near_kind kind, struct lab_random *random, const uint8_t *data, size_t len,
                   unsigned i, struct buffer *out)
{
    if (kind == LAB_NEAR_INSERT)
        lab_edits_insert(random, data, len, "a ", i, out);
    else if (kind == LAB_NEAR_EVENLY)
        insert_evenly(data, len, i, out);
    else
        lab_edits_remove_words(random, data, len, i, out);
}

static double *place(const struct lab_near *near, size_t step, size_t scheme, size_t document)
{
    return near->resemblance + (step * near->schemes + scheme) * near->documents + document;
}

double lab_near_at(const struct lab_near *near, size_t step, size_t scheme, size_t document)
{
    return *place(near, step, scheme, document);
}

double lab_near_average(const struct lab_near *near, size_t step, size_t scheme, size_t from, size_t to)
{
    double sum = 0;
    size_t count = 0;

    for (size_t k = from; k < to; k++)
        if (!isnan(lab_near_at(near, step, scheme, k))) {
            sum += lab_near_at(near, step, scheme, k);
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

double lab_near_error(const struct lab_near *near, size_t step, size_t scheme, size_t exact, size_t from,
                      size_t to)
{
    double sum = 0;
    size_t count = 0;

    for (size_t k = from; k < to; k++) {
        const double error = lab_near_at(near, step, scheme, k) - lab_near_at(near, step, exact, k);

        if (!isnan(error)) {
            sum += error * error;
            count++;
        }
    }
    return count > 0 ? sqrt(sum / (double)count) : NAN;
}

size_t lab_near_step(const struct lab_near_plan *plan, unsigned i)
{
    return SEARCH_FIRST(step, 0, plan->step_count, plan->steps[step] >= i);
}

static double average(const struct lab_near *near, size_t step, size_t scheme)
{
    return lab_near_average(near, step, scheme, 0, near->documents);
}

double lab_near_expected(size_t len, uint32_t window, unsigned i)
{
    double before, after, both;

    if (len < window)
        return NAN;
    before = (double)(len - window + 1);
    after = before + 2 * i;
    both = before * pow(1 - (window - 1) / (double)(len + 1), i);
    return both / (before + after - both);
}

void lab_near_add_averages(const struct lab_near_plan *plan, const struct lab_near *near, const char *name,
                           const char *caption, const struct lab_column *columns, size_t first, size_t count,
                           struct lab_document *out)
{
    static const struct lab_axes axes = {"edits", "", "average similarity", "%", false, false};
    struct lab_table *table = lab_table(out, name, caption, columns, count + 1);
    struct lab_plot *plot = lab_plot(out, name, caption, &axes);

    for (size_t step = 0; step < near->steps; step++) {
        lab_row(table);
        lab_number(table, 0, plan->steps[step]);
        for (size_t i = 0; i < count; i++)
            lab_cherkasova_percent(table, i + 1, average(near, step, first + i));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t series = lab_series(plot, "%s", columns[i + 1].name);

        for (size_t step = 0; step < near->steps; step++)
            lab_point(plot, series, plan->steps[step], 100 * average(near, step, first + i));
    }
}

/* ---- measuring ---- */

static int compare_edited(struct work *work, size_t step, size_t scheme, size_t document, struct error *err)
{
    struct sketcher *sketcher = work->sketchers[scheme];
    struct sketch sketch = {0};
    struct sketch_likeness likeness;
    int rc = sketch_bytes(sketcher, work->edited.data, work->edited.len, false, &sketch, err);

    if (rc == 0)
        rc = sketch_compare(sketcher, &work->originals[scheme], &sketch, &likeness, err);
    if (rc == 0 && likeness.has_resemblance)
        *place(work->near, step, scheme, document) = likeness.resemblance;
    sketch_release(&sketch);
    return rc;
}

static int measure_step(struct work *work, size_t step, size_t document, struct error *err)
{
    const struct lab_near_plan *plan = work->plan;
    const struct lab_text_file *original = &plan->corpus->documents[document];
    const unsigned i = plan->steps[step];
    struct lab_random random;

    lab_random_seed(&random, plan->seed + (uint64_t)document * (LAB_NEAR_STEPS + 1) + i);
    buffer_reset(&work->edited);
    lab_near_edit(plan->kind, &random, original->data, original->len, i, &work->edited);
    if (work->edited.failed)
        return error_set(err, "out of memory");
    for (size_t scheme = 0; scheme < plan->scheme_count; scheme++)
        if (is_measured(plan->schemes[scheme].scheme, i) && compare_edited(work, step, scheme, document, err))
            return -1;
    return 0;
}

static int measure_document(struct work *work, size_t document, struct error *err)
{
    const struct lab_text_file *original = &work->plan->corpus->documents[document];
    int rc = 0;

    for (size_t i = 0; i < work->plan->scheme_count && rc == 0; i++)
        rc = sketch_bytes(work->sketchers[i], original->data, original->len, false, &work->originals[i], err);
    for (size_t i = 0; i < work->plan->step_count && rc == 0; i++)
        rc = measure_step(work, i, document, err);
    for (size_t i = 0; i < work->plan->scheme_count; i++) {
        sketch_release(&work->originals[i]);
        work->originals[i] = (struct sketch){0};
    }
    return rc;
}

static int prepare(struct work *work, struct error *err)
{
    const struct lab_near_plan *plan = work->plan;
    const size_t cells = plan->step_count * plan->scheme_count * plan->corpus->count;

    if (!(work->near->resemblance = memory_new(cells * sizeof(double), err)) ||
        !(work->sketchers = memory_new(plan->scheme_count * sizeof(struct sketcher *), err)) ||
        !(work->originals = memory_new(plan->scheme_count * sizeof(struct sketch), err)))
        return -1;
    for (size_t i = 0; i < cells; i++)
        work->near->resemblance[i] = NAN;
    for (size_t i = 0; i < plan->scheme_count; i++)
        if (!(work->sketchers[i] = sketch_new(&plan->schemes[i], err)))
            return -1;
    return 0;
}

int lab_near_measure(const struct lab_near_plan *plan, struct lab_near *out, struct error *err)
{
    struct work work = {.plan = plan, .near = out};
    int rc;

    *out = (struct lab_near){plan->scheme_count, plan->step_count, plan->corpus->count, NULL};
    rc = prepare(&work, err);
    for (size_t i = 0; i < plan->corpus->count && rc == 0; i++)
        rc = measure_document(&work, i, err);
    for (size_t i = 0; work.sketchers && i < plan->scheme_count; i++)
        sketch_free(work.sketchers[i]);
    free(work.sketchers);
    free(work.originals);
    buffer_release(&work.edited);
    return rc;
}

void lab_near_release(struct lab_near *near)
{
    free(near->resemblance);
    *near = (struct lab_near){0};
}
