/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UUID_H
#define KITH_UUID_H

#include <stdint.h>

#include "base/error.h"

/* UUIDs of RFC 9562, as 16 bytes and as text. */

enum {
    UUID_LEN = 16,  /* bytes */
    UUID_ROOM = 37, /* of the text, with its zero */
};

/* A random one (version 4), from the system's generator.  -1 if it gives nothing. */
int uuid_make(uint8_t uuid[UUID_LEN], struct error *err);

/* Lower-case hexadecimal digits with hyphens: f81d4fae-7dec-11d0-a765-00a0c91e6bf6. */
void uuid_format(char text[UUID_ROOM], const uint8_t uuid[UUID_LEN]);

#endif
