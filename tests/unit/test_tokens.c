/* SPDX-License-Identifier: Apache-2.0 */
#include <locale.h>
#include <string.h>
#include <wctype.h>

#include "base/buffer.h"
#include "check_main.h"
#include "sketch/tokens.h"
#include "sketch/tokens_text.h"

static bool has_begun; /* the token */

/* Each token in brackets. */
static int add(void *arg, const uint8_t *part, size_t len, bool is_end, struct error *err)
{
    struct buffer *out = arg;

    (void)err;
    ck_assert_uint_le(len, TOKENS_PART);
    if (!has_begun)
        buffer_add_char(out, '[');
    buffer_add(out, part, len);
    if (is_end)
        buffer_add_char(out, ']');
    has_begun = !is_end;
    return 0;
}

static void divide(const struct tokens_rules *rules, const void *data, size_t len, size_t most,
                   struct buffer *out)
{
    struct error err;
    struct tokens *tokens = tokens_new(rules, add, out, &err);
    const uint8_t *p = data;

    ck_assert_ptr_nonnull(tokens);
    tokens_begin(tokens);
    for (size_t part; len > 0; p += part, len -= part) {
        part = most ? 1 + random64() % most : len;
        part = part < len ? part : len;
        ck_assert_int_eq(tokens_update(tokens, p, part, &err), 0);
    }
    ck_assert_int_eq(tokens_final(tokens, &err), 0);
    tokens_free(tokens);
}

static void assert_tokens(struct tokens_rules rules, const char *text, const char *wanted)
{
    struct buffer out = {0};

    divide(&rules, text, strlen(text), 0, &out);
    ck_assert_msg(out.len == strlen(wanted) && memcmp(out.data ? out.data : "", wanted, out.len) == 0,
                  "'%s' became %.*s, not %s", text, (int)out.len, out.data ? out.data : "", wanted);
    buffer_release(&out);
}

#define RULES(...)                                                                                           \
    (struct tokens_rules)                                                                                    \
    {                                                                                                        \
        .unit = __VA_ARGS__                                                                                  \
    }

START_TEST(words_are_runs_of_letters_and_digits)
{
    assert_tokens(RULES(TOKENS_WORDS), "(a,rose,is,a,rose)", "[a][rose][is][a][rose]");
    assert_tokens(RULES(TOKENS_WORDS), "  Two-fold\n\t42nd: na\u00efve\u2014\u0440\u043e\u0437\u0430.",
                  "[Two][fold][42nd][na\u00efve][\u0440\u043e\u0437\u0430]");
    assert_tokens(RULES(TOKENS_WORDS), "", "");
    assert_tokens(RULES(TOKENS_WORDS), " .,\n", "");
}
END_TEST

START_TEST(letters_are_characters_of_utf8)
{
    assert_tokens(RULES(TOKENS_LETTERS), "a\u00e4\u20ac\U0001f339", "[a][\u00e4][\u20ac][\U0001f339]");
}
END_TEST

START_TEST(bytes_are_as_they_are)
{
    assert_tokens(RULES(TOKENS_BYTES), "\u00e4 <b>", "[\xc3][\xa4][ ][<][b][>]");
    assert_tokens(RULES(TOKENS_LETTERS), "\ufeffa\ufeff", "[a][\ufeff]");
    ck_assert(tokens_is_plain(&RULES(TOKENS_BYTES)));
    ck_assert(!tokens_is_plain(&RULES(TOKENS_BYTES, .fold_case = true)));
    ck_assert(!tokens_is_plain(&RULES(TOKENS_WORDS)));
}
END_TEST

START_TEST(lines_end_with_a_line_feed)
{
    assert_tokens(RULES(TOKENS_LINES), "one\r\n\n two  x \nlast", "[one\r][][ two  x ][last]");
    assert_tokens(RULES(TOKENS_LINES, .fold_space = true), "one\r\n\n \t\n two  x \nlast",
                  "[one][two x][last]");
    assert_tokens(RULES(TOKENS_LINES), "one\n", "[one]");
}
END_TEST

/* Overlong forms, surrogates, and what is cut: byte by byte, and never an error. */
START_TEST(invalid_bytes_are_letters_of_their_own)
{
    assert_tokens(RULES(TOKENS_LETTERS), "\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82",
                  "[\xc0][\xaf][|][\xed][\xa0][\x80][|][\xf4][\x90][\x80][\x80][|][\xe2][\x82]");
    assert_tokens(RULES(TOKENS_LETTERS),
                  "\xe2\x82"
                  "a\xf0\x9f\x8c\xc3\xa4",
                  "[\xe2][\x82][a][\xf0][\x9f][\x8c][\xc3\xa4]");
    assert_tokens(RULES(TOKENS_WORDS),
                  "a\xff\xfe"
                  "b c",
                  "[a\xff\xfe"
                  "b][c]");
}
END_TEST

