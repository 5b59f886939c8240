/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/account.h"

#include <stdlib.h>
#include <string.h>

/*
 * Bitmaps in pages, so that areas that are entirely claimed or unclaimed, which are most of a disk, take no
 * memory: a page is NULL while no bit in it is set, and `full`, which is never written to, once all
 * are.
 */
enum { PAGE_WORDS = 512, PAGE_BITS = PAGE_WORDS * 64 };

struct page {
    uint64_t words[PAGE_WORDS];
    unsigned set;
};

struct bits {
    struct page **pages;
};

static const struct page full;

struct account {
    struct account_table table;
    uint64_t unit, unit_count;
    struct bits claimed, deleted;
};

/* ---- bits ---- */

static uint64_t word_of(const struct bits *bits, uint64_t word)
{
    const struct page *page = bits->pages[word / PAGE_WORDS];

    return !page ? 0 : page == &full ? UINT64_MAX : page->words[word % PAGE_WORDS];
}

static int set_word(struct bits *bits, uint64_t word, uint64_t mask)
{
    struct page **page = &bits->pages[word / PAGE_WORDS];
    uint64_t *at;

    if (*page == &full || mask == 0)
        return 0;
    if (!*page && !(*page = calloc(1, sizeof **page)))
        return -1;
    at = &(*page)->words[word % PAGE_WORDS];
    (*page)->set += (unsigned)__builtin_popcountll(mask & ~*at);
    *at |= mask;
    if ((*page)->set == PAGE_BITS) {
        free(*page);
        *page = (struct page *)&full;
    }
    return 0;
}

static bool bits_open(struct bits *bits, uint64_t count)
{
    bits->pages =
        calloc(count / PAGE_BITS + 1, sizeof *bits->pages); // NOLINT(bugprone-sizeof-expression): pointers
    return bits->pages != NULL;
}

static void bits_close(struct bits *bits, uint64_t count)
{
    for (uint64_t i = 0; bits->pages && i <= count / PAGE_BITS; i++)
        if (bits->pages[i] != &full)
            free(bits->pages[i]);
    free(bits->pages);
}

/* Return whether no bit of a page is set, or all are. */
static bool is_blank(const struct bits *bits, uint64_t page)
{
    return !bits->pages[page];
}

static bool is_full(const struct bits *bits, uint64_t page)
{
    return bits->pages[page] == &full;
}

/* A mask of those bits of a word that lie in first .. end. */
static uint64_t mask_of(uint64_t word, uint64_t first, uint64_t end)
{
    uint64_t mask = UINT64_MAX;

    if (first > word * 64)
        mask &= UINT64_MAX << (first - word * 64);
    if (end < (word + 1) * 64)
        mask &= UINT64_MAX >> ((word + 1) * 64 - end);
    return mask;
}

/* ---- creating an account ---- */

struct account *account_new(uint64_t start, uint64_t len, uint64_t unit)
{
    struct account *account = calloc(1, sizeof *account);

    if (!account)
        return NULL;
    account->table.start = start;
    account->table.len = len;
    account->unit = unit;
    if (!unit)
        return account;
    account->unit_count = len / unit + (len % unit != 0);
    if (bits_open(&account->claimed, account->unit_count) &&
        bits_open(&account->deleted, account->unit_count))
        return account;
    account_free(account);
    return NULL;
}

void account_free(struct account *account)
{
    if (!account)
        return;
    bits_close(&account->claimed, account->unit_count);
    bits_close(&account->deleted, account->unit_count);
    free(account);
}

/* ---- claiming ---- */

/* Counts the bytes from .. to of the part under a row, except those that could not be read. */
static void credit(struct account *account, unsigned row, uint64_t from, uint64_t to,
                   const struct ranges *bad)
{
    uint64_t unread = bad ? ranges_overlap(bad, account->table.start + from, to - from) : 0;

    account->table.bytes[ACCOUNT_UNREADABLE] += unread;
    account->table.bytes[row] += to - from - unread;
}

