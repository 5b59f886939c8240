/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_RABIN_H
#define KITH_RABIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Rabin's fingerprints (Broder 1997, section 4.1): a string is a polynomial over GF(2), its fingerprint the
 * remainder modulo an irreducible polynomial P of degree l that is drawn at random.
 *
 * The string is preceded by a one, so that leading zeros count, and multiplied by x^l (Broder's "suitable
 * power"), so that strings that differ only in their last letter have unrelated fingerprints.  Two different
 * strings of at most b bits have the same one with a probability below b / 2^(l - 1) over the choice of P.
 */
enum {
    RABIN_MIN_BITS = 16, /* of a fingerprint: l */
    RABIN_MAX_BITS = 64,
};

struct rabin {
    unsigned bits;
    uint64_t polynomial; /* without its term x^l */
    uint64_t empty;      /* the fingerprint of the empty string */
    uint64_t append[256];
};

/* Whether x^degree + the lower terms `low` is irreducible over GF(2), by Rabin's test; degree is 1..64. */
bool rabin_is_irreducible(uint64_t low, unsigned degree);

/* An irreducible polynomial of degree `bits`, without its highest term, drawn by the seed: all are about
 * equally likely.  `stream` numbers independent draws of one seed. */
uint64_t rabin_draw(unsigned bits, uint64_t seed, uint64_t stream);

/* Prepares fingerprints of `bits` bits (RABIN_MIN_BITS..RABIN_MAX_BITS) modulo x^bits + polynomial. */
void rabin_init(struct rabin *rabin, unsigned bits, uint64_t polynomial);

/* The fingerprint of a string followed by these bytes, from that of the string (rabin->empty: none). */
uint64_t rabin_append(const struct rabin *rabin, uint64_t fingerprint, const uint8_t *data, size_t len);

/* A window of a fixed number of bytes, to slide over a string. */
struct rabin_window {
    struct rabin rabin;
    size_t width;
    uint64_t remove[256];
};

/* Copies rabin; width is in bytes, at least 1. */
void rabin_window_init(struct rabin_window *window, const struct rabin *rabin, size_t width);

/* Sets out[i] to the fingerprint of data[i .. i + width) for each i below count; the data are thus count +
 * width - 1 bytes long. */
void rabin_window_slide(const struct rabin_window *window, const uint8_t *data, size_t count, uint64_t *out);

#endif
