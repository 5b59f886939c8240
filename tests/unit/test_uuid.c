/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/uuid.h"
#include "check_main.h"

/* The example of RFC 4122, section 3, which RFC 9562 has in section 4. */
START_TEST(the_text_matches_the_rfc)
{
    static const uint8_t uuid[UUID_LEN] = {0xf8, 0x1d, 0x4f, 0xae, 0x7d, 0xec, 0x11, 0xd0,
                                           0xa7, 0x65, 0x00, 0xa0, 0xc9, 0x1e, 0x6b, 0xf6};
    char text[UUID_ROOM];

    uuid_format(text, uuid);
    ck_assert_str_eq(text, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
}
END_TEST

/* RFC 9562, 5.4: version 4 in the upper half of byte 6, the variant 10 in the upper two bits of byte 8; each
 * of the other 122 bits is now 0 and now 1. */
START_TEST(new_uuids_are_random)
{
    uint8_t all[UUID_LEN], any[UUID_LEN] = {0}, last[UUID_LEN] = {0};

    memset(all, 0xff, sizeof all);
    for (int i = 0; i < 200; i++) {
        uint8_t uuid[UUID_LEN];

        ck_assert_int_eq(uuid_make(uuid, NULL), 0);
        ck_assert(memcmp(uuid, last, sizeof uuid) != 0);
        memcpy(last, uuid, sizeof uuid);
        for (int at = 0; at < UUID_LEN; at++) {
            all[at] &= uuid[at];
            any[at] |= uuid[at];
        }
    }
    for (int at = 0; at < UUID_LEN; at++) {
        ck_assert_uint_eq(all[at], at == 6 ? 0x40 : at == 8 ? 0x80 : 0);
        ck_assert_uint_eq(any[at], at == 6 ? 0x4f : at == 8 ? 0xbf : 0xff);
    }
}
END_TEST

/* RFC 9562, A.4. */
START_TEST(the_uuid_of_a_name_matches_the_rfc)
{
    static const uint8_t dns[UUID_LEN] = {0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                                          0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), NULL);
    uint8_t uuid[UUID_LEN];
    char text[UUID_ROOM];

    ck_assert_ptr_nonnull(digest);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(uuid_derive(uuid, digest, dns, "www.example.com", NULL), 0);
        uuid_format(text, uuid);
        ck_assert_str_eq(text, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
    }
    digest_free(digest);
}
END_TEST

RUN_TESTS("uuid", the_text_matches_the_rfc, new_uuids_are_random, the_uuid_of_a_name_matches_the_rfc)
