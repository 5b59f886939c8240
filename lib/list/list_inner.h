/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_LIST_INNER_H
#define KITH_LIST_INNER_H

#include <stdarg.h>

#include "base/buffer.h"
#include "base/lines.h"
#include "database/database.h"
#include "list/list.h"

/* Shared by the parsers of the formats.  Each has a row in the table of list.c and is built from list_row.c.
 */

/* The beginning of the list, as text; empty for an SQLite database. */
struct list_head {
    const char *text;
    size_t len;
    bool is_whole;
};

enum list_source_kind {
    LIST_OF_LINES,
    LIST_OF_BYTES,
    LIST_OF_SQLITE,
};

struct list_parser {
    const char *name;
    enum list_source_kind kind;
    size_t longest_line;
    bool (*detect)(struct list *list, const struct list_head *head);
    /* open may set list->state (list_new_state), which close frees. */
    int (*open)(struct list *list, struct error *err);
    enum list_result (*next)(struct list *list, struct error *err);
    void (*close)(struct list *list);
};

struct list {
    char *path;
    const struct list_parser *parser;
    struct lines *lines;
    struct database *database; /* for LIST_OF_SQLITE, in which case lines is NULL */
    uint64_t file_size;        /* of the database */
    uint64_t rows, all_rows;   /* of the database, for progress; 0 if unknown */
    void *state;
    bool held; /* list_peek has read a row, which list_next returns */
    enum list_result held_result;
    struct error held_err;
    struct list_entry entry;
    char mark[LIST_MARK_LEN + 1]; /* the entry's */
    struct list_source source;
    struct list_set set;
};

/* Like list_open, for a list in memory, which is borrowed. */
struct list *list_open_memory(const void *data, size_t len, const char *format, struct error *err);

/* ---- list_row.c: the parts of rows ---- */

