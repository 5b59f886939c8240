/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "check_main.h"
#include "container/boilerplate.h"

static enum boilerplate_grade grade_of(struct boilerplate *container, const char *opener, const char *name)
{
    return boilerplate_of(container, opener, strlen(opener), name, strlen(name));
}

static bool is_boilerplate(struct boilerplate *container, const char *opener, const char *name)
{
    return grade_of(container, opener, name) == BOILERPLATE_ALL;
}

START_TEST(what_every_document_has_is_boilerplate_and_what_it_says_is_not)
{
    static const struct {
        const char *opener, *name;
        bool boilerplate;
    } rows[] = {
        {"zip", "[Content_Types].xml", true},
        {"zip", "_rels/.rels", true},
        {"zip", "word/_rels/document.xml.rels", true},
        {"zip", "word/theme/theme1.xml", true},
        {"zip", "word/document.xml", false},
        {"zip", "word/media/image1.png", false},
        {"zip", "xl/sharedStrings.xml", false},
        {"zip", "xl/worksheets/sheet1.xml", false},
        {"zip", "ppt/slides/slide1.xml", false},
        {"zip", "ppt/slideMasters/slideMaster1.xml", true},
        {"zip", "META-INF/MANIFEST.MF", true},
        {"zip", "META-INF/CERT.RSA", true},
        {"zip", "META-INF/services/javax.print", false},
        {"zip", "org/example/Main.class", false},
        {"zip", "styles.xml", false},
        {"zip", "fonts/a.ttf", false},
        {"tar", "word/theme/theme1.xml", false},
        {"zip", "", false},
        {"ole", "\005SummaryInformation", true},
        {"ole", "ObjectPool/_1/\001CompObj", true},
        {"ole", "WordDocument", false},
        {"jpeg", "exif", true},
        {"jpeg", "picture", false},
        {"text", "text", false},
        {"ar", "debian-binary", true},
        {"ar", "data.tar.xz", false},
    };
    struct boilerplate container = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(is_boilerplate(&container, rows[i].opener, rows[i].name) == rows[i].boilerplate,
                      "%s of %s", rows[i].name, rows[i].opener);
}
END_TEST

START_TEST(the_type_of_a_container_shows_in_its_members)
{
    struct boilerplate document = {0}, archive = {0};

    ck_assert(is_boilerplate(&document, "zip", "mimetype"));
    for (int i = 0; i < 2; i++) {
        struct boilerplate *container = i ? &archive : &document;

        ck_assert_int_eq(is_boilerplate(container, "zip", "styles.xml"), !i);
        ck_assert_int_eq(is_boilerplate(container, "zip", "Object 1/styles.xml"), !i);
        ck_assert_int_eq(is_boilerplate(container, "zip", "OEBPS/fonts/a.ttf"), !i);
        ck_assert(!is_boilerplate(container, "zip", "content.xml"));
        ck_assert(!is_boilerplate(container, "zip", "Pictures/1.png"));
    }
}
END_TEST

START_TEST(mark_up_counts_if_it_is_identical)
{
    struct boilerplate document = {.has_type = true}, archive = {0}, stream = {.is_stream = true};

    ck_assert_int_eq(grade_of(&archive, "zip", "word/document.xml"), BOILERPLATE_MARKUP);
    ck_assert_int_eq(grade_of(&archive, "zip", "ppt/slides/slide12.xml"), BOILERPLATE_MARKUP);
    ck_assert_int_eq(grade_of(&document, "zip", "content.xml"), BOILERPLATE_MARKUP);
    ck_assert_int_eq(grade_of(&archive, "zip", "content.xml"), BOILERPLATE_NONE);
    ck_assert_int_eq(grade_of(&archive, "ole", "Workbook"), BOILERPLATE_MARKUP);
    ck_assert_int_eq(grade_of(&stream, "utf16", "1204"), BOILERPLATE_ALL);
    ck_assert_int_eq(grade_of(&archive, "utf16", "1204"), BOILERPLATE_NONE);
}
END_TEST

START_TEST(hostile_names_cost_little)
{
    struct boilerplate container = {.has_type = true};
    static char name[1 << 16];

    memset(name, '/', sizeof name);
    for (size_t len = 0; len < sizeof name; len += 97)
        ck_assert_int_eq(boilerplate_of(&container, "zip", 3, name, len), BOILERPLATE_NONE);
    ck_assert_int_eq(boilerplate_of(&container, "", 0, "", 0), BOILERPLATE_NONE);
}
END_TEST

RUN_TESTS("boilerplate", what_every_document_has_is_boilerplate_and_what_it_says_is_not,
          the_type_of_a_container_shows_in_its_members, mark_up_counts_if_it_is_identical,
          hostile_names_cost_little)
