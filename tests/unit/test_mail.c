/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/mail.h"
#include "container/window.h"
#include "containers.h"

#define HEADER "From: a@example.org\nSubject: x\n"

static struct containers_list open_text(const struct container_format *format, const char *text, size_t piece)
{
    const struct containers_limits limits = {.piece = piece};

    return containers_open(format, text, strlen(text), false, &limits);
}

/* Members as text: "name=content|", or "name!problem|"; and the reason why there are no more. */
static void describe(const struct containers_list *list, struct buffer *out)
{
    buffer_reset(out);
    for (size_t i = 0; i < list->count; i++) {
        const struct containers_member *member = &list->members[i];

        buffer_add(out, member->name.data, member->name.len);
        buffer_add_char(out, member->problem[0] ? '!' : '=');
        buffer_add_text(out, member->problem);
        buffer_add(out, member->data.data, member->data.len);
        buffer_add_text(out, member->failure);
        buffer_add_char(out, '|');
    }
    buffer_add_text(out, list->failure);
}

static void check_members(const struct container_format *format, const char *text, const char *expected)
{
    static const size_t pieces[] = {1, 7, CONTAINER_PIECE};
    struct buffer got = {0};

    for (size_t i = 0; i < 3; i++) {
        struct containers_list list = open_text(format, text, pieces[i]);

        describe(&list, &got);
        ck_assert_msg(got.len == strlen(expected) && memcmp(got.data, expected, got.len) == 0,
                      "of:\n%s\ngot:      %.*s\nexpected: %s", text, (int)got.len, got.data, expected);
        containers_release(&list);
    }
    buffer_release(&got);
}

/* The parts are those that Python's email package and munpack find. */
static const struct {
    const char *mail, *members;
} mails[] = {
    {HEADER "\none\n", "part-1=one\n|"},
    {HEADER "\n", "part-1=|"},
    {HEADER "Content-Transfer-Encoding: base64\nContent-Type: image/png\n\naGVsbG8=\n", "part-1=hello|"},
    {HEADER "Content-Type: multipart/mixed; boundary=\"b b\"\n\npreamble\n--b b\n\none\n--b b\n"
            "Content-Type: text/html\n\n<p>two\n\n--b b--\nepilogue\n--b b\n\nno part\n",
     "part-1=one|part-1 text=one\n|part-2=<p>two\n|"},
    {HEADER "Content-Type: multipart/mixed; boundary=out\n\n--out\nContent-Type: Multipart/Alternative;\n"
            " boundary=c\n\n--c\nContent-Type: a/b\n\n1\n--c  \nContent-Type: a/b\n\n2\r\n--c--\n--out\r\n"
            "Content-Type: a/b\r\n\r\n3\r\n--out--\r\n",
     "part-1.1=1|part-1.2=2|part-2=3|"},
    {HEADER "Content-Type: multipart/digest; boundary=b\n\n--b\n\nFrom: q@r\n\na mail  inside\n--b--\n",
     "part-1=From: q@r\n\na mail  inside|"},
    {HEADER "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n" HEADER
            "Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--c--\n--b--\n",
     "part-1=" HEADER "Content-Type: multipart/mixed; boundary=c\n\n--c\n\none\n--c--|"},
    /* Boundaries that begin like others, empty parts, parts without a header or without an end of it. */
    {HEADER "Content-Type: multipart/mixed; boundary=b\n\n--b\n--b\n\n\n--b\n\n--bb\n--b\nContent-Type: a/b\n"
            "not a field\n--b\nContent-Type: a/b\n--b--",
     "part-1=|part-2=|part-3=--bb|part-3 text=--bb\n|part-4=not a field|part-5=|"},
    /* Without its last boundary; without that of an inner part; with the same boundary inside. */
    {HEADER "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: a/b\n\none\n",
     "part-1=one\n|is cut off: the last boundary is missing"},
    {HEADER "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=c\n\n"
            "--c\nContent-Type: a/b\n\none\n--b\nContent-Type: a/b\n\ntwo\n--b--\n",
     "part-1.1=one|part-2=two|"},
    {HEADER "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n"
            "--b\nContent-Type: a/b\n\none\n--b--\n--b\nContent-Type: a/b\n\ntwo\n--b--\n",
     "part-1.1=one|part-2=two|"},
    {HEADER "Content-Type: image/png\nContent-Transfer-Encoding: base64\n\naGVsbG8gd29y\nb",
     "part-1=hello wor|"},
    {HEADER "Content-Type: multipart/mixed\n\nno boundary\n", "part-1=no boundary\n|"},
};

START_TEST(parts)
{
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++)
        check_members(&mail_format, mails[i].mail, mails[i].members);
}
END_TEST

