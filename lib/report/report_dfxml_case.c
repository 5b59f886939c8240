/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_dfxml_case.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "report/report_summary.h"
#include "report/report_values.h"
#include "report/report_xml.h"

struct document {
    struct report_stream *stream;
    const char *tag; /* of the list that is being written */
    int result;      /* of the stream */
    struct error *err;
};

static void flush(struct document *document)
{
    if (document->result == 0)
        document->result = report_stream_put(document->stream, document->err);
    else
        buffer_reset(&document->stream->line);
}

static void put_time(struct buffer *out, const char *name, int64_t time)
{
    buffer_printf(out, " %s=\"", name);
    report_values_zone_time(out, time, 0, REPORT_ZONE_UTC);
    buffer_add_char(out, '"');
}

static void put_uuid(struct buffer *out, const uint8_t uuid[UUID_LEN])
{
    char text[UUID_ROOM];

    uuid_format(text, uuid);
    report_xml_text(out, "uuid", text);
}

/* ---- the case ---- */

static void put_context(struct buffer *out, const struct casefile *casefile)
{
    struct case_context context;

    casefile_context(casefile, &context);
    if (context.number[0])
        report_xml_element(out, "      <kith:case_number>", context.number, "</kith:case_number>\n");
    if (context.examiner[0])
        report_xml_element(out, "      <kith:examiner>", context.examiner, "</kith:examiner>\n");
    if (context.organisation[0])
        report_xml_element(out, "      <kith:organisation>", context.organisation, "</kith:organisation>\n");
    if (context.notes[0])
        report_xml_element(out, "      <kith:notes>", context.notes, "</kith:notes>\n");
}

static void put_sets(struct buffer *out, struct casefile *casefile)
{
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    for (size_t i = 0; i < count; i++) {
        buffer_add_text(out, "      <kith:set");
        report_xml_number(out, "number", i + 1);
        put_uuid(out, sets[i].uuid);
        report_xml_number(out, "generation", sets[i].generation);
        report_xml_text(out, "kind", refset_kind_name(sets[i].kind));
        report_xml_number(out, "files", sets[i].files);
        report_xml_name(out, "", sets[i].name, strlen(sets[i].name), "</kith:set>\n");
    }
}

static void put_sentence(void *arg, const char *text)
{
    struct document *document = arg;
    struct buffer *out = &document->stream->line;

    buffer_printf(out, "        <kith:%s>", document->tag);
    escape_xml(out, text, strlen(text));
    buffer_printf(out, "</kith:%s>\n", document->tag);
    flush(document);
}

static int put_evidence(struct document *document, struct casefile *casefile,
                        const struct case_evidence *evidence, struct error *err)
{
    struct buffer *out = &document->stream->line;
    int result;

    buffer_add_text(out, "      <kith:evidence");
    report_xml_number(out, "number", evidence->number);
    if (evidence->again)
        report_xml_number(out, "again", evidence->again);
    report_xml_text(out, "state", casefile_state_name(evidence->state));
    if (evidence->has_image) {
        report_xml_text(out, "format", evidence->format);
        report_xml_number(out, "size", evidence->size);
        report_xml_text(out, "acquisition",
                        report_summary_acquisition_name(report_summary_acquisition(evidence)));
    }
    buffer_add_text(out, ">\n");
    report_xml_name(out, "        <kith:path", evidence->path, strlen(evidence->path), "</kith:path>\n");
    report_xml_digests(out, "        <kith:hashdigest", &evidence->digests, "</kith:hashdigest>\n");
    report_xml_digests(out, "        <kith:stored_hashdigest", &evidence->stored,
                       "</kith:stored_hashdigest>\n");
    document->tag = "not_examined";
    result = report_summary_unexamined(casefile, evidence->number, put_sentence, document, err);
    document->tag = "problem";
    if (result == 0)
        result = casefile_problems(casefile, evidence->number, put_sentence, document, err);
    buffer_add_text(out, "      </kith:evidence>\n");
    flush(document);
    return result ? result : document->result;
}

typedef int evidence_writer(struct document *document, struct casefile *casefile,
                            const struct case_evidence *evidence, struct error *err);

static int for_each_evidence(struct document *document, struct casefile *casefile, evidence_writer *write,
                             struct error *err)
{
    struct case_evidence evidence;
    int found, result = 0;

    for (uint64_t number = 1;
         result == 0 && (found = casefile_evidence(casefile, number, &evidence, err)) != 0; number++)
        result = found < 0 ? -1 : write(document, casefile, &evidence, err);
    return result;
}

static int put_seal(struct buffer *out, struct casefile *casefile, struct error *err)
{
    uint8_t chain[CASE_CHAIN_LEN];

    if (!casefile_is_kept(casefile))
        return 0;
    if (casefile_chain(casefile, chain, err))
        return -1;
    buffer_add_text(out, " seal=\"");
    escape_hex(out, chain, sizeof chain);
    buffer_add_char(out, '"');
    return 0;
}

static int put_metadata(struct document *document, struct casefile *casefile, struct error *err)
{
    struct buffer *out = &document->stream->line;
    const struct case_info *info = casefile_info(casefile);
    buffer_add_text(out, "  <metadata>\n    <dc:type>Findings</dc:type>\n    <kith:case");
    put_uuid(out, info->uuid);
    put_time(out, "created", info->created);
    report_xml_text(out, "tool", info->tool);
    if (put_seal(out, casefile, err))
        return -1;
    buffer_add_text(out, ">\n");
    report_xml_element(out, "      <kith:parameters>", info->parameters, "</kith:parameters>\n");
    put_context(out, casefile);
    put_sets(out, casefile);
    if (for_each_evidence(document, casefile, put_evidence, err))
        return document->result ? document->result : -1;
    buffer_add_text(out, "    </kith:case>\n  </metadata>\n");
    return 0;
}

/* ---- the rest ---- */

/* "kith 0.1.0" is a program and its version. */
static void put_creator(struct buffer *out, const char *tool)
{
    const char *blank = strchr(tool, ' ');

    buffer_add_text(out, "  <creator>\n    <program>");
    escape_xml(out, tool, blank ? (size_t)(blank - tool) : strlen(tool));
    buffer_add_text(out, "</program>\n");
    if (blank)
        report_xml_element(out, "    <version>", blank + 1, "</version>\n");
    buffer_add_text(out, "  </creator>\n");
}

static int put_source(struct document *document, struct casefile *casefile,
                      const struct case_evidence *evidence, struct error *err)
{
    (void)casefile;
    (void)err;
    report_xml_name(&document->stream->line, "    <image_filename", evidence->path, strlen(evidence->path),
                    "</image_filename>\n");
    flush(document);
    return document->result;
}

int report_dfxml_case(struct report_stream *stream, struct casefile *casefile, struct error *err)
{
    struct document document = {.stream = stream, .err = err};
    int result;

    buffer_add_text(&stream->line,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<dfxml xmlns=\"http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML\""
                    " xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:kith=\"urn:kith:report:1\""
                    " version=\"2.0.0-beta.0\">\n");
    result = put_metadata(&document, casefile, err);
    if (result)
        return result;
    put_creator(&stream->line, casefile_info(casefile)->tool);
    buffer_add_text(&stream->line, "  <source>\n");
    result = for_each_evidence(&document, casefile, put_source, err);
    buffer_add_text(&stream->line, "  </source>\n");
    flush(&document);
    return result ? result : document.result;
}
