/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "container/html.h"

/*
 * The input is a document in HTML.  Whatever it holds, there is one member; read in small pieces or large
 * ones, it is the same; it is no longer than three times the input, and it is text: no double spaces, no
 * empty lines.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        containers_require((uint8_t)text[i] >= ' ' || text[i] == '\n', "a control character");
    for (size_t i = 1; i < len; i++)
        containers_require((text[i] != ' ' && text[i] != '\n') || (text[i - 1] != ' ' && text[i - 1] != '\n'),
                           "blanks in sequence");
    containers_require(len == 0 || text[len - 1] == '\n', "no line feed at the end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct containers_list whole = containers_open(&html_format, data, size, false, NULL);
    struct containers_list small =
        containers_open(&html_format, data, size, false, &(struct containers_limits){.piece = 7});
    const struct buffer *text = &whole.members[0].data;

    containers_require(whole.count == 1 && small.count == 1, "not one member");
    containers_require(text->len == small.members[0].data.len && text->len <= 3 * size + 1, "another length");
    if (text->len)
        containers_require(memcmp(text->data, small.members[0].data.data, text->len) == 0, "another text");
    check_text(text->data, text->len);
    containers_release(&whole);
    containers_release(&small);
    return 0;
}
