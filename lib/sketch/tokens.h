/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TOKENS_H
#define KITH_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Divides a document into tokens, in a canonical form if that is asked for (Broder 1997, section 2): a stream
 * of bytes goes in, in pieces of any length, and tokens come out, the same for any division.
 *
 * Text is UTF-8.  A byte that is not part of a valid character is a character of its own, so that any content
 * has tokens; it counts as a letter.  A byte order mark at the start is left out.
 */
enum tokens_unit {
    TOKENS_BYTES,
    TOKENS_LETTERS, /* characters */
    TOKENS_WORDS,  /* runs of letters and digits: all that is no white space, punctuation or control character
                    */
    TOKENS_WORDS8, /* the same, but a longer one counts as several of at most TOKENS_WORD8 bytes, cut between
                      characters (Broder, section 4.3) */
    TOKENS_LINES,  /* ended by a line feed, which is not part of them, or by the end of the document */
    TOKENS_UNITS,
};

/* clang-format off */
/*
 * The canonical form; if all are false, the bytes are as they are.  In this order:
 *
 *   drop_markup       Tags <x ...>, </x>, <!...> and <?...> up to the next '>' that is not in a quoted value,
 *                     and comments <!-- ... -->, become one space; what they enclose remains, scripts included.
 *                     What has no such end within 4096 characters (a comment: 65536), or another '<' before it
 *                     in a tag, is text.  The entities &amp; &lt; &gt; &quot; &apos; &nbsp; and numeric ones
 *                     become their characters.
 *   fold_case         Upper case becomes lower case in Latin, but for phonetic letters and digraphs, Cyrillic,
 *                     and Greek, but for polytonic letters.
 *   drop_punctuation  Punctuation and symbols of ASCII and Latin-1, general and CJK punctuation are removed.
 *   fold_space        Runs of white space become one space, and disappear at the ends of the document or, if
 *                     the unit is lines, at the ends of the line; empty lines are dropped.
 *
 * Words contain neither white space nor punctuation, so the last two do not change them: punctuation always
 * separates words.
 */
/* clang-format on */
struct tokens_rules {
    enum tokens_unit unit;
    bool fold_case, fold_space, drop_punctuation, drop_markup;
};

/* The rules by number, in the order in which lists of them are written. */
enum tokens_rule {
    TOKENS_CASE,
    TOKENS_SPACE,
    TOKENS_PUNCTUATION,
    TOKENS_MARKUP,
    TOKENS_RULES,
};

enum {
    TOKENS_PART = 4096, /* bytes of the longest part of a token */
    TOKENS_WORD8 = 8,
};

/* Takes the next part of a token, which is valid during the call; is_end: it is the last one.  Returns -1 to
 * stop. */
typedef int tokens_sink(void *arg, const uint8_t *part, size_t len, bool is_end, struct error *err);

struct tokens;

/* "bytes", "letters", "words", "words8" or "lines"; and the unit of that name, or -1. */
const char *tokens_unit_name(enum tokens_unit unit);
int tokens_unit_find(const char *name);

/* "case", "space", "punctuation" or "markup"; and the place in rules where it is switched on. */
const char *tokens_rule_name(enum tokens_rule rule);
bool *tokens_rule_of(struct tokens_rules *rules, enum tokens_rule rule);

/* Whether the tokens are words, whole or cut. */
static inline bool tokens_is_words(enum tokens_unit unit)
{
    return unit == TOKENS_WORDS || unit == TOKENS_WORDS8;
}

/* Whether the tokens are the bytes themselves, so that there is no need for a parser. */
bool tokens_is_plain(const struct tokens_rules *rules);

/* NULL without memory. */
struct tokens *tokens_new(const struct tokens_rules *rules, tokens_sink *sink, void *arg, struct error *err);
void tokens_free(struct tokens *tokens);

/* Start a document, add to it, and end it, which passes on what is left.  -1 if the sink returned that. */
void tokens_begin(struct tokens *tokens);
int tokens_update(struct tokens *tokens, const void *data, size_t len, struct error *err);
int tokens_final(struct tokens *tokens, struct error *err);

/* The bytes of the document that are not UTF-8, or zero: many of them are the sign of another encoding. */
uint64_t tokens_strange(const struct tokens *tokens);

/* The bytes of tags and comments that were removed. */
uint64_t tokens_removed(const struct tokens *tokens);

#endif
