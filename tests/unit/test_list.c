/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/escape.h"
#include "check_main.h"
#include "list/list.h"
#include "list/list_ahead.h"
#include "list/list_inner.h"
#include "sample/record.h"

/* printf abc | sha1sum, md5sum, sha256sum; and of nothing */
#define SHA1_ABC     "a9993e364706816aba3e25717850c26c9cd0d89d"
#define MD5_ABC      "900150983cd24fb0d6963f7d28e17f72"
#define SHA256_ABC   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA1_EMPTY   "da39a3ee5e6b4b0d3255bfef95601890afd80709"
#define MD5_EMPTY    "d41d8cd98f00b204e9800998ecf8427e"
#define SHA256_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define RECORD_EMPTY "kith1:gf8:12:128:0:0:" SHA1_EMPTY ":0::::x"

/* ---- helpers ---- */

static void add_entry(struct buffer *out, const struct list_entry *entry)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(entry->digests.kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, "%s=", digest_name((enum digest_kind)kind));
        escape_hex(out, entry->digests.bytes[kind], digest_len((enum digest_kind)kind));
        buffer_add_char(out, ' ');
    }
    if (entry->has_size)
        buffer_printf(out, "size=%llu ", (unsigned long long)entry->size);
    buffer_add_text(out, "name=");
    escape_text(out, entry->name, entry->name_len);
    for (size_t at = 0; at < entry->names_len; at += strlen(entry->names + at) + 1)
        buffer_printf(out, " and=%s", entry->names + at);
    if (*entry->mark)
        buffer_printf(out, " mark=%s", entry->mark);
    if (entry->source)
        buffer_printf(out, " from=%llu", (unsigned long long)entry->source);
    if (entry->block_count) {
        buffer_add_text(out, " blocks=");
        escape_hex(out, entry->blocks, entry->block_count * DIGEST_SHA1_LEN);
    }
    if (entry->record) {
        buffer_add_text(out, " record=");
        buffer_add(out, entry->record, entry->record_len);
    }
    buffer_add_char(out, '\n');
}

static void add_source(struct buffer *out, const struct list_source *source)
{
    buffer_printf(out, "source %llu ", (unsigned long long)source->number);
    escape_text(out, source->path, source->path_len);
    buffer_printf(out, " %s %s %s %s %lld ", source->kind, source->format, source->tool, source->note,
                  (long long)source->time);
    if (source->has_sha256)
        escape_hex(out, source->sha256, DIGEST_SHA256_LEN);
    buffer_add_char(out, '\n');
}

/* A line for everything that is found; messages about malformed rows without the list's name. */
static void add_list(struct buffer *out, struct list *list)
{
    const struct list_set *set = list_set(list);
    struct error err = {""};
    enum list_result result;

    while ((result = list_next(list, &err)) != LIST_END && result != LIST_FAILED) {
        if (result == LIST_ENTRY)
            add_entry(out, list_entry(list));
        else if (result == LIST_SOURCE)
            add_source(out, list_source(list));
        else if (result == LIST_SET)
            buffer_printf(out, "set %s %s %s %u %u %u %u\n", set->name, set->kind, set->category, set->n,
                          set->c, set->block, set->common);
        else
            buffer_printf(out, "%s\n", strchr(err.text, ':') ? strchr(err.text, ':') + 2 : err.text);
    }
    if (result == LIST_FAILED)
        buffer_printf(out, "FAILED %s\n", strchr(err.text, ':') + 2);
}

static void assert_text(struct buffer *out, const char *wanted)
{
    buffer_add_char(out, '\0');
    ck_assert_str_eq(out->data, wanted);
    buffer_release(out);
}

/* format NULL: it must be detected, as the expected one. */
static void assert_list(const void *data, size_t len, const char *format, const char *wanted_format,
                        const char *wanted)
{
    struct error err = {""};
    struct list *list = list_open_memory(data, len, format, &err);
    struct buffer out = {0};

    ck_assert_msg(list != NULL, "%s", err.text);
    ck_assert_str_eq(list_format(list), wanted_format);
    add_list(&out, list);
    assert_text(&out, wanted);
    list_close(list);
}

#define ASSERT_LIST(text, format, wanted) assert_list(text, sizeof text - 1, NULL, format, wanted)
#define ASSERT_AS(text, format, wanted)   assert_list(text, sizeof text - 1, format, format, wanted)

static void assert_refused(const void *data, size_t len, const char *format, const char *why)
{
    struct error err = {""};

    ck_assert_ptr_null(list_open_memory(data, len, format, &err));
    ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
}

/* ---- opening ---- */

START_TEST(an_unrecognized_file_is_refused_with_the_known_formats)
{
    static const char text[] = "Dear Sir,\nthis is a letter.\n";

    for (size_t i = 0; list_formats[i]; i++)
        assert_refused(text, sizeof text - 1, NULL, list_formats[i]);
    assert_refused(text, sizeof text - 1, NULL, "memory: unrecognized list format");
    assert_refused(text, sizeof text - 1, "nonsense", "'nonsense' is not a list format");
    assert_refused(text, sizeof text - 1, "nsrl3", "is not an SQLite database");
    assert_refused(text, sizeof text - 1, "csv", "does not name a column");
    assert_refused(text, sizeof text - 1, "encase", "EnCase");
}
END_TEST

START_TEST(compressed_lists_are_refused_with_advice)
{
    assert_refused("\x1f\x8b\x08\x00", 4, NULL, "zcat LIST | kith import SET -");
    assert_refused("PK\x03\x04", 4, NULL, "zip");
    assert_refused("7z\xbc\xaf\x27\x1c", 6, NULL, "7z");
    assert_refused("\xfd"
                   "7zXZ\0",
                   6, "sums", "xzcat");
}
END_TEST

START_TEST(an_empty_list_counts_as_sums)
{
    ASSERT_LIST("", "sums", "");
    ASSERT_LIST("\xef\xbb\xbf", "sums", "");
    ASSERT_LIST("# nothing yet\n\n", "sums", "");
}
END_TEST

START_TEST(unreadable_files_are_named)
{
    struct error err;

    ck_assert_ptr_null(list_open("/nowhere", NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "/nowhere"));
    ck_assert_ptr_null(list_open("/", NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "folder"));
}
END_TEST

/* ---- sums ---- */

START_TEST(sums_of_coreutils_are_read)
{
    ASSERT_LIST(SHA1_ABC "  a,b.txt\n" MD5_EMPTY " *b c\n" SHA256_ABC "  \n", "sums",
                "sha1=" SHA1_ABC " name=a,b.txt\nmd5=" MD5_EMPTY " name=b c\nsha256=" SHA256_ABC " name=\n");
    ASSERT_LIST("SHA1 (a (1).txt) = " SHA1_ABC "\nMD5 (x) = " MD5_EMPTY "\nSHA256 (y) = " SHA256_ABC "\n",
                "sums",
                "sha1=" SHA1_ABC " name=a (1).txt\nmd5=" MD5_EMPTY " name=x\nsha256=" SHA256_ABC " name=y\n");
    ASSERT_LIST("SHA1(a.txt)= " SHA1_ABC "\nSHA2-256(b)= " SHA256_ABC "\n", "sums",
                "sha1=" SHA1_ABC " name=a.txt\nsha256=" SHA256_ABC " name=b\n");
}
END_TEST

START_TEST(names_are_unescaped_only_where_marked)
{
    ASSERT_LIST("\\" SHA1_ABC "  a\\nb\\\\c\\rd\n" SHA1_ABC "  a\\nb\n", "sums",
                "sha1=" SHA1_ABC " name=a\\x0ab\\\\c\\x0dd\nsha1=" SHA1_ABC " name=a\\\\nb\n");
    ASSERT_LIST("\\MD5 (a\\nb) = " MD5_ABC "\n", "sums", "md5=" MD5_ABC " name=a\\x0ab\n");
    ASSERT_LIST("\\" SHA1_ABC "  a\\tb\n" SHA1_ABC "  x\n", "sums",
                "row 1: the name is marked as escaped, but contains an invalid escape\n"
                "sha1=" SHA1_ABC " name=x\n");
}
END_TEST

START_TEST(md5deep_with_sizes_and_bare_digests_are_read)
{
    ASSERT_LIST("         3  " MD5_ABC "  /tmp/a\n         0  " MD5_EMPTY " */tmp/b\n12345678901  " SHA1_ABC
                "  c\n",
                "sums",
                "md5=" MD5_ABC " size=3 name=/tmp/a\nmd5=" MD5_EMPTY " size=0 name=/tmp/b\nsha1=" SHA1_ABC
                " size=12345678901 name=c\n");
    ASSERT_LIST("# known\r\n" SHA1_ABC "\r\n\r\n" MD5_ABC
                "\r\nE3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
                "sums", "sha1=" SHA1_ABC " name=\nmd5=" MD5_ABC " name=\nsha256=" SHA256_EMPTY " name=\n");
}
END_TEST

