/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buffer.h"
#include "check_main.h"
#include "container/markup.h"

/* The tokens as text: characters by number in brackets, tags in angles with their attributes after a bar. */
static void render(struct buffer *out, const struct markup_token *token)
{
    if (token->kind == MARKUP_TEXT) {
        buffer_add(out, token->text, token->len);
    } else if (token->kind == MARKUP_CHARACTER) {
        buffer_printf(out, "[%u]", token->character);
    } else {
        buffer_add_text(out, token->kind == MARKUP_CLOSE         ? "</"
                             : token->kind == MARKUP_INSTRUCTION ? "<?"
                                                                 : "<");
        buffer_add(out, token->name, token->name_len);
        buffer_add_char(out, '|');
        buffer_add(out, token->text, token->len);
        buffer_add_text(out, token->kind == MARKUP_EMPTY ? "/>" : ">");
    }
}

/* Tokenises input that arrives in pieces of this length. */
static void tokenise(struct buffer *out, bool is_html, const char *input, size_t len, size_t piece)
{
    struct markup *markup = malloc(sizeof *markup);
    struct markup_token token;
    size_t at = 0;

    ck_assert_ptr_nonnull(markup);
    markup_begin(markup, is_html);
    while (!markup_ended(markup)) {
        size_t room, count = len - at < piece ? len - at : piece;
        char *to;

        while (markup_next(markup, &token))
            render(out, &token);
        if (markup_ended(markup))
            break;
        to = markup_room(markup, &room);
        ck_assert(room > 0 || markup->is_last);
        count = count < room ? count : room;
        memcpy(to, input + at, count);
        markup_filled(markup, count);
        at += count;
    }
    ck_assert_uint_eq(at, len);
    free(markup);
}

static const struct {
    bool is_html;
    const char *in, *out;
} cases[] = {
    {false, "", ""},
    {false, "plain", "plain"},
    {false, "<a>b</a>", "<a|>b</a|>"},
    {false, "<w:t xml:space=\"preserve\"> x </w:t>", "<w:t| xml:space=\"preserve\"> x </w:t|>"},
    {false, "<a/><b />", "<a|/><b| />"},
    {false, "<a b='/'>", "<a| b='/'>"},
    {false, "<a b=\"x>y\">z", "<a| b=\"x>y\">z"},
    {false, "<a b=\"><c d\">z", "<a| b=\"><c d\">z"},
    {false, "<a b= '><c d'>z", "<a| b= '><c d'>z"},
    {false, "<a b = 'x>y' c>z", "<a| b = 'x>y' c>z"},
    {true, "<p don't>x<p don't>", "<p| don't>x<p| don't>"}, /* a quote that quotes nothing */
    {false, "1 < 2 <3 <", "1 < 2 <3 <"},
    {false, "</ a>", "</ a>"},
    {false, "<", "<"},
    {false, "</", "</"},
    {false, "<a", "<a|>"},
    {false, "x<!-- <b>&amp; -- -->y", "xy"},
    {false, "x<!-- never closed", "x"},
    {false, "<![CDATA[<b>&amp;]]]]>y", "<b>&amp;]]y"},
    {false, "<![CDATA[]]>y", "y"},
    {true, "<![CDATA[<b>]]>y", "]]>y"}, /* in HTML a comment that ends with the first angle */
    {false, "<?xml version=\"1.0\"?>x", "<?xml| version=\"1.0\">x"},
    {true, "<?php if (1) ?>x", "<?php| if (1) ?>x"},
    {false, "<!DOCTYPE a [<!ENTITY b \"c>\"> <!ELEMENT d (e)>]>x&b;", "x&b;"},
    {true, "<!DOCTYPE html>x", "x"},
    {false, "&amp;&lt;&gt;&quot;&apos;", "[38][60][62][34][39]"},
    {false, "&#65;&#x42;&#X63;", "[65][66][99]"},
    {true, "&euro;&eacute &nbsp;", "[8364][233] [160]"},
    {true, "AT&T &unknown; &; & &#; &#x; &#xg;", "AT&T &unknown; &; & &#; &#x; &#xg;"},
    {true, "&amp", "[38]"},
    {true, "&#99999999999999999999;", "[9999999]"}, /* as soon as it is beyond Unicode it is */
    {true, "<script>if (a<b) '</b>'</script>x", "<script|></script|>x"},
    {true, "<STYLE a=b>p{}</style >x", "<STYLE| a=b></style| >x"},
    {true, "<script/>x</script>", "<script|/>x</script|>"},
    {true, "<script>never closed</scri", "<script|>"},
    {false, "<script><b/></script>", "<script|><b|/></script|>"},
    {true, "<\xc3\xa9t\xc3\xa9>", "<\xc3\xa9t\xc3\xa9|>"},
};

