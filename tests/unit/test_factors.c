/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "compare/factors.h"

/* Reads this text from a file; the result of factors_read. */
static int read_text(const char *text, struct factors *factors, struct error *err)
{
    char path[] = "/tmp/factors.XXXXXX";
    const int fd = mkstemp(path);
    int result;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
    close(fd);
    result = factors_read(factors, path, err);
    unlink(path);
    return result;
}

static const char whole[] = "kith-factors 2\n"
                            "coates2015 9 101 0 text 100 0.7412 0.8800\n"
                            "coates2015 9 101 0 all 90 0.8000 0.9000\n"
                            "gf8 12 32 0 elf 12 0.5000 1.0000\n";

START_TEST(what_was_written_is_read_back)
{
    struct factors factors;
    struct error err;
    struct buffer out = {0};

    ck_assert_int_eq(read_text(whole, &factors, &err), 0);
    ck_assert_uint_eq(factors.count, 3);
    factors_format(&factors, &out);
    ck_assert_uint_eq(out.len, sizeof whole - 1);
    ck_assert_int_eq(memcmp(out.data, whole, out.len), 0);
    buffer_release(&out);
}
END_TEST

START_TEST(a_type_without_an_entry_has_that_of_all_but_other_parameters_have_none)
{
    const struct sampler_params coates = {SAMPLER_COATES2015, 9, 101, 0}, gf8 = {SAMPLER_GF8, 12, 32, 0};
    struct factors factors;
    struct error err;

    ck_assert_int_eq(read_text(whole, &factors, &err), 0);
    ck_assert_double_eq(factors_find(&factors, &coates, "text")->contents, 0.7412);
    ck_assert_double_eq(factors_find(&factors, &coates, "html")->signatures, 0.9);
    ck_assert_double_eq(factors_find(&factors, &gf8, "elf")->signatures, 1);
    ck_assert_ptr_null(factors_find(&factors, &gf8, "text"));
    ck_assert(factors_has(&factors, &coates) && factors_has(&factors, &gf8));
    for (int i = 0; i < 4; i++) {
        struct sampler_params other = coates;

        other.n += i == 0;
        other.c += i == 1;
        other.k += i == 2;
        other.scheme = i == 3 ? SAMPLER_COATES2011 : other.scheme;
        ck_assert(!factors_has(&factors, &other));
        ck_assert_ptr_null(factors_find(&factors, &other, "text"));
    }
}
END_TEST

START_TEST(malformed_files_are_refused)
{
    static const char *const texts[] = {
        "",
        "kith-factors 2\n",
        "kith-factors 1\ngf8 12 32 0 text 1 0.5000 0.5000\n",
        "kith-factors 2\ngf9 12 32 0 text 1 0.5000 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 0.5000 0.5000 \n",
        "kith-factors 2\ngf8 12 32 0 text 01 0.5000 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text -1 0.5000 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 0.0000 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 0.5000 1.0001\n",
        "kith-factors 2\ngf8 12 32 0 text 1 nan 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 5e-1 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 averyverylongtypename 1 0.5000 0.5000\n",
        "kith-factors 2\ngf8 12 32 0 text 1 0.5000 0.5000\ngf8 12 32 0 text 1 0.5000 0.5000\n",
        "kith-factors 2\n\n",
        "kith-factors 2\ngf8 12 32 0 text 0 0.5000 0.5000\n", /* no pair */
        "kith-factors 2\ngf8 12 33 0 text 1 0.5000 0.5000\n", /* no power of two */
        "kith-factors 2\ngf8 12 0 0 text 1 0.5000 0.5000\n",  /* any C */
        "kith-factors 2\ncoates2015 9 101 101 text 1 0.5000 0.5000\n",
        "kith-factors 2\ncoates2015 text 1 0.5000 0.5000\n",
    };
    struct factors factors;
    struct error err;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(read_text(texts[i], &factors, &err) == -1, "accepted: %s", texts[i]);
}
END_TEST

START_TEST(too_many_entries_are_refused)
{
    struct buffer text = {0};
    struct factors factors;
    struct error err;

    buffer_add_text(&text, "kith-factors 2\n");
    for (int i = 0; i <= FACTORS_MOST; i++) {
        if (i == FACTORS_MOST) {
            struct buffer most = {0};

            buffer_add(&most, text.data, text.len);
            buffer_add_char(&most, '\0');
            ck_assert_int_eq(read_text(most.data, &factors, &err), 0);
            buffer_release(&most);
        }
        buffer_printf(&text, "gf8 12 32 0 t%d 1 0.5000 0.5000\n", i);
    }
    buffer_add_char(&text, '\0');
    ck_assert_int_eq(read_text(text.data, &factors, &err), -1);
    buffer_release(&text);
}
END_TEST

START_TEST(types_are_known_by_content_and_else_by_name)
{
    static const struct {
        const char *name, *content, *type;
    } examples[] = {
        {"a",
         "\x7f"
         "ELF\2",
         "elf"},
        {"a.txt", "MZ\x90", "pe"},
        {"a.txt", "hello\n", "text"},
        {"dir.c/a", "hello\n", "text"},
        {"a.C", "int x;\n", "source"},
        {"a.exe", "hello\n", "text"},
        {"a", "\n <!DOCTYPE html>", "html"},
        {"a", "<HTML>\n", "html"},
        {"a.html", "fragment", "text"},
        {"a.xml", "<a/>", "xml"},
        {"a", "<?xml version", "xml"},
        {"a.c", "int\1", "other"},
        {"a.c", NULL, "source"},
        {"/x/a.HTM", NULL, "html"},
        {"a.so", NULL, "elf"},
        {"a.unknown", NULL, "other"},
        {"a.averyverylongextension", NULL, "other"},
        {"a", NULL, "other"},
        {"a.", NULL, "other"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *content = examples[i].content;

        ck_assert_msg(
            strcmp(factors_type(examples[i].name, (const uint8_t *)content, content ? strlen(content) : 0),
                   examples[i].type) == 0,
            "%zu: %s", i, examples[i].name);
    }
    ck_assert_str_eq(factors_type("a", (const uint8_t *)"", 0), "other");
}
END_TEST

RUN_TESTS("factors", what_was_written_is_read_back,
          a_type_without_an_entry_has_that_of_all_but_other_parameters_have_none, malformed_files_are_refused,
          too_many_entries_are_refused, types_are_known_by_content_and_else_by_name)