START_TEST(malformed_sums_are_reported_with_their_line)
{
    ASSERT_AS(SHA1_ABC "  a\n" SHA1_ABC "0  b\n\nSHA512 (c) = 00\nMD5 (d) = " SHA1_ABC "\nMD5 (e)\n" MD5_ABC
                       "\n",
              "sums",
              "sha1=" SHA1_ABC " name=a\n"
              "row 2: the line has no digest of 32, 40 or 64 hexadecimal digits\n"
              "row 4: the line has no recognized digest\n"
              "row 5: the digest has 40 digits instead of 32\n"
              "row 6: the line does not end with '= digest'\n"
              "md5=" MD5_ABC " name=\n");
}
END_TEST

START_TEST(names_keep_their_bytes)
{
    ASSERT_AS(SHA1_ABC "\0 a\n", "sums",
              "row 1: the line has no digest of 32, 40 or 64 hexadecimal digits\n");
    ASSERT_LIST(SHA1_ABC "  a\0b\xff \n", "sums", "sha1=" SHA1_ABC " name=a\\x00b\\xff \n");
}
END_TEST

/* What a Windows tool writes: the same list in UTF-16. */
START_TEST(lists_in_utf16_are_read)
{
    static const char text[] = "sha1,name\r\n" SHA1_ABC ",a.txt\r\n";
    char wide[2 * sizeof text + 2] = "\xff\xfe";

    for (size_t i = 0; i < sizeof text - 1; i++)
        wide[2 + 2 * i] = text[i];
    assert_list(wide, 2 * sizeof text, NULL, "csv", "sha1=" SHA1_ABC " name=a.txt\n");
    assert_list(wide + 2, 2 * sizeof text - 2, NULL, "csv", "sha1=" SHA1_ABC " name=a.txt\n");
}
END_TEST

/* ---- hashdeep ---- */

START_TEST(hashdeep_names_its_columns)
{
    ASSERT_LIST(
        "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /tmp\n## $ hashdeep a\n## \n"
        "3," MD5_ABC "," SHA256_ABC ",/tmp/a,b.txt\n",
        "hashdeep", "md5=" MD5_ABC " sha256=" SHA256_ABC " size=3 name=/tmp/a,b.txt\n");
    ASSERT_LIST("%%%% HASHDEEP-1.0\r\n%%%% tiger,sha1,size,filename\r\n0011," SHA1_ABC ",3,x\r\n", "hashdeep",
                "sha1=" SHA1_ABC " size=3 name=x\n");
}
END_TEST

START_TEST(concatenated_hashdeep_lists_are_read)
{
    ASSERT_LIST("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n3," MD5_ABC ",a\n"
                "%%%% HASHDEEP-1.0\n%%%% size,sha1,filename\n0," SHA1_EMPTY ",b\n",
                "hashdeep", "md5=" MD5_ABC " size=3 name=a\nsha1=" SHA1_EMPTY " size=0 name=b\n");
}
END_TEST

START_TEST(malformed_rows_of_hashdeep_are_reported)
{
    ASSERT_LIST("%%%% HASHDEEP-1.0\n1,x\n%%%% size,md5,filename\n-3," MD5_ABC ",a\n3," SHA1_ABC
                ",a\n3," MD5_ABC "\n3,,a\n0," MD5_EMPTY ",b",
                "hashdeep",
                "row 2: entry before the line that names the columns\n"
                "row 4: the size is not a number of bytes\n"
                "row 5: malformed digest\n"
                "row 6: wrong number of columns: 2 instead of 3\n"
                "row 7: there is no digest\n"
                "md5=" MD5_EMPTY " size=0 name=b\n");
}
END_TEST

/* ---- CSV ---- */

START_TEST(nsrl_rdsv2_is_read)
{
    ASSERT_LIST(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\","
        "\"SpecialCode\"\r\n"
        "\"A9993E364706816ABA3E25717850C26C9CD0D89D\",\"900150983CD24FB0D6963F7D28E17F72\",\"352441C2\","
        "\"a \"\"b\"\".txt\",3,1,\"358\",\"\"\r\n",
        "nsrl2", "sha1=" SHA1_ABC " md5=" MD5_ABC " size=3 name=a \"b\".txt\n");
}
END_TEST

START_TEST(hashkeeper_is_read)
{
    ASSERT_LIST(
        "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\"\r\n"
        "1,2,\"a.txt\",\"C:\\x\",\"" MD5_ABC "\",3,\"1/1/2000\"\r\n",
        "hashkeeper", "md5=" MD5_ABC " size=3 name=a.txt\n");
}
END_TEST

START_TEST(any_csv_with_a_digest_is_read)
{
    ASSERT_LIST("Path,Bytes,SHA-256,x\n\"a,\nb\",3," SHA256_ABC ",\"1\"\"2\"\n", "csv",
                "sha256=" SHA256_ABC " size=3 name=a,\\x0ab\n");
    ASSERT_LIST("md5;name\r\n" MD5_ABC ";\"a\r\n\r\nb\"\r\n", "csv",
                "md5=" MD5_ABC " name=a\\x0d\\x0a\\x0d\\x0ab\n");
    ASSERT_LIST("SHA1\n" SHA1_ABC "\n\n" SHA1_EMPTY, "csv",
                "sha1=" SHA1_ABC " name=\nsha1=" SHA1_EMPTY " name=\n");
    ASSERT_LIST("md5,sha1\n," SHA1_ABC "\n" MD5_ABC ",\n", "csv",
                "sha1=" SHA1_ABC " name=\nmd5=" MD5_ABC " name=\n");
}
END_TEST

START_TEST(kiths_own_csv_has_names_in_hexadecimal_where_necessary)
{
    ASSERT_LIST("sha1,md5,sha256,size,name,name_hex\r\n" SHA1_ABC ",,,3,\"'=a\\x00b\",3d610062\r\n" SHA1_EMPTY
                ",,,0,x,\r\n",
                "csv", "sha1=" SHA1_ABC " size=3 name==a\\x00b\nsha1=" SHA1_EMPTY " size=0 name=x\n");
}
END_TEST

START_TEST(malformed_rows_of_csv_are_reported)
{
    ASSERT_LIST("sha1,size,name\n" SHA1_ABC ",3\n" SHA1_ABC ",-1,a\n" SHA1_ABC
                ",9223372036854775808,a\nxyz,1,a\n,1,a\n"
                "\"" SHA1_ABC "\"x,1,a\n" SHA1_ABC ",9223372036854775807,a\n" SHA1_ABC ",1,\"a\nb",
                "csv",
                "row 2: wrong number of columns: 2 instead of 3\n"
                "row 3: the size is not a number of bytes\n"
                "row 4: the size is not a number of bytes\n"
                "row 5: malformed sha1: expected 40 hexadecimal digits\n"
                "row 6: there is no digest\n"
                "row 7: malformed quoting\n"
                "sha1=" SHA1_ABC " size=9223372036854775807 name=a\n"
                "row 9: unterminated quote: not closed within 64 lines and 65536 bytes\n"
                "row 10: wrong number of columns: 1 instead of 3\n");
}
END_TEST

/* Rows b, among rows r with an unterminated quote; each r must be reported, and each b returned. */
static void assert_stray_quotes(const struct buffer *text, const char *stray, size_t strays, size_t good)
{
    struct error err = {""};
    struct list *list = list_open_memory(text->data, text->len, NULL, &err);
    uint8_t sha256[DIGEST_SHA256_LEN];
    struct digest_values values;
    struct digest *digest;
    enum list_result result;
    size_t bad = 0, entries = 0;

    ck_assert_msg(list != NULL, "%s", err.text);
    while ((result = list_next(list, &err)) == LIST_ENTRY || result == LIST_BAD) {
        bad += result == LIST_BAD;
        entries += result == LIST_ENTRY;
        if (result == LIST_ENTRY)
            ck_assert(list_entry(list)->name_len == 1 && *list_entry(list)->name == 'b');
    }
    ck_assert_msg(result == LIST_END && bad == strays && entries == good, "%s: %zu broken, %zu good, %s",
                  stray, bad, entries, err.text);
    ck_assert_int_eq(list_sha256(list, sha256, &err), 0);
    digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), &err);
    ck_assert(!digest_begin(digest, &err) && !digest_update(digest, text->data, text->len, &err) &&
              !digest_final(digest, &values, &err));
    digest_free(digest);
    ck_assert_mem_eq(sha256, values.bytes[DIGEST_SHA256], DIGEST_SHA256_LEN);
    ck_assert_uint_eq(list_bytes(list), text->len);
    list_close(list);
}

