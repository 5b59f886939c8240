/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UUID_H
#define KITH_UUID_H

#include <stdint.h>

#include "base/error.h"

/* UUIDs of RFC 9562, as 16 bytes and as text. */

enum {
    UUID_LEN = 16,  /* bytes */
    UUID_ROOM = 37, /* of the text, with its NUL */
};

/* Makes a random UUID (version 4) with getrandom(2).  -1 if that fails. */
int uuid_make(uint8_t uuid[UUID_LEN], struct error *err);

/* Formats as lower-case text: f81d4fae-7dec-11d0-a765-00a0c91e6bf6. */
void uuid_format(char text[UUID_ROOM], const uint8_t uuid[UUID_LEN]);

#endif
