/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/crc.h"
#include "check_main.h"
#include "levels.h"

/* From the definition, bit by bit. */
static uint32_t twin(const uint8_t *p, size_t len)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
    }
    return ~crc;
}

/* RFC 3720, B.4 */
static void check_vectors(void)
{
    static const uint8_t read_command[48] = {
        0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, 0x28, [40] = 0x02};
    uint8_t bytes[32];

    ck_assert_uint_eq(crc_update(0, "", 0), 0);
    ck_assert_uint_eq(crc_update(0, "123456789", 9), 0xe3069283);
    memset(bytes, 0, sizeof bytes);
    ck_assert_uint_eq(crc_update(0, bytes, sizeof bytes), 0x8a9136aa);
    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(crc_update(0, bytes, sizeof bytes), 0x62a8ab43);
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = i;
    ck_assert_uint_eq(crc_update(0, bytes, sizeof bytes), 0x46dd794e);
    for (uint8_t i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    ck_assert_uint_eq(crc_update(0, bytes, sizeof bytes), 0x113fdb5c);
    ck_assert_uint_eq(crc_update(0, read_command, sizeof read_command), 0xd9963a56);
}

START_TEST(agrees_with_the_vectors_of_rfc_3720)
{
    for_each_level(check_vectors);
}
END_TEST

static void compare_with_twin(void)
{
    uint8_t bytes[300];

    fill_random(bytes, sizeof bytes);
    for (size_t begin = 0; begin < 9; begin++)
        for (size_t len = 0; len <= sizeof bytes - begin; len++)
            if (crc_update(0, bytes + begin, len) != twin(bytes + begin, len))
                ck_abort_msg("%zu bytes from %zu", len, begin);
}

START_TEST(agrees_with_a_bitwise_twin_at_each_length_and_address)
{
    for_each_level(compare_with_twin);
}
END_TEST

static void cut_in_pieces(void)
{
    static uint8_t bytes[5000];

    fill_random(bytes, sizeof bytes);
    for (int round = 0; round < 200; round++) {
        uint32_t crc = 0;

        for (size_t at = 0, len; at < sizeof bytes; at += len) {
            len = random64() % 40 * (random64() % 10);
            len = len < sizeof bytes - at ? len : sizeof bytes - at;
            crc = crc_update(crc, bytes + at, len);
        }
        ck_assert_uint_eq(crc, twin(bytes, sizeof bytes));
    }
}

START_TEST(does_not_depend_on_how_input_is_cut)
{
    for_each_level(cut_in_pieces);
}
END_TEST

RUN_TESTS("crc", agrees_with_the_vectors_of_rfc_3720, agrees_with_a_bitwise_twin_at_each_length_and_address,
          does_not_depend_on_how_input_is_cut)