START_TEST(a_stray_quote_costs_only_its_own_line)
{
    static const char *const strays[] = {
        "\"r," SHA1_ABC "\n",        SHA1_ABC ",\"\n", "\"\n", "r,\"" SHA1_ABC "\n",
        "r\"r,\"\"\"" SHA1_ABC "\n", "\"\"\"r\r\n",
    };

    for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
        for (size_t every = 1; every < 200000; every = 3 * every + 1) {
            struct buffer text = {0};
            size_t good = 0;

            buffer_add_text(&text, "name,sha1\n");
            for (size_t row = 0; row < 20000; row++) {
                if (row % every == every / 2)
                    buffer_add_text(&text, strays[i]);
                if (every > 1 && ++good)
                    buffer_add_text(&text, "b," SHA1_ABC "\n");
            }
            assert_stray_quotes(&text, strays[i], (20000 + every - every / 2 - 1) / every, good);
            buffer_release(&text);
        }
}
END_TEST

START_TEST(a_row_with_a_stray_quote_is_reported_with_its_line)
{
    ASSERT_LIST("sha1,name\n" SHA1_ABC ",a\n" SHA1_ABC ",\"b\n\n" SHA1_ABC ",\"c\nd\"\n" SHA1_ABC
                ",e\"\n" SHA1_ABC ",\"f",
                "csv",
                "sha1=" SHA1_ABC " name=a\n"
                "row 3: malformed quoting\n"
                "sha1=" SHA1_ABC " name=c\\x0ad\n"
                "sha1=" SHA1_ABC " name=e\"\n"
                "row 8: unterminated quote: not closed within 64 lines and 65536 bytes\n");
}
END_TEST

/* Cells with this many newlines, and this many bytes between them. */
static void add_tall(struct buffer *text, size_t newlines, size_t bytes)
{
    buffer_add_text(text, SHA1_ABC ",\"");
    for (size_t i = 0; i <= newlines; i++) {
        for (size_t j = 0; j < bytes; j++)
            buffer_add_char(text, 'x');
        buffer_add_text(text, i < newlines ? "\n" : "\"\n");
    }
}

START_TEST(a_row_has_at_most_64_lines_and_64_kib)
{
    static const struct {
        size_t newlines, bytes;
        bool good;
    } samples[] = {{1, 0, true}, {63, 1000, true}, {64, 1, false}, {2, 21800, true}, {2, 21900, false}};

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct buffer text = {0};
        struct error err = {""};
        struct list *list;

        buffer_add_text(&text, "sha1,name\n");
        add_tall(&text, samples[i].newlines, samples[i].bytes);
        buffer_add_text(&text, SHA1_EMPTY ",b\n");
        list = list_open_memory(text.data, text.len, NULL, &err);
        ck_assert_int_eq(list_next(list, &err), samples[i].good ? LIST_ENTRY : LIST_BAD);
        if (samples[i].good)
            ck_assert_uint_eq(list_entry(list)->name_len,
                              samples[i].newlines + samples[i].bytes * (samples[i].newlines + 1));
        for (size_t j = 0; !samples[i].good && j < samples[i].newlines; j++)
            ck_assert_int_eq(list_next(list, &err), LIST_BAD);
        ck_assert_msg(list_next(list, &err) == LIST_ENTRY, "%s", err.text);
        ck_assert_uint_eq(list_entry(list)->name_len, 1);
        ck_assert_int_eq(list_next(list, &err), LIST_END);
        list_close(list);
        buffer_release(&text);
    }
}
END_TEST

START_TEST(an_overlong_line_after_a_stray_quote_is_reported_as_well)
{
    struct buffer text = {0}, out = {0};
    struct error err = {""};
    struct list *list;

    buffer_add_text(&text, "sha1,name\n" SHA1_ABC ",\"a\n" SHA1_ABC ",\"b\n");
    for (size_t i = 0; i < LINES_LONGEST + 10; i++)
        buffer_add_char(&text, '"');
    buffer_add_text(&text, "\n" SHA1_ABC ",c\n");
    list = list_open_memory(text.data, text.len, NULL, &err);
    ck_assert_msg(list != NULL, "%s", err.text);
    add_list(&out, list);
    assert_text(&out, "row 2: malformed quoting\n"
                      "row 3: unterminated quote: not closed within 64 lines and 65536 bytes\n"
                      "row 4: the line is longer than 1048576 bytes\n"
                      "sha1=" SHA1_ABC " name=c\n");
    list_close(list);
    buffer_release(&text);
}
END_TEST

/* ---- placeholder digests, marks ---- */

#define ZEROS_32 "00000000000000000000000000000000"
#define ZEROS_40 ZEROS_32 "00000000"
#define ZEROS_64 ZEROS_32 ZEROS_32

START_TEST(a_digest_of_zeros_is_no_digest)
{
    char encase[1152 + 18] = "HASH\r\n\xff";

    ASSERT_LIST("sha1,md5,sha256\n" ZEROS_40 "," MD5_ABC "," ZEROS_64 "\n" SHA1_ABC "," ZEROS_32
                ",\n" ZEROS_40 ",,\n",
                "csv",
                "md5=" MD5_ABC " name=\n"
                "sha1=" SHA1_ABC " name=\n"
                "row 4: there is no digest\n");
    ASSERT_AS(ZEROS_40 "  a\n" MD5_ABC "  b\n", "sums",
              "row 1: there is no digest\nmd5=" MD5_ABC " name=b\n");
    ASSERT_LIST("%%%% HASHDEEP-1.0\n%%%% size,md5,sha1,filename\n3," MD5_ABC "," ZEROS_40 ",a\n3," ZEROS_32
                "," ZEROS_40 ",b\n",
                "hashdeep", "md5=" MD5_ABC " size=3 name=a\nrow 4: there is no digest\n");
    ASSERT_LIST("{\"value\":[{\"MD5\":\"" MD5_ABC "\",\"SHA1\":\"" ZEROS_40 "\"},{\"MD5\":\"" MD5_ABC
                "\",\"MD5\":\"" ZEROS_32 "\"}]}",
                "projectvic", "md5=" MD5_ABC " name=\nrow 2: there is no digest (line 1)\n");
    ASSERT_LIST("INSERT INTO FILE(sha1,md5) VALUES('" ZEROS_40 "','" MD5_ABC "'),('" ZEROS_40 "','');",
                "nsrl3-delta", "md5=" MD5_ABC " name=\nrow 1: there is no digest\n");
    ASSERT_LIST("{\"sha1\":\"" ZEROS_40 "\",\"md5\":\"" MD5_ABC "\"}\n{\"sha1\":\"" ZEROS_40
                "\"}\nkith1:gf8:12:128:0:0:" ZEROS_40 ":0::::x\n",
                "kith-json", "md5=" MD5_ABC " name=\nrow 2: there is no digest\nrow 3: there is no digest\n");
    assert_list(encase, sizeof encase, NULL, "encase", "row 1: there is no digest\n");
}
END_TEST

START_TEST(other_statements_about_an_entry_become_its_mark)
{
    ASSERT_LIST("\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\","
                "\"SpecialCode\"\r\n"
                "\"" SHA1_ABC "\",\"\",\"\",\"a\",3,1,\"358\",\"M\"\r\n"
                "\"" SHA1_ABC "\",\"\",\"\",\"b\",3,1,\"358\",\"\"\r\n"
                "\"" SHA1_ABC "\",\"\",\"\",\"c\",3,1,\"358\",\" S\x1b \"\r\n",
                "nsrl2",
                "sha1=" SHA1_ABC " size=3 name=a mark=M\nsha1=" SHA1_ABC " size=3 name=b\nsha1=" SHA1_ABC
                " size=3 name=c mark=S?\n");
    ASSERT_LIST("{\"value\":[{\"MD5\":\"" MD5_ABC "\",\"Category\":2},{\"MD5\":\"" MD5_ABC
                "\",\"Category\":\"0123456789012345678901234567890123456789\"},{\"MD5\":\"" MD5_ABC "\"}]}",
                "projectvic",
                "md5=" MD5_ABC " name= mark=Category=2\nmd5=" MD5_ABC
                " name= mark=Category=0123456789012345678901234567890\nmd5=" MD5_ABC " name=\n");
    ASSERT_LIST("INSERT INTO FILE(sha1,special_code) VALUES('" SHA1_ABC "','M'),('" SHA1_ABC "',NULL);",
                "nsrl3-delta", "sha1=" SHA1_ABC " name= mark=M\nsha1=" SHA1_ABC " name=\n");
}
END_TEST