static uint64_t unit_end(const struct account *account, uint64_t unit)
{
    uint64_t end = (unit + 1) * account->unit;

    return end < account->table.len ? end : account->table.len;
}

static int claim_part(struct account *account, unsigned row, uint64_t from, uint64_t to,
                      const struct ranges *bad)
{
    const uint64_t unit = from / account->unit, start = unit * account->unit, end = unit_end(account, unit),
                   bit = (uint64_t)1 << unit % 64;

    /* Slack that begins inside a unit is counted with the object that fills the start of the unit. */
    if ((row == OBJECT_SLACK && from > start) || (word_of(&account->claimed, unit / 64) & bit))
        return 0;
    credit(account, row, from, to, bad);
    credit(account, OBJECT_SLACK, start, from, bad);
    credit(account, OBJECT_SLACK, to, end, bad);
    return set_word(&account->claimed, unit / 64, bit);
}

/* Counts units one by one, as some bytes may be unreadable or the last unit may be short. */
static void credit_units(struct account *account, unsigned row, uint64_t word, uint64_t bits,
                         const struct ranges *bad)
{
    for (; bits; bits &= bits - 1) {
        uint64_t unit = word * 64 + (uint64_t)__builtin_ctzll(bits);

        credit(account, row, unit * account->unit, unit_end(account, unit), bad);
    }
}

/* Claims a whole untouched page at once: a disk may consist largely of one kind. */
static bool claim_page(struct account *account, unsigned row, uint64_t unit, uint64_t end,
                       const struct ranges *bad)
{
    const uint64_t page = unit / PAGE_BITS;

    if (bad || unit % PAGE_BITS || end - unit < PAGE_BITS || unit + PAGE_BITS == account->unit_count ||
        !is_blank(&account->claimed, page) || !is_blank(&account->deleted, page))
        return false;
    account->claimed.pages[page] = (struct page *)&full;
    account->table.bytes[row] += PAGE_BITS * account->unit;
    return true;
}

/* Claims whole units. */
static int claim_units(struct account *account, unsigned row, uint64_t first, uint64_t end,
                       const struct ranges *bad)
{
    for (uint64_t word = first / 64; word * 64 < end; word++) {
        uint64_t fresh, deleted = 0;

        if (word % PAGE_WORDS == 0 && (is_full(&account->claimed, word / PAGE_WORDS) ||
                                       claim_page(account, row, word * 64, end, bad))) {
            word += PAGE_WORDS - 1;
            continue;
        }
        fresh = mask_of(word, first, end) & ~word_of(&account->claimed, word);

        if (row == OBJECT_UNALLOCATED)
            deleted = fresh & word_of(&account->deleted, word);
        if (bad || (word + 1) * 64 >= account->unit_count) {
            credit_units(account, row, word, fresh & ~deleted, bad);
            credit_units(account, OBJECT_DELETED, word, deleted, bad);
        } else {
            account->table.bytes[row] += (uint64_t)__builtin_popcountll(fresh & ~deleted) * account->unit;
            account->table.bytes[OBJECT_DELETED] += (uint64_t)__builtin_popcountll(deleted) * account->unit;
        }
        if (set_word(&account->claimed, word, fresh))
            return -1;
    }
    return 0;
}

/* Converts a range of the image to one relative to the part; false if they do not overlap. */
static bool clip(const struct account *account, uint64_t *start, uint64_t *end)
{
    const struct account_table *table = &account->table;

    if (*start < table->start)
        *start = table->start;
    *start -= table->start;
    *end = *end > table->start ? *end - table->start : 0;
    if (*end > table->len)
        *end = table->len;
    return *start < *end;
}

/* Considers the surrounding slack as well. */
static bool is_all_good(const struct account *account, uint64_t start, uint64_t end, const struct ranges *bad)
{
    const uint64_t around = account->unit, from = start > around ? start - around : 0;

    return ranges_overlap(bad, account->table.start + from, end + around - from) == 0;
}