/* Fills err with "PATH: row N: why" and returns LIST_BAD. */
enum list_result list_bad(const struct list *list, uint64_t row, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Fills err with "PATH: why" and returns LIST_FAILED. */
enum list_result list_failed(const struct list *list, struct error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the next line of a LIST_OF_LINES.  Returns LIST_ENTRY if there is one, LIST_BAD if it is too long. */
enum list_result list_line(struct list *list, const char **line, size_t *len, struct error *err);

/* Clears the entry. */
void list_clear(struct list *list);

/* Decodes hexadecimal digits of either case; false if there are other characters or an odd number. */
bool list_hex(const char *text, size_t len, uint8_t *out);
/* The number of leading hexadecimal digits. */
size_t list_hex_digits(const char *text, size_t len);
/* The kind of digest with that many hexadecimal digits, or -1. */
int list_digest_kind(size_t digits);
/* Add a digest; false if it is malformed.  Many lists write all zeros for a missing digest: that is accepted
 * and not added. */
bool list_add_digest(struct list_entry *entry, enum digest_kind kind, const char *text, size_t len);
void list_add_digest_bytes(struct list_entry *entry, enum digest_kind kind, const void *digest);
/* Sets the entry's mark: truncated if too long, with "?" for characters that are not printable ASCII. */
void list_mark(struct list *list, const char *prefix, const char *text, size_t len);
/* Parses a decimal number of bytes, at most 2^63 - 1. */
bool list_number(const char *text, size_t len, uint64_t *out);
/* Whether text equals the word, ignoring the case of ASCII letters. */
bool list_is_word(const char *text, size_t len, const char *word);
/* The next line of the head, without its line ending; false if there is none or if it is cut off. */
bool list_head_line(struct list_head *head, const char **line, size_t *len);

/* Allocates list->state, zeroed; the parser's close frees it.  NULL without memory. */
void *list_new_state(struct list *list, size_t size, struct error *err);

/* ---- the formats ---- */

/* list_text.c: checksum files of coreutils, md5deep and BSD, and bare digests */
bool list_sums_detect(struct list *list, const struct list_head *head);
enum list_result list_sums_next(struct list *list, struct error *err);
int list_sums_open(struct list *list, struct error *err);
void list_sums_close(struct list *list);

/* list_hashdeep.c */
bool list_hashdeep_detect(struct list *list, const struct list_head *head);
int list_hashdeep_open(struct list *list, struct error *err);
enum list_result list_hashdeep_next(struct list *list, struct error *err);
void list_hashdeep_close(struct list *list);

/* list_csv.c: NSRL RDSv2, HashKeeper, any CSV with a header */
bool list_nsrl2_detect(struct list *list, const struct list_head *head);
bool list_hashkeeper_detect(struct list *list, const struct list_head *head);
bool list_csv_detect(struct list *list, const struct list_head *head);
int list_csv_open(struct list *list, struct error *err);
enum list_result list_csv_next(struct list *list, struct error *err);
void list_csv_close(struct list *list);

/* list_encase.c */
bool list_encase_detect(struct list *list, const struct list_head *head);
int list_encase_open(struct list *list, struct error *err);
enum list_result list_encase_next(struct list *list, struct error *err);
void list_encase_close(struct list *list);

/* list_sqlite.c: NSRL RDSv3, and the hash sets of Autopsy and The Sleuth Kit */
bool list_nsrl3_detect(struct list *list, const struct list_head *head);
int list_nsrl3_open(struct list *list, struct error *err);
bool list_kdb_detect(struct list *list, const struct list_head *head);
int list_kdb_open(struct list *list, struct error *err);
enum list_result list_sqlite_next(struct list *list, struct error *err);
void list_sqlite_close(struct list *list);

/* list_rds_delta.c */
bool list_delta_detect(struct list *list, const struct list_head *head);
int list_delta_open(struct list *list, struct error *err);
enum list_result list_delta_next(struct list *list, struct error *err);
void list_delta_close(struct list *list);

/* list_sql.c: splits an SQL script into tokens, in constant memory; no SQL is ever executed */
enum list_sql_token {
    LIST_SQL_END,
    LIST_SQL_WORD, /* may contain dots */
    LIST_SQL_NUMBER,
    LIST_SQL_STRING,
    LIST_SQL_NAME, /* in double quotes, backquotes or brackets */
    LIST_SQL_SIGN, /* any other character */
    LIST_SQL_LONG, /* the beginning of a token that exceeds the limit; the rest follows as further tokens */
    LIST_SQL_CUT,  /* the list ends within the token */
    LIST_SQL_FAILED,
};

struct list_sql {
    const char *p, *stop;
    uint64_t line; /* number of the current line */
    bool failed;
    struct buffer text; /* of the last token, without quotes */
    char sign;
};

/* Must be called once per list, at its beginning. */
void list_sql_begin(struct list_sql *sql);
void list_sql_release(struct list_sql *sql);

/* list_sql_next returns the next token; list_sql_skip_line skips the rest of the current line. */
enum list_sql_token list_sql_next(struct list *list, struct list_sql *sql, struct error *err);
void list_sql_skip_line(struct list *list, struct list_sql *sql, struct error *err);

/* Classify a character; compare a token with a sign, or with a word regardless of case. */
bool list_sql_is_space(int c);
bool list_sql_is_word(int c);
bool list_sql_is_sign(const struct list_sql *sql, enum list_sql_token token, char sign);
bool list_sql_is_keyword(const struct list_sql *sql, enum list_sql_token token, const char *word);

/* list_vic.c */
bool list_vic_detect(struct list *list, const struct list_head *head);
int list_vic_open(struct list *list, struct error *err);
enum list_result list_vic_next(struct list *list, struct error *err);
void list_vic_close(struct list *list);

/* list_kith.c: kith's own JSON lines and records; a sketch (kith-sketch(5)) is neither */
bool list_kith_is_sketch(const void *line, size_t len);
bool list_kith_json_detect(struct list *list, const struct list_head *head);
bool list_kith_records_detect(struct list *list, const struct list_head *head);
int list_kith_open(struct list *list, struct error *err);
enum list_result list_kith_next(struct list *list, struct error *err);
void list_kith_close(struct list *list);

#endif