/* The reader that copies entries has more than one batch of them here. */
START_TEST(marks_survive_the_read_ahead_thread)
{
    static const char *const marks[] = {"M", "", "S", "", "", "long mark"};
    struct buffer text = {0};
    struct error err = {""};
    struct list *list;
    struct list_ahead *ahead;

    buffer_add_text(&text, "sha1,name,specialcode\n");
    for (int i = 0; i < 3000; i++)
        buffer_printf(&text, SHA1_ABC ",n%d,%s\n", i, marks[i % 6]);
    list = list_open_memory(text.data, text.len, NULL, &err);
    ahead = list_ahead_new(list, &err);
    ck_assert_ptr_nonnull(ahead);
    for (int i = 0; i < 3000; i++) {
        char name[20];

        snprintf(name, sizeof name, "n%d", i);
        ck_assert_int_eq(list_ahead_next(ahead, &err), LIST_ENTRY);
        ck_assert_str_eq(list_ahead_entry(ahead)->mark, marks[i % 6]);
        ck_assert_uint_eq(list_ahead_entry(ahead)->name_len, strlen(name));
        ck_assert_mem_eq(list_ahead_entry(ahead)->name, name, strlen(name));
    }
    ck_assert_int_eq(list_ahead_next(ahead, &err), LIST_END);
    list_ahead_free(ahead);
    list_close(list);
    buffer_release(&text);
}
END_TEST

/* Entries of all kinds, and malformed rows between them, as without the thread. */
START_TEST(entries_survive_the_read_ahead_thread_intact)
{
    static const char *const rests[] = {
        "\"sha1\":\"" SHA1_ABC "\",\"size\":3,\"names\":[\"e\"],\"blocks\":\"" SHA1_EMPTY SHA1_ABC "\"}\n",
        "\"sha1\":\"" SHA1_ABC "\",\"names\":[\"b\",\"cd\"],\"names_from\":[1,2],\"from\":3}\n",
        "\"sha1\":\"" SHA1_ABC "\",\"size\":3,\"names\":[\"e\"],\"blocks\":\"" SHA1_ABC SHA1_EMPTY "\"}\n",
        "\"sha1\":1}\n",
        "\"sha1\":\"" SHA1_EMPTY "\",\"size\":0,\"record\":\"" RECORD_EMPTY "\",\"md5\":\"" MD5_EMPTY
        "\"}\n"};
    struct buffer text = {0}, direct = {0}, ahead_of = {0};
    struct error err = {""};
    enum list_result result;
    struct list_ahead *ahead;
    struct list *list;

    for (int i = 0; i < 2000; i++) {
        buffer_printf(&text, "{\"name\":\"n%d\",", i);
        buffer_add_text(&text, rests[i % 5]);
    }
    list = list_open_memory(text.data, text.len, "kith-json", &err);
    add_list(&direct, list);
    list_close(list);
    list = list_open_memory(text.data, text.len, "kith-json", &err);
    ahead = list_ahead_new(list, &err);
    ck_assert_ptr_nonnull(ahead);
    while ((result = list_ahead_next(ahead, &err)) != LIST_END) {
        const struct list_entry *entry = list_ahead_entry(ahead);

        if (result == LIST_ENTRY)
            add_entry(&ahead_of, entry);
        else
            buffer_printf(&ahead_of, "%s\n", strchr(err.text, ':') + 2);
        if (result == LIST_ENTRY && entry->names_len == 5)
            ck_assert(entry->names_from[0] == 1 && entry->names_from[1] == 2);
        else if (result == LIST_ENTRY)
            ck_assert_ptr_null(entry->names_from); /* not from another row */
    }
    ck_assert_uint_gt(direct.len, 100000);
    ck_assert_uint_eq(ahead_of.len, direct.len);
    ck_assert_mem_eq(ahead_of.data, direct.data, direct.len);
    list_ahead_free(ahead);
    list_close(list);
    buffer_release(&text);
    buffer_release(&direct);
    buffer_release(&ahead_of);
}
END_TEST

/* ---- EnCase ---- */

START_TEST(encase_is_read)
{
    static const uint8_t md5[] = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
                                  0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72};
    char text[1152 + 40] = "HASH\r\n\xff";

    memcpy(text + 1032, "s\0e\0t\0", 6);
    memcpy(text + 1152, md5, 16);
    memcpy(text + 1170, md5, 16);
    assert_list(text, 1188, NULL, "encase", "md5=" MD5_ABC " name=\nmd5=" MD5_ABC " name=\n");
    assert_list(text, 1187, NULL, "encase", "md5=" MD5_ABC " name=\nrow 2: truncated entry\n");
    assert_list(text, 1152, NULL, "encase", "");
    assert_refused(text, 1151, NULL, "truncated within its header");
}
END_TEST

/* ---- Project VIC ---- */

START_TEST(project_vic_is_read)
{
    ASSERT_LIST(
        "{\"odata.metadata\":\"http://github.com/ICMEC/ProjectVic/DataModels/1.2.xml#Media\",\"value\":[\n"
        "{\"MediaID\":1,\"Category\":0,\"MD5\":\"900150983CD24FB0D6963F7D28E17F72\",\"SHA1\":\"" SHA1_ABC
        "\","
        "\"MediaSize\":\"3\",\"MediaFiles\":[{\"MD5\":\"" MD5_EMPTY
        "\",\"FileName\":\"a\\u00e9.jpg\",\"FilePath\":\"x\"},"
        "{\"FileName\":\"b\"}],\"Tags\":[{\"MD5\":\"no\"}]},\n"
        "{\"MD5\":\"" MD5_EMPTY "\",\"SHA1\":null,\"MediaSize\":0}]}",
        "projectvic",
        "sha1=" SHA1_ABC " md5=" MD5_ABC " size=3 name=a\u00e9.jpg mark=Category=0\nmd5=" MD5_EMPTY
        " size=0 name=\n");
}
END_TEST

START_TEST(project_vic_cases_have_their_media_inside)
{
    ASSERT_LIST("{\"@odata.context\":\"x\",\"value\":[{\"CaseID\":\"1\",\"Media\":[{\"SHA1\":\"" SHA1_ABC
                "\"},{\"MD5\":\"" MD5_ABC "\"}],\"CaseNumber\":\"2\"}]}",
                "projectvic", "sha1=" SHA1_ABC " name=\nmd5=" MD5_ABC " name=\n");
}
END_TEST

START_TEST(malformed_media_are_reported_and_cost_no_others)
{
    ASSERT_LIST("{\"value\":[{\"MediaID\":1},\n{\"MD5\":\"x\"},\n\n{\"MD5\":\"" MD5_ABC
                "\",\n\"MediaSize\":-1},{\"MD5\":\"" MD5_ABC "\"},\n{\"MD5\":},{\"MD5\":\"" MD5_EMPTY "\"}]}",
                "projectvic",
                "row 1: there is no digest (line 1)\n"
                "row 2: malformed digest (line 2)\n"
                "row 3: the size is not a number of bytes (line 4)\n"
                "md5=" MD5_ABC " name=\n"
                "row 5: malformed JSON at byte 150: expected a value (line 6)\n"
                "md5=" MD5_EMPTY " name=\n");
}
END_TEST

/* Checks how a list of the format is read whose first entry is valid and has an MD5 or a SHA-1. */
static void assert_rest(const char *format, const char *begin, const char *first, const char *rest,
                        const char *wanted)
{
    char text[200], all[200];

    snprintf(text, sizeof text, "%s%s", begin, rest);
    snprintf(all, sizeof all, "%s name=\n%s\n", first, wanted);
    assert_list(text, strlen(text), NULL, format, all);
}

START_TEST(the_last_medium_may_be_malformed_but_the_list_must_end)
{
    static const char *const rests[][2] = {
        {",{\"MD5\":x}],\"a\":[1]}\n", "row 2: malformed JSON at byte 61: expected a value (line 1)"},
        {",{\"MD5\":x}", "FAILED malformed JSON at byte 61: expected a value"},
        {",{\"MD5\":\"", "FAILED malformed JSON at byte 62: unterminated string"},
        {"],x}", "FAILED malformed JSON at byte 55: expected a key"},
    };

    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
        assert_rest("projectvic", "{\"value\":[{\"MD5\":\"" MD5_ABC "\"}", "md5=" MD5_ABC, rests[i][0],
                    rests[i][1]);
}
END_TEST

