/* SPDX-License-Identifier: Apache-2.0 */
#include "check_main.h"
#include "container/warc.h"
#include "containers.h"

static struct buffer file;

static void add(const char *type, const char *more, const char *block)
{
    buffer_printf(&file, "WARC/1.0\r\nWARC-Type: %s\r\n%sContent-Length: %zu\r\n\r\n%s\r\n\r\n", type, more,
                  strlen(block), block);
}

static void add_page(const char *address, const char *fields, const char *body)
{
    char more[300], block[1000];

    snprintf(more, sizeof more, "WARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\n",
             address);
    snprintf(block, sizeof block, "HTTP/1.1 200 OK\r\n%s\r\n%s", fields, body);
    add("response", more, block);
}

static void make_file(void)
{
    buffer_reset(&file);
    add("warcinfo", "Content-Type: application/warc-fields\r\n", "software: none\r\n");
    add("request", "Content-Type: application/http;msgtype=request\r\n", "GET / HTTP/1.1\r\n\r\n");
    add_page("<http://example.org/>", "Content-Type: text/html\r\n", "<p>a page</p>");
    add_page("http://example.org/chunks", "transfer-encoding: Chunked\r\n",
             "5\r\nfirst\r\n0D;name=value\r\n, and another\r\n0\r\n\r\n");
    add_page("http://example.org/joined", "Transfer-Encoding: chunked\r\n", "what was in chunks");
    add_page("http://example.org/coded", "Transfer-Encoding: x-own, chunked\r\n", "5\r\ncoded\r\n0\r\n\r\n");
    add("resource", "WARC-Target-URI: ftp://example.org/a\r\n", "a file");
    add("response", "WARC-Target-URI: http://example.org/moved\r\nContent-Type: application/http\r\n",
        "HTTP/1.1 301 Moved\nLocation: /\n\n");
}

static void check(const struct containers_list *list, size_t i, const char *name, const char *data)
{
    const struct containers_member *member = &list->members[i];

    ck_assert_uint_gt(list->count, i);
    ck_assert_uint_eq(member->name.len, strlen(name));
    ck_assert_mem_eq(member->name.data, name, strlen(name));
    ck_assert_str_eq(member->failure, "");
    ck_assert_msg(member->data.len == strlen(data) && memcmp(member->data.data, data, strlen(data)) == 0,
                  "%s: %.*s", name, (int)member->data.len, member->data.data);
}

static void check_all(const struct containers_list *list)
{
    ck_assert_uint_eq(list->count, 5);
    ck_assert_str_eq(list->failure, "");
    check(list, 0, "http://example.org/", "<p>a page</p>");
    check(list, 1, "http://example.org/chunks", "first, and another");
    check(list, 2, "http://example.org/joined", "what was in chunks");
    check(list, 3, "http://example.org/coded", "coded");
    check(list, 4, "ftp://example.org/a", "a file");
}

START_TEST(yields_what_servers_answered)
{
    static const size_t pieces[] = {1, 3, CONTAINER_PIECE};

    make_file();
    for (size_t i = 0; i < 3; i++) {
        const struct containers_limits limits = {.piece = pieces[i]};
        struct containers_list list = containers_open(&warc_format, file.data, file.len, false, &limits);

        ck_assert(list.matches);
        check_all(&list);
        ck_assert_mem_eq(file.data + list.members[0].place, "<p>a page</p>", 13);
        ck_assert_uint_eq(list.members[1].place, CONTAINER_UNKNOWN);
        containers_release(&list);
    }
}
END_TEST

START_TEST(ends_where_the_archive_ends)
{
    struct containers_list list;
    size_t len;

    make_file();
    len = file.len;
    buffer_add_text(&file, "what follows\nWARC/1.0\r\nContent-Length: 1\r\n\r\na");
    list = containers_open(&warc_format, file.data, file.len, true, NULL);
    check_all(&list);
    ck_assert_uint_eq(list.end, len - 4);
    containers_release(&list);
}
END_TEST

START_TEST(goes_on_after_damage)
{
    struct containers_list list;

    make_file();
    memcpy((char *)memmem(file.data, file.len, "Content-Length: 16", 18), "Content-Length: xx", 18);
    memcpy((char *)memmem(file.data, file.len, "0D;name", 7), "zz;name", 7);
    list = containers_open(&warc_format, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 5);
    ck_assert_str_eq(list.failure, "is damaged");
    check(&list, 0, "http://example.org/", "<p>a page</p>");
    ck_assert_str_eq(list.members[1].failure, "its chunks are damaged");
    ck_assert_mem_eq(list.members[1].data.data, "first", 5);
    check(&list, 4, "ftp://example.org/a", "a file");
    containers_release(&list);
}
END_TEST

START_TEST(yields_what_a_cut_leaves)
{
    make_file();
    for (size_t len = 20; len + 4 < file.len; len++) {
        struct containers_list list = containers_open(&warc_format, file.data, len, false, NULL);
        const uint8_t *page = memmem(file.data, len, "<p>a page</p>", 13);

        if (page)
            check(&list, 0, "http://example.org/", "<p>a page</p>");
        for (size_t i = 0; i + 1 < list.count; i++)
            ck_assert_str_eq(list.members[i].failure, "");
        containers_release(&list);
    }
}
END_TEST

/* Headers that do not end, and none in a text about such files. */
START_TEST(survives_headers_without_an_end)
{
    static const char text[] = "WARC/1.0 is a format.\n";
    struct containers_list list;

    make_file();
    for (size_t i = 0; i < 100000; i++)
        buffer_add_text(&file, "WARC/1.0\r\n");
    list = containers_open(&warc_format, file.data, file.len, false, NULL);
    ck_assert_uint_eq(list.count, 5);
    ck_assert_str_eq(list.failure, "is damaged");
    containers_release(&list);
    list = containers_open(&warc_format, text, strlen(text), false, NULL);
    ck_assert(!list.matches);
    containers_release(&list);
}
END_TEST

RUN_TESTS("warc", yields_what_servers_answered, ends_where_the_archive_ends, goes_on_after_damage,
          yields_what_a_cut_leaves, survives_headers_without_an_end)
