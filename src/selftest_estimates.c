/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_estimates.h"

#include <math.h>
#include <stdio.h>

#include "compare/compare.h"
#include "compare/distance.h"
#include "sample/hasher.h"
#include "selftest_edits.h"

enum { PIECE = 13508 /* bytes: the length in Coates 2011, section 4 */ };

struct pairs {
    struct selftest_run *run;
    struct comparer *comparer;
    struct hasher *hasher;
    struct record a, b;
};

static int sign(struct pairs *pairs, const void *data, size_t len, struct record *out, struct error *err)
{
    return hasher_begin(pairs->hasher, len, err) || hasher_update(pairs->hasher, data, len, err) ||
                   hasher_final(pairs->hasher, out, err)
               ? -1
               : 0;
}

/* The estimate of one pair against its exact distance. */
static int measure(struct pairs *pairs, const struct selftest_file *piece, const struct buffer *edited,
                   struct selftest_case *test, struct error *err)
{
    const double longer = (double)(piece->len > edited->len ? piece->len : edited->len);
    const uint8_t *other = (const uint8_t *)edited->data;
    struct comparison comparison;
    uint64_t distance;
    double off;

    if (edited->failed)
        return error_set(err, "out of memory");
    if (sign(pairs, piece->data, piece->len, &pairs->a, err) ||
        sign(pairs, other, edited->len, &pairs->b, err) ||
        compare_run(pairs->comparer, &pairs->a, &pairs->b, &comparison, err) ||
        distance_exact(piece->data, piece->len, other, edited->len, &distance, err))
        return -1;
    off = fabs(comparison.estimate.edits - (double)distance) / longer;
    test->trials++;
    /* the interval is printed in whole bytes */
    test->hits += comparison.estimate.edits_low - 0.5 <= (double)distance &&
                  (double)distance <= comparison.estimate.edits_high + 0.5;
    test->error_sum += off;
    test->error_squares += off * off;
    test->width_sum += (comparison.estimate.edits_high - comparison.estimate.edits_low) / longer;
    return 0;
}

static bool is_long_enough(const struct selftest_file *file, enum selftest_class class)
{
    return file->class == class && file->len >= PIECE && !file->is_uniform;
}

/* Pieces of two random files of the class that are long enough. */
static bool choose_pieces(const struct selftest_content *content, enum selftest_class class,
                          struct lab_random *random, struct selftest_file pieces[2])
{
    size_t count = 0, chosen[2];

    for (size_t i = 0; i < content->count; i++)
        count += is_long_enough(&content->files[i], class);
    if (count < 2)
        return false;
    chosen[0] = lab_random_below(random, count);
    chosen[1] = (chosen[0] + 1 + lab_random_below(random, count - 1)) % count;
    for (size_t i = 0, k = 0; i < content->count; i++) {
        if (!is_long_enough(&content->files[i], class))
            continue;
        for (int side = 0; side < 2; side++)
            if (chosen[side] == k)
                pieces[side] = content->files[i];
        k++;
    }
    for (int side = 0; side < 2; side++) {
        pieces[side].data += lab_random_below(random, pieces[side].len - PIECE + 1);
        pieces[side].len = PIECE;
    }
    return true;
}

/* The pieces are of any of these files. */
static void count_files(const struct selftest_content *content, enum selftest_class class,
                        struct selftest_case *test)
{
    for (size_t i = content->count; i-- > 0;)
        if (is_long_enough(&content->files[i], class)) {
            test->first_file = i;
            test->files++;
        }
}

static int run_case(struct pairs *pairs, const struct selftest_edit *edit, enum selftest_class class,
                    struct selftest_case *test, struct error *err)
{
    struct lab_random random = selftest_run_random(pairs->run, test->id);
    struct buffer edited = {0};
    struct selftest_file pieces[2];
    int result = 0;

    for (int i = pairs->run->quick ? 2 : 30; result == 0 && i > 0; i--) {
        if (!choose_pieces(&pairs->run->content, class, &random, pieces)) {
            selftest_case_note(test, "fewer than two files of this class have %d bytes", PIECE);
            break;
        }
        buffer_reset(&edited);
        if (edit->what)
            edit->make(edit, &pairs->run->content, &pieces[0], &random, &edited);
        else
            buffer_add(&edited, pieces[1].data, pieces[1].len);
        result = selftest_run_continue(err) ? -1 : measure(pairs, &pieces[0], &edited, test, err);
    }
    if (test->trials)
        count_files(&pairs->run->content, class, test);
    buffer_release(&edited);
    return result;
}

static int run_cases(struct pairs *pairs, bool dense, struct error *err)
{
    for (const struct selftest_edit *edit = selftest_edits;; edit++) {
        const unsigned number = (unsigned)(edit - selftest_edits) + 1;

        for (enum selftest_class class = 0; class < SELFTEST_PACKED; class ++) {
            struct selftest_case *test =
                selftest_case_add(&pairs->run->cases, SELFTEST_ESTIMATES, err, "E%02u-%s-%s", number,
                                  selftest_class_names[class], dense ? "dense" : "default");

            if (!test)
                return -1;
            snprintf(test->what, sizeof test->what, "%s",
                     edit->what ? edit->what : "a piece of another file");
            snprintf(test->size_text, sizeof test->size_text, "%d", PIECE);
            test->size_name = test->size_text;
            test->class_name = selftest_class_names[class];
            test->dense = dense;
            if (run_case(pairs, edit, class, test, err))
                return -1;
        }
        if (!edit->what)
            return 0;
    }
}

int selftest_estimates_run(struct selftest_run *run, struct error *err)
{
    struct pairs pairs = {.run = run, .comparer = compare_new(err)};
    int result = pairs.comparer ? 0 : -1;

    for (int dense = 0; result == 0 && dense < 2; dense++) {
        struct sampler_params params = sampler_defaults(SAMPLER_GF8);

        if (dense)
            params.c = 32;
        pairs.hasher = hasher_new(&params, DIGEST_BIT(DIGEST_SHA1), err);
        result = pairs.hasher ? run_cases(&pairs, dense, err) : -1;
        hasher_free(pairs.hasher);
    }
    compare_free(pairs.comparer);
    record_release(&pairs.a);
    record_release(&pairs.b);
    return result;
}