START_TEST(control_characters_in_json_are_kept)
{
    ASSERT_LIST("{\"value\":[{\"MD5\":\"" MD5_ABC "\",\"MediaFiles\":[{\"FileName\":\"a\tb\nc\x01\"}]}]}",
                "projectvic", "md5=" MD5_ABC " name=a\\x09b\\x0ac\\x01\n");
    ASSERT_LIST("{\"md5\":\"" MD5_ABC "\",\"x\":\"a\tb\"}\n", "kith-json", "md5=" MD5_ABC " name=\n");
}
END_TEST

START_TEST(a_malformed_medium_of_a_case_costs_no_others)
{
    ASSERT_LIST(
        "{\"value\":[{\"CaseID\":\"1\",\"Media\":[{\"SHA1\":\"" SHA1_ABC
        "\"},{\"SHA1\":?},{\"MD5\":\"" MD5_ABC "\"}]},{\"CaseID\":\"2\",\"Media\":[{\"SHA1\":\"" SHA1_EMPTY
        "\"},{\"x\" 1}]},{\"Media\":[{\"MD5\":\"" MD5_EMPTY "\"}]}]}",
        "projectvic",
        "sha1=" SHA1_ABC " name=\nrow 2: malformed JSON at byte 94: expected a value (line 1)\nmd5=" MD5_ABC
        " name=\nsha1=" SHA1_EMPTY
        " name=\nrow 5: malformed JSON at byte 222: expected a colon (line 1)\nmd5=" MD5_EMPTY " name=\n");
}
END_TEST

/* How writers lay out a list: its beginning, a medium (# its number, @ its MD5), what is between two, its
 * end. */
static const struct {
    const char *begin, *medium, *between, *end;
} layouts[] = {
    {"{\"value\":[",
     "{\"MediaID\":#,\"MD5\":\"@\",\"MediaFiles\":[{\"MD5\":\"@\",\"FileName\":\"a[1]{b}.jpg\","
     "\"FilePath\":"
     "\"C:\\\\x, y\"},{\"FileName\":\"b\",\"Unallocated\":false}],\"Category\":1}",
     ",", "]}"},
    {"{\"@odata.context\":\"x\",\"value\":[\n",
     "{\"MD5\":\"@\",\"Category\":1,\"MediaFiles\":[{\"FileName\":\"a[1]{b}.jpg\"},{\"FileName\":\"b\"}"
     "]}",
     ",\n", "\n]}\n"},
    {"{\n  \"value\": [\n",
     "    {\n      \"MediaID\": #,\n      \"MD5\": \"@\",\n      \"MediaFiles\": [\n        {\n         "
     " \"MD5\": "
     "\"@\",\n          \"FilePath\": \"C:\\\\x, y\"\n        },\n        {\n          \"FileName\": "
     "\"b\"\n        }\n"
     "      ]\n    }",
     ",\n", "\n  ]\n}\n"},
};

enum { MEDIA = 9, BROKEN = 4 };

static void fill_medium(struct buffer *out, const char *layout, int number, const char *between)
{
    buffer_reset(out);
    for (; *layout; layout++) {
        if (*layout == '#' || *layout == '@')
            buffer_printf(out, "%0*x", *layout == '#' ? 1 : 32, (unsigned)number);
        else
            buffer_add_char(out, *layout);
    }
    buffer_add_text(out, between);
}

/* In the malformed medium a byte is missing, or an extra one precedes it. */
static bool add_media(struct buffer *text, size_t layout, size_t at, char extra)
{
    struct buffer medium = {0};
    size_t len = 0;

    buffer_add_text(text, layouts[layout].begin);
    for (int i = 1; i <= MEDIA; i++) {
        fill_medium(&medium, layouts[layout].medium, i, i < MEDIA ? layouts[layout].between : "");
        if (i != BROKEN) {
            buffer_add(text, medium.data, medium.len);
            continue;
        }
        len = medium.len;
        buffer_add(text, medium.data, at);
        if (extra)
            buffer_add_char(text, extra);
        buffer_add(text, medium.data + at + !extra, len - at - !extra);
    }
    buffer_add_text(text, layouts[layout].end);
    buffer_release(&medium);
    return at + 1 < len;
}

static void assert_other_media(const struct buffer *text, size_t at, char extra)
{
    struct error err = {""};
    struct list *list = list_open_memory(text->data, text->len, "projectvic", &err);
    unsigned found = 1u << BROKEN, all = (1u << (MEDIA + 1)) - 2;
    enum list_result result;

    ck_assert_msg(list != NULL, "%s", err.text);
    while ((result = list_next(list, &err)) == LIST_ENTRY || result == LIST_BAD)
        if (result == LIST_ENTRY)
            found |= 1u << (list_entry(list)->digests.bytes[DIGEST_MD5][DIGEST_MD5_LEN - 1] & 31);
    ck_assert_msg((found & all) == all, "%x %zu '%c' %s\n%.*s", found, at, extra, err.text, (int)text->len,
                  text->data);
    list_close(list);
}

START_TEST(an_extra_or_missing_byte_costs_one_medium)
{
    static const char extras[] = {'\0', '"', '{', '}', '[', ']', ',', '\\', 'x', '\n'};

    for (size_t layout = 0; layout < sizeof layouts / sizeof *layouts; layout++)
        for (size_t i = 0; i < sizeof extras; i++) {
            bool more = true;

            for (size_t at = 0; more; at++) {
                struct buffer text = {0};

                more = add_media(&text, layout, at, extras[i]);
                assert_other_media(&text, at, extras[i]);
                buffer_release(&text);
            }
        }
}
END_TEST

/* ---- RDSv3 deltas ---- */

START_TEST(rows_inserted_by_a_delta_are_entries)
{
    ASSERT_LIST(
        "-- RDS\nBEGIN TRANSACTION;\nINSERT INTO PKG VALUES (1,'a;b''');\n"
        "INSERT INTO FILE (sha256, sha1, md5, crc32, file_name, file_size, package_id) VALUES\n('" SHA256_ABC
        "','" SHA1_ABC "','" MD5_ABC "','352441C2','it''s; (a)\n,b',3,1),\n ('" SHA256_EMPTY
        "',NULL,'','','c',0,1);\n"
        "INSERT OR IGNORE INTO \"METADATA\"(object_id,bytes,sha1) VALUES(1,'3','" SHA1_ABC "');\n"
        "INSERT INTO main.FILE VALUES('" SHA256_ABC "','" SHA1_ABC "','" MD5_ABC "','n',3,1); /* a/b' */\n"
        "INSERT INTO FILE VALUES('" SHA256_ABC "','" SHA1_ABC "','" MD5_ABC "','352441C2','n',3,1)\n;COMMIT;",
        "nsrl3-delta",
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " size=3 name=it's; (a)\\x0a,b\n"
        "sha256=" SHA256_EMPTY " size=0 name=c\n"
        "sha1=" SHA1_ABC " size=3 name=\n"
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " size=3 name=n\n"
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " size=3 name=n\n");
}
END_TEST

START_TEST(updates_and_deletions_of_a_delta_are_reported_once)
{
    ASSERT_LIST("DELETE FROM PKG WHERE package_id = 1;\nDELETE FROM FILE WHERE sha1 = 'x;';\nUPDATE METADATA "
                "SET bytes = 3;\n"
                "INSERT INTO FILE(sha1) VALUES('" SHA1_ABC "');",
                "nsrl3-delta",
                "row 2: changes and deletions (UPDATE, DELETE) are not applied; reported only once\n"
                "sha1=" SHA1_ABC " name=\n");
}
END_TEST

START_TEST(malformed_rows_of_a_delta_are_reported)
{
    ASSERT_LIST(
        "INSERT INTO FILE SELECT * FROM x;\nINSERT INTO FILE(sha1) VALUES('" SHA1_ABC
        "'),\n('x'),\n('a','b');\n"
        "INSERT INTO FILE(sha1) VALUES(1+1);\nINSERT INTO FILE(sha1,file_size) VALUES('" SHA1_ABC "',-3);\n"
        "INSERT INTO FILE VALUES('" SHA1_ABC "');\nINSERT INTO FILE(sha1) VALUES('" SHA1_ABC "'),('" SHA1_ABC,
        "nsrl3-delta",
        "row 1: unsupported INSERT statement\n"
        "sha1=" SHA1_ABC " name=\n"
        "row 3: malformed digest\n"
        "row 4: wrong number of values: 2 instead of 1\n"
        "row 5: malformed list of values\n"
        "row 6: the size is not a number of bytes\n"
        "row 7: wrong number of values: 1 instead of 7\n"
        "sha1=" SHA1_ABC " name=\n"
        "row 8: the list ends within this row\n");
}
END_TEST

