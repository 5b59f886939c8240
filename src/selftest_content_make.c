/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lab/lab_text.h"
#include "selftest_content.h"

/* Generated content of each class, by integer arithmetic alone: the same bytes on every machine. */

/* ---- source code ---- */

static const char *const syllables[] = {"re",   "con", "buf", "len", "node", "tree", "list", "key",
                                        "map",  "set", "get", "put", "init", "tmp",  "val",  "hash",
                                        "file", "io",  "ctx", "arg", "ent",  "cur",  "max",  "min",
                                        "off",  "blk", "pos", "cnt", "flag", "str"};
static const char *const types[] = {"int", "size_t", "uint32_t", "char *", "struct item *", "bool"};
static const char *const operators[] = {"+", "-", "*", "&", "|", "<<", "==", "<", "!="};

#define ANY(table, random) ((table)[lab_random_below((random), sizeof(table) / sizeof *(table))])

/* Part of the names of one file are its own. */
enum { OWN_WORDS = 64, WORD_LEN = 8 };

struct vocabulary {
    char words[OWN_WORDS][WORD_LEN + 1];
};

static void make_vocabulary(struct lab_random *random, struct vocabulary *vocabulary)
{
    for (size_t i = 0; i < OWN_WORDS; i++) {
        const size_t len = 3 + lab_random_below(random, WORD_LEN - 2);

        for (size_t k = 0; k < len; k++)
            vocabulary->words[i][k] = (char)('a' + lab_random_below(random, 26));
        vocabulary->words[i][len] = '\0';
    }
}

static void add_name(const struct vocabulary *vocabulary, struct lab_random *random, struct buffer *out)
{
    buffer_printf(out, "%s_%s", ANY(vocabulary->words, random), ANY(syllables, random));
    if (lab_random_below(random, 4) == 0)
        buffer_printf(out, "%u", (unsigned)lab_random_below(random, 100));
}

static void add_expression(const struct vocabulary *vocabulary, struct lab_random *random, struct buffer *out)
{
    add_name(vocabulary, random, out);
    buffer_printf(out, " %s ", ANY(operators, random));
    if (lab_random_below(random, 2))
        add_name(vocabulary, random, out);
    else
        buffer_printf(out, "%u", (unsigned)lab_random_below(random, 4096));
}

static void add_statement(const struct vocabulary *vocabulary, struct lab_random *random, struct buffer *out)
{
    switch (lab_random_below(random, 4)) {
    case 0:
        buffer_add_text(out, "    if (");
        add_expression(vocabulary, random, out);
        buffer_add_text(out, ")\n        return ");
        add_name(vocabulary, random, out);
        break;
    case 1:
        buffer_printf(out, "    for (size_t i = 0; i < %u; i++)\n        ",
                      (unsigned)lab_random_below(random, 999));
        add_name(vocabulary, random, out);
        buffer_add_text(out, "[i] = ");
        add_expression(vocabulary, random, out);
        break;
    case 2:
        buffer_add_text(out, "    ");
        add_name(vocabulary, random, out);
        buffer_add_char(out, '(');
        add_expression(vocabulary, random, out);
        buffer_add_char(out, ')');
        break;
    default:
        buffer_printf(out, "    %s ", ANY(types, random));
        add_name(vocabulary, random, out);
        buffer_add_text(out, " = ");
        add_expression(vocabulary, random, out);
    }
    buffer_add_text(out, ";\n");
}

static void add_function(const struct vocabulary *vocabulary, struct lab_random *random, struct buffer *out)
{
    buffer_printf(out, "static %s ", ANY(types, random));
    add_name(vocabulary, random, out);
    buffer_printf(out, "(%s ", ANY(types, random));
    add_name(vocabulary, random, out);
    buffer_add_text(out, ")\n{\n");
    for (uint64_t i = 2 + lab_random_below(random, 12); i > 0; i--)
        add_statement(vocabulary, random, out);
    buffer_add_text(out, "}\n\n");
}

static void make_source(struct lab_random *random, size_t len, struct buffer *out)
{
    const size_t end = out->len + len;
    struct vocabulary vocabulary;

    make_vocabulary(random, &vocabulary);
    while (out->len < end && !out->failed)
        add_function(&vocabulary, random, out);
    if (!out->failed)
        out->len = end;
}

/* ---- programs: code, strings, tables of addresses, zeros ---- */

static void add_code(struct lab_random *random, size_t len, struct buffer *out)
{
    static const uint8_t opcodes[] = {0x48, 0x89, 0x8b, 0xe8, 0x0f, 0x83, 0xc7,
                                      0x85, 0x74, 0x75, 0x31, 0x41, 0x5d, 0xc3};

    for (const size_t end = out->len + len; out->len < end && !out->failed;) {
        buffer_add_char(out, (char)ANY(opcodes, random));
        buffer_add_char(out, (char)(0x40 + lab_random_below(random, 0x90)));
        if (lab_random_below(random, 3) == 0) { /* a small operand of four bytes */
            const uint64_t operand = lab_random_below(random, 1 << 14);
            const uint8_t bytes[4] = {(uint8_t)operand, (uint8_t)(operand >> 8), 0, 0};

            buffer_add(out, bytes, sizeof bytes);
        }
    }
}

static void add_addresses(struct lab_random *random, size_t len, struct buffer *out)
{
    uint64_t address = 0x400000 + lab_random_below(random, 1 << 20);

    for (size_t i = 0; i < len; i += sizeof address) {
        uint8_t bytes[8];

        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)(address >> 8 * k);
        buffer_add(out, bytes, sizeof bytes);
        address += 16 * (1 + lab_random_below(random, 8));
    }
}

static void add_strings(const struct vocabulary *vocabulary, struct lab_random *random, size_t len,
                        struct buffer *out)
{
    for (const size_t end = out->len + len; out->len < end && !out->failed;) {
        add_name(vocabulary, random, out);
        buffer_add_char(out, '\0');
    }
}

static void make_program(struct lab_random *random, size_t len, struct buffer *out)
{
    const size_t end = out->len + len;
    struct vocabulary vocabulary;

    make_vocabulary(random, &vocabulary);
    while (out->len < end && !out->failed) {
        const size_t piece = 1024 + lab_random_below(random, 8192);
        const uint64_t kind = lab_random_below(random, 16);

        if (kind < 12)
            add_code(random, piece, out);
        else if (kind < 14)
            add_strings(&vocabulary, random, piece / 2, out);
        else
            add_addresses(random, piece / 4, out);
    }
    if (!out->failed)
        out->len = end;
}

static void make_packed(struct lab_random *random, size_t len, struct buffer *out)
{
    uint8_t *at = len ? (uint8_t *)buffer_extend(out, len) : NULL;

    for (size_t i = 0; at && i < len; i += sizeof(uint64_t)) {
        const uint64_t number = lab_random_next(random);

        for (unsigned k = 0; k < sizeof number && i + k < len; k++)
            at[i + k] = (uint8_t)(number >> 8 * k);
    }
}

void selftest_content_make(enum selftest_class class, struct lab_random *random, size_t len,
                           struct buffer *out)
{
    switch (class) {
    case SELFTEST_TEXT:
        lab_text_generate(random, len, out);
        break;
    case SELFTEST_SOURCE:
        make_source(random, len, out);
        break;
    case SELFTEST_PROGRAM:
        make_program(random, len, out);
        break;
    default:
        make_packed(random, len, out);
    }
}
