/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_uco_case.h"

#include <stdio.h>
#include <string.h>

#include "report/report_summary.h"
#include "report/report_values.h"

#define INVESTIGATION "investigation"
#define TOOL          "tool"
#define EXAMINER      "examiner"
#define ORGANISATION  "organisation"

static void put_context(struct json_write *out)
{
    static const char *const prefixes[][2] = {
        {"case-investigation", "https://ontology.caseontology.org/case/investigation/"},
        {"kith", "urn:kith:report:1#"},
        {"uco-action", "https://ontology.unifiedcyberontology.org/uco/action/"},
        {"uco-core", "https://ontology.unifiedcyberontology.org/uco/core/"},
        {"uco-identity", "https://ontology.unifiedcyberontology.org/uco/identity/"},
        {"uco-observable", "https://ontology.unifiedcyberontology.org/uco/observable/"},
        {"uco-tool", "https://ontology.unifiedcyberontology.org/uco/tool/"},
        {"uco-types", "https://ontology.unifiedcyberontology.org/uco/types/"},
        {"xsd", "http://www.w3.org/2001/XMLSchema#"},
    };

    json_write_open(out, "@context", '{');
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        json_write_text(out, prefixes[i][0], prefixes[i][1]);
    json_write_close(out, '}');
}

/* Ends a node of the graph. */
static void end_node(struct json_write *out)
{
    json_write_close(out, '}');
    buffer_add_char(out->to, '\n');
}

static void put_time(struct report_uco_write *write, const char *key, int64_t time)
{
    const struct object_stamp stamp = {.seconds = time};
    struct buffer text = {0};

    if (report_values_stamp(&text, &stamp))
        report_uco_write_typed(write, key, "xsd:dateTime", text.data, text.len);
    buffer_inherit(write->out.to, &text);
    buffer_release(&text);
}

/* ---- the case ---- */

static void put_investigation(struct report_uco_write *write, const struct case_context *context)
{
    report_uco_write_node(write, NULL, INVESTIGATION, "", "case-investigation:Investigation", NULL);
    if (context->number[0])
        json_write_text(&write->out, "uco-core:name", context->number);
    if (context->notes[0])
        json_write_text(&write->out, "uco-core:description", context->notes);
    report_uco_write_ref(write, "uco-core:object", REPORT_UCO_CASE_ACTION);
    end_node(&write->out);
}

static void put_identity(struct report_uco_write *write, const char *name, const char *type,
                         const char *value)
{
    if (!value[0])
        return;
    report_uco_write_node(write, NULL, name, "", type, NULL);
    json_write_text(&write->out, "uco-core:name", value);
    end_node(&write->out);
}

/* "kith 0.1.0" is a name and a version. */
static void put_tool(struct report_uco_write *write, const char *tool)
{
    const char *blank = strchr(tool, ' ');

    report_uco_write_node(write, NULL, TOOL, "", "uco-tool:AnalyticTool", NULL);
    json_write_bytes(&write->out, "uco-core:name", tool, blank ? (size_t)(blank - tool) : strlen(tool));
    if (blank)
        json_write_text(&write->out, "uco-tool:version", blank + 1);
    end_node(&write->out);
}

static void put_sets(struct report_uco_write *write, struct casefile *casefile)
{
    struct json_write *out = &write->out;
    const struct case_set *sets;
    const size_t count = casefile_sets(casefile, &sets);

    json_write_open(out, "kith:referenceSet", '[');
    for (size_t i = 0; i < count; i++) {
        char iri[UUID_ROOM + sizeof "urn:uuid:"] = "urn:uuid:";

        uuid_format(iri + strlen(iri), sets[i].uuid);
        json_write_open(out, NULL, '{');
        json_write_text(out, "@id", iri);
        json_write_text(out, "@type", "kith:ReferenceSet");
        json_write_name(out, "kith:setName", sets[i].name, strlen(sets[i].name));
        json_write_text(out, "kith:setKind", refset_kind_name(sets[i].kind));
        json_write_number(out, "kith:generation", sets[i].generation);
        json_write_number(out, "kith:files", sets[i].files);
        json_write_close(out, '}');
    }
    json_write_close(out, ']');
}

static int put_action(struct report_uco_write *write, struct casefile *casefile,
                      const struct case_context *context, struct error *err)
{
    struct json_write *out = &write->out;
    const struct case_info *info = casefile_info(casefile);
    uint8_t chain[CASE_CHAIN_LEN];

    report_uco_write_node(write, NULL, REPORT_UCO_CASE_ACTION, "", "case-investigation:InvestigativeAction",
                          NULL);
    json_write_text(out, "uco-core:name", "scan");
    put_time(write, "uco-action:startTime", info->created);
    report_uco_write_ref(write, "uco-action:instrument", TOOL);
    if (context->examiner[0] || context->organisation[0])
        report_uco_write_ref(write, "uco-action:performer", context->examiner[0] ? EXAMINER : ORGANISATION);
    if (context->examiner[0] && context->organisation[0])
        report_uco_write_ref(write, "uco-action:participant", ORGANISATION);
    json_write_text(out, "kith:parameters", info->parameters);
    if (casefile_is_kept(casefile)) {
        if (casefile_chain(casefile, chain, err))
            return -1;
        json_write_hex(out, "kith:seal", chain, sizeof chain);
    }
    put_sets(write, casefile);
    end_node(out);
    return 0;
}