START_TEST(a_delta_that_ends_within_quotes_is_an_error)
{
    static const char *const rests[][2] = {
        {";\nDROP TABLE \"PKG;\n", "row 3: unterminated quote at the end of the list"},
        {"\nON CONFLICT 'x", "row 2: unterminated quote at the end of the list"},
        {"'; COMMIT;\n", "row 2: unterminated quote at the end of the list"}};

    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++)
        assert_rest("nsrl3-delta", "INSERT INTO FILE(sha1) VALUES('" SHA1_ABC "')", "sha1=" SHA1_ABC,
                    rests[i][0], rests[i][1]);
}
END_TEST

/* ---- kith's own ---- */

START_TEST(kiths_json_lines_are_read)
{
    ASSERT_LIST(
        "{\"kith-set\":1,\"name\":\"a\\\\\\\\b\",\"kind\":\"known\",\"category\":\"x\",\"scheme\":\"gf8\","
        "\"n\":12,\"c\":128,"
        "\"block\":4096,\"common\":256}\n"
        "{\"source\":1,\"path\":\"p\\\\xff\",\"kind\":\"folder\",\"format\":\"f\",\"sha256\":\"" SHA256_ABC
        "\",\"time\":\"2026-01-31T12:00:00Z\",\"tool\":\"kith 0.1.0\",\"note\":\"n\"}\n"
        "{\"sha1\":\"" SHA1_ABC "\",\"md5\":\"" MD5_ABC "\",\"sha256\":\"" SHA256_ABC
        "\",\"size\":3,\"name\":\"a\\\\x0a\",\"names\":[\"b\",\"c\"],\"from\":1,\"blocks\":\"" SHA1_EMPTY
            SHA1_ABC "\",\"new\":{\"sha1\":[]}}\n"
        "{\"md5\":\"" MD5_EMPTY "\"}\n",
        "kith-json",
        "set a\\b known x 12 128 4096 256\n"
        "source 1 p\\xff folder f kith 0.1.0 n 1769860800 " SHA256_ABC "\n"
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC
        " size=3 name=a\\x0a and=b and=c from=1 blocks=" SHA1_EMPTY SHA1_ABC "\n"
        "md5=" MD5_EMPTY " name=\n");
}
END_TEST

START_TEST(records_are_read_alone_and_within_rows)
{
    ASSERT_LIST(RECORD_EMPTY "\n" RECORD_EMPTY "\r\nkith1:x\n", "kith-records",
                "sha1=" SHA1_EMPTY " size=0 name=x record=" RECORD_EMPTY "\n"
                "sha1=" SHA1_EMPTY " size=0 name=x record=" RECORD_EMPTY "\n"
                "row 3: the record's field 3 (n) is missing: the line ends after 7 bytes\n");
    ASSERT_LIST("{\"sha1\":\"" SHA1_EMPTY "\",\"size\":0,\"name\":\"y\",\"record\":\"" RECORD_EMPTY
                "\"}\n" RECORD_EMPTY,
                "kith-json",
                "sha1=" SHA1_EMPTY " size=0 name=y record=" RECORD_EMPTY "\n"
                "sha1=" SHA1_EMPTY " size=0 name=x record=" RECORD_EMPTY "\n");
}
END_TEST

START_TEST(a_record_must_agree_with_its_row)
{
    ASSERT_LIST("{\"sha1\":\"" SHA1_ABC "\",\"size\":0,\"record\":\"" RECORD_EMPTY "\"}\n"
                "{\"sha1\":\"" SHA1_EMPTY "\",\"size\":1,\"record\":\"" RECORD_EMPTY "\"}\n"
                "{\"sha1\":\"" SHA1_EMPTY "\",\"size\":0,\"record\":\"kith1:\"}\n",
                "kith-json",
                "row 1: the record's digest differs from the row's\n"
                "row 2: the record's length differs from the row's\n"
                "row 3: the record's field 3 (n) is missing: the line ends after 6 bytes\n");
}
END_TEST

START_TEST(a_newer_version_is_refused)
{
    ASSERT_LIST("{\"kith-set\":2,\"name\":\"a\"}\n{\"sha1\":\"" SHA1_ABC "\"}\n", "kith-json",
                "FAILED was written by a newer version of kith (\"kith-set\" is 2, not 1)\n");
}
END_TEST

/* If the set itself is malformed, its entries are useless; a source is one row. */
START_TEST(impossible_set_properties_are_refused)
{
    static const struct {
        const char *key;
        size_t len;
        const char *wanted;
    } samples[] = {
        {"name", 200, NULL},
        {"name", 201, "FAILED the set's name is longer than 200 bytes\n"},
        {"category", 200, NULL},
        {"category", 201, "FAILED the set's category is longer than 200 bytes\n"},
        {"kind", 5, "FAILED the set's kind is not notable, known or neutral\n"},
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct buffer text = {0}, out = {0};
        struct error err = {""};
        struct list *list;

        buffer_printf(&text,
                      "{\"kith-set\":1,\"%s\":\"%0*d\"}\n{\"sha1\":\"" SHA1_ABC "\",\"name\":\"%0300d\"}\n",
                      samples[i].key, (int)samples[i].len, 0, 0);
        list = list_open_memory(text.data, text.len, NULL, &err);
        ck_assert_msg(list != NULL, "%s", err.text);
        ck_assert_int_eq(list_peek(list), samples[i].wanted ? LIST_FAILED : LIST_SET);
        add_list(&out, list);
        ck_assert_msg(!samples[i].wanted == (strstr(out.data, "name=000") != NULL), "%.*s", (int)out.len,
                      out.data);
        if (samples[i].wanted)
            assert_text(&out, samples[i].wanted);
        buffer_release(&out);
        buffer_release(&text);
        list_close(list);
    }
}
END_TEST

START_TEST(sources_are_of_known_kinds_and_shown_in_ascii)
{
    ASSERT_LIST("{\"source\":1,\"kind\":\"folder\"}\n{\"source\":2,\"kind\":\"file\"}\n{\"source\":3,"
                "\"kind\":\"image\"}\n"
                "{\"source\":4,\"kind\":\"list\"}\n{\"source\":5,\"kind\":\"set\"}\n{\"source\":6,\"kind\":"
                "\"sets\"}\n"
                "{\"source\":7,\"time\":\"\"}\n{\"source\":8,\"format\":\"\\u001b[1m\"}\n{\"source\":9,"
                "\"tool\":\"\u00e9\"}\n"
                "{\"source\":10,\"format\":\"E01 ~\",\"note\":\"\u00e9\"}\n",
                "kith-json",
                "source 1  folder    0 \nsource 2  file    0 \nsource 3  image    0 \nsource 4  list    0 \n"
                "source 5  set    0 \n"
                "row 6: \"kind\" is not folder, file, image, list or set\n"
                "source 7      0 \n"
                "row 8: \"format\" or \"tool\" is not printable ASCII\n"
                "row 9: \"format\" or \"tool\" is not printable ASCII\n"
                "source 10   E01 ~  \u00e9 0 \n");
}
END_TEST

START_TEST(malformed_rows_of_json_are_reported)
{
    ASSERT_LIST(
        "{\"sha1\":\"" SHA1_ABC "\"}\n{\"sha1\":\"x\"}\n{\"sha1\":\"00\"}\n{\"size\":1}\n{\"sha1\":1}\n"
        "{\"sha1\":\"" SHA1_ABC "\",\"sha1\":\"" SHA1_ABC "\"}\n{\"sha1\":\"" SHA1_ABC
        "\",\"name\":\"a\\\\b\"}\n"
        "{\"sha1\":\"" SHA1_ABC "\",\"size\":-1}\n{\"sha1\":\"" SHA1_ABC "\",\"names\":[1]}\n[]\n"
        "{\"sha1\":\"" SHA1_ABC "\"\n{\"kith-set\":1}\n{\"source\":1,\"time\":\"2026-02-30T12:00:00Z\"}\n"
        "{\"sha1\":\"" SHA1_ABC "\",\"blocks\":\"00\"}\n",
        "kith-json",
        "sha1=" SHA1_ABC " name=\n"
        "row 2: \"sha1\" is not hexadecimal\n"
        "row 3: a digest has the wrong length\n"
        "row 4: there is no digest\n"
        "row 5: \"sha1\" is not a string\n"
        "row 6: \"sha1\" occurs twice\n"
        "row 7: \"name\" has an invalid escape\n"
        "row 8: \"size\" is not a number below 2^63\n"
        "row 9: \"names\" is not a list of strings\n"
        "row 10: neither a JSON object nor a record\n"
        "row 11: malformed JSON at byte 51: expected a comma or }\n"
        "row 12: \"kith-set\" is not in the first row\n"
        "row 13: \"time\" is not of the form 2026-01-31T12:00:00Z\n"
        "row 14: \"blocks\" is not a list of SHA-1 digests\n");
}
END_TEST

