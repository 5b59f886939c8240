/* SPDX-License-Identifier: Apache-2.0 */
#include "case_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "account_report.h"
#include "base/csv.h"
#include "base/escape.h"
#include "terminal.h"

struct writer {
    struct case_report *report;
    struct buffer line, text;
    bool colours;
};

/* The text as a string; it stays until the buffer is reset. */
static const char *text_of(struct buffer *text)
{
    buffer_add_char(text, '\0');
    return text->failed ? "" : text->data;
}

/* What is less is told as this: smaller numbers mean no more, and programs cannot read them. */
static const double least_log10_e = -300;

static void add_e(struct buffer *out, double ln_e)
{
    const double log10_e = fmax(ln_e / log(10), least_log10_e);
    double exponent, mantissa;

    if (isinf(ln_e)) {
        buffer_add_char(out, '0');
        return;
    }
    exponent = floor(log10_e);
    mantissa = round(pow(10, log10_e - exponent + 1)) / 10;
    if (mantissa >= 10) {
        mantissa /= 10;
        exponent++;
    }
    buffer_printf(out, "%.1fe%+.0f", mantissa, exponent);
}

/* ---- CSV ---- */

static void csv_made(struct writer *writer)
{
    csv_cell(&writer->line, text_of(&writer->text));
    buffer_reset(&writer->text);
}

static void csv_number(struct writer *writer, uint64_t number)
{
    buffer_printf(&writer->text, "%" PRIu64, number);
    csv_made(writer);
}

static void csv_share(struct writer *writer, double share)
{
    buffer_printf(&writer->text, "%.3f", share);
    csv_made(writer);
}

