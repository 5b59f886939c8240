/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_jsonl_case.h"

#include <string.h>

#include "report/report_summary.h"
#include "report/report_values.h"

/* Lists may be long, so the stream gets each of their elements at once. */
struct case_line {
    struct report_stream *stream;
    struct json_write json;
    int result; /* of the stream */
    struct error *err;
};

static void flush(struct case_line *line)
{
    if (line->result == 0)
        line->result = report_stream_put(line->stream, line->err);
    else
        buffer_reset(&line->stream->line);
}

void report_jsonl_digests(struct json_write *out, const char *key, const struct digest_values *digests)
{
    if (!digests->kinds)
        return;
    json_write_open(out, key, '{');
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digests->kinds & DIGEST_BIT(kind))
            json_write_hex(out, digest_name((enum digest_kind)kind), digests->bytes[kind],
                           digest_len((enum digest_kind)kind));
    json_write_close(out, '}');
}

static void put_uuid(struct json_write *out, const uint8_t uuid[UUID_LEN])
{
    char text[UUID_ROOM];

    uuid_format(text, uuid);
    json_write_text(out, "uuid", text);
}

static void put_time(struct json_write *out, const char *key, int64_t time)
{
    struct buffer text = {0};

    report_values_zone_time(&text, time, 0, REPORT_ZONE_UTC);
    json_write_made(out, key, &text);
    buffer_release(&text);
}

static void put_info(struct json_write *out, const struct case_info *info)
{
    put_uuid(out, info->uuid);
    put_time(out, "created", info->created);
    json_write_text(out, "tool", info->tool);
    json_write_text(out, "parameters", info->parameters);
}

static void put_context(struct json_write *out, const struct casefile *casefile)
{
    struct case_context context;

    casefile_context(casefile, &context);
    json_write_open(out, "context", '{');
    json_write_text(out, "case_number", context.number);
    json_write_text(out, "examiner", context.examiner);
    json_write_text(out, "organisation", context.organisation);
    json_write_text(out, "notes", context.notes);
    json_write_close(out, '}');
}

static int put_seal(struct json_write *out, struct casefile *casefile, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];

    if (!casefile_is_kept(casefile))
        return 0;
    if (casefile_chain(casefile, chain, err))
        return -1;
    json_write_hex(out, "seal", chain, sizeof chain);
    return 0;
}

/* ---- sets ---- */

static void put_set(struct json_write *out, const struct case_set *set, uint64_t number)
{
    json_write_open(out, NULL, '{');
    json_write_number(out, "number", number);
    put_uuid(out, set->uuid);
    json_write_number(out, "generation", set->generation);
    json_write_text(out, "kind", refset_kind_name(set->kind));
    json_write_name(out, "name", set->name, strlen(set->name));
    json_write_name(out, "path", set->path, strlen(set->path));
    json_write_number(out, "files", set->files);
    json_write_number(out, "records", set->records);
    json_write_close(out, '}');
}

static void put_sets(struct json_write *out, struct casefile *casefile)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    json_write_open(out, "sets", '[');
    for (size_t i = 0; i < count; i++)
        put_set(out, &sets[i], i + 1);
    json_write_close(out, ']');
}

/* ---- evidence ---- */

static void put_image(struct json_write *out, const struct case_evidence *evidence)
{
    json_write_open(out, "image", '{');
    json_write_text(out, "format", evidence->format);
    json_write_number(out, "size", evidence->size);
    report_jsonl_digests(out, "computed", &evidence->digests);
    report_jsonl_digests(out, "stored", &evidence->stored);
    json_write_text(out, "acquisition",
                    report_summary_acquisition_name(report_summary_acquisition(evidence)));
    json_write_close(out, '}');
}

static int put_counts(struct json_write *out, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct case_counts counts;
    uint64_t findings[VERDICTS] = {0};

    if (casefile_count(casefile, evidence, &counts, err) ||
        casefile_count_findings(casefile, evidence, findings, err))
        return -1;
    json_write_number(out, "objects", counts.objects);
    json_write_number(out, "bytes_examined", counts.bytes);
    json_write_open(out, "findings", '{');
    for (int verdict = 0; verdict <= VERDICT_FRAGMENT; verdict++)
        json_write_number(out, finding_verdict_name((enum verdict)verdict), findings[verdict]);
    json_write_close(out, '}');
    json_write_open(out, "objects_without_finding", '{');
    for (int verdict = VERDICT_NONE; verdict < VERDICTS; verdict++)
        json_write_number(out, finding_verdict_name((enum verdict)verdict), counts.findings[verdict]);
    json_write_number(out, "known", counts.known);
    json_write_close(out, '}');
    return 0;
}

