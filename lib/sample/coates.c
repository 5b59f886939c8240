/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/coates.h"

#include <math.h>

#include "base/bytes.h"

void coates_init(struct coates *coates, int year, uint32_t n, uint32_t c, uint32_t k)
{
    *coates = (struct coates){year, n, c, k};
}

char coates_2011_symbol(uint64_t sum, uint32_t c)
{
    return sum / c % 2 ? '1' : '0';
}

char coates_2015_symbol(uint64_t hash)
{
    static const char symbols[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                                  "!#$%&()*+./;<=>?@[]^`{|}~";

    _Static_assert(sizeof symbols - 1 == COATES_2015_SYMBOLS, "as many symbols as the header says");
    return symbols[hash % COATES_2015_SYMBOLS];
}

static size_t scan_2011(const struct coates *coates, const uint8_t *p, size_t len, uint64_t base,
                        struct sample *out)
{
    const uint32_t n = coates->n;
    size_t count = 0;
    uint32_t sum = 0;

    for (const uint8_t *q = p - n; q < p; q++)
        sum += *q;
    for (size_t i = 0; i < len; i++) {
        sum += (uint32_t)p[i] - *(p + i - n);
        if (base + i + 1 > n && sum % coates->c == coates->k)
            out[count++] = (struct sample){base + i + 1 - n, sum};
    }
    return count;
}

/* XORs byte i of the window into byte i mod 8 of the result. */
static uint64_t hash_2015(const uint8_t *window, uint32_t n)
{
    uint64_t hash = 0;
    uint32_t i = 0;

    for (; i + 8 <= n; i += 8)
        hash ^= bytes_load64(window + i);
    for (; i < n; i++)
        hash ^= (uint64_t)window[i] << (i % 8 * 8);
    return hash;
}

static size_t scan_2015(const struct coates *coates, const uint8_t *p, size_t len, uint64_t base,
                        struct sample *out)
{
    const uint32_t n = coates->n;
    size_t count = 0;

    for (size_t i = base + 1 < n ? (size_t)(n - base - 1) : 0; i < len; i++) {
        uint64_t hash = hash_2015(p + i + 1 - n, n);

        if (hash % coates->c == coates->k)
            out[count++] = (struct sample){base + i + 1 - n, hash};
    }
    return count;
}

size_t coates_scan(const struct coates *coates, const uint8_t *p, size_t len, uint64_t base,
                   struct sample *out)
{
    if (coates->year == 2011)
        return scan_2011(coates, p, len, base, out);
    return scan_2015(coates, p, len, base, out);
}

double coates_2011_edits(uint64_t distance, uint32_t c)
{
    return (double)distance * c;
}

double coates_2015_edits(uint64_t distance, uint32_t c, double factor)
{
    return (double)distance * c * factor;
}

double coates_expected(uint64_t a_len, uint64_t b_len, double factor)
{
    return factor * (double)(a_len > b_len ? a_len : b_len);
}

double coates_significance(uint64_t distance, uint64_t a_len, uint64_t b_len, double factor)
{
    const double expected = coates_expected(a_len, b_len, factor);

    return expected > 0 ? fabs(expected - (double)distance) / expected : 0;
}