static void csv_sha1(struct writer *writer, const struct digest_values *digests)
{
    if (digests->kinds & DIGEST_BIT(DIGEST_SHA1))
        escape_hex(&writer->text, digests->bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    csv_made(writer);
}

static void csv_header(struct writer *writer)
{
    static const char *const columns[] = {
        "evidence",  "volume",    "address",    "kind",     "path",    "path_hex",    "size",
        "sha1",      "verdict",   "set",        "set_kind", "ref_id",  "ref_name",    "ref_sha1",
        "obj_start", "obj_end",   "ref_start",  "ref_end",  "matched", "resemblance", "containment",
        "edits",     "edits_low", "edits_high", "e_value",  "proof",   "status"};

    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        csv_cell(&writer->line, columns[i]);
    csv_end_line(&writer->line);
}

static void csv_object(struct writer *writer, const struct case_row *row)
{
    const struct case_object *object = &row->object;
    const size_t len = object->path_count ? strlen(object->paths) : 0;

    csv_foreign(&writer->line, row->evidence->path, strlen(row->evidence->path));
    csv_cell(&writer->line, object->volume);
    csv_cell(&writer->line, object->address);
    csv_cell(&writer->line, object_kind_name(object->kind));
    if (csv_foreign(&writer->line, object->paths, len))
        escape_hex(&writer->text, object->paths, len);
    csv_made(writer);
    csv_number(writer, object->size);
    csv_sha1(writer, &object->digests);
}

static void csv_edits(struct writer *writer, const struct finding *finding)
{
    const double edits[] = {finding->edits, finding->edits_low, finding->edits_high};

    for (int i = 0; i < 3; i++) {
        if (finding->has_edits)
            buffer_printf(&writer->text, "%.0f", edits[i]);
        csv_made(writer);
    }
}

static void csv_finding(struct writer *writer, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    csv_cell(&writer->line, finding_verdict_name(finding->verdict));
    csv_foreign(&writer->line, row->set->name, strlen(row->set->name));
    csv_cell(&writer->line, refset_kind_name(row->set->kind));
    csv_number(writer, finding->file);
    csv_foreign(&writer->line, row->reference.name, row->reference.name_len);
    csv_sha1(writer, &row->reference.digests);
    csv_number(writer, finding->span.obj_start);
    csv_number(writer, finding->span.obj_end);
    csv_number(writer, finding->span.ref_start);
    csv_number(writer, finding->span.ref_end);
    csv_number(writer, finding->matched);
    csv_share(writer, finding->resemblance);
    csv_share(writer, finding->containment);
    csv_edits(writer, finding);
    add_e(&writer->text, finding->ln_e);
    csv_made(writer);
    finding_proof(finding, &writer->text);
    csv_made(writer);
}

/* Nothing was found in it: 16 columns are empty, and that of the proof says why. */
static void csv_nothing(struct writer *writer, const struct case_row *row)
{
    csv_cell(&writer->line, finding_verdict_name(row->object.verdict));
    for (int i = 0; i < 16; i++)
        csv_cell(&writer->line, "");
    csv_foreign(&writer->line, row->object.reason, strlen(row->object.reason));
}

static void csv_row(struct writer *writer, const struct case_row *row)
{
    csv_object(writer, row);
    if (row->has_finding)
        csv_finding(writer, row);
    else
        csv_nothing(writer, row);
    csv_cell(&writer->line, row->object.partial ? "partial" : "ok");
    csv_end_line(&writer->line);
}

/* ---- for people ---- */

static void add_size(struct buffer *out, uint64_t size)
{
    static const char units[] = "kMGTPE";
    double scaled = (double)size;
    int unit = -1;

    for (; scaled >= 9999.5 && unit < 5; unit++)
        scaled /= 1000;
    if (unit < 0)
        buffer_printf(out, "%" PRIu64 " bytes", size);
    else
        buffer_printf(out, "%.0f %cB", scaled, units[unit]);
}

static void add_foreign(struct buffer *out, const char *text)
{
    escape_text(out, text, strlen(text));
}

static void add_place(struct buffer *out, const struct case_row *row)
{
    const struct case_object *object = &row->object;

    if (object->path_count) {
        escape_text(out, object->paths, strlen(object->paths));
    } else {
        buffer_add_text(out, object_kind_name(object->kind));
        buffer_add_char(out, ' ');
        add_foreign(out, object->address);
    }
    if (strcmp(object->volume, "-") != 0) {
        buffer_add_text(out, " in volume ");
        add_foreign(out, object->volume);
    }
    buffer_add_text(out, " (");
    if (object->kind != OBJECT_FILE && object->path_count)
        buffer_printf(out, "%s, ", object_kind_name(object->kind));
    add_size(out, object->size);
    buffer_add_text(out, object->partial ? ", PARTIAL: not all of it could be read)" : ")");
}

static void add_numbers(struct buffer *out, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    if (finding->verdict == VERDICT_IDENTICAL)
        return;
    buffer_printf(out, "\n           bytes %" PRIu64 " to %" PRIu64 ": bytes %" PRIu64 " to %" PRIu64 " of ",
                  finding->span.obj_start, finding->span.obj_end, finding->span.ref_start,
                  finding->span.ref_end);
    add_size(out, finding->ref_size);
    buffer_printf(out, "; resemblance %.3f, containment %.3f", finding->resemblance, finding->containment);
    if (finding->has_edits)
        buffer_printf(out, ", %.0f bytes to edit (%.0f to %.0f)", finding->edits, finding->edits_low,
                      finding->edits_high);
    buffer_add_text(out, "\n           E ");
    add_e(out, finding->ln_e);
    buffer_add_text(out, ", proof: ");
    finding_proof(finding, out);
    if (finding->also)
        buffer_printf(out, "; and %" PRIu64 " more references like it", finding->also);
}

static void text_row(struct writer *writer, const struct case_row *row)
{
    struct buffer *out = &writer->line;
    const bool loud = writer->colours && row->has_finding && row->set->kind == REFSET_NOTABLE;

    buffer_printf(out, "%s%-10s%s ", loud ? "\033[1m" : "",
                  finding_verdict_name(row->has_finding ? row->finding.verdict : row->object.verdict),
                  loud ? "\033[0m" : "");
    add_place(out, row);
    if (row->has_finding) {
        buffer_add_text(out, "\n           of ");
        escape_text(out, row->reference.name, row->reference.name_len);
        buffer_add_text(out, " in ");
        escape_text(out, row->set->name, strlen(row->set->name));
        buffer_printf(out, " (%s)", refset_kind_name(row->set->kind));
        add_numbers(out, row);
    } else if (row->object.reason[0]) {
        buffer_add_text(out, ": ");
        escape_text(out, row->object.reason, strlen(row->object.reason));
    }
    buffer_add_char(out, '\n');
}

/* ---- all rows ---- */

static int write_line(struct writer *writer, struct error *err)
{
    if (writer->line.failed || writer->text.failed)
        return error_set(err, "out of memory");
    put_output(&writer->line);
    buffer_reset(&writer->line);
    return 0;
}

static int write_rows(struct writer *writer, struct case_reader *reader, struct error *err)
{
    struct case_row row;
    int result;

    while ((result = casefile_reader_next(reader, &row, err)) > 0 && !ferror(stdout)) {
        if (writer->report->form == CASE_CSV)
            csv_row(writer, &row);
        else
            text_row(writer, &row);
        if (row.has_finding && row.set->kind != REFSET_KNOWN)
            writer->report->findings++;
        if (write_line(writer, err))
            return -1;
    }
    return result < 0 ? -1 : 0;
}

int case_report_write(struct case_report *report, struct casefile *casefile, struct error *err)
{
    struct writer writer = {.report = report, .colours = terminal_colours(STDOUT_FILENO)};
    struct case_reader *reader = casefile_reader_new(casefile, &report->filter, err);
    int result = reader ? 0 : -1;

    if (!result && report->form == CASE_CSV) {
        csv_header(&writer);
        result = write_line(&writer, err);
    }
    if (!result)
        result = write_rows(&writer, reader, err);
    casefile_reader_free(reader);
    buffer_release(&writer.line);
    buffer_release(&writer.text);
    return result;
}

/* ---- about the case ---- */

static void add_time(struct buffer *out, int64_t seconds)
{
    const time_t time = (time_t)seconds;
    struct tm tm;
    char text[40];

    if (gmtime_r(&time, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
        buffer_add_text(out, text);
    else
        buffer_printf(out, "@%" PRId64, seconds);
}

static void about_case(struct buffer *out, const struct case_info *info)
{
    buffer_add_text(out, "case        ");
    escape_hex(out, info->uuid, sizeof info->uuid);
    buffer_add_text(out, "\nmade        ");
    add_time(out, info->created);
    buffer_add_text(out, " by ");
    add_foreign(out, info->tool);
    buffer_add_text(out, "\nparameters  ");
    add_foreign(out, info->parameters);
    buffer_add_char(out, '\n');
}

static void about_set(struct buffer *out, const struct case_set *set)
{
    buffer_printf(out, "set         ");
    add_foreign(out, set->name);
    buffer_printf(out, " (%s), generation %" PRIu64 ", %" PRIu64 " files, id ", refset_kind_name(set->kind),
                  set->generation, set->files);
    escape_hex(out, set->uuid, sizeof set->uuid);
    buffer_add_text(out, ": ");
    add_foreign(out, set->path);
    buffer_add_char(out, '\n');
}

/* other: what they are compared with. */
static void add_digests(struct buffer *out, const char *what, const struct digest_values *digests,
                        const struct digest_values *other)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(digests->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, "\n            %s%s ", what, digest_name((enum digest_kind)kind));
        escape_hex(out, digests->bytes[kind], digest_len((enum digest_kind)kind));
        if (other && (other->kinds & DIGEST_BIT(kind)))
            buffer_add_text(out, digest_differing(digests, other) & DIGEST_BIT(kind) ? ", WHICH DIFFERS"
                                                                                     : ", which agrees");
    }
}

static int about_evidence(struct buffer *out, struct casefile *casefile, const struct case_evidence *evidence,
                          struct error *err)
{
    struct case_counts counts;

    if (casefile_count(casefile, evidence->number, &counts, err))
        return -1;
    buffer_add_text(out, "evidence    ");
    add_foreign(out, evidence->path);
    if (evidence->has_image) {
        buffer_add_text(out, ": ");
        add_foreign(out, evidence->format);
        buffer_printf(out, ", %" PRIu64 " bytes", evidence->size);
    }
    if (evidence->stamp[0]) {
        buffer_add_text(out, "\n            ");
        add_foreign(out, evidence->stamp);
    }
    add_digests(out, "", &evidence->digests, NULL);
    add_digests(out, "stored at acquisition: ", &evidence->stored, &evidence->digests);
    if (evidence->has_image && !evidence->digests.kinds)
        buffer_add_text(out, "\n            the image was not hashed");
    buffer_printf(out, "\n            %s; %" PRIu64 " objects, %" PRIu64 " bytes: ",
                  casefile_state_name(evidence->state), counts.objects, counts.bytes);
    case_report_counts(&counts, out);
    buffer_add_char(out, '\n');
    return 0;
}

static int add_part(void *arg, const char *volume, const struct account_table *table)
{
    return account_report_add(arg, volume, table);
}

static int about_account(struct buffer *out, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct account_report account = {0};
    const int result = casefile_account(casefile, evidence, add_part, &account, err);

    if (account.count)
        account_report_text(&account, out, 12);
    account_report_reset(&account);
    return result;
}

static void about_problem(void *arg, const char *text)
{
    struct buffer *out = arg;

    buffer_add_text(out, "            ");
    add_foreign(out, text);
    buffer_add_char(out, '\n');
}

struct log_text {
    struct buffer *out;
    uint8_t chain[CASE_CHAIN_LEN];
};

static void about_entry(void *arg, const struct case_entry *entry)
{
    struct log_text *log = arg;

    buffer_add_text(log->out, "log         ");
    add_time(log->out, entry->time);
    buffer_add_char(log->out, ' ');
    add_foreign(log->out, entry->text);
    buffer_add_char(log->out, '\n');
    memcpy(log->chain, entry->chain, sizeof log->chain);
}

static int about_log(struct buffer *out, struct casefile *casefile, struct error *err)
{
    struct log_text log = {.out = out};
    const int result = casefile_read_log(casefile, about_entry, &log, err);

    buffer_add_text(out, "seal        ");
    escape_hex(out, log.chain, sizeof log.chain);
    buffer_add_char(out, '\n');
    return result;
}

static int about_all(struct buffer *out, struct casefile *casefile, struct error *err)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);
    struct case_evidence evidence;
    int result;

    about_case(out, casefile_info(casefile));
    for (size_t i = 0; i < count; i++)
        about_set(out, &sets[i]);
    for (uint64_t number = 1; (result = casefile_evidence(casefile, number, &evidence, err)) > 0; number++)
        if (about_evidence(out, casefile, &evidence, err) || about_account(out, casefile, number, err) ||
            casefile_problems(casefile, number, about_problem, out, err))
            return -1;
    return result < 0 ? -1 : about_log(out, casefile, err);
}

int case_report_about(struct casefile *casefile, struct error *err)
{
    struct buffer out = {0};
    int result = about_all(&out, casefile, err);

    put_output(&out);
    if (!result && out.failed)
        result = error_set(err, "out of memory");
    buffer_release(&out);
    return result;
}

void case_report_counts(const struct case_counts *counts, struct buffer *out)
{
    static const enum verdict always[] = {VERDICT_IDENTICAL, VERDICT_VARIANT, VERDICT_EMBEDDED,
                                          VERDICT_FRAGMENT};
    static const enum verdict if_any[] = {VERDICT_TOO_SMALL, VERDICT_LOW_ENTROPY, VERDICT_SKIPPED,
                                          VERDICT_UNREADABLE};

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        buffer_printf(out, "%s%s %" PRIu64, i ? ", " : "", finding_verdict_name(always[i]),
                      counts->findings[always[i]]);
    buffer_printf(out, "; known %" PRIu64, counts->known);
    for (size_t i = 0; i < sizeof if_any / sizeof *if_any; i++)
        if (counts->findings[if_any[i]])
            buffer_printf(out, ", %s %" PRIu64, finding_verdict_name(if_any[i]), counts->findings[if_any[i]]);
}
