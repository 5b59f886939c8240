/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_about.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/report_account.h"
#include "report/report_summary.h"
#include "report/report_values.h"

static void about_case(struct buffer *out, const struct case_info *info, enum report_zone zone)
{
    buffer_add_text(out, "case        ");
    escape_hex(out, info->uuid, sizeof info->uuid);
    buffer_add_text(out, "\ncreated     ");
    report_values_zone_time(out, info->created, 0, zone);
    buffer_add_text(out, " by ");
    report_values_foreign(out, info->tool);
    buffer_add_text(out, "\nparameters  ");
    report_values_foreign(out, info->parameters);
    buffer_add_char(out, '\n');
}

static void about_context(void *arg, const char *label, const char *line, size_t len)
{
    struct buffer *out = arg;

    buffer_printf(out, "%-11s ", label);
    escape_text(out, line, len);
    buffer_add_char(out, '\n');
}

static void about_set(struct buffer *out, const struct case_set *set)
{
    buffer_printf(out, "set         ");
    report_values_foreign(out, set->name);
    buffer_printf(out, " (%s), generation %" PRIu64 ", ", refset_kind_name(set->kind), set->generation);
    report_values_count(out, set->files, "file");
    buffer_add_text(out, ", id ");
    escape_hex(out, set->uuid, sizeof set->uuid);
    buffer_add_text(out, ": ");
    report_values_foreign(out, set->path);
    buffer_add_char(out, '\n');
}

static void add_digests(struct buffer *out, const char *what, const struct digest_values *digests)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++) {
        if (!(digests->kinds & DIGEST_BIT(kind)))
            continue;
        buffer_printf(out, "\n            %s%s ", what, digest_name((enum digest_kind)kind));
        escape_hex(out, digests->bytes[kind], digest_len((enum digest_kind)kind));
    }
}

static void about_image(struct buffer *out, const struct case_evidence *evidence)
{
    if (!evidence->has_image)
        return;
    add_digests(out, "", &evidence->digests);
    add_digests(out, "stored at acquisition: ", &evidence->stored);
    if (!evidence->digests.kinds)
        buffer_add_text(out, "\n            the image was not hashed");
    buffer_printf(out, "\n            %s",
                  report_summary_acquisition_words(report_summary_acquisition(evidence)));
}

static void about_line(void *arg, const char *text)
{
    struct buffer *out = arg;

    buffer_add_text(out, "            ");
    report_values_foreign(out, text);
    buffer_add_char(out, '\n');
}

static int about_counts(struct buffer *out, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct buffer text = {0};
    const int result = report_summary(casefile, evidence, &text, err);

    if (text.len) {
        buffer_add_text(out, "; ");
        buffer_add(out, text.data, text.len);
    }
    buffer_add_char(out, '\n');
    buffer_inherit(out, &text);
    buffer_release(&text);
    return result ? result : report_summary_unexamined(casefile, evidence, about_line, out, err);
}

static int about_evidence(struct buffer *out, struct casefile *casefile, const struct case_evidence *evidence,
                          struct error *err)
{
    const uint64_t number = evidence->number;
    const struct case_set *sets;

    buffer_add_text(out, "evidence    ");
    report_values_foreign(out, evidence->path);
    if (evidence->has_image) {
        buffer_add_text(out, ": ");
        report_values_foreign(out, evidence->format);
        buffer_printf(out, ", %" PRIu64 " bytes", evidence->size);
    }
    if (evidence->stamp[0]) {
        buffer_add_text(out, "\n            ");
        report_values_foreign(out, evidence->stamp);
    }
    if (!evidence->again)
        about_image(out, evidence);
    if (!evidence->again && evidence->set_count < casefile_sets(casefile, &sets)) {
        buffer_add_text(out, "\n            read for ");
        report_summary_sets(casefile, evidence, out);
    }
    buffer_printf(out, "\n            %s", casefile_state_name(evidence->state));
    return about_counts(out, casefile, number, err);
}

static int add_part(void *arg, const char *volume, const struct account_table *table)
{
    return report_account_add(arg, volume, table);
}

static int about_account(struct buffer *out, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct report_account account = {0};
    const int result = casefile_account(casefile, evidence, add_part, &account, err);

    if (account.count)
        report_account_text(&account, out, 12);
    report_account_reset(&account);
    return result;
}

struct log_text {
    struct buffer *out;
    enum report_zone zone;
    uint8_t chain[CASE_CHAIN_LEN];
};

static void about_entry(void *arg, const struct case_entry *entry)
{
    struct log_text *log = arg;

    buffer_add_text(log->out, "log         ");
    report_values_zone_time(log->out, entry->time, 0, log->zone);
    buffer_add_char(log->out, ' ');
    report_values_foreign(log->out, entry->text);
    buffer_add_char(log->out, '\n');
    memcpy(log->chain, entry->chain, sizeof log->chain);
}

static int about_log(struct buffer *out, struct casefile *casefile, enum report_zone zone, struct error *err)
{
    struct log_text log = {.out = out, .zone = zone};
    const int result = casefile_read_log(casefile, about_entry, &log, err);

    buffer_add_text(out, "seal        ");
    escape_hex(out, log.chain, sizeof log.chain);
    buffer_add_char(out, '\n');
    return result;
}

static int about_all(struct buffer *out, struct casefile *casefile, enum report_zone zone, struct error *err)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);
    struct case_evidence evidence;
    int result;

    about_case(out, casefile_info(casefile), zone);
    report_summary_context(casefile, about_context, out);
    for (size_t i = 0; i < count; i++)
        about_set(out, &sets[i]);
    for (uint64_t number = 1; (result = casefile_evidence(casefile, number, &evidence, err)) > 0; number++)
        if (about_evidence(out, casefile, &evidence, err) || about_account(out, casefile, number, err) ||
            casefile_problems(casefile, number, about_line, out, err))
            return -1;
    return result < 0 ? -1 : about_log(out, casefile, zone, err);
}

int report_about(struct report_stream *stream, struct casefile *casefile, enum report_zone zone,
                 struct error *err)
{
    int result = about_all(&stream->line, casefile, zone, err);

    if (report_stream_put(stream, result ? NULL : err) < 0)
        result = -1;
    report_stream_release(stream);
    return result;
}