START_TEST(white_space_becomes_one_space_and_none_at_the_ends)
{
    assert_tokens(RULES(TOKENS_LETTERS, .fold_space = true), " \n a \t\u00a0\u3000 b\n\n", "[a][ ][b]");
    assert_tokens(RULES(TOKENS_BYTES, .fold_space = true), "\r\na\r\n", "[a]");
}
END_TEST

START_TEST(punctuation_is_removed)
{
    assert_tokens(RULES(TOKENS_LETTERS, .drop_punctuation = true), "d\u2019o\u00ab, 1!", "[d][o][ ][1]");
    assert_tokens(RULES(TOKENS_LETTERS, .drop_punctuation = true, .fold_space = true), "a , b", "[a][ ][b]");
    assert_tokens(RULES(TOKENS_LINES, .drop_punctuation = true), "it's\n--\n", "[its][]");
}
END_TEST

/* One that begins a tag or a comment and ends nowhere near. */
START_TEST(long_markup_is_text)
{
    static const struct {
        size_t most;
        const char *begin, *end;
    } kinds[] = {{4096, "<b", "long>end"}, {65536, "<!--b", "lon-->end"}};
    const struct tokens_rules words = {.unit = TOKENS_WORDS, .drop_markup = true};
    static char text[65536 + 10];

    for (size_t i = 0; i < 2; i++)
        for (size_t len = kinds[i].most - 3; len < kinds[i].most + 3; len++) { /* without the '>' */
            const size_t before = strcspn(kinds[i].end, ">");

            memset(text, ' ', len);
            memcpy(text, kinds[i].begin, strlen(kinds[i].begin));
            strcpy(text + len - before, kinds[i].end);
            assert_tokens(words, text,
                          len <= kinds[i].most ? "[end]"
                          : i == 0             ? "[b][long][end]"
                                               : "[b][lon][end]");
        }
}
END_TEST

static uint64_t removed_from(const char *text)
{
    const struct tokens_rules rules = {.unit = TOKENS_WORDS, .drop_markup = true};
    struct buffer out = {0};
    struct error err;
    struct tokens *tokens = tokens_new(&rules, add, &out, &err);
    uint64_t removed;

    for (int round = 0; round < 2; round++) { /* of the last document alone */
        tokens_begin(tokens);
        ck_assert_int_eq(tokens_update(tokens, text, strlen(text), &err), 0);
        ck_assert_int_eq(tokens_final(tokens, &err), 0);
    }
    removed = tokens_removed(tokens);
    tokens_free(tokens);
    buffer_release(&out);
    return removed;
}

START_TEST(removed_markup_is_counted)
{
    ck_assert_uint_eq(removed_from("<b>one</b> <!-- \u20ac --> 2 < 3 &amp; <c"), 3 + 4 + 12);
    ck_assert_uint_eq(removed_from("no mark-up <!-- here"), 0);
}
END_TEST

START_TEST(markup_becomes_a_space)
{
    const struct tokens_rules words = {.unit = TOKENS_WORDS, .drop_markup = true};

    assert_tokens(words, "<p class=\"x\">one</p><P>two<br/>three<!DOCTYPE html><?xml 1?>four",
                  "[one][two][three][four]");
    assert_tokens(words, "a<!-- b > c -- d -->e<!---->f<!-->g", "[a][e][f][g]");
    assert_tokens(words, "1 < 2 <3 a<", "[1][2][3][a]");
    assert_tokens(words, "x <unfinished y", "[x][unfinished][y]");
    assert_tokens(words, "x <!-- unfinished <b>y", "[x][unfinished][b][y]");
    assert_tokens(words, "1<<b>2<&lt;<b>3", "[1][2][3]");
    assert_tokens(words, "if (a <b) c <d>e</d> f", "[if][a][b][c][e][f]");
    assert_tokens(words, "<a title=\"x > <y>\" b='1>\"2' c=d'>link</a>", "[link]");
    assert_tokens(words, "<p it's>1</p>isn't", "[1][isn][t]");
    assert_tokens(RULES(TOKENS_LETTERS, .drop_markup = true), "1<2<b>3", "[1][<][2][ ][3]");
    assert_tokens(RULES(TOKENS_LETTERS, .drop_markup = true, .fold_space = true), "<i> x</i> y", "[x][ ][y]");
}
END_TEST

