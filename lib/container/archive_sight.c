/* SPDX-License-Identifier: Apache-2.0 */
#include "container/archive_sight.h"

#include <string.h>

#include "base/bytes.h"

bool archive_sight_begins(const struct container_sight *sight, const void *bytes, size_t len)
{
    return sight->head_len >= len && memcmp(sight->head, bytes, len) == 0;
}

/* ---- compression ---- */

static bool is_gz(const uint8_t *head, size_t len, bool is_carved)
{
    if (len < 18 || memcmp(head, "\x1f\x8b\x08", 3) != 0 || (head[3] & 0xe0))
        return false;
    return !is_carved ||
           ((head[8] == 0 || head[8] == 2 || head[8] == 4) && (head[9] <= 13 || head[9] == 255));
}

static bool is_bz2(const uint8_t *head, size_t len)
{
    return len >= 10 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
           (memcmp(head + 4, "1AY&SY", 6) == 0 || memcmp(head + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* As the programs write it: the usual parameters, a dictionary of 2^n or 2^n + 2^(n-1) bytes, and a size. */
static bool is_lzma(const uint8_t *head, size_t len)
{
    uint32_t dictionary, lowest;
    uint64_t size;

    if (len < 18 || head[0] != 0x5d || head[13] != 0)
        return false;
    dictionary = bytes_load32(head + 1);
    lowest = dictionary & -dictionary;
    size = bytes_load64(head + 5);
    return dictionary >= 4096 && (dictionary == lowest || dictionary / 3 == lowest) &&
           (size == UINT64_MAX || size < UINT64_C(1) << 40);
}

static bool is_z(const uint8_t *head, size_t len)
{
    return len >= 5 && head[0] == 0x1f && head[1] == 0x9d && !(head[2] & 0x60) && (head[2] & 31) >= 9 &&
           (head[2] & 31) <= 16;
}

/* Of Zstandard and LZ4: the start of a frame, or of data to be skipped. */
static bool is_frame(const uint8_t *head, size_t len, const char *magic)
{
    if (len >= 8 && head[0] >= 0x50 && head[0] <= 0x5f && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0) {
        const uint64_t skip = 8 + (uint64_t)bytes_load32(head + 4);

        return skip + 4 <= len && memcmp(head + skip, magic, 4) == 0;
    }
    return len >= 8 && memcmp(head, magic, 4) == 0;
}

enum archive_sight_packing archive_sight_packing(const struct container_sight *sight)
{
    const uint8_t *head = sight->head;
    const size_t len = sight->head_len;

    if (is_gz(head, len, sight->is_carved))
        return ARCHIVE_SIGHT_GZ;
    if (is_bz2(head, len))
        return ARCHIVE_SIGHT_BZ2;
    if (archive_sight_begins(sight,
                             "\xfd"
                             "7zXZ\0\0",
                             7))
        return ARCHIVE_SIGHT_XZ;
    if (is_frame(head, len, "\x28\xb5\x2f\xfd"))
        return ARCHIVE_SIGHT_ZST;
    if (is_frame(head, len, "\x04\x22\x4d\x18") || archive_sight_begins(sight, "\x02\x21\x4c\x18", 4))
        return ARCHIVE_SIGHT_LZ4;
    if (archive_sight_begins(sight, "LZIP\1", 5))
        return ARCHIVE_SIGHT_LZIP;
    if (is_z(head, len))
        return ARCHIVE_SIGHT_Z;
    return !sight->is_carved && is_lzma(head, len) ? ARCHIVE_SIGHT_LZMA : ARCHIVE_SIGHT_BARE;
}

/* ---- archives ---- */

/* The octal number of a field; UINT32_MAX: it is none. */
static uint32_t octal(const uint8_t *at, size_t len)
{
    uint32_t value = 0;
    size_t i = 0, digits = 0;

    while (i < len && at[i] == ' ')
        i++;
    for (; i < len && at[i] >= '0' && at[i] <= '7' && digits < 8; i++, digits++)
        value = value * 8 + (uint32_t)(at[i] - '0');
    return digits > 0 && (i == len || at[i] == ' ' || at[i] == 0) ? value : UINT32_MAX;
}

/* The checksum of a header is a sum of its bytes, of which old programs took the signed values. */
bool archive_sight_is_tar(const uint8_t *first, size_t len)
{
    enum { BLOCK = 512, SUM = 148, SUM_LEN = 8, MODE = 100 };
    uint32_t sum = 0, high = 0;
    uint32_t stated;

    if (len < BLOCK || first[0] == 0)
        return false;
    stated = octal(first + SUM, SUM_LEN);
    if (stated == UINT32_MAX)
        return false;
    for (size_t i = 0; i < BLOCK; i++) {
        const uint8_t byte = i >= SUM && i < SUM + SUM_LEN ? ' ' : first[i];

        sum += byte;
        high += byte >> 7;
    }
    return (stated == sum || stated == sum - 256 * high) &&
           (memcmp(first + 257, "ustar", 5) == 0 || octal(first + MODE, 8) != UINT32_MAX);
}

/* The old binary form has a signature of two bytes only. */
static bool is_binary_cpio(const uint8_t *first, size_t len)
{
    const bool is_little = len >= 28 && first[0] == 0xc7 && first[1] == 0x71;
    const bool is_big = len >= 28 && first[0] == 0x71 && first[1] == 0xc7;
    unsigned type, name;

    if (!is_little && !is_big)
        return false;
    type = (is_little ? first[7] : first[6]) >> 4;
    name = is_little ? first[20] | (unsigned)first[21] << 8 : first[21] | (unsigned)first[20] << 8;
    return (type == 1 || type == 2 || type == 4 || type == 6 || type == 8 || type == 10 || type == 12) &&
           name >= 2 && name <= 1024 && first[26] != 0;
}

bool archive_sight_is_cpio(const uint8_t *first, size_t len)
{
    return is_binary_cpio(first, len) ||
           (len >= 110 && (memcmp(first, "070701", 6) == 0 || memcmp(first, "070702", 6) == 0)) ||
           (len >= 76 && memcmp(first, "070707", 6) == 0);
}

/* The first member has its method after two bytes, and the kind of header before its 21st. */
bool archive_sight_is_lha(const uint8_t *first, size_t len)
{
    enum { METHOD = 2, KIND = 20, LEAST_2 = 26, WORD_3 = 4 };
    const size_t size = len > KIND ? bytes_load_le(first, 2) : 0;
    uint8_t sum = 0;

    if (len <= KIND || memcmp(first + METHOD, "-l", 2) != 0 || first[METHOD + 4] != '-' ||
        (first[METHOD + 2] != 'h' && first[METHOD + 2] != 'z'))
        return false;
    if (first[KIND] >= 2)
        return first[KIND] == 2 ? size >= LEAST_2 : first[KIND] == 3 && size == WORD_3;
    for (size_t i = METHOD; i < (size_t)METHOD + first[0]; i++)
        sum = (uint8_t)(sum + (i < len ? first[i] : 0));
    return sum == first[1];
}

bool archive_sight_is_iso(const struct container_sight *sight)
{
    enum { SECTOR = 2048, FIRST_DESCRIPTOR = 16 * SECTOR };
    uint8_t found[6];

    return sight->size >= FIRST_DESCRIPTOR + 2 * SECTOR && sight->size % SECTOR == 0 &&
           content_read(sight->content, FIRST_DESCRIPTOR, found, sizeof found) == 0 && found[0] <= 3 &&
           memcmp(found + 1, "CD001", 5) == 0;
}

/* ---- programs that unpack themselves ---- */

enum { SECTION = 40, MOST_SECTIONS = 96 };

/* Where the sections of a program for Windows end; 0: unknown. */
static uint64_t end_of_pe(const struct container_sight *sight)
{
    const uint64_t at = sight->head_len >= 64 ? bytes_load32(sight->head + 60) : UINT64_MAX;
    uint8_t header[24], sections[SECTION * MOST_SECTIONS];
    uint64_t end = 0, table;
    size_t count;

    if (at >= sight->size || content_read(sight->content, at, header, sizeof header) ||
        memcmp(header, "PE\0\0", 4) != 0)
        return 0;
    count = (size_t)bytes_load_le(header + 6, 2);
    table = at + sizeof header + bytes_load_le(header + 20, 2);
    if (count > MOST_SECTIONS || content_read(sight->content, table, sections, count * SECTION))
        return 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t stop =
            (uint64_t)bytes_load32(sections + i * SECTION + 16) + bytes_load32(sections + i * SECTION + 20);

        end = stop > end ? stop : end;
    }
    return end;
}

/* Where the table of sections of an ELF file ends, which is its last part. */
static uint64_t end_of_elf(const struct container_sight *sight)
{
    const uint8_t *head = sight->head;

    if (sight->head_len < 64 || head[5] != 1)
        return 0;
    if (head[4] == 2)
        return bytes_load64(head + 40) + bytes_load_le(head + 58, 2) * bytes_load_le(head + 60, 2);
    return bytes_load32(head + 32) + bytes_load_le(head + 46, 2) * bytes_load_le(head + 48, 2);
}

uint64_t archive_sight_start(const struct container_sight *sight, const void *magic, size_t len)
{
    uint8_t after[4096]; /* 7-Zip has a configuration before the archive */
    const uint8_t *found;
    uint64_t end = 0;
    size_t room;

    if (archive_sight_begins(sight, magic, len))
        return 0;
    if (sight->is_carved)
        return CONTAINER_UNKNOWN;
    if (archive_sight_begins(sight, "MZ", 2))
        end = end_of_pe(sight);
    else if (archive_sight_begins(sight, "\177ELF", 4))
        end = end_of_elf(sight);
    if (end == 0 || end >= sight->size)
        return CONTAINER_UNKNOWN;
    room = sight->size - end < sizeof after ? (size_t)(sight->size - end) : sizeof after;
    if (content_read(sight->content, end, after, room))
        return CONTAINER_UNKNOWN;
    found = memmem(after, room, magic, len);
    return found ? end + (uint64_t)(found - after) : CONTAINER_UNKNOWN;
}

/* ---- memory ---- */

/* Passes a number of variable length of xz. */
static size_t skip_number(const uint8_t *bytes, size_t at, size_t len)
{
    while (at < len && (bytes[at] & 0x80))
        at++;
    return at + 1;
}

/* The dictionary of the first block. */
static uint64_t xz_dictionary(const uint8_t *bytes, size_t len)
{
    enum { BLOCK = 12, LZMA2 = 0x21, HAS_PACKED = 0x40, HAS_SIZE = 0x80 };
    const unsigned flags = len > BLOCK + 1 ? bytes[BLOCK + 1] : 0;
    size_t at = BLOCK + 2;

    if (len <= BLOCK || bytes[BLOCK] == 0)
        return 0;
    if (flags & HAS_PACKED)
        at = skip_number(bytes, at, len);
    if (flags & HAS_SIZE)
        at = skip_number(bytes, at, len);
    for (unsigned i = 0; i <= (flags & 3) && at + 3 <= len; i++) {
        if (bytes[at] == LZMA2) {
            const unsigned bits = bytes[at + 2] & 63;

            return bits >= 40 ? UINT32_MAX : (uint64_t)(2 | (bits & 1)) << (bits / 2 + 11);
        }
        at += 2 + (size_t)bytes[at + 1];
    }
    return 0;
}

/* The window of the first frame. */
static uint64_t zstd_window(const uint8_t *bytes, size_t len)
{
    enum { IS_ONE_SEGMENT = 32 };
    static const int dictionary_len[] = {0, 1, 2, 4}, size_len[] = {1, 2, 4, 8};
    unsigned flags;
    size_t at = 0;

    if (len >= 8 && bytes[0] != 0x28)
        at = 8 + (size_t)bytes_load32(bytes + 4);
    if (len < 18 || at > len - 18)
        return 0;
    flags = bytes[at + 4];
    at += 5;
    if (flags & IS_ONE_SEGMENT) /* then the size is the window */
        return bytes_load_le(bytes + at + dictionary_len[flags & 3], size_len[flags >> 6]);
    return (UINT64_C(8) + (bytes[at] & 7)) << (7 + (bytes[at] >> 3));
}

uint64_t archive_sight_memory(enum archive_sight_packing packing, const uint8_t *first, size_t len)
{
    if (len < 6)
        return 0;
    switch (packing) {
    case ARCHIVE_SIGHT_XZ:
        return xz_dictionary(first, len);
    case ARCHIVE_SIGHT_ZST:
        return zstd_window(first, len);
    case ARCHIVE_SIGHT_LZMA:
        return bytes_load32(first + 1);
    case ARCHIVE_SIGHT_LZIP: {
        const uint64_t power = UINT64_C(1) << (first[5] & 31);

        return power - power / 16 * (first[5] >> 5);
    }
    default:
        return 0;
    }
}