/* As the headers are written, and the names that Python's email package has for them. */
static const struct {
    const char *header, *name;
} names[] = {
    {"Content-Type: a/b; name=file.txt", "file.txt"},
    {"Content-Type: a/b; name=\"a;b \\\"c\\\" C:\\d\"", "a;b \"c\" C:\\d"},
    {"Content-Type: a/b; name=x\nContent-Disposition: attachment;\n\tfilename=\"y z\"", "y z"},
    {"CONTENT-disposition : inline; FileName = my file.txt ; size=3", "my file.txt"},
    {"Content-Disposition: a; filename=\"=?utf-8?B?w6Q=?= =?ISO-8859-1?q?_=E4=3F?= b\"",
     "\xc3\xa4 \xc3\xa4? b"},
    {"Content-Disposition: a; filename=\"=?koi8-r?Q?=C1?=\"", "\xc1"},
    {"Content-Disposition: a; filename=\"=?utf-8?X?a?=\"", "=?utf-8?X?a?="},
    {"Content-Disposition: a; filename*=utf-8'en'%e2%82%ac%20rates", "\xe2\x82\xac rates"},
    {"Content-Disposition: a; filename*0*=iso-8859-15''%A4; filename*1=\"%20=\"; filename*2*=%20x",
     "\xe2\x82\xac%20= x"},
    {"Content-Disposition: a; filename*1=b; filename*0=a", "ab"},
    {"Content-Disposition: a; filename=../../etc/passwd", "../../etc/passwd"},
    {"Content-Disposition: a; filename=\"\"", "part-1"},
    {"Content-Disposition: a; filename", "part-1"},
    {"Content-Disposition: a; filename=\"no end", "no end"},
};

START_TEST(names_of_parts)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct buffer mail = {0}, expected = {0};

        buffer_printf(&mail, HEADER "%s\nContent-Type: a/b\n\nx%c", names[i].header, 0);
        buffer_printf(&expected, "%s=x|%c", names[i].name, 0);
        check_members(&mail_format, mail.data, expected.data);
        buffer_release(&mail);
        buffer_release(&expected);
    }
}
END_TEST

static const struct {
    const char *type, *body, *members; /* after the part */
} texts[] = {
    {"text/plain", "One line is one paragraph.\n", ""},
    {"text/plain", "Two\nlines.\n\nThree\n  more\nlines.\n-- \nme\n",
     "part-1 text=Two lines.\nThree more lines.\n--\nme\n|"},
    {"text/plain", "> > deep\n>> deep\n> less\nnone\n",
     "part-1 text=deep deep\nless\nnone\n|part-1 unquoted=deep\ndeep\nless\nnone\n|"},
    {"text/plain", "> a\r\n>\r\n> \tb\r\n>From c",
     "part-1 text=a\nb From c\n|part-1 unquoted=a\n\n\tb\nFrom c|"},
    {"text/plain; format=flowed", "one \ntwo \nthree\nfour\n", "part-1 text=one two three\nfour\n|"},
    {"text/plain; format=Flowed; delsp=yes", "one \ntwo  \nthree\n-- \nfour\n",
     "part-1 text=onetwo three\n--\nfour\n|"},
    {"text/plain; format=flowed", ">> a \n>> b\n> c \n  > d\n",
     "part-1 text=a b\nc\n> d\n|part-1 unquoted=a \nb\nc \n > d\n|"},
    {"text/plain; charset=iso-8859-1", "caf\xe9\n",
     "part-1 text=caf\xc3\xa9\n|part-1 unquoted=caf\xc3\xa9\n|"},
    {"text/plain; charset=us-ascii", "cafe\n", ""},
    {"text/x-diff", "> a\n\nb\n", ""},
};

START_TEST(texts_of_parts)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct buffer mail = {0}, expected = {0};

        buffer_printf(&mail, HEADER "Content-Type: %s\n\n%s%c", texts[i].type, texts[i].body, 0);
        buffer_printf(&expected, "part-1=%s|%s%c", texts[i].body, texts[i].members, 0);
        check_members(&mail_format, mail.data, expected.data);
        buffer_release(&mail);
        buffer_release(&expected);
    }
}
END_TEST