START_TEST(entities_become_characters)
{
    const struct tokens_rules letters = {.unit = TOKENS_LETTERS, .drop_markup = true};

    assert_tokens(letters, "&lt;b&gt;&amp;amp;", "[<][b][>][&][a][m][p][;]");
    assert_tokens(letters, "&#228;&#xE4;&nbsp;&quot;&apos;", "[\u00e4][\u00e4][\u00a0][\"][']");
    assert_tokens(letters, "&x;&", "[&][x][;][&]");
    assert_tokens(letters, "&#000000065;", "[A]"); /* ten characters, the most */
    assert_tokens(letters, "&#0000000065;", "[&][#][0][0][0][0][0][0][0][0][6][5][;]");
    assert_tokens(letters, "&#0;", "[&][#][0][;]");
    assert_tokens(letters, "&#xD800;", "[&][#][x][D][8][0][0][;]");
    assert_tokens(letters, "&#1114112;", "[&][#][1][1][1][4][1][1][2][;]");
    assert_tokens(letters, "&&lt;", "[&][<]");
    assert_tokens(letters, "&abcdefghijklm", "[&][a][b][c][d][e][f][g][h][i][j][k][l][m]");
    assert_tokens(letters, "&<b>c", "[&][ ][c]");
}
END_TEST

START_TEST(documents_that_differ_only_in_form_have_the_same_tokens)
{
    const struct tokens_rules all = {TOKENS_LETTERS, true, true, true, true};

    assert_tokens(all, "<b>A ROSE</b>,\n is a rose!", "[a][ ][r][o][s][e][ ][i][s][ ][a][ ][r][o][s][e]");
    assert_tokens(all, "a rose\tis a Rose", "[a][ ][r][o][s][e][ ][i][s][ ][a][ ][r][o][s][e]");
}
END_TEST

/* glibc's tables say what a capital is; only a final sigma is folded besides. */
START_TEST(capitals_become_small_letters)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return;
    for (uint32_t c = 0; c < 0x2000; c++) {
        const bool covered = c < 0x180 || (c >= 0x1a0 && c < 0x1a5) || c == 0x1af ||
                             (c >= 0x1cd && c < 0x1f0) || (c >= 0x1f8 && c < 0x234 && c != 0x220) ||
                             (c >= 0x246 && c < 0x250) || (c >= 0x386 && c < 0x3cf) ||
                             (c >= 0x400 && c < 0x530) || (c >= 0x1e00 && c < 0x1f00);
        const uint32_t lower = covered ? (uint32_t)towlower((wint_t)c) : c;

        if (c == 0x130) /* two characters */
            continue;
        ck_assert_msg(tokens_text_lower(c) == (c == 0x3c2 ? 0x3c3 : lower), "U+%04X becomes U+%04X", c,
                      tokens_text_lower(c));
    }
    assert_tokens(RULES(TOKENS_WORDS, .fold_case = true),
                  "\u00c4RGER \u039b\u039f\u0393\u039f\u03a3 \u0416\u0423\u041a",
                  "[\u00e4rger][\u03bb\u03bf\u03b3\u03bf\u03c3][\u0436\u0443\u043a]");
}
END_TEST

/* A word ends, or is cut, so that no character is. */
START_TEST(words_can_be_cut_into_eight_bytes)
{
    assert_tokens(RULES(TOKENS_WORDS8), "a rose, shingleshingle of 9876543210",
                  "[a][rose][shingles][hingle][of][98765432][10]");
    assert_tokens(RULES(TOKENS_WORDS8), "12345678 123456789 1234567812345678",
                  "[12345678][12345678][9][12345678][12345678]");
    assert_tokens(RULES(TOKENS_WORDS8), "\u20ac\u20ac\u20ac 1234567\u00e4",
                  "[\u20ac\u20ac][\u20ac][1234567][\u00e4]");
    assert_tokens(RULES(TOKENS_WORDS8, .drop_markup = true, .fold_case = true), "ABCDEFGHI<b>J",
                  "[abcdefgh][i][j]");
}
END_TEST

