/* SPDX-License-Identifier: Apache-2.0 */
#include "base/siphash.h"

#include "base/bytes.h"

struct state {
    uint64_t a, b, c, d;
};

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static void rounds(struct state *s, int count)
{
    while (count-- > 0) {
        s->a += s->b;
        s->c += s->d;
        s->b = rotate(s->b, 13) ^ s->a;
        s->d = rotate(s->d, 16) ^ s->c;
        s->a = rotate(s->a, 32);
        s->c += s->b;
        s->a += s->d;
        s->b = rotate(s->b, 17) ^ s->c;
        s->d = rotate(s->d, 21) ^ s->a;
        s->c = rotate(s->c, 32);
    }
}

static void absorb(struct state *s, uint64_t word)
{
    s->d ^= word;
    rounds(s, 2);
    s->a ^= word;
}

uint64_t siphash(const uint8_t key[SIPHASH_KEY_LEN], const void *data, size_t len)
{
    const uint64_t low = bytes_load64(key), high = bytes_load64(key + 8);
    struct state s = {low ^ 0x736f6d6570736575u, high ^ 0x646f72616e646f6du, low ^ 0x6c7967656e657261u,
                      high ^ 0x7465646279746573u};
    const uint8_t *p = data;
    size_t left = len;

    for (; left >= 8; p += 8, left -= 8)
        absorb(&s, bytes_load64(p));
    absorb(&s, bytes_load_le(p, (int)left) | (uint64_t)len << 56);
    s.c ^= 0xff;
    rounds(&s, 4);
    return s.a ^ s.b ^ s.c ^ s.d;
}