/* ---- evidence ---- */

struct sentences {
    struct report_uco_write *write;
    struct report_stream *stream;
    struct error *err;
    int result; /* of the stream */
};

static void put_sentence(void *arg, const char *text)
{
    struct sentences *sentences = arg;

    json_write_text(&sentences->write->out, NULL, text);
    if (sentences->result == 0)
        sentences->result = report_stream_put(sentences->stream, sentences->err);
    else
        buffer_reset(&sentences->stream->line);
}

static void put_image(struct report_uco_write *write, const char *name, const struct case_evidence *evidence)
{
    struct json_write *out = &write->out;

    report_uco_write_node(write, NULL, name, ":image", "uco-observable:ImageFacet", NULL);
    json_write_text(out, "uco-observable:imageType", evidence->format);
    json_write_close(out, '}');
    report_uco_write_node(write, NULL, name, ":content", "uco-observable:ContentDataFacet", NULL);
    json_write_number(out, "uco-observable:sizeInBytes", evidence->size);
    report_uco_write_digests(write, "uco-observable:hash", name, &evidence->digests);
    if (evidence->stored.kinds) {
        char stored[REPORT_UCO_NAME_ROOM + 8];

        snprintf(stored, sizeof stored, "%s:stored", name);
        report_uco_write_digests(write, "kith:acquisitionHash", stored, &evidence->stored);
    }
    json_write_close(out, '}');
}

static int put_lists(struct sentences *sentences, struct casefile *casefile, uint64_t evidence)
{
    struct json_write *out = &sentences->write->out;

    json_write_open(out, "kith:notExamined", '[');
    if (report_summary_unexamined(casefile, evidence, put_sentence, sentences, sentences->err))
        return -1;
    json_write_close(out, ']');
    json_write_open(out, "kith:problem", '[');
    if (casefile_problems(casefile, evidence, put_sentence, sentences, sentences->err))
        return -1;
    json_write_close(out, ']');
    return sentences->result;
}

static int put_evidence(struct sentences *sentences, struct casefile *casefile,
                        const struct case_evidence *evidence)
{
    struct report_uco_write *write = sentences->write;
    struct json_write *out = &write->out;
    char name[REPORT_UCO_NAME_ROOM];
    int result;

    report_uco_write_evidence_name(name, evidence->number);
    report_uco_write_node(write, NULL, name, "",
                          evidence->has_image ? "uco-observable:Image" : "uco-observable:ObservableObject",
                          NULL);
    json_write_text(out, "kith:state", casefile_state_name(evidence->state));
    if (evidence->has_image)
        json_write_text(out, "kith:acquisition",
                        report_summary_acquisition_name(report_summary_acquisition(evidence)));
    json_write_open(out, "uco-core:hasFacet", '[');
    report_uco_write_node(write, NULL, name, ":file", "uco-observable:FileFacet", NULL);
    json_write_text(out, "uco-observable:filePath", evidence->path);
    json_write_close(out, '}');
    if (evidence->has_image)
        put_image(write, name, evidence);
    json_write_close(out, ']');
    result = put_lists(sentences, casefile, evidence->number);
    end_node(out);
    if (result)
        return result;
    /* what was examined */
    report_uco_write_node(write, NULL, REPORT_UCO_CASE_ACTION, "", "case-investigation:InvestigativeAction",
                          NULL);
    report_uco_write_ref(write, "uco-action:object", name);
    end_node(out);
    return report_stream_put(sentences->stream, sentences->err);
}

int report_uco_case(struct report_stream *stream, struct report_uco_write *write, struct casefile *casefile,
                    struct error *err)
{
    struct sentences sentences = {.write = write, .stream = stream, .err = err};
    struct case_evidence evidence;
    struct case_context context;
    int found, result = 0;

    casefile_context(casefile, &context);
    json_write_open(&write->out, NULL, '{');
    put_context(&write->out);
    json_write_open(&write->out, "@graph", '[');
    buffer_add_char(write->out.to, '\n');
    put_investigation(write, &context);
    put_identity(write, EXAMINER, "uco-identity:Person", context.examiner);
    put_identity(write, ORGANISATION, "uco-identity:Organization", context.organisation);
    put_tool(write, casefile_info(casefile)->tool);
    if (put_action(write, casefile, &context, err))
        return -1;
    for (uint64_t number = 1;
         result == 0 && (found = casefile_evidence(casefile, number, &evidence, err)) != 0; number++)
        result = found < 0 ? -1 : evidence.again ? 0 : put_evidence(&sentences, casefile, &evidence);
    return result;
}
