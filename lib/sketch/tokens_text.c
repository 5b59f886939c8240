/* SPDX-License-Identifier: Apache-2.0 */
#include "sketch/tokens_text.h"

#include "base/utf8.h"

struct span {
    uint32_t first, last;
};

static bool is_in(const struct span *spans, size_t count, uint32_t code)
{
    for (size_t i = 0; i < count; i++)
        if (code >= spans[i].first && code <= spans[i].last)
            return true;
    return false;
}

#define IS_IN(spans, code) is_in(spans, sizeof(spans) / sizeof *(spans), code)

/* ---- decoding ---- */

/* The second byte of these has a narrower range, which excludes overlong forms, surrogates and what lies
 * above U+10FFFF. */
static bool is_second(uint8_t first, uint8_t second)
{
    switch (first) {
    case 0xe0:
        return second >= 0xa0 && second <= 0xbf;
    case 0xed:
        return second >= 0x80 && second <= 0x9f;
    case 0xf0:
        return second >= 0x90 && second <= 0xbf;
    case 0xf4:
        return second >= 0x80 && second <= 0x8f;
    default:
        return second >= 0x80 && second <= 0xbf;
    }
}

enum tokens_text_state tokens_text_decode(const uint8_t *bytes, size_t len, uint32_t *code)
{
    const uint8_t first = bytes[0];
    const size_t needed = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint32_t value = needed == 1 ? first : first & (0x7fu >> needed);

    if ((first >= 0x80 && first < 0xc2) || first > 0xf4 || (len > 1 && !is_second(first, bytes[1])))
        return TOKENS_TEXT_BAD;
    for (size_t i = 1; i < len && i < needed; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return TOKENS_TEXT_BAD;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    if (len < needed)
        return TOKENS_TEXT_PART;
    *code = value;
    return TOKENS_TEXT_WHOLE;
}

struct tokens_text tokens_text_of(uint32_t code)
{
    struct tokens_text text = {.code = code};

    text.len = (uint8_t)(utf8_put((char *)text.bytes, code) - (char *)text.bytes);
    return text;
}

/* ---- classes ---- */

bool tokens_text_is_space(uint32_t code)
{
    static const struct span spans[] = {{0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680},
                                        {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f},
                                        {0x205f, 0x205f}, {0x3000, 0x3000}};

    return code == ' ' || (code >= '\t' && code <= '\r') || (code >= 0x85 && IS_IN(spans, code));
}

bool tokens_text_is_punctuation(uint32_t code)
{
    static const struct span ascii[] = {{0x21, 0x2f}, {0x3a, 0x40}, {0x5b, 0x60}, {0x7b, 0x7e}};
    static const struct span others[] = {
        {0xa1, 0xa9},     {0xab, 0xb1},     {0xb4, 0xb4},     {0xb6, 0xb8},     {0xbb, 0xbb},
        {0xbf, 0xbf},     {0xd7, 0xd7},     {0xf7, 0xf7},     {0x2010, 0x2027}, {0x2030, 0x205e},
        {0x3001, 0x3003}, {0x3008, 0x3011}, {0x3014, 0x301f}, {0x30fb, 0x30fb}, {0xff01, 0xff0f},
        {0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff65}};

    return code < 0x80 ? IS_IN(ascii, code) : IS_IN(others, code);
}

bool tokens_text_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/* ---- case ---- */

/* Capitals that precede their small letters by `step`; 1: they alternate, beginning with a capital. */
struct capitals {
    uint16_t first, last, step;
};

uint32_t tokens_text_lower(uint32_t code)
{
    static const struct capitals all[] = {
        {0xc0, 0xd6, 32},   {0xd8, 0xde, 32},   {0x100, 0x12e, 1},   {0x132, 0x136, 1},  {0x139, 0x147, 1},
        {0x14a, 0x176, 1},  {0x179, 0x17d, 1},  {0x1a0, 0x1a4, 1},   {0x1af, 0x1af, 1},  {0x1cd, 0x1db, 1},
        {0x1de, 0x1ee, 1},  {0x1f8, 0x21e, 1},  {0x222, 0x232, 1},   {0x246, 0x24e, 1},  {0x386, 0x386, 38},
        {0x388, 0x38a, 37}, {0x38c, 0x38c, 64}, {0x38e, 0x38f, 63},  {0x391, 0x3a1, 32}, {0x3a3, 0x3ab, 32},
        {0x400, 0x40f, 80}, {0x410, 0x42f, 32}, {0x460, 0x480, 1},   {0x48a, 0x4be, 1},  {0x4c0, 0x4c0, 15},
        {0x4c1, 0x4cd, 1},  {0x4d0, 0x52e, 1},  {0x1e00, 0x1e94, 1}, {0x1ea0, 0x1efe, 1}};

    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    if (code == 0x178)
        return 0xff;
    if (code == 0x1e9e) /* a sharp s */
        return 0xdf;
    if (code == 0x3c2) /* a final sigma */
        return 0x3c3;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (code >= all[i].first && code <= all[i].last)
            return all[i].step > 1 || (code - all[i].first) % 2 == 0 ? code + all[i].step : code;
    return code;
}
