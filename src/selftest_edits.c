/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_edits.h"

#include "lab/lab_edits.h"

enum { BLOCKS = 5 };

static void substitute(const struct selftest_edit *edit, const struct selftest_content *content,
                       const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    (void)content;
    lab_edits_substitute(random, file->data, file->len, edit->percent / 100.0, out);
}

/* The file is cut into BLOCKS pieces of equal length; in each, at a random place, `cut` bytes are left out
 * and `added` bytes put in. */
static void change_blocks(const struct selftest_content *content, const struct selftest_file *file,
                          struct lab_random *random, size_t cut, size_t added, struct buffer *out)
{
    for (size_t i = 0; i < BLOCKS; i++) {
        const size_t start = file->len * i / BLOCKS, end = file->len * (i + 1) / BLOCKS;
        const size_t at = start + lab_random_below(random, end - start - cut + 1);

        buffer_add(out, file->data + start, at - start);
        selftest_content_foreign(content, file->class, random, added, out);
        buffer_add(out, file->data + at + cut, end - at - cut);
    }
}

static size_t block_len(const struct selftest_edit *edit, const struct selftest_file *file)
{
    return file->len * edit->percent / 100 / BLOCKS;
}

static void insert(const struct selftest_edit *edit, const struct selftest_content *content,
                   const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    change_blocks(content, file, random, 0, block_len(edit, file), out);
}

static void delete (const struct selftest_edit *edit, const struct selftest_content *content,
                    const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    change_blocks(content, file, random, block_len(edit, file), 0, out);
}

static void replace(const struct selftest_edit *edit, const struct selftest_content *content,
                    const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    change_blocks(content, file, random, block_len(edit, file), block_len(edit, file), out);
}

static void move(const struct selftest_edit *edit, const struct selftest_content *content,
                 const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    const size_t first = file->len * edit->percent / 100;

    (void)content;
    (void)random;
    buffer_add(out, file->data + first, file->len - first);
    buffer_add(out, file->data, first);
}

static void prepend(const struct selftest_edit *edit, const struct selftest_content *content,
                    const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    selftest_content_foreign(content, file->class, random, file->len * edit->percent / 100, out);
    buffer_add(out, file->data, file->len);
}

static void append(const struct selftest_edit *edit, const struct selftest_content *content,
                   const struct selftest_file *file, struct lab_random *random, struct buffer *out)
{
    buffer_add(out, file->data, file->len);
    selftest_content_foreign(content, file->class, random, file->len * edit->percent / 100, out);
}

static const char *const variant[] = {"variant", NULL};
static const char *const variant_or_embedded[] = {"variant", "embedded", NULL};

const struct selftest_edit selftest_edits[] = {
    {"1 % of the bytes substituted, spread", variant, substitute, 1},
    {"5 % of the bytes substituted, spread", variant, substitute, 5},
    {"10 % of the bytes substituted, spread", variant, substitute, 10},
    {"20 % of the bytes substituted, spread", variant, substitute, 20},
    {"5 blocks inserted, 10 % of the length in all", variant, insert, 10},
    {"5 blocks deleted, 10 % of the length in all", variant, delete, 10},
    {"5 blocks replaced, 10 % of the length in all", variant, replace, 10},
    {"5 blocks replaced, 40 % of the length in all", variant, replace, 40},
    {"the first 40 % moved to the end", variant, move, 40},
    {"a quarter of the length added in front", variant_or_embedded, prepend, 25},
    {"a quarter of the length added at the end", variant_or_embedded, append, 25},
    {NULL, NULL, NULL, 0},
};
