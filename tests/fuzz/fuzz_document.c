/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit/containers.h"
#include "../unit/zipped.h"
#include "container/document.h"

/*
 * The input: parts of a document, each a letter for its name and then its content, up to a byte 0xff.  They
 * are put into an archive; whatever they hold, there is one text if there are parts, and it is the same read
 * in small pieces.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
    "word/document.xml",
    "word/footnotes.xml",
    "word/header2.xml",
    "word/header10.xml",
    "xl/sharedStrings.xml",
    "xl/comments1.xml",
    "xl/worksheets/sheet1.xml",
    "xl/worksheets/sheet2.xml",
    "ppt/slides/slide1.xml",
    "ppt/slides/slide2.xml",
    "content.xml",
    "styles.xml",
    "OEBPS/content.opf",
    "OEBPS/a.xhtml",
    "OEBPS/b/c.xhtml",
    "[Content_Types].xml",
};

static void add_parts(struct zipped *zip, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const uint8_t *end = memchr(data, 0xff, size);
        const size_t len = end ? (size_t)(end - data) : size;

        if (len > 0)
            zipped_add(zip, names[data[0] % (sizeof names / sizeof *names)], data + 1, len - 1);
        data += len + (end != NULL);
        size -= len + (end != NULL);
    }
    zipped_end(zip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct zipped zip = {0};
    struct containers_list whole, small;

    add_parts(&zip, data, size);
    whole = containers_open(&document_format, zip.file.data, zip.file.len, false,
                            &(struct containers_limits){.bytes = 4 << 20});
    small = containers_open(&document_format, zip.file.data, zip.file.len, false,
                            &(struct containers_limits){.bytes = 1 << 16, .piece = 11});
    containers_require(whole.count <= 1 && small.count == whole.count, "another number of texts");
    if (small.count && small.members[0].data.len) {
        const size_t len = small.members[0].data.len;

        containers_require(len <= whole.members[0].data.len + 11, "another length");
        if (len <= whole.members[0].data.len)
            containers_require(memcmp(small.members[0].data.data, whole.members[0].data.data, len) == 0,
                               "another text");
    }
    containers_release(&whole);
    containers_release(&small);
    zipped_release(&zip);
    return 0;
}
