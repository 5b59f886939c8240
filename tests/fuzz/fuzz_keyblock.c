/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "by_letter.h"
#include "set/keyblock.h"

/*
 * The input is 'b', eight bytes of the first key and a block, or 'e' and entries of four bytes.
 *
 * A block is broken, or yields what can be packed.  What is packed is unpacked again, and each key is found
 * with its values, and none of the keys beside them.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENTRIES = 8192 };

static const uint64_t key_limit = 1ULL << KEYBLOCK_KEY_BITS, value_limit = 1ULL << KEYBLOCK_VALUE_BITS;

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void require_same(const struct keyblock_entry *a, const struct keyblock_entry *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        require(a[i].key == b[i].key && a[i].value == b[i].value);
}

static size_t group_end(const struct keyblock_entry *entries, size_t count, size_t at)
{
    size_t end = at;

    while (end < count && entries[end].key == entries[at].key)
        end++;
    return end;
}

static void require_sorted(const struct keyblock_entry *entries, size_t count)
{
    for (size_t at = 0, end; at < count; at = end) {
        end = group_end(entries, count, at);
        require(entries[at].key < key_limit && (at == 0 || entries[at].key > entries[at - 1].key));
        require(end - at <= KEYBLOCK_GROUP);
        require(entries[end - 1].value < value_limit || keyblock_is_mark(entries[end - 1].value));
        require(entries[end - 1].value <= keyblock_mark(KEYBLOCK_MOST_COUNTED));
        for (size_t i = at + 1; i < end; i++)
            require(entries[i].value > entries[i - 1].value && entries[i - 1].value < value_limit);
    }
}

static void require_found(const uint8_t *data, size_t len, const struct keyblock_entry *entries, size_t count)
{
    uint64_t values[KEYBLOCK_GROUP];
    const uint64_t first = entries[0].key;

    for (size_t at = 0, end; at < count; at = end) {
        const uint64_t key = entries[at].key;

        end = group_end(entries, count, at);
        require(keyblock_find(data, len, first, key, values) == (int)(end - at));
        for (size_t i = at; i < end; i++)
            require(values[i - at] == entries[i].value);
        if (at == 0 || entries[at - 1].key != key - 1)
            require(keyblock_find(data, len, first, key - 1, values) == 0);
        if (end == count || entries[end].key != key + 1)
            require(keyblock_find(data, len, first, key + 1, values) == 0);
    }
}

static void require_round_trip(const struct keyblock_entry *entries, size_t count, int more)
{
    static struct keyblock_entry back[KEYBLOCK_ENTRIES];
    uint8_t out[KEYBLOCK_MAX];
    size_t len;

    for (size_t at = 0, taken; at < count; at += taken) {
        taken = keyblock_pack(entries + at, count - at, more, out, &len);
        require(taken > 0 && taken <= count - at && len <= KEYBLOCK_MAX);
        require(at + taken == count || entries[at + taken].key != entries[at + taken - 1].key);
        require(len <= KEYBLOCK_LEN || entries[at].key == entries[at + taken - 1].key);
        require(keyblock_unpack(out, len, entries[at].key, back) == (int)taken);
        require_same(back, entries + at, taken);
        require_found(out, len, entries + at, taken);
    }
}

static void run_block(const uint8_t *data, size_t size)
{
    static struct keyblock_entry entries[KEYBLOCK_ENTRIES];
    uint64_t values[KEYBLOCK_GROUP], first;
    int count;

    if (size < 8)
        return;
    first = bytes_load64(data);
    count = keyblock_unpack(data + 8, size - 8, first, entries);
    require(count != 0 && count >= -1 && count <= KEYBLOCK_ENTRIES);
    if (count > 0) {
        require(entries[0].key == first);
        require_sorted(entries, (size_t)count);
        require_found(data + 8, size - 8, entries, (size_t)count);
        require_round_trip(entries, (size_t)count, 0);
        return;
    }
    for (unsigned shift = 0; shift < 64; shift++) {
        count = keyblock_find(data + 8, size - 8, first, first + (0x9e3779b97f4a7c15 >> shift), values);
        require(count >= -1 && count <= KEYBLOCK_GROUP);
    }
}

/* One more value for the last key, or the next key; count is left as it is if the bytes make neither. */
static size_t add_entry(struct keyblock_entry *entries, size_t count, const uint8_t *p)
{
    const struct keyblock_entry last = count ? entries[count - 1] : (struct keyblock_entry){0, 0};
    const uint64_t distance = 1 + ((uint64_t)p[1] << p[0] % 48), value = (uint64_t)p[2] << p[3] % 41;
    const uint64_t next =
        p[3] >= 0xf0 ? keyblock_mark(p[2] * (uint64_t)p[1] * p[1] * p[1] << p[1] / 16) : value;
    const bool same = p[0] >= 128 && count > 0;

    if (same && (keyblock_is_mark(last.value) || last.value + 1 + value >= value_limit ||
                 (count >= KEYBLOCK_GROUP && entries[count - KEYBLOCK_GROUP].key == last.key)))
        return count;
    if (same)
        entries[count] =
            (struct keyblock_entry){last.key, keyblock_is_mark(next) ? next : last.value + 1 + value};
    else if (last.key + distance < key_limit)
        entries[count] = (struct keyblock_entry){last.key + distance, next};
    else
        return count;
    return count + 1;
}

static void run_entries(const uint8_t *data, size_t size)
{
    static struct keyblock_entry entries[ENTRIES];
    size_t count = 0;

    for (; size >= 4 && count < ENTRIES; data += 4, size -= 4)
        count = add_entry(entries, count, data);
    require_round_trip(entries, count, 0);
    require_round_trip(entries, count, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_by_letter(data, size, 'b', run_block, 'e', run_entries);
}