static const struct {
    const char *text;
    bool is_mail, is_box;
} sights[] = {
    {HEADER "\n", true, false},
    {"Received: from a by b; Mon, 1 Jan 2001\r\nTo: c\r\n", true, false},
    {"X-Odd: 1\nDate: Fri, 20 Apr 2001 19:35:02 -0400\n (zone)\nTo: \n\n", true, false},
    {"From a Fri Apr 20 19:35:02 2001\n" HEADER "\n", false, true},
    {"From - Fri, 20 Apr 2001 19:35 +0200\nX-Mozilla-Status: 0\n", false, true},
    {"From a Fri Apr 20 19:35:02 2001\n\nno field\n", false, false},
    {"From the beginning in Apr 2001 at 19:35 we\nhave: text\n", false, true},
    {"From here on: text\nwith: colons\n", false, false},
    {"", false, false},
    {"Subject: only\nTo: text\n\n", false, false},
    {"From: a@b.c\n\n", false, false},
    {"Package: a\nMaintainer: b <a@b.c>\nDescription: c\n", false, false},
    {"From: a@b.c\nSubject: x\nint main(void)\n", false, false},
    {" folded\nFrom: a@b.c\nTo: x\n", false, false},
    {"HTTP/1.1 200 OK\nDate: Fri, 20 Apr 2001 19:35:02 GMT\nSubject: x\n", false, false},
    {"def to: pass\nFrom: a@b.c\nTo: x\n", false, false},
};

START_TEST(what_is_mail)
{
    for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
        struct containers_list mail = open_text(&mail_format, sights[i].text, 100);
        struct containers_list box = open_text(&mail_box_format, sights[i].text, 100);

        ck_assert_msg(mail.matches == sights[i].is_mail && box.matches == sights[i].is_box, "%s",
                      sights[i].text);
        containers_release(&mail);
        containers_release(&box);
    }
}
END_TEST

static const char *const postmark = "From a@b Fri Apr 20 19:35:02 2001\n";

/* As Python's mailbox.mbox divides them, but for lines "From " that are text. */
START_TEST(messages)
{
    struct buffer box = {0};

    buffer_printf(&box,
                  "%s" HEADER "\nFrom now on, in Apr 2001 at 19:35\nno field\n>From x\n\n%sA: b\n\n\n\n",
                  postmark, postmark);
    buffer_printf(&box, "%sA: b\r\n\r\nc\r\n\r\n%sA: d\n%s%c", postmark, postmark, postmark, 0);
    check_members(&mail_box_format, box.data,
                  "1=" HEADER "\nFrom now on, in Apr 2001 at 19:35\nno field\n>From x\n|2=A: b\n\n\n|"
                  "3=A: b\r\n\r\nc\r\n|4=A: d\nFrom a@b Fri Apr 20 19:35:02 2001\n|");
    buffer_release(&box);
}
END_TEST

/* A random text of lines, some of them empty, some hardly ending. */
static void add_lines(struct buffer *out, size_t len)
{
    for (size_t end = out->len + len; out->len < end;) {
        for (size_t i = random64() % 9 ? random64() % 100 : random64() % 90000; i > 0; i--)
            buffer_add_char(out, (char)(' ' + random64() % 90));
        buffer_add_text(out, random64() % 3 ? "\n" : "\r\n\n\n");
    }
}

/* Messages and parts that are larger than what is seen at a time come out as they went in. */
START_TEST(large_messages_of_large_parts)
{
    for (int round = 0; round < 6; round++) {
        struct buffer box = {0}, whole[3] = {{0}}, bodies[3] = {{0}};
        struct containers_list list;

        for (size_t i = 0; i < 3; i++) {
            buffer_add_text(&whole[i], HEADER "Content-Type: multipart/mixed; boundary=b\n\n");
            add_lines(&bodies[i], random64() % (3 * WINDOW_ROOM));
            buffer_add_text(&whole[i], "--b\nContent-Type: a/b\n\n");
            buffer_add(&whole[i], bodies[i].data, bodies[i].len);
            buffer_add_text(&whole[i], round % 2 ? "\n--b--\n" : "\r\n--b--\n");
            buffer_add_text(&box, postmark);
            buffer_add(&box, whole[i].data, whole[i].len);
            buffer_add_text(&box, "\n");
        }
        list = containers_open(&mail_box_format, box.data, box.len, false, NULL);
        ck_assert_uint_eq(list.count, 3);
        for (size_t i = 0; i < 3; i++) {
            struct containers_list inner;

            ck_assert_uint_eq(list.members[i].data.len, whole[i].len);
            ck_assert_mem_eq(list.members[i].data.data, whole[i].data, whole[i].len);
            ck_assert_mem_eq(box.data + list.members[i].place, whole[i].data, whole[i].len);
            inner = containers_open(&mail_format, whole[i].data, whole[i].len, false, NULL);
            ck_assert_uint_eq(inner.count, 1);
            ck_assert_uint_eq(inner.members[0].data.len, bodies[i].len);
            if (bodies[i].len)
                ck_assert_mem_eq(inner.members[0].data.data, bodies[i].data, bodies[i].len);
            ck_assert_mem_eq(whole[i].data + inner.members[0].place, bodies[i].data ? bodies[i].data : "",
                             bodies[i].len);
            containers_release(&inner);
            buffer_release(&whole[i]);
            buffer_release(&bodies[i]);
        }
        containers_release(&list);
        buffer_release(&box);
    }
}
END_TEST