START_TEST(every_fault_of_a_set_or_source_in_json_is_reported)
{
    ASSERT_LIST("{\"kith-set\":1,\"name\":\"a\\\\x00b\"}\n{\"sha1\":\"" SHA1_ABC "\"}\n", "kith-json",
                "row 1: a string contains a zero byte\nsha1=" SHA1_ABC " name=\n");
    ASSERT_LIST("{\"kith-set\":1,\"c\":4294967295,\"common\":4294967296}\n", "kith-json",
                "row 1: \"common\" is too large\n");
    ASSERT_LIST("{\"kith-set\":1}\n{\"source\":0}\n{\"source\":1,\"note\":\"\\\\x00\"}\n"
                "{\"source\":1,\"sha256\":\"" SHA1_ABC
                "\"}\n{\"source\":1,\"time\":\"2026-01-31T12:00:00Z \"}\n"
                "{\"sha1\":\"" SHA1_ABC "\",\"names\":[\"a\",\"b\"],\"names_from\":[1]}\n"
                "{\"sha1\":\"" SHA1_ABC "\",\"names_from\":[1]}\n"
                "{\"sha1\":\"" SHA1_ABC "\",\"names\":[\"a\"],\"names_from\":[-1]}\n",
                "kith-json",
                "set    0 0 0 0\n"
                "row 2: \"source\" is 0\n"
                "row 3: a string contains a zero byte\n"
                "row 4: \"sha256\" is not 32 bytes long\n"
                "row 5: \"time\" is not of the form 2026-01-31T12:00:00Z\n"
                "row 6: \"names_from\" does not have a number for each of \"names\"\n"
                "row 7: \"names_from\" does not have a number for each of \"names\"\n"
                "row 8: \"names_from\" is not a list of numbers\n");
}
END_TEST

/* ---- SQLite ---- */

static char sqlite_path[] = "/tmp/test_list.XXXXXX";

static void make_database(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    int fd;

    strcpy(sqlite_path + sizeof sqlite_path - 7, "XXXXXX");
    fd = mkstemp(sqlite_path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(sqlite3_open(sqlite_path, &db), SQLITE_OK);
    sqlite3_exec(db, sql, NULL, NULL, &why);
    ck_assert_msg(why == NULL, "%s", why);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

static void assert_database(const char *sql, const char *format, const char *wanted)
{
    struct error err = {""};
    struct buffer out = {0};
    uint8_t sha256[DIGEST_SHA256_LEN];
    struct list *list;

    make_database(sql);
    list = list_open(sqlite_path, NULL, &err);
    ck_assert_msg(list != NULL, "%s", err.text);
    ck_assert_str_eq(list_format(list), format);
    add_list(&out, list);
    assert_text(&out, wanted);
    ck_assert_int_eq(list_sha256(list, sha256, &err), 0);
    ck_assert_uint_le(list_bytes(list), list_size(list));
    list_close(list);
    unlink(sqlite_path);
}

START_TEST(rdsv3_is_read_from_the_table_file)
{
    assert_database(
        "CREATE TABLE FILE (sha256 VARCHAR, sha1 VARCHAR, md5 VARCHAR, crc32 VARCHAR, file_name VARCHAR, "
        "file_size BIGINT, package_id BIGINT, PRIMARY KEY (sha256, sha1, md5, file_name, file_size, "
        "package_id));"
        "INSERT INTO FILE VALUES (upper('" SHA256_ABC "'), '" SHA1_ABC "', '" MD5_ABC
        "', 'x', 'b,''c', 3, 1);"
        "INSERT INTO FILE VALUES ('" SHA256_EMPTY "', NULL, '', 'x', 'a', '0', 1);"
        "INSERT INTO FILE VALUES ('x', NULL, '', 'x', 'a', '0', 1);"
        "INSERT INTO FILE VALUES (NULL, NULL, '', 'x', 'a', '0', 1);"
        "INSERT INTO FILE VALUES (NULL, '" SHA1_ABC "', '', 'x', 'a', -1, 1);"
        "INSERT INTO FILE VALUES (NULL, '" SHA1_ABC "', '', 'x', CAST(x'00ff' AS TEXT), NULL, 1);",
        "nsrl3",
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " size=3 name=b,'c\n"
        "sha256=" SHA256_EMPTY " size=0 name=a\n"
        "row 3: malformed sha256: expected 32 bytes or 64 hexadecimal digits\n"
        "row 4: there is no digest\n"
        "row 5: the size is not a number of bytes\n"
        "sha1=" SHA1_ABC " name=\\x00\\xff\n");
}
END_TEST

START_TEST(rdsv3_in_full_is_read_from_metadata_where_file_is_a_view)
{
    assert_database(
        "CREATE TABLE Metadata (object_id INTEGER, Bytes BIGINT, SHA1 VARCHAR, file_name VARCHAR);"
        "CREATE VIEW FILE AS SELECT '" SHA1_EMPTY "' AS sha1;"
        "INSERT INTO Metadata VALUES (1, 3, '" SHA1_ABC "', 'a');",
        "nsrl3", "sha1=" SHA1_ABC " size=3 name=a\n");
}
END_TEST

START_TEST(hash_sets_of_autopsy_are_read_with_their_names)
{
    assert_database(
        "CREATE TABLE db_properties (name TEXT NOT NULL, value TEXT);"
        "CREATE TABLE hashes (id INTEGER PRIMARY KEY AUTOINCREMENT, md5 BINARY(16) UNIQUE, sha1 BINARY(20), "
        "sha2_256 BINARY(32));"
        "CREATE TABLE file_names (name TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(name, hash_id));"
        "CREATE TABLE comments (comment TEXT NOT NULL, hash_id INTEGER NOT NULL, PRIMARY KEY(comment, "
        "hash_id));"
        "INSERT INTO hashes VALUES (1, x'" MD5_ABC "', x'" SHA1_ABC "', x'" SHA256_ABC "');"
        "INSERT INTO hashes VALUES (4, x'" MD5_EMPTY "', NULL, NULL);"
        "INSERT INTO hashes VALUES (7, x'00', NULL, NULL);"
        "INSERT INTO hashes VALUES (9, NULL, x'" SHA1_EMPTY "', NULL);"
        "INSERT INTO file_names VALUES ('z', 9), ('b', 1), ('a', 1), ('c', 2);",
        "kdb",
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " name=a\n"
        "sha1=" SHA1_ABC " md5=" MD5_ABC " sha256=" SHA256_ABC " name=b\n"
        "md5=" MD5_EMPTY " name=\n"
        "row 3: malformed md5: expected 16 bytes or 32 hexadecimal digits\n"
        "sha1=" SHA1_EMPTY " name=z\n");
}
END_TEST

START_TEST(marks_and_digests_of_zeros_are_recognized_in_sqlite_files)
{
    assert_database("CREATE TABLE FILE (sha1 VARCHAR, md5 VARCHAR, special_code VARCHAR);"
                    "INSERT INTO FILE VALUES ('" ZEROS_40 "', '" MD5_ABC "', 'M'), ('" SHA1_ABC
                    "', x'" ZEROS_32 "', NULL), (x'" ZEROS_40 "', NULL, 'S');",
                    "nsrl3",
                    "md5=" MD5_ABC " name= mark=M\n"
                    "sha1=" SHA1_ABC " name=\n"
                    "row 3: there is no digest\n");
}
END_TEST

START_TEST(a_kith_set_is_refused_by_name)
{
    char head[100] = "SQLite format 3";
    struct error err = {""};

    make_database("PRAGMA application_id = 0x4b495448; CREATE TABLE FILE (sha1 TEXT);");
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(list_open(sqlite_path, i ? "nsrl3" : NULL, &err));
        ck_assert_ptr_nonnull(strstr(err.text, "is a reference set, not a list: use kith sets merge"));
        ck_assert_ptr_nonnull(strstr(err.text, sqlite_path));
    }
    unlink(sqlite_path);
    memcpy(head + 68, "KITH", 4);
    assert_refused(head, sizeof head, NULL, "memory: is a reference set, not a list: use kith sets merge");
}
END_TEST

START_TEST(other_sqlite_files_are_refused)
{
    struct error err = {""};

    make_database("CREATE TABLE x (sha1 TEXT); CREATE VIEW FILE AS SELECT * FROM x;");
    ck_assert_ptr_null(list_open(sqlite_path, NULL, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "unrecognized list format"));
    ck_assert_ptr_null(list_open(sqlite_path, "nsrl3", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "has no table FILE"));
    ck_assert_ptr_null(list_open(sqlite_path, "kdb", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "has no table hashes"));
    ck_assert_ptr_null(list_open(sqlite_path, "sums", &err));
    ck_assert_ptr_nonnull(strstr(err.text, "its format cannot be sums"));
    unlink(sqlite_path);
    assert_refused("SQLite format 3\0...", 19, NULL, "cannot be read from a pipe");
}
END_TEST

/* ---- any name, in every format that can hold it ---- */

static void add_doubled(struct buffer *out, const char *name, size_t len, char quote)
{
    buffer_add_char(out, quote);
    for (size_t i = 0; i < len; i++) {
        if (name[i] == quote)
            buffer_add_char(out, quote);
        buffer_add_char(out, name[i]);
    }
    buffer_add_char(out, quote);
}

static void add_in_quotes(struct buffer *out, const void *name, size_t len)
{
    add_doubled(out, name, len, '"');
}

static void add_in_single_quotes(struct buffer *out, const void *name, size_t len)
{
    add_doubled(out, name, len, '\'');
}

/* As sha1sum does. */
static void add_escaped(struct buffer *out, const void *data, size_t len)
{
    const char *name = data;

    for (size_t i = 0; i < len; i++) {
        const char *found = name[i] ? strchr("\n\r\\", name[i]) : NULL;

        if (found)
            buffer_add_char(out, '\\');
        buffer_add_char(out, !found ? name[i] : *found == '\n' ? 'n' : *found == '\r' ? 'r' : '\\');
    }
}

/* What a list begins with, and what stands before and after each name. */
static const struct {
    const char *format, *head, *before;
    void (*add_name)(struct buffer *out, const void *name, size_t len);
    const char *after;
} writers[] = {
    {"sums", SHA1_EMPTY "\n", "\\" SHA1_ABC "  ", add_escaped, "\n"},
    {"csv", "size,path,sha-1\n", "1,", add_in_quotes, "," SHA1_ABC "\r\n"},
    {"csv", "sha1,name,name_hex\n", SHA1_ABC ",,", escape_hex, "\r\n"},
    {"nsrl3-delta", "BEGIN;\n", "INSERT INTO FILE(file_name,sha1)VALUES(", add_in_single_quotes,
     ",'" SHA1_ABC "');"},
    {"kith-json", "{\"kith-set\":1}\n", "{\"sha1\":\"" SHA1_ABC "\",\"name\":", escape_json, "}\n"},
};

static size_t make_name(char name[60])
{
    static const char wild[] = "'\"\\,;\n\r\0()\xff{}:-/*";
    const size_t len = 1 + random64() % 59;

    for (size_t i = 0; i < len; i++)
        name[i] = random64() % 2 ? wild[random64() % sizeof wild] : (char)random64();
    return len;
}

START_TEST(any_name_round_trips_through_every_format_that_can_hold_it)
{
    static char names[20000][60];
    static size_t lens[20000];

    for (size_t i = 0; i < 20000; i++)
        lens[i] = make_name(names[i]);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct buffer text = {0};
        struct error err = {""};
        struct list *list;
        enum list_result result = LIST_SET;

        buffer_add_text(&text, writers[i].head);
        for (size_t j = 0; j < 20000; j++) {
            buffer_add_text(&text, writers[i].before);
            writers[i].add_name(&text, names[j], lens[j]);
            buffer_add_text(&text, writers[i].after);
        }
        list = list_open_memory(text.data, text.len, NULL, &err);
        ck_assert_msg(list != NULL, "%s", err.text);
        ck_assert_str_eq(list_format(list), writers[i].format);
        for (size_t j = 0; j < 20000; j++) {
            do
                result = list_next(list, &err);
            while (result == LIST_SET || (result == LIST_ENTRY && j == 0 && !list_entry(list)->name_len));
            ck_assert_msg(result == LIST_ENTRY, "%s: %s", writers[i].format, err.text);
            ck_assert_uint_eq(list_entry(list)->name_len, lens[j]);
            ck_assert_mem_eq(list_entry(list)->name, names[j], lens[j]);
        }
        ck_assert_int_eq(list_next(list, &err), LIST_END);
        list_close(list);
        buffer_release(&text);
    }
}
END_TEST

