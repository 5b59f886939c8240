/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "cluster/groups_inner.h"

int groups_check(const struct groups_params *params, enum groups_algorithm algorithm, struct error *err)
{
    const uint32_t k = params->k, m = params->m, rh = params->rh;
    const double queries = rh < m ? hamming_choices(m, m - rh) : 0;

    if (k < 1 || k > GROUPS_MOST_BITS)
        return error_set(err, "fingerprints of %" PRIu32 " bits: expected 1 to %d", k, GROUPS_MOST_BITS);
    if (m < 1 || m > k)
        return error_set(err, "%" PRIu32 " groups of %" PRIu32 " bits: expected 1 to %" PRIu32 " groups", m,
                         k, k);
    if (algorithm == GROUPS_SCAN && rh <= k)
        return 0;
    if (rh >= m)
        return error_set(err,
                         "fingerprints that differ in %" PRIu32 " bits may differ in all of %" PRIu32
                         " groups: more than %" PRIu32 " groups are needed",
                         rh, m, rh);
    if (algorithm == GROUPS_G && queries > GROUPS_MOST_QUERIES)
        return error_set(err,
                         "alg.G would need %.3g queries, one for each choice of %" PRIu32 " of %" PRIu32
                         " groups; it is limited to %d",
                         queries, m - rh, m, GROUPS_MOST_QUERIES);
    return 0;
}

int groups_check_bits(const uint64_t *bits, uint32_t k, struct error *err)
{
    return hamming_is_valid(bits, k) ? 0 : error_set(err, "a fingerprint has more than %" PRIu32 " bits", k);
}

/* ---- the number of groups ---- */

enum { MOST_MORE = 64 /* groups than rh that are considered: with more, groups become too narrow */ };

/* Nanoseconds, measured: for a look-up, an entry of a list, and the distance to a candidate, which lies
 * anywhere in memory; for that to each of all fingerprints, and more for each of their bits. */
static const double lookup_ns = 2000, entry_ns = 4.2, candidate_ns = 50, scan_ns = 1.15, scan_bit_ns = 0.0041;

/* The probability that at least c of m groups of unrelated fingerprints are equal, each with probability p.
 */
static double chance(uint32_t m, uint32_t c, double p)
{
    double term = pow(1 - p, m), less = 0;

    for (uint32_t i = 0; i < c; i++) {
        less += term;
        term *= (m - i) / (i + 1.0) * p / (1 - p);
    }
    return less < 1 ? 1 - less : 0;
}

static double cost(enum groups_algorithm algorithm, uint32_t k, uint32_t m, uint32_t rh, double documents)
{
    const double equal = exp2(-(double)k / m), entries = documents * equal; /* n_g, equation 14 */
    const double candidates = documents * chance(m, m - rh, equal) * candidate_ns;

    if (algorithm == GROUPS_G)
        return hamming_choices(m, m - rh) * (m - rh) * (lookup_ns + entries * entry_ns) + candidates;
    return m * (lookup_ns + entries * entry_ns) + candidates;
}

uint32_t groups_best(enum groups_algorithm algorithm, uint32_t k, uint32_t rh, double documents)
{
    uint32_t best = rh + 1;
    double least = cost(algorithm, k, best, rh, documents);

    for (uint32_t m = rh + 2; m <= k && m <= rh + MOST_MORE; m++) {
        const double of_m = cost(algorithm, k, m, rh, documents);

        if (of_m < least) {
            least = of_m;
            best = m;
        }
    }
    return best;
}

enum groups_algorithm groups_fastest(const struct groups_params *params, double documents)
{
    const double of_scan = documents * (scan_ns + scan_bit_ns * params->k);

    return params->rh < params->m && cost(GROUPS_H, params->k, params->m, params->rh, documents) < of_scan
               ? GROUPS_H
               : GROUPS_SCAN;
}