/* Of characters of one byte and of three, which no part divides evenly, about each multiple of a part. */
START_TEST(tokens_of_any_length_are_whole)
{
    static const enum tokens_unit units[] = {TOKENS_WORDS, TOKENS_LINES};
    static const char *const letters[] = {"e", "\u20ac"};

    for (size_t round = 0; round < 4; round++) {
        const char *letter = letters[round % 2];
        const size_t len = strlen(letter);

        for (size_t count = 1; count * len < 3 * TOKENS_PART;
             count += (count * len + 16) % TOKENS_PART < 32 ? 1 : 7) {
            struct buffer text = {0}, out = {0};

            for (size_t i = 0; i < count; i++)
                buffer_add_text(&text, letter);
            buffer_add_text(&text, "\nend");
            divide(&RULES(units[round / 2]), text.data, text.len, 0, &out);
            ck_assert_uint_eq(out.len, count * len + 2 + 5);
            ck_assert(out.data[0] == '[' && memcmp(out.data + 1, text.data, count * len) == 0);
            ck_assert_mem_eq(out.data + 1 + count * len, "][end]", 6);
            buffer_release(&text);
            buffer_release(&out);
        }
    }
}
END_TEST

/* Text with everything that has a meaning across a boundary. */
static void fill_mixed(uint8_t *p, size_t len)
{
    static const char *const parts[] = {
        "<", ">",    "<!--",   "-->",    "&",          "amp;",     "#65;", " ", "\n", "\r\n", "\u00a0",
        "a", "Rose", "\u00c4", "\u20ac", "\U0001f339", "\xe2\x82", "\xff", "!", ".",  "<b",   "/"};

    for (size_t i = 0; i < len;) {
        const char *part = parts[random64() % (sizeof parts / sizeof *parts)];
        const size_t size = strlen(part) < len - i ? strlen(part) : len - i;

        memcpy(p + i, part, size);
        i += size;
    }
}

START_TEST(tokens_do_not_depend_on_how_input_is_cut)
{
    uint8_t text[600];

    for (int round = 0; round < 500; round++) {
        const struct tokens_rules rules = {(enum tokens_unit)(random64() % TOKENS_UNITS), random64() & 1,
                                           random64() & 1, random64() & 1, random64() & 1};
        const size_t len = random64() % sizeof text;
        struct buffer whole = {0}, cut = {0};

        fill_mixed(text, len);
        divide(&rules, text, len, 0, &whole);
        divide(&rules, text, len, 1 + random64() % 20, &cut);
        ck_assert_uint_eq(whole.len, cut.len);
        if (whole.len > 0)
            ck_assert_mem_eq(whole.data, cut.data, whole.len);
        buffer_release(&whole);
        buffer_release(&cut);
    }
}
END_TEST

static int refuse(void *arg, const uint8_t *part, size_t len, bool is_end, struct error *err)
{
    (void)part;
    (void)len;
    (void)is_end;
    return --*(int *)arg < 0 ? error_set(err, "enough") : 0;
}

START_TEST(sink_can_stop_at_any_token)
{
    static const char text[] = "One <i>two</i>\n&lt; x\xff y\n";

    for (int unit = 0; unit < TOKENS_UNITS; unit++)
        for (int most = 0; most < 3; most++) {
            const struct tokens_rules rules = {(enum tokens_unit)unit, true, true, true, true};
            struct error err = {""};
            int left = most;
            struct tokens *tokens = tokens_new(&rules, refuse, &left, &err);

            tokens_begin(tokens);
            if (tokens_update(tokens, text, sizeof text - 1, &err) == 0 && tokens_final(tokens, &err) == 0)
                ck_assert_int_ge(left, 0);
            else
                ck_assert_str_eq(err.text, "enough");
            tokens_free(tokens);
        }
}
END_TEST

START_TEST(names_of_units_are_found)
{
    for (int i = 0; i < TOKENS_UNITS; i++)
        ck_assert_int_eq(tokens_unit_find(tokens_unit_name((enum tokens_unit)i)), i);
    ck_assert_int_eq(tokens_unit_find("byte"), -1);
}
END_TEST

RUN_TESTS("tokens", words_are_runs_of_letters_and_digits, letters_are_characters_of_utf8,
          bytes_are_as_they_are, lines_end_with_a_line_feed, invalid_bytes_are_letters_of_their_own,
          white_space_becomes_one_space_and_none_at_the_ends, punctuation_is_removed, markup_becomes_a_space,
          long_markup_is_text, removed_markup_is_counted, entities_become_characters,
          documents_that_differ_only_in_form_have_the_same_tokens, capitals_become_small_letters,
          words_can_be_cut_into_eight_bytes, tokens_of_any_length_are_whole,
          tokens_do_not_depend_on_how_input_is_cut, sink_can_stop_at_any_token, names_of_units_are_found)
