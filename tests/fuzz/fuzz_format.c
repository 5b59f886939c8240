/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disk/format.h"

/*
 * The input: a byte for the number of zeros between two parts (signatures lie far into a file), one for how
 * much of the rest comes before them, then the parts.
 *
 * The buffers have exactly the stated size.  A verdict has a name; one of refusal also has advice, and no
 * other has.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static uint8_t *copy_exactly(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);

    require(copy != NULL);
    if (len)
        memcpy(copy, data, len);
    return copy;
}

/* As the callers do: from a file's start and its end. */
static void check_container(const uint8_t *file, size_t len, uint64_t size)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD,
                 tail_len = len < FORMAT_TAIL ? len : FORMAT_TAIL;
    uint8_t *head = copy_exactly(file, head_len), *tail = copy_exactly(file + len - tail_len, tail_len);
    const struct format_verdict verdict = format_container(head, head_len, tail, tail_len, size);

    require(verdict.format >= FORMAT_RAW && verdict.format <= FORMAT_REFUSED);
    require(verdict.name && verdict.name[0]);
    require(verdict.format != FORMAT_REFUSED || (verdict.advice && verdict.advice[0]));
    free(head);
    free(tail);
}

static void check_content(const uint8_t *file, size_t len)
{
    const size_t head_len = len < FORMAT_HEAD ? len : FORMAT_HEAD;
    uint8_t *head = copy_exactly(file, head_len);
    const struct format_content content = format_content(head, head_len);

    require(!content.name || content.name[0]);
    require(content.name || !content.encrypted);
    free(head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t zeros[] = {0, 1, 400, 1024, 4096, 32768, 65536, 65600, 131072, 200000};
    size_t between, before, len;
    uint8_t *file;

    if (size < 2)
        return 0;
    between = zeros[data[0] % (sizeof zeros / sizeof *zeros)];
    before = (size - 2) * data[1] / 255;
    len = size - 2 + between;
    file = calloc(1, len ? len : 1);
    require(file != NULL);
    memcpy(file, data + 2, before);
    memcpy(file + before + between, data + 2 + before, size - 2 - before);
    check_container(file, len, len);
    check_container(file, len, (uint64_t)len << data[0] / 10); /* what could be read of a larger one */
    check_content(file, len);
    check_content(file + before, len - before);
    free(file);
    return 0;
}
