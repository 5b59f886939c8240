/* SPDX-License-Identifier: Apache-2.0 */
#include "base/siphash.h"
#include "check_main.h"

/* The key and the inputs of the vectors in the paper's appendix and its authors' code: 00 01 02 .. */
static void count_up(uint8_t *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (uint8_t)i;
}

START_TEST(matches_the_published_values)
{
    static const struct {
        size_t len;
        uint64_t hash;
    } vectors[] = {
        {0, 0x726fdb47dd0e0e31u}, {1, 0x74f839c593dc67fdu},  {7, 0xab0200f58b01d137u},
        {8, 0x93f5f5799a932462u}, {15, 0xa129ca6149be45e5u}, {63, 0x958a324ceb064572u},
    };
    uint8_t key[SIPHASH_KEY_LEN], data[64];

    count_up(key, sizeof key);
    count_up(data, sizeof data);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ck_assert_uint_eq(siphash(key, data, vectors[i].len), vectors[i].hash);
}
END_TEST

RUN_TESTS("siphash", matches_the_published_values)