/* What is found in free space ends before a zero, or after the last boundary. */
START_TEST(carved)
{
    static const char plain[] = HEADER "\none\n\0garbage\n",
                      parted[] = HEADER
                      "Content-Type: multipart/mixed; boundary=b\n\n--b\nA: b\n\none\n--b--\ngarbage\n\0";
    struct containers_list list = containers_open(&mail_format, plain, sizeof plain, true, NULL);

    ck_assert_uint_eq(list.count, 1);
    ck_assert_uint_eq(list.members[0].data.len, 4);
    ck_assert_uint_eq(list.end, strlen(plain));
    containers_release(&list);
    list = containers_open(&mail_format, parted, sizeof parted, true, NULL);
    ck_assert_str_eq(list.failure, "");
    ck_assert_uint_eq(list.count, 2);
    ck_assert_uint_eq(list.end, (size_t)(strstr(parted, "garbage") - parted));
    containers_release(&list);
}
END_TEST

/* Of a mail that was overwritten from some cluster on, no byte of the other file is part, so that this is
 * found, too. */
START_TEST(carved_before_another_file)
{
    struct buffer mail = {0};
    struct containers_list list;

    buffer_add_text(&mail, HEADER "\n");
    while (mail.len < 4096)
        buffer_add_char(&mail, mail.len % 70 ? 'a' : '\n');
    buffer_add(&mail, "BZh91AY&SY\x15\x11\0", 13);
    list = containers_open(&mail_format, mail.data, mail.len, true, NULL);
    ck_assert_uint_eq(list.members[0].data.len, 4096 - strlen(HEADER "\n"));
    ck_assert_uint_eq(list.end, 4096);
    containers_release(&list);
    buffer_release(&mail);
}
END_TEST

/* Fields and lines of a megabyte, a thousand levels, and many parts. */
START_TEST(excessive)
{
    struct buffer mail = {0};
    struct containers_list list;

    buffer_add_text(&mail, HEADER "X-Long: ");
    for (size_t i = 0; i < 1 << 20; i++)
        buffer_add_char(&mail, i % 70 ? 'x' : ' ');
    buffer_add_text(&mail, "\nContent-Type: multipart/mixed; boundary=b\n");
    for (size_t i = 0; i < 20000; i++)
        buffer_add_text(&mail, "X-Field: y\n folded\n");
    buffer_add_text(&mail, "\n");
    for (size_t i = 0; i < 3000; i++)
        buffer_add_text(&mail, "--b\nContent-Type: a/b\n\nx\n");
    buffer_add_text(&mail, "--b--\n");
    list = containers_open(&mail_format, mail.data, mail.len, false, NULL);
    ck_assert_uint_eq(list.count, 3000);
    ck_assert_str_eq(list.failure, "");
    ck_assert(list.members[2999].data.len == 1 && memcmp(list.members[2999].name.data, "part-3000", 9) == 0);
    containers_release(&list);
    buffer_reset(&mail);
    buffer_add_text(&mail, HEADER "Content-Type: multipart/mixed; boundary=b0\n\n");
    for (unsigned i = 0; i < 1000; i++)
        buffer_printf(&mail, "--b%u\nContent-Type: multipart/mixed; boundary=b%u\n\n", i, i + 1);
    list = containers_open(&mail_format, mail.data, mail.len, false, NULL);
    ck_assert_uint_eq(list.count, 1);
    ck_assert_str_eq(list.members[0].problem, "its parts are nested too deeply");
    containers_release(&list);
    buffer_release(&mail);
}
END_TEST

/* A text that is too long for memory is cut, and says so. */
START_TEST(text_of_many_megabytes)
{
    struct buffer mail = {0};
    struct containers_list list;

    buffer_add_text(&mail, HEADER "\n");
    while (mail.len < 9 << 20)
        buffer_add_text(&mail, "> a line of a quotation\n\n");
    list = containers_open(&mail_format, mail.data, mail.len, false, NULL);
    ck_assert_uint_eq(list.count, 3);
    ck_assert_str_eq(list.members[0].failure, "");
    ck_assert_uint_eq(list.members[0].data.len, mail.len - strlen(HEADER "\n"));
    for (size_t i = 1; i < 3; i++) {
        ck_assert_str_eq(list.members[i].failure, "is longer than 8388608 bytes");
        ck_assert(list.members[i].data.len > 7 << 20 && list.members[i].data.len < 9 << 20);
    }
    containers_release(&list);
    buffer_release(&mail);
}
END_TEST

RUN_TESTS("mail", parts, names_of_parts, texts_of_parts, what_is_mail, messages,
          large_messages_of_large_parts, carved, carved_before_another_file, excessive,
          text_of_many_megabytes)