START_TEST(tokens_as_written)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out = {0};

        tokenise(&out, cases[i].is_html, cases[i].in, strlen(cases[i].in), MARKUP_WINDOW);
        buffer_add_char(&out, '\0');
        ck_assert_str_eq(out.data, cases[i].out);
        buffer_release(&out);
    }
}
END_TEST

START_TEST(however_the_input_is_divided)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 5; piece++) {
            struct buffer out = {0};

            tokenise(&out, cases[i].is_html, cases[i].in, strlen(cases[i].in), piece);
            buffer_add_char(&out, '\0');
            ck_assert_str_eq(out.data, cases[i].out);
            buffer_release(&out);
        }
}
END_TEST

/* Each case, so that the window ends at each of its bytes. */
START_TEST(wherever_the_window_ends)
{
    static char input[MARKUP_WINDOW + 200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t before = MARKUP_WINDOW - strlen(cases[i].in); before <= MARKUP_WINDOW; before++) {
            struct buffer out = {0};
            const size_t len = strlen(cases[i].in);

            memset(input, 'x', before);
            memcpy(input + before, cases[i].in, len);
            tokenise(&out, cases[i].is_html, input, before + len, MARKUP_WINDOW);
            buffer_add_char(&out, '\0');
            ck_assert_str_eq(out.data + before, cases[i].out);
            buffer_release(&out);
        }
}
END_TEST

/* The beginning of the tag is given, and all of it is consumed. */
START_TEST(tags_longer_than_the_window)
{
    const size_t long_len = 3 * MARKUP_WINDOW + 17;
    char *input = malloc(long_len + 100), *at = input;
    struct buffer out = {0};

    ck_assert_ptr_nonnull(input);
    at = stpcpy(at, "a<b c=\"1\" d='");
    memset(at, '>', long_len);
    at = stpcpy(at + long_len, "' e>f</b><?g ");
    memset(at, ' ', 10);
    at = stpcpy(at + 10, "?>h");
    tokenise(&out, false, input, (size_t)(at - input), MARKUP_WINDOW);
    ck_assert_mem_eq(out.data, "a<b| c=\"1\" d='>>>", 17);
    ck_assert_uint_gt(out.len, MARKUP_WINDOW);
    ck_assert_mem_eq(out.data + out.len - 24, ">f</b|><?g|           >h", 24);
    buffer_release(&out);
    free(input);
}
END_TEST

static void check_attribute(const char *attributes, const char *name, const char *expected)
{
    const struct markup_token token = {.kind = MARKUP_OPEN, .text = attributes, .len = strlen(attributes)};
    size_t len = 99;
    const char *value = markup_attribute(&token, name, &len);

    ck_assert_int_eq(value != NULL, expected != NULL);
    if (expected) {
        ck_assert_uint_eq(len, strlen(expected));
        ck_assert_mem_eq(value, expected, len);
    }
}

START_TEST(attributes)
{
    check_attribute("", "a", NULL);
    check_attribute(" a", "a", "");
    check_attribute(" a=b", "a", "b");
    check_attribute(" a='b c' d=\"e f\" ", "d", "e f");
    check_attribute(" A = b/", "a", "b/");
    check_attribute(" aa=b", "a", NULL);
    check_attribute(" b='a=c' a=d", "a", "d");
    check_attribute(" a='open", "a", "open");
    check_attribute(" = =a= x=y", "x", "y");
    check_attribute(" xml:id=x id=y", "id", "y");
}
END_TEST

/* As python's html.entities.name2codepoint has them. */
START_TEST(entities)
{
    static const struct {
        const char *name;
        uint32_t character;
    } some[] = {{"AElig", 198}, {"zwnj", 8204}, {"zwj", 8205},    {"thetasym", 977},
                {"amp", 38},    {"apos", 39},   {"thetasymx", 0}, {"", 0},
                {"A", 0},       {"eur", 0},     {"euros", 0},     {"averylongname", 0}};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        ck_assert_uint_eq(markup_entity(some[i].name, strlen(some[i].name)), some[i].character);
}
END_TEST

START_TEST(local_names)
{
    size_t len;
    struct markup_token token = {.name = "w:t", .name_len = 3};

    ck_assert_mem_eq(markup_local_name(&token, &len), "t", 1);
    ck_assert_uint_eq(len, 1);
    token = (struct markup_token){.name = "html", .name_len = 4};
    ck_assert_mem_eq(markup_local_name(&token, &len), "html", 4);
    ck_assert_uint_eq(len, 4);
}
END_TEST

RUN_TESTS("markup", tokens_as_written, however_the_input_is_divided, wherever_the_window_ends,
          tags_longer_than_the_window, attributes, entities, local_names)
