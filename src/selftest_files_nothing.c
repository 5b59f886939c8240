/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "selftest_batch.h"
#include "selftest_files_inner.h"

/* Files in which nothing can be found. */

static const char *const too_small[] = {"too-small", NULL};
static const char *const low_entropy[] = {"low-entropy", NULL};

static void tiny(struct lab_random *random, struct buffer *out)
{
    selftest_content_make(SELFTEST_PACKED, random, lab_random_below(random, 200), out);
}

static void repeated(struct lab_random *random, struct buffer *out)
{
    const char byte = (char)lab_random_below(random, 256), other = (char)(byte ^ 85);
    const size_t period = 1 + lab_random_below(random, 4);

    for (size_t i = 0; i < 65536; i++)
        buffer_add_char(out, i % period ? byte : other);
}

static int plant_nothing(struct selftest_batch *batch, const char *id, const char *what,
                         const char *const *expected, void (*make)(struct lab_random *, struct buffer *),
                         struct error *err)
{
    struct selftest_case *test = selftest_case_add(&batch->run->cases, SELFTEST_NOTHING, err, "%s", id);
    struct lab_random random = selftest_run_random(batch->run, id);
    struct buffer made = {0};
    int result = test ? 0 : -1;

    if (test) {
        snprintf(test->what, sizeof test->what, "%s", what);
        test->expected = expected;
    }
    for (size_t i = batch->run->quick ? 10 : 100; result == 0 && i > 0; i--) {
        const struct selftest_batch_object object = {.test = test, .file = SELFTEST_BATCH_NO_FILE};

        buffer_reset(&made);
        make(&random, &made);
        result = selftest_batch_plant(batch, &object, &made, err);
    }
    buffer_release(&made);
    return result;
}

int selftest_files_nothing(struct selftest_run *run, struct error *err)
{
    struct selftest_batch batch;
    int result = selftest_batch_begin(&batch, run, err);

    if (result == 0)
        result = plant_nothing(&batch, "N01-too-small", "files of less than 200 bytes, also empty ones",
                               too_small, tiny, err);
    if (result == 0)
        result = plant_nothing(&batch, "N02-low-entropy", "64 KiB with a period of one to four bytes",
                               low_entropy, repeated, err);
    if (result == 0)
        result = selftest_batch_scan(&batch, false, NULL, err);
    selftest_batch_end(&batch);
    return result;
}
