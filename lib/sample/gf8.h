/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_GF8_H
#define KITH_GF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The selector: a Rabin hash over GF(2^8), polynomial 0x11B.
 *
 *     H = sum of b[i] * g^(n-1-i) for the n bytes of a window, g = 0x4c
 *
 * A window fires when the upper log2(c) bits of H ^ 0xC3 are zero, so that the windows which fire at 2c are a
 * subset of those which fire at c.  Eight bits suffice: the hash covers only the window, and the selection
 * merely has to look random.  A window of zeros (H = 0) never fires.
 *
 * Multiplication by a constant is one vector instruction, which makes the hash of 64 positions at once cheap.
 *
 * With a secret, the bytes are first multiplied by a secret matrix, bit by bit, and 0xC3 is replaced by a
 * secret target.  Products of the matrix and a power of g are constants, so that costs one instruction more.
 */
enum {
    GF8_MIN_N = 8,
    GF8_MAX_N = 32,
    GF8_MAX_C = 128,
    GF8_REACH = 32,   /* how far back repeats of a window are searched for */
    GF8_HISTORY = 64, /* bytes that must be readable before the scanned ones: n - 1 + GF8_REACH, rounded up */
    GF8_PIECE = 8192, /* maximum bytes per scan */
};

struct gf8_secret {
    uint8_t columns[8]; /* of the matrix: what it makes of 1, 2, 4 .. 128 */
    uint8_t target;
};

/* A linear function of a byte: its values for the low and the high nibble; and its matrix, as the processor
 * takes it. */
struct gf8_product {
    uint8_t low[16], high[16];
    uint64_t matrix;
};

struct gf8 {
    uint32_t n;
    uint32_t c;
    size_t (*scan)(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends);
    unsigned period;    /* the last distance at which a window repeated: used to skip periodic content */
    size_t skipped_end; /* last scan: one past the last firing position that was skipped, or 0 */
    bool secret;
    uint8_t target;
    uint8_t roll[256];                          /* x * g */
    uint8_t enter[256];                         /* what the matrix makes of x, or x */
    uint8_t leave[256];                         /* that * g^n */
    uint8_t step;                               /* g^4, */
    struct gf8_product by;                      /* and the products with it */
    struct gf8_product products[GF8_MAX_N + 1]; /* of enter[x] and g^i */
    uint8_t hash[GF8_PIECE];                    /* last scan at c < GF8_MAX_C: H ^ target at each position */
};

/* Whether the matrix can be inverted, and a window of zeros never fires. */
bool gf8_is_usable(const struct gf8_secret *secret);

/* c: a power of two from 4 to GF8_MAX_C; may be changed between scans.  secret: NULL for none. */
void gf8_init(struct gf8 *gf8, uint32_t n, uint32_t c, const struct gf8_secret *secret);

/*
 * Writes the offset of the last byte of each window that fires within p[0..len), len <= GF8_PIECE, and
 * returns their number.  Windows reach back before p, so GF8_HISTORY bytes there are read; bytes after the
 * end up to a multiple of 64 must be readable but have no effect.  ends must have room for len + 2.  Firing
 * windows certain to repeat within GF8_REACH may already be left out: see skipped_end.
 */
size_t gf8_scan(struct gf8 *gf8, const uint8_t *p, size_t len, uint16_t *ends);

/* Whether the n bytes at `window` also start 1..GF8_REACH bytes earlier; remembers the period. */
bool gf8_repeats(struct gf8 *gf8, const uint8_t *window);

#endif
