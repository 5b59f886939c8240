/* SPDX-License-Identifier: Apache-2.0 */
#include "base/uuid.h"

#include <stdio.h>
#include <sys/random.h>

int uuid_make(uint8_t uuid[UUID_LEN], struct error *err)
{
    if (getrandom(uuid, UUID_LEN, 0) != UUID_LEN)
        return error_errno(err, "cannot get random bytes");
    uuid[6] = (uint8_t)((uuid[6] & 15) | 0x40); /* the version */
    uuid[8] = (uint8_t)((uuid[8] & 63) | 0x80); /* the variant */
    return 0;
}

void uuid_format(char text[UUID_ROOM], const uint8_t uuid[UUID_LEN])
{
    for (int i = 0; i < UUID_LEN; i++)
        text += sprintf(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
}
