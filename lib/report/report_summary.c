/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_summary.h"

#include <string.h>

#include "base/escape.h"
#include "report/report_account.h"
#include "report/report_unopened.h"
#include "report/report_values.h"

/* ---- counts ---- */

/* "identical" and "embedded" are adjectives, which have no plural. */
static const char *const singular[] = {[VERDICT_IDENTICAL] = NULL,
                                       [VERDICT_VARIANT] = "variant",
                                       [VERDICT_EMBEDDED] = NULL,
                                       [VERDICT_FRAGMENT] = "fragment"};

static void add_verdict(struct buffer *out, enum verdict verdict, uint64_t count)
{
    if (singular[verdict]) {
        report_values_count(out, count, singular[verdict]);
        return;
    }
    report_values_number(out, count);
    buffer_printf(out, " %s", finding_verdict_name(verdict));
}

static uint64_t sum_findings(const uint64_t findings[VERDICTS])
{
    uint64_t sum = 0;

    for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++)
        sum += findings[verdict];
    return sum;
}

static void add_verdicts(struct buffer *out, const uint64_t findings[VERDICTS])
{
    const char *separator = ": ";

    for (int verdict = VERDICT_IDENTICAL; verdict <= VERDICT_FRAGMENT; verdict++) {
        if (!findings[verdict])
            continue;
        buffer_add_text(out, separator);
        add_verdict(out, (enum verdict)verdict, findings[verdict]);
        separator = ", ";
    }
}

static void add_findings(struct buffer *out, const struct case_counts *counts,
                         const uint64_t findings[VERDICTS], uint64_t repeated)
{
    const uint64_t all = sum_findings(findings);
    const uint64_t examined =
        counts->objects - counts->findings[VERDICT_UNREADABLE] - counts->findings[VERDICT_SKIPPED];

    if (all == 0) {
        buffer_add_text(out, "no findings in ");
    } else {
        report_values_count(out, all, "finding");
        buffer_add_text(out, " in ");
        report_values_number(out, sum_findings(counts->findings) - repeated);
        buffer_add_text(out, " of ");
    }
    report_values_count(out, examined, examined == counts->objects ? "object" : "examined object");
    buffer_add_text(out, " (");
    report_values_size(out, counts->bytes);
    buffer_add_text(out, " of content)");
    add_verdicts(out, findings);
}

/* Objects by the reason for which they have no finding. */
static void add_without(struct buffer *out, const struct case_counts *counts, const char *heading,
                        enum verdict first, enum verdict second)
{
    const enum verdict verdicts[] = {first, second};
    static const char *const words[VERDICTS] = {[VERDICT_TOO_SMALL] = "too small",
                                                [VERDICT_LOW_ENTROPY] = "with low entropy",
                                                [VERDICT_UNREADABLE] = "unreadable",
                                                [VERDICT_SKIPPED] = "skipped"};
    const char *separator = heading;

    for (int i = 0; i < 2; i++) {
        if (!counts->findings[verdicts[i]])
            continue;
        buffer_add_text(out, separator);
        report_values_number(out, counts->findings[verdicts[i]]);
        buffer_printf(out, " %s", words[verdicts[i]]);
        separator = ", ";
    }
}

void report_summary_sets(const struct casefile *casefile, const struct case_evidence *evidence,
                         struct buffer *out)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    buffer_add_text(out, evidence->set_count == 1 ? "the set " : "the sets ");
    for (size_t i = 0; i < evidence->set_count && evidence->first_set + i < count; i++) {
        buffer_add_text(out, i ? ", " : "");
        report_values_foreign(out, sets[evidence->first_set + i].name);
    }
}

/* Of evidence that is read again: its objects are counted where it was read first.  objects: those with
 * findings. */
static void add_again(struct casefile *casefile, const struct case_evidence *evidence, uint64_t objects,
                      const uint64_t findings[VERDICTS], struct buffer *out)
{
    const uint64_t all = sum_findings(findings);

    buffer_add_text(out, "read again for ");
    report_summary_sets(casefile, evidence, out);
    buffer_add_text(out, all ? ": " : ": no findings");
    if (all) {
        report_values_count(out, all, "finding");
        buffer_add_text(out, " in ");
        report_values_count(out, objects, "object");
        add_verdicts(out, findings);
    }
}

int report_summary(struct casefile *casefile, uint64_t evidence, struct buffer *out, struct error *err)
{
    struct case_evidence about;
    struct case_counts counts;
    uint64_t findings[VERDICTS] = {0}, repeated;

    if (casefile_count(casefile, evidence, &counts, err) ||
        casefile_count_findings(casefile, evidence, findings, err) ||
        casefile_count_repeated(casefile, evidence, &repeated, err) ||
        casefile_evidence(casefile, evidence, &about, err) <= 0)
        return -1;
    if (counts.objects == 0) {
        if (about.state != CASE_FAILED && about.state != CASE_BEGUN)
            buffer_add_text(out, "nothing was scanned: no object was selected");
        return 0;
    }
    if (about.again)
        add_again(casefile, &about, sum_findings(counts.findings) - repeated, findings, out);
    else
        add_findings(out, &counts, findings, repeated);
    if (counts.known) {
        buffer_add_text(out, "; ");
        report_values_count(out, counts.known, "known object");
    }
    if (about.again)
        return 0;
    add_without(out, &counts, "; no verdict possible: ", VERDICT_TOO_SMALL, VERDICT_LOW_ENTROPY);
    add_without(out, &counts, "; not examined: ", VERDICT_UNREADABLE, VERDICT_SKIPPED);
    return 0;
}

