/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check_main.h"
#include "shell_quote.h"

START_TEST(plain_words_stay_as_they_are_and_others_are_quoted)
{
    static const struct {
        const char *text, *quoted;
    } cases[] = {{"disk.img", "disk.img"},
                 {"/mnt/evidence-1/a+b,c:d@e%f=g", "/mnt/evidence-1/a+b,c:d@e%f=g"},
                 {"", "''"},
                 {"=cmd", "'=cmd'"},
                 {"two words", "'two words'"},
                 {"$(reboot)`x`", "'$(reboot)`x`'"},
                 {"~", "'~'"},
                 {"it's", "'it'\\''s'"},
                 {"'", "''\\'''"},
                 {"a\\b", "'a\\b'"},
                 {"a\nb\x1b[2J", "$'a\\x0ab\\x1b[2J'"},
                 {"\xc3\xa9", "$'\\xc3\\xa9'"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out = {0};

        shell_quote(&out, cases[i].text, strlen(cases[i].text));
        buffer_add_char(&out, '\0');
        ck_assert_str_eq(out.data, cases[i].quoted);
        buffer_release(&out);
    }
}
END_TEST

START_TEST(a_path_is_no_option)
{
    static const struct {
        const char *path, *quoted;
    } cases[] = {{"-rf", "./-rf"}, {"-", "./-"}, {"-it's", "'./-it'\\''s'"}, {"a-b", "a-b"}, {"/-b", "/-b"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer out = {0};

        shell_quote_path(&out, cases[i].path, strlen(cases[i].path));
        buffer_add_char(&out, '\0');
        ck_assert_str_eq(out.data, cases[i].quoted);
        buffer_release(&out);
    }
}
END_TEST

/* Bash prints the words of a command; they must be the ones that were quoted. */
START_TEST(bash_reads_any_bytes_as_they_were)
{
    enum { WORDS = 2000, MOST = 30 };
    char name[] = "/tmp/test_shell_quote_XXXXXX", command[64], *got;
    struct buffer script = {0}, expected = {0};
    const int fd = mkstemp(name);
    FILE *output;

    ck_assert_int_ge(fd, 0);
    buffer_add_text(&script, "printf '%s\\0'");
    for (unsigned i = 0; i < WORDS; i++) {
        char word[MOST];
        const size_t len = random64() % MOST;

        for (size_t k = 0; k < len; k++) /* often the special ones */
            word[k] = random64() % 2 ? "'\"\\$` \n~*?#!=-{}"[random64() % 15] : (char)(1 + random64() % 255);
        buffer_add(&expected, word, len);
        buffer_add_char(&expected, '\0');
        buffer_add_char(&script, ' ');
        shell_quote(&script, word, len);
    }
    for (size_t i = 0; i < script.len; i++)
        ck_assert(script.data[i] >= ' ' && script.data[i] < 0x7f);
    ck_assert_int_eq(write(fd, script.data, script.len), (ssize_t)script.len);
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 bash %s", name);
    output = popen(command, "r");
    got = malloc(expected.len + 1);
    ck_assert(output && got);
    ck_assert_uint_eq(fread(got, 1, expected.len + 1, output), expected.len);
    ck_assert(memcmp(got, expected.data, expected.len) == 0);
    ck_assert_int_eq(pclose(output), 0);
    free(got);
    buffer_release(&script);
    buffer_release(&expected);
    close(fd);
    unlink(name);
}
END_TEST

RUN_TESTS("shell_quote", plain_words_stay_as_they_are_and_others_are_quoted, a_path_is_no_option,
          bash_reads_any_bytes_as_they_were)
