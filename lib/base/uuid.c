/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include <string.h>
#include <sys/random.h>

static void set_version(uint8_t uuid[UUID_LEN], unsigned version)
{
    uuid[6] = (uint8_t)((uuid[6] & 15) | version << 4);
    uuid[8] = (uint8_t)((uuid[8] & 63) | 0x80); /* the variant */
}

int uuid_make(uint8_t uuid[UUID_LEN], struct error *err)
{
    if (getrandom(uuid, UUID_LEN, 0) != UUID_LEN)
        return error_errno(err, "cannot get random bytes");
    set_version(uuid, 4);
    return 0;
}

int uuid_derive(uint8_t uuid[UUID_LEN], struct digest *digest, const uint8_t space[UUID_LEN],
                const char *name, struct error *err)
{
    struct digest_values values;

    if (digest_begin(digest, err) || digest_update(digest, space, UUID_LEN, err) ||
        digest_update(digest, name, strlen(name), err) || digest_final(digest, &values, err))
        return -1;
    memcpy(uuid, values.bytes[DIGEST_SHA1], UUID_LEN);
    set_version(uuid, 5);
    return 0;
}

void uuid_format(char text[UUID_ROOM], const uint8_t uuid[UUID_LEN])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < UUID_LEN; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *text++ = '-';
        *text++ = digits[uuid[i] >> 4];
        *text++ = digits[uuid[i] & 15];
    }
    *text = '\0';
}