/* ---- what was not examined ---- */

struct volume_problem {
    const char *volume;
    bool encrypted;
};

/* The text after a prefix, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    const size_t len = strlen(prefix);

    return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

/* Only the problem of a volume says that it is encrypted; the account just says that it was not examined. */
static void look_for_encryption(void *arg, const char *text)
{
    struct volume_problem *problem = arg;
    const char *rest;

    if (strcmp(problem->volume, "-") == 0) {
        rest = after(text, "the image ");
    } else {
        rest = after(text, "volume ");
        rest = rest ? after(rest, problem->volume) : NULL;
        rest = rest ? after(rest, " ") : NULL;
    }
    if (rest && strstr(rest, "(encrypted)"))
        problem->encrypted = true;
}

static int add_unexamined(struct casefile *casefile, uint64_t evidence,
                          const struct report_account_part *part, struct buffer *out, struct error *err)
{
    struct volume_problem problem = {.volume = part->label};

    if (casefile_problems(casefile, evidence, look_for_encryption, &problem, err))
        return -1;
    if (strcmp(part->label, "-") == 0)
        buffer_add_text(out, "the image (");
    else
        buffer_printf(out, "volume %s (", part->label);
    report_values_size(out, part->table.bytes[ACCOUNT_NOT_EXAMINED]);
    buffer_add_text(out, problem.encrypted ? "): ENCRYPTED, content not examined"
                                           : "): no known file system, files in it not examined");
    buffer_add_char(out, '\0');
    return out->failed ? error_set(err, "out of memory") : 0;
}

static int add_part(void *arg, const char *volume, const struct account_table *table)
{
    return report_account_add(arg, volume, table);
}

/* Evidence that is read again has the same members. */
static int add_unopened(struct casefile *casefile, uint64_t evidence,
                        void (*take)(void *arg, const char *text), void *arg, struct error *err)
{
    struct case_evidence about;

    if (casefile_evidence(casefile, evidence, &about, err) <= 0)
        return -1;
    return about.again ? 0 : report_unopened(casefile, evidence, take, arg, err);
}

int report_summary_unexamined(struct casefile *casefile, uint64_t evidence,
                              void (*take)(void *arg, const char *text), void *arg, struct error *err)
{
    struct report_account account = {0};
    struct buffer text = {0};
    int result = casefile_account(casefile, evidence, add_part, &account, err);

    for (size_t i = 0; i < account.count && result == 0; i++) {
        if (account.parts[i].table.bytes[ACCOUNT_NOT_EXAMINED] == 0)
            continue;
        result = add_unexamined(casefile, evidence, &account.parts[i], &text, err);
        if (result == 0)
            take(arg, text.data);
        buffer_reset(&text);
    }
    buffer_release(&text);
    report_account_reset(&account);
    return result ? result : add_unopened(casefile, evidence, take, arg, err);
}

/* ---- the context ---- */

void report_summary_context(const struct casefile *casefile,
                            void (*take)(void *arg, const char *label, const char *line, size_t len),
                            void *arg)
{
    struct case_context context;

    casefile_context(casefile, &context);
    const char *const values[][2] = {{"case number", context.number},
                                     {"examiner", context.examiner},
                                     {"organisation", context.organisation},
                                     {"notes", context.notes}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (const char *at = values[i][1], *label = values[i][0]; *at; label = "") {
            const size_t len = strcspn(at, "\n");

            take(arg, label, at, len);
            at += len + (at[len] != '\0');
        }
}

/* ---- the hashes of an image ---- */

enum report_acquisition report_summary_acquisition(const struct case_evidence *evidence)
{
    if (evidence->digests.kinds && !evidence->stored.kinds)
        return REPORT_ACQUISITION_NONE;
    if (!(evidence->stored.kinds & evidence->digests.kinds))
        return REPORT_ACQUISITION_UNHASHED;
    return digest_differing(&evidence->stored, &evidence->digests) ? REPORT_ACQUISITION_DIFFERS
                                                                   : REPORT_ACQUISITION_MATCHES;
}

const char *report_summary_acquisition_name(enum report_acquisition acquisition)
{
    static const char *const names[] = {
        [REPORT_ACQUISITION_NONE] = "none",
        [REPORT_ACQUISITION_UNHASHED] = "not-hashed",
        [REPORT_ACQUISITION_MATCHES] = "matches",
        [REPORT_ACQUISITION_DIFFERS] = "differs",
    };

    return names[acquisition];
}

const char *report_summary_acquisition_words(enum report_acquisition acquisition)
{
    static const char *const words[] = {
        [REPORT_ACQUISITION_NONE] = "no acquisition hash is stored in the image",
        [REPORT_ACQUISITION_UNHASHED] = "not compared with an acquisition hash",
        [REPORT_ACQUISITION_MATCHES] = "matches the acquisition hash stored in the image",
        [REPORT_ACQUISITION_DIFFERS] = "DIFFERS from the acquisition hash stored in the image",
    };

    return words[acquisition];
}

void report_summary_image(const struct case_evidence *evidence, struct buffer *out)
{
    const struct digest_values *digests = &evidence->digests;
    const char *separator = "";

    if (!evidence->has_image || !digests->kinds)
        return;
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(digests->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, "%s%s ", separator, digest_name((enum digest_kind)kind));
        escape_hex(out, digests->bytes[kind], digest_len((enum digest_kind)kind));
        separator = ", ";
    }
    buffer_printf(out, ": %s", report_summary_acquisition_words(report_summary_acquisition(evidence)));
}
