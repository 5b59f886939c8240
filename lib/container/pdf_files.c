/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "container/charset.h"

enum { MOST_DEPTH = 16 }; /* of a file specification in an object */

/* The value is a string of an object, by which it is encrypted, unless that is in an object stream. */
static void add_name(struct buffer *out, const struct pdf_objects *objects,
                     const struct pdf_objects_entry *owner, struct pdf_value value)
{
    struct pdf_lex lex = {value.text, value.text + value.len};
    struct pdf_lex_token token;
    struct charset charset = {.kind = CHARSET_UTF16};
    struct buffer raw = {0};
    const uint8_t *text;

    pdf_lex_next(&lex, &token);
    pdf_lex_decode(&token, &raw);
    if (!owner->holder)
        pdf_crypt_string(&objects->crypt, owner->number, owner->generation, &raw);
    text = (const uint8_t *)raw.data;
    if (raw.len >= 2 && text[0] == 0xfe && text[1] == 0xff) {
        charset_add(&charset, out, text, raw.len);
        charset_end(&charset, out);
    } else if (raw.len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        buffer_add(out, text + 3, raw.len - 3);
    } else if (raw.len > 0) {
        buffer_add(out, text, raw.len);
    }
    out->failed |= raw.failed;
    buffer_release(&raw);
}

static bool is_string(struct pdf_value value)
{
    return pdf_lex_is_kind(value, PDF_LEX_STRING) || pdf_lex_is_kind(value, PDF_LEX_HEX);
}

/* Without the key, it would be bytes at random. */
static bool is_readable(const struct pdf_objects *objects, const struct pdf_objects_entry *owner)
{
    return owner->holder || objects->crypt.strings != PDF_CRYPT_UNKNOWN;
}

/* The name in a file specification, and the object in which it is: as it was, unless there is a reference. */
static struct pdf_value find_name(struct pdf_objects *objects, struct pdf_value specification,
                                  struct buffer *buffer, const struct pdf_objects_entry **owner)
{
    static const char *const keys[] = {"UF", "F"};
    const struct pdf_objects_entry *found;

    for (size_t i = 0; i < 2; i++) {
        const struct pdf_value name =
            pdf_objects_resolve(objects, pdf_lex_get(specification, keys[i]), buffer, &found);

        if (is_string(name)) {
            *owner = found ? found : *owner;
            return name;
        }
    }
    return (struct pdf_value){NULL, 0};
}

/* A file specification with /EF << /F 12 0 R >>, in an object. */
static int add_file(struct pdf_files *files, struct pdf_objects *objects,
                    const struct pdf_objects_entry *owner, struct pdf_value specification, struct error *err)
{
    struct buffer for_streams = {0}, for_name = {0};
    const struct pdf_value streams = pdf_objects_get(objects, specification, "EF", &for_streams);
    const struct pdf_value name = find_name(objects, specification, &for_name, &owner);
    struct pdf_files_entry entry = {.at = (uint32_t)files->names.len};
    struct pdf_value stream = pdf_lex_get(streams, "UF");
    int result = 0;

    if (!stream.text)
        stream = pdf_lex_get(streams, "F");
    if (name.text && is_readable(objects, owner) && pdf_lex_reference(stream, &entry.number) &&
        files->count < PDF_FILES_MOST) {
        add_name(&files->names, objects, owner, name);
        if (files->names.len - entry.at > PDF_FILES_MOST_NAME)
            files->names.len = entry.at + PDF_FILES_MOST_NAME;
        entry.len = (uint32_t)files->names.len - entry.at;
        if (files->names.failed || array_reserve(&files->list, &files->room, files->count + 1) < 0)
            result = error_set(err, "out of memory");
        else
            files->list[files->count++] = entry;
    }
    buffer_release(&for_streams);
    buffer_release(&for_name);
    return result;
}

/* Finds the dictionaries with /EF in an object. */
static int add_files(struct pdf_files *files, struct pdf_objects *objects,
                     const struct pdf_objects_entry *owner, struct pdf_value value, struct error *err)
{
    struct pdf_lex lex = {value.text, value.text + value.len};
    struct pdf_lex_token token;
    const uint8_t *starts[MOST_DEPTH];
    size_t depth = 0;

    while (pdf_lex_next(&lex, &token) != PDF_LEX_END) {
        if (token.kind == PDF_LEX_DICT && depth++ < MOST_DEPTH)
            starts[depth - 1] = token.start;
        else if (token.kind == PDF_LEX_DICT_END && depth > 0)
            depth--;
        else if (pdf_lex_is(&token, PDF_LEX_NAME, "EF") && depth > 0 && depth <= MOST_DEPTH) {
            const uint8_t *start = starts[depth - 1];
            const struct pdf_value specification = {start, (size_t)(value.text + value.len - start)};

            if (!pdf_objects_work(objects, specification.len * 4))
                break;
            if (add_file(files, objects, owner, specification, err) < 0)
                return -1;
        }
    }
    return 0;
}

static int by_number(const void *a, const void *b)
{
    const struct pdf_files_entry *one = a, *other = b;

    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

int pdf_files_init(struct pdf_files *files, struct pdf_objects *objects, struct error *err)
{
    struct buffer buffer = {0};
    int result = 0;

    *files = (struct pdf_files){0};
    for (size_t i = 0; objects->has_names && i < objects->count && result == 0; i++)
        if (objects->entries[i].flags & PDF_OBJECTS_NAMES) {
            const struct pdf_value value = pdf_objects_load(objects, &objects->entries[i], &buffer);

            result = value.text ? add_files(files, objects, &objects->entries[i], value, err) : 0;
        }
    buffer_release(&buffer);
    if (files->count > 0)
        qsort(files->list, files->count, sizeof *files->list, by_number);
    return result;
}

void pdf_files_release(struct pdf_files *files)
{
    free(files->list);
    buffer_release(&files->names);
    *files = (struct pdf_files){0};
}

const char *pdf_files_find(const struct pdf_files *files, uint32_t number, size_t *len)
{
    const size_t at = SEARCH_FIRST(i, 0, files->count, files->list[i].number > number);

    if (at == 0 || files->list[at - 1].number != number || files->list[at - 1].len == 0)
        return NULL;
    *len = files->list[at - 1].len;
    return files->names.data + files->list[at - 1].at;
}