/* ---- progress and digest ---- */

START_TEST(progress_and_the_sha256_of_the_list_are_reported)
{
    static const char text[] = MD5_ABC "\r\n" MD5_EMPTY;
    /* printf 'MD5_ABC\r\nMD5_EMPTY' | sha256sum */
    static const uint8_t first[] = {0x12, 0xeb, 0x84, 0x78};
    struct error err = {""};
    struct list *list = list_open_memory(text, sizeof text - 1, NULL, &err);
    uint8_t sha256[DIGEST_SHA256_LEN];

    ck_assert_ptr_nonnull(list);
    ck_assert_uint_eq(list_size(list), sizeof text - 1);
    while (list_next(list, &err) != LIST_END)
        ;
    ck_assert_int_eq(list_next(list, &err), LIST_END);
    ck_assert_uint_eq(list_bytes(list), sizeof text - 1);
    ck_assert_int_eq(list_sha256(list, sha256, &err), 0);
    ck_assert_mem_eq(sha256, first, sizeof first);
    list_close(list);
}
END_TEST

RUN_TESTS("list", an_unrecognized_file_is_refused_with_the_known_formats,
          compressed_lists_are_refused_with_advice, an_empty_list_counts_as_sums, unreadable_files_are_named,
          sums_of_coreutils_are_read, names_are_unescaped_only_where_marked,
          md5deep_with_sizes_and_bare_digests_are_read, malformed_sums_are_reported_with_their_line,
          names_keep_their_bytes, lists_in_utf16_are_read, hashdeep_names_its_columns,
          concatenated_hashdeep_lists_are_read, malformed_rows_of_hashdeep_are_reported, nsrl_rdsv2_is_read,
          hashkeeper_is_read, any_csv_with_a_digest_is_read,
          kiths_own_csv_has_names_in_hexadecimal_where_necessary, malformed_rows_of_csv_are_reported,
          a_stray_quote_costs_only_its_own_line, a_row_with_a_stray_quote_is_reported_with_its_line,
          a_row_has_at_most_64_lines_and_64_kib, an_overlong_line_after_a_stray_quote_is_reported_as_well,
          a_digest_of_zeros_is_no_digest, other_statements_about_an_entry_become_its_mark,
          marks_survive_the_read_ahead_thread, entries_survive_the_read_ahead_thread_intact, encase_is_read,
          project_vic_is_read, project_vic_cases_have_their_media_inside,
          malformed_media_are_reported_and_cost_no_others,
          the_last_medium_may_be_malformed_but_the_list_must_end, control_characters_in_json_are_kept,
          a_malformed_medium_of_a_case_costs_no_others, an_extra_or_missing_byte_costs_one_medium,
          rows_inserted_by_a_delta_are_entries, updates_and_deletions_of_a_delta_are_reported_once,
          malformed_rows_of_a_delta_are_reported, a_delta_that_ends_within_quotes_is_an_error,
          kiths_json_lines_are_read, records_are_read_alone_and_within_rows, a_record_must_agree_with_its_row,
          a_newer_version_is_refused, impossible_set_properties_are_refused,
          sources_are_of_known_kinds_and_shown_in_ascii, malformed_rows_of_json_are_reported,
          every_fault_of_a_set_or_source_in_json_is_reported, rdsv3_is_read_from_the_table_file,
          rdsv3_in_full_is_read_from_metadata_where_file_is_a_view,
          hash_sets_of_autopsy_are_read_with_their_names,
          marks_and_digests_of_zeros_are_recognized_in_sqlite_files, a_kith_set_is_refused_by_name,
          other_sqlite_files_are_refused, any_name_round_trips_through_every_format_that_can_hold_it,
          progress_and_the_sha256_of_the_list_are_reported)
