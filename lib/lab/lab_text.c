/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/lab_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum {
    OCTAVES = 13, /* the vocabulary has 2^13 - 1 words */
    LINE = 76,
    LONGEST_WORD = 24,
    PHRASES = 400,
    SUBJECTS = 48, /* words that a text prefers */
};

/* ---- words ---- */

/* The most frequent words of English: about half of all words of a text. */
static const char *const common[] = {
    "the",   "of",     "and",   "to",      "a",     "in",     "is",   "that",     "it",    "was",    "for",
    "on",    "are",    "as",    "with",    "his",   "they",   "at",   "be",       "this",  "have",   "from",
    "or",    "one",    "had",   "by",      "not",   "but",    "what", "all",      "were",  "we",     "when",
    "your",  "can",    "said",  "there",   "use",   "an",     "each", "which",    "she",   "do",     "how",
    "their", "if",     "will",  "up",      "other", "about",  "out",  "many",     "then",  "them",   "these",
    "so",    "some",   "her",   "would",   "make",  "like",   "him",  "into",     "time",  "has",    "look",
    "two",   "more",   "write", "go",      "see",   "number", "no",   "way",      "could", "people", "my",
    "than",  "first",  "water", "been",    "call",  "who",    "its",  "now",      "find",  "long",   "down",
    "day",   "did",    "get",   "come",    "made",  "may",    "part", "over",     "new",   "sound",  "take",
    "only",  "little", "work",  "know",    "place", "year",   "live", "me",       "back",  "give",   "most",
    "very",  "after",  "thing", "our",     "just",  "name",   "good", "sentence", "man",   "think",  "say",
    "great", "where",  "help",  "through", "much",  "before",
};

enum { COMMON = sizeof common / sizeof *common };

_Static_assert(COMMON == 127, "the first seven octaves");

static const char *const onsets[] = {"",  "b", "c", "d", "f", "g",  "h",  "l",  "m",  "n",  "p",
                                     "r", "s", "t", "v", "w", "st", "tr", "pr", "ch", "sh", "pl",
                                     "c", "r", "s", "t", "n", "l",  "d",  "m",  "gr", "cl"};
static const char *const vowels[] = {"a", "e", "i",  "o",  "u",  "e",  "e", "a",
                                     "i", "o", "ea", "io", "ou", "ai", "e", "i"};
static const char *const codas[] = {"", "",   "",   "n", "r", "s",  "t", "l",
                                    "", "nd", "st", "m", "",  "ng", "c", ""};
static const char *const endings[] = {"", "s", "ed", "ing", "ly", "tion", "er", "ness"};

/* Adds the part to the word, which has `len` letters and room for LONGEST_WORD with its NUL; returns its
 * length. */
static size_t add_part(char *word, size_t len, const char *part)
{
    for (; *part && len + 1 < LONGEST_WORD; part++)
        word[len++] = *part;
    word[len] = '\0';
    return len;
}

/* Sets the word of this rank, from 1, which is always the same, and returns its length. */
static size_t set_word(char word[LONGEST_WORD], uint64_t rank)
{
    uint64_t bits = lab_random_mix(rank);
    const unsigned syllables = 1u + (rank > 512) + (bits >> 60 > 11);
    size_t len = 0;

    if (rank <= COMMON)
        return add_part(word, 0, common[rank - 1]);
    for (unsigned i = 0; i < syllables; i++, bits >>= 13) {
        len = add_part(word, len, onsets[bits & 31]);
        len = add_part(word, len, vowels[bits >> 5 & 15]);
        len = add_part(word, len, codas[bits >> 9 & 15]);
    }
    return add_part(word, len, endings[bits & 7]);
}

/* By Zipf's law in steps: an octave of ranks is as likely as any other. */
static uint64_t draw_rank(struct lab_random *random, unsigned octaves)
{
    const unsigned octave = (unsigned)lab_random_below(random, octaves);

    return ((uint64_t)1 << octave) + lab_random_below(random, (uint64_t)1 << octave);
}

/* ---- text ---- */

struct writer {
    struct lab_random *random;
    struct buffer *out;
    size_t end;    /* length of the output at which to stop */
    size_t column; /* of the line */
    uint64_t subject;
    unsigned words;     /* left in the sentence */
    unsigned sentences; /* left in the paragraph */
    bool is_first;
};

/* Appends the text, as far as it fits, and returns its length. */
static size_t add_text(struct writer *writer, const char *text)
{
    const size_t room = writer->end - writer->out->len, len = strlen(text);

    buffer_add(writer->out, text, len < room ? len : room);
    return len;
}

static bool is_done(const struct writer *writer)
{
    return writer->out->failed || writer->out->len >= writer->end;
}

/* What follows a word: a blank or a new line, after the punctuation. */
static void end_word(struct writer *writer)
{
    struct lab_random *random = writer->random;

    if (--writer->words > 0) {
        if (lab_random_below(random, 14) == 0)
            writer->column += add_text(writer, ",");
        return;
    }
    writer->column += add_text(writer, lab_random_below(random, 16) ? "." : "?");
    writer->words = 5 + (unsigned)lab_random_below(random, 24);
    writer->is_first = true;
    if (--writer->sentences == 0) {
        add_text(writer, "\n");
        writer->column = LINE; /* so that the next word begins another line */
        writer->sentences = 3 + (unsigned)lab_random_below(random, 7);
    }
}

static void put_word(struct writer *writer, uint64_t rank)
{
    char word[LONGEST_WORD];
    size_t len;

    len = set_word(word, rank);
    if (writer->is_first)
        word[0] = (char)toupper((unsigned char)word[0]);
    writer->is_first = false;
    if (writer->column + 1 + len > LINE) {
        add_text(writer, "\n");
        writer->column = 0;
    } else if (writer->column) {
        add_text(writer, " ");
        writer->column++;
    }
    writer->column += add_text(writer, word);
    end_word(writer);
}

/* Phrases are the same in all texts. */
static void put_phrase(struct writer *writer)
{
    struct lab_random phrase;

    lab_random_seed(&phrase, lab_random_below(writer->random, PHRASES));
    for (uint64_t left = 3 + lab_random_below(&phrase, 5); left > 0 && !is_done(writer); left--)
        put_word(writer, draw_rank(&phrase, OCTAVES));
}

void lab_text_generate(struct lab_random *random, size_t len, struct buffer *out)
{
    struct writer writer = {random, out, out->len + len, 0, 0, 0, 0, true};

    writer.subject = lab_random_next(random);
    writer.words = 5 + (unsigned)lab_random_below(random, 24);
    writer.sentences = 3 + (unsigned)lab_random_below(random, 7);
    while (!is_done(&writer)) {
        const uint64_t choice = lab_random_below(random, 64);

        if (choice == 0)
            put_phrase(&writer);
        else if (choice < 14)
            put_word(&writer, COMMON + 1 +
                                  lab_random_mix(writer.subject + lab_random_below(random, SUBJECTS)) %
                                      ((1 << OCTAVES) - 1 - COMMON));
        else
            put_word(&writer, draw_rank(random, OCTAVES));
    }
}
