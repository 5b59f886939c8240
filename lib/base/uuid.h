/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_UUID_H
#define KITH_UUID_H

#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/* UUIDs of RFC 9562, as 16 bytes and as text. */

enum {
    UUID_LEN = 16,  /* bytes */
    UUID_ROOM = 37, /* of the text, with its NUL */
};

/* Makes a random UUID (version 4) with getrandom(2).  -1 if that fails. */
int uuid_make(uint8_t uuid[UUID_LEN], struct error *err);

/*
 * Derives the UUID (version 5) of a name in the name space that another UUID stands for: always the same one.
 * digest: of digest_new, with SHA-1.  -1 if libcrypto fails.
 */
int uuid_derive(uint8_t uuid[UUID_LEN], struct digest *digest, const uint8_t space[UUID_LEN],
                const char *name, struct error *err);

/* Formats as lower-case text: f81d4fae-7dec-11d0-a765-00a0c91e6bf6. */
void uuid_format(char text[UUID_ROOM], const uint8_t uuid[UUID_LEN]);

#endif