int account_claim(struct account *account, unsigned row, uint64_t start, uint64_t len,
                  const struct ranges *bad)
{
    const uint64_t unit = account->unit;
    uint64_t end = start + len, first, last;

    if (!clip(account, &start, &end))
        return 0;
    if (bad && is_all_good(account, start, end, bad))
        bad = NULL; /* the fast path */
    if (!unit) {
        credit(account, row, start, end, bad);
        return 0;
    }
    first = start / unit + (start % unit != 0); /* first .. last: whole units */
    last = end == account->table.len ? account->unit_count : end / unit;
    if (start % unit && claim_part(account, row, start, end < first * unit ? end : first * unit, bad))
        return -1;
    if (last > first && claim_units(account, row, first, last, bad))
        return -1;
    return last >= first && last < account->unit_count && end % unit
               ? claim_part(account, row, last * unit, end, bad)
               : 0;
}

int account_claim_deleted(struct account *account, uint64_t start, uint64_t len)
{
    uint64_t end = start + len, last;

    if (!account->unit || !clip(account, &start, &end))
        return 0;
    last = (end - 1) / account->unit + 1;
    for (uint64_t word = start / account->unit / 64; word * 64 < last; word++)
        if (set_word(&account->deleted, word, mask_of(word, start / account->unit, last)))
            return -1;
    return 0;
}

void account_count(struct account *account, unsigned row)
{
    account->table.objects[row]++;
}

/* ---- what remains ---- */

static int add_unit(const struct account *account, uint64_t unit, struct ranges *out)
{
    const uint64_t start = unit * account->unit;

    return ranges_add(out, account->table.start + start, unit_end(account, unit) - start);
}

int account_unclaimed(struct account *account, uint64_t start, uint64_t end, struct ranges *out)
{
    if (!account->unit || !clip(account, &start, &end))
        return 0;
    start = (start + account->unit - 1) / account->unit;
    end = (end - 1) / account->unit + 1;
    for (uint64_t word = start / 64; word * 64 < end; word++) {
        uint64_t left, deleted;

        if (word % PAGE_WORDS == 0 && is_full(&account->claimed, word / PAGE_WORDS)) {
            word += PAGE_WORDS - 1;
            continue;
        }
        left = mask_of(word, start, end) & ~word_of(&account->claimed, word);
        deleted = left & word_of(&account->deleted, word);
        credit_units(account, OBJECT_DELETED, word, deleted, NULL);
        if (set_word(&account->claimed, word, deleted))
            return -1;
        for (left &= ~deleted; left; left &= left - 1)
            if (add_unit(account, word * 64 + (uint64_t)__builtin_ctzll(left), out))
                return -1;
    }
    return 0;
}

int account_rest(struct account *account, unsigned row)
{
    struct account_table *table = &account->table;
    const uint64_t sum = account_sum(table);

    if (account->unit)
        return claim_units(account, row, 0, account->unit_count, NULL);
    table->bytes[row] += sum < table->len ? table->len - sum : 0;
    return 0;
}

const struct account_table *account_table(const struct account *account)
{
    return &account->table;
}

uint64_t account_sum(const struct account_table *table)
{
    uint64_t sum = 0;

    for (int row = 0; row < ACCOUNT_ROWS; row++)
        sum += table->bytes[row];
    return sum;
}

const char *account_row_name(unsigned row)
{
    static const char *const names[] = {"unreadable", "not-examined", "not-selected"};

    return row < OBJECT_KINDS ? object_kind_name((enum object_kind)row) : names[row - OBJECT_KINDS];
}

int account_row_find(const char *name)
{
    for (int row = 0; row < ACCOUNT_ROWS; row++)
        if (strcmp(account_row_name((unsigned)row), name) == 0)
            return row;
    return -1;
}
