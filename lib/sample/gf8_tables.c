/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/gf8_tables.h"

enum {
    GENERATOR = 0x4c,    /* of order 255 */
    STEP = 4,            /* bytes that the vector kernels hash at once */
    LEAST_TARGET = 0x40, /* with a bit among the two upper ones, all that count at c = 4 */
};

static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t product = 0;

    for (; b; b >>= 1) {
        if (b & 1)
            product ^= a;
        a = (uint8_t)((a << 1) ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

static uint8_t times(const struct gf8_secret *secret, uint8_t byte)
{
    uint8_t product = 0;

    for (unsigned i = 0; i < 8; i++)
        product ^= byte >> i & 1 ? secret->columns[i] : 0;
    return product;
}

bool gf8_is_usable(const struct gf8_secret *secret)
{
    for (unsigned i = 1; i < 256; i++)
        if (times(secret, (uint8_t)i) == 0)
            return false;
    return secret->target >= LEAST_TARGET;
}

/* Row i of a matrix, the bits of a byte that make up bit i of its product, is byte 7 - i. */
static uint64_t matrix_of(const uint8_t columns[8])
{
    uint64_t matrix = 0;

    for (unsigned row = 0; row < 8; row++)
        for (unsigned i = 0; i < 8; i++)
            matrix |= (uint64_t)(columns[i] >> row & 1) << (8 * (7 - row) + i);
    return matrix;
}

/* The function that enters a byte and multiplies it by a factor; enter: NULL for one that only multiplies. */
static struct gf8_product product_of(const uint8_t *enter, uint8_t factor)
{
    struct gf8_product product;
    uint8_t columns[8];

    for (unsigned x = 0; x < 16; x++) {
        product.low[x] = multiply(enter ? enter[x] : (uint8_t)x, factor);
        product.high[x] = multiply(enter ? enter[x << 4] : (uint8_t)(x << 4), factor);
    }
    for (unsigned i = 0; i < 8; i++)
        columns[i] = i < 4 ? product.low[1 << i] : product.high[1 << (i - 4)];
    product.matrix = matrix_of(columns);
    return product;
}

void gf8_tables_make(struct gf8 *gf8, const struct gf8_secret *secret)
{
    uint8_t power = 1;

    for (unsigned i = 0; i < 256; i++)
        gf8->enter[i] = secret ? times(secret, (uint8_t)i) : (uint8_t)i;
    for (unsigned i = 0; i <= GF8_MAX_N; i++) {
        gf8->products[i] = product_of(gf8->enter, power);
        for (unsigned x = 0; i == gf8->n && x < 256; x++)
            gf8->leave[x] = multiply(gf8->enter[x], power);
        if (i == STEP) {
            gf8->step = power;
            gf8->by = product_of(NULL, power);
        }
        power = multiply(power, GENERATOR);
    }
    for (unsigned i = 0; i < 256; i++)
        gf8->roll[i] = multiply((uint8_t)i, GENERATOR);
}
