/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCHING_H
#define KITH_SKETCHING_H

#include "check_main.h"
#include "sketch/sketch.h"

/* Sketches of documents in memory; errors fail the test. */

static inline struct sketcher *sketcher_of(const struct sketch_params *params)
{
    struct error err = {""};
    struct sketcher *sketcher = sketch_new(params, &err);

    ck_assert_msg(sketcher != NULL, "%s", err.text);
    return sketcher;
}

static inline struct sketch sketch_of(struct sketcher *sketcher, const void *data, size_t len)
{
    struct sketch sketch = {0};
    struct error err = {""};

    ck_assert_msg(sketch_bytes(sketcher, data, len, false, &sketch, &err) == 0, "%s", err.text);
    return sketch;
}

static inline struct sketch_likeness compare(struct sketcher *sketcher, const void *a, size_t a_len,
                                             const void *b, size_t b_len)
{
    struct sketch one = sketch_of(sketcher, a, a_len), other = sketch_of(sketcher, b, b_len);
    struct sketch_likeness likeness;
    struct error err = {""};

    ck_assert_msg(sketch_compare(sketcher, &one, &other, &likeness, &err) == 0, "%s", err.text);
    sketch_release(&one);
    sketch_release(&other);
    return likeness;
}

static inline struct sketch_likeness likeness_of(const struct sketch_params *params, const void *a,
                                                 size_t a_len, const void *b, size_t b_len)
{
    struct sketcher *sketcher = sketcher_of(params);
    const struct sketch_likeness likeness = compare(sketcher, a, a_len, b, b_len);

    sketch_free(sketcher);
    return likeness;
}

#endif
