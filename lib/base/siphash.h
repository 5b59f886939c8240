/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SIPHASH_H
#define KITH_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY_LEN = 16 };

/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012), a keyed 64-bit hash: without the key, nobody can construct
 * collisions.
 */
uint64_t siphash(const uint8_t key[SIPHASH_KEY_LEN], const void *data, size_t len);

#endif