static void put_sentence(void *arg, const char *text)
{
    struct case_line *line = arg;

    json_write_text(&line->json, NULL, text);
    flush(line);
}

static int put_part(void *arg, const char *volume, const struct account_table *table)
{
    struct case_line *line = arg;

    for (unsigned row = 0; row < ACCOUNT_ROWS; row++) {
        if (table->objects[row] == 0 && table->bytes[row] == 0)
            continue;
        json_write_open(&line->json, NULL, '{');
        json_write_text(&line->json, "volume", volume);
        json_write_text(&line->json, "kind", account_row_name(row));
        json_write_number(&line->json, "objects", table->objects[row]);
        json_write_number(&line->json, "bytes", table->bytes[row]);
        json_write_close(&line->json, '}');
    }
    flush(line);
    return 0;
}

static int put_bad(struct case_line *line, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    struct ranges bad = {0};
    const int result = casefile_bad(casefile, evidence, &bad, err);

    json_write_open(&line->json, "unreadable", '[');
    for (size_t i = 0; result == 0 && i < bad.count; i++) {
        json_write_open(&line->json, NULL, '[');
        json_write_number(&line->json, NULL, bad.list[i].start);
        json_write_number(&line->json, NULL, bad.list[i].start + bad.list[i].len);
        json_write_close(&line->json, ']');
        flush(line);
    }
    json_write_close(&line->json, ']');
    ranges_release(&bad);
    return result;
}

static int put_lists(struct case_line *line, struct casefile *casefile, uint64_t evidence, struct error *err)
{
    json_write_open(&line->json, "not_examined", '[');
    if (report_summary_unexamined(casefile, evidence, put_sentence, line, err))
        return -1;
    json_write_close(&line->json, ']');
    json_write_open(&line->json, "problems", '[');
    if (casefile_problems(casefile, evidence, put_sentence, line, err))
        return -1;
    json_write_close(&line->json, ']');
    if (put_bad(line, casefile, evidence, err))
        return -1;
    json_write_open(&line->json, "account", '[');
    if (casefile_account(casefile, evidence, put_part, line, err))
        return -1;
    json_write_close(&line->json, ']');
    return 0;
}

/* The first reading of the evidence, and the sets that it was read for. */
static void put_reading(struct json_write *out, const struct case_evidence *evidence)
{
    if (evidence->again)
        json_write_number(out, "again", evidence->again);
    json_write_open(out, "sets", '[');
    for (size_t i = 0; i < evidence->set_count; i++)
        json_write_number(out, NULL, evidence->first_set + i + 1);
    json_write_close(out, ']');
}

static int put_evidence(struct case_line *line, struct casefile *casefile,
                        const struct case_evidence *evidence, struct error *err)
{
    const uint64_t number = evidence->number;

    json_write_open(&line->json, NULL, '{');
    json_write_number(&line->json, "number", number);
    json_write_name(&line->json, "path", evidence->path, strlen(evidence->path));
    put_reading(&line->json, evidence);
    json_write_text(&line->json, "state", casefile_state_name(evidence->state));
    if (evidence->stamp[0])
        json_write_text(&line->json, "stamp", evidence->stamp);
    if (evidence->has_image)
        put_image(&line->json, evidence);
    if (put_counts(&line->json, casefile, number, err) || put_lists(line, casefile, number, err))
        return -1;
    json_write_close(&line->json, '}');
    flush(line);
    return line->result;
}

static int put_all_evidence(struct case_line *line, struct casefile *casefile, struct error *err)
{
    struct case_evidence evidence;
    int found, result = 0;

    json_write_open(&line->json, "evidence", '[');
    for (uint64_t number = 1;
         result == 0 && (found = casefile_evidence(casefile, number, &evidence, err)) != 0; number++)
        result = found < 0 ? -1 : put_evidence(line, casefile, &evidence, err);
    json_write_close(&line->json, ']');
    return result;
}

int report_jsonl_case(struct report_stream *stream, struct casefile *casefile, struct error *err)
{
    struct case_line line = {.stream = stream, .json = {.to = &stream->line}, .err = err};
    int result;

    json_write_open(&line.json, NULL, '{');
    json_write_text(&line.json, "schema", REPORT_JSONL_SCHEMA);
    json_write_text(&line.json, "type", "case");
    put_info(&line.json, casefile_info(casefile));
    if (put_seal(&line.json, casefile, err))
        return -1;
    put_context(&line.json, casefile);
    put_sets(&line.json, casefile);
    result = put_all_evidence(&line, casefile, err);
    if (result)
        return result;
    json_write_close(&line.json, '}');
    json_write_line(&line.json);
    flush(&line);
    return line.result;
}
