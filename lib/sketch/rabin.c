/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/rabin.h"

#include "sketch/permutation.h"

/* ---- polynomials modulo P = x^degree + low ---- */

struct modulus {
    uint64_t low, mask;
    unsigned degree;
};

static uint64_t times_x(const struct modulus *p, uint64_t a)
{
    const uint64_t carry = a >> (p->degree - 1) & 1;

    return (a << 1 & p->mask) ^ (p->low & -carry);
}

static uint64_t multiply(const struct modulus *p, uint64_t a, uint64_t b)
{
    uint64_t product = 0;

    for (unsigned i = p->degree; i-- > 0;)
        product = times_x(p, product) ^ (a & -(b >> i & 1));
    return product;
}

/* x^(2^times) modulo P. */
static uint64_t square_x(const struct modulus *p, unsigned times)
{
    uint64_t power = times_x(p, 1);

    while (times-- > 0)
        power = multiply(p, power, power);
    return power;
}

static unsigned width_of(uint64_t a)
{
    return a ? 64 - (unsigned)__builtin_clzll(a) : 0;
}

/* Whether a has no common factor with P: Euclid's algorithm.  P is divided once without its highest term,
 * which does not fit: x^degree = a * x^shift + ... */
static bool is_coprime(const struct modulus *p, uint64_t a)
{
    unsigned width = width_of(a);
    uint64_t b = p->low, rest;

    if (width <= 1)
        return width == 1;
    b ^= a << (p->degree + 1 - width) & p->mask;
    while (a) {
        for (width = width_of(a); width_of(b) >= width;)
            b ^= a << (width_of(b) - width);
        rest = b;
        b = a;
        a = rest;
    }
    return b == 1;
}

/* Rabin's test: P divides x^(2^n) - x, and has no factor whose degree is a proper divisor of n.  (A factor's
 * degree divides n / q for some prime q, and the factor then divides x^(2^(n / q)) - x.) */
bool rabin_is_irreducible(uint64_t low, unsigned degree)
{
    static const unsigned primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};
    struct modulus p;

    if (degree < 2 || !(low & 1)) /* x divides it, or is it */
        return degree == 1;
    p = (struct modulus){low, UINT64_MAX >> (64 - degree), degree};
    if (square_x(&p, degree) != times_x(&p, 1))
        return false;
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        if (degree % primes[i] == 0 && !is_coprime(&p, square_x(&p, degree / primes[i]) ^ times_x(&p, 1)))
            return false;
    return true;
}

uint64_t rabin_draw(unsigned bits, uint64_t seed, uint64_t stream)
{
    for (uint64_t i = 0;; i++) {
        const uint64_t low = permutation_random(seed, stream, i) >> (64 - bits) | 1;

        if (rabin_is_irreducible(low, bits))
            return low;
    }
}

/* ---- fingerprints ---- */

/* The remainder of the string's polynomial times x^l is kept while bytes are appended: the byte that is
 * pushed out at the top, plus the new one, comes back as a multiple of x^l. */
static uint64_t append_byte(const struct rabin *rabin, uint64_t fingerprint, uint8_t byte)
{
    const uint64_t mask = UINT64_MAX >> (64 - rabin->bits);

    return (fingerprint << 8 & mask) ^ rabin->append[fingerprint >> (rabin->bits - 8) ^ byte];
}

void rabin_init(struct rabin *rabin, unsigned bits, uint64_t polynomial)
{
    const struct modulus p = {polynomial, UINT64_MAX >> (64 - bits), bits};
    uint64_t power = polynomial; /* x^(l + i) */

    rabin->bits = bits;
    rabin->polynomial = rabin->empty = polynomial; /* 1 * x^l */
    rabin->append[0] = 0;
    for (unsigned i = 0; i < 8; i++, power = times_x(&p, power))
        for (unsigned j = 0; j < 1u << i; j++)
            rabin->append[j | 1u << i] = rabin->append[j] ^ power;
}

uint64_t rabin_append(const struct rabin *rabin, uint64_t fingerprint, const uint8_t *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        fingerprint = append_byte(rabin, fingerprint, data[i]);
    return fingerprint;
}

/* ---- sliding ---- */

/* remove[a] takes away a byte that has just left the window, and moves the leading one back by a byte. */
void rabin_window_init(struct rabin_window *window, const struct rabin *rabin, size_t width)
{
    const struct modulus p = {rabin->polynomial, UINT64_MAX >> (64 - rabin->bits), rabin->bits};
    uint64_t one = rabin->empty, moved, power; /* x^(l + 8 width) and so on */

    window->rabin = *rabin;
    window->width = width;
    for (size_t i = 0; i < width; i++)
        one = append_byte(rabin, one, 0);
    moved = append_byte(rabin, one, 0);
    window->remove[0] = one ^ moved;
    power = one;
    for (unsigned i = 0; i < 8; i++, power = times_x(&p, power))
        for (unsigned j = 0; j < 1u << i; j++)
            window->remove[j | 1u << i] = window->remove[j] ^ power;
}

/* One step: from the window at `data` to the next one. */
static inline uint64_t slide(const struct rabin_window *window, uint64_t fingerprint, const uint8_t *data)
{
    return append_byte(&window->rabin, fingerprint, data[window->width]) ^ window->remove[data[0]];
}

static void slide_once(const struct rabin_window *window, const uint8_t *data, size_t count, uint64_t *out)
{
    if (count > 0)
        out[0] = rabin_append(&window->rabin, window->rabin.empty, data, window->width);
    for (size_t i = 1; i < count; i++)
        out[i] = slide(window, out[i - 1], data + i - 1);
}

/* Each step waits for the one before, so four parts of the data are processed at a time. */
void rabin_window_slide(const struct rabin_window *window, const uint8_t *data, size_t count, uint64_t *out)
{
    const size_t part = count / 4;
    const uint8_t *const a = data, *const b = a + part, *const c = b + part, *const d = c + part;
    uint64_t *const to_a = out, *const to_b = to_a + part, *const to_c = to_b + part,
                    *const to_d = to_c + part;

    if (part < 2 * window->width) {
        slide_once(window, data, count, out);
        return;
    }
    slide_once(window, a, 1, to_a);
    slide_once(window, b, 1, to_b);
    slide_once(window, c, 1, to_c);
    slide_once(window, d, 1, to_d);
    for (size_t i = 1; i < part; i++) {
        to_a[i] = slide(window, to_a[i - 1], a + i - 1);
        to_b[i] = slide(window, to_b[i - 1], b + i - 1);
        to_c[i] = slide(window, to_c[i - 1], c + i - 1);
        to_d[i] = slide(window, to_d[i - 1], d + i - 1);
    }
    for (size_t i = 4 * part; i < count; i++)
        out[i] = slide(window, out[i - 1], data + i - 1);
}
