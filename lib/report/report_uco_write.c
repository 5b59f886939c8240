/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_uco_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

int report_uco_write_begin(struct report_uco_write *write, struct buffer *to, const uint8_t space[UUID_LEN],
                           struct error *err)
{
    write->out.to = to;
    memcpy(write->space, space, sizeof write->space);
    write->digest = digest_new(DIGEST_BIT(DIGEST_SHA1), err);
    return write->digest ? 0 : -1;
}

void report_uco_write_release(struct report_uco_write *write)
{
    digest_free(write->digest);
    write->digest = NULL;
}

bool report_uco_write_failed(const struct report_uco_write *write, struct error *err)
{
    if (write->failed)
        *err = write->err;
    return write->failed;
}

static void put_iri(struct report_uco_write *write, const char *name, const char *suffix)
{
    enum { PREFIX = sizeof "urn:uuid:" - 1 };
    char full[2 * REPORT_UCO_NAME_ROOM], iri[PREFIX + UUID_ROOM] = "urn:uuid:";
    uint8_t uuid[UUID_LEN] = {0};

    snprintf(full, sizeof full, "%s%s", name, suffix);
    if (!write->failed && uuid_derive(uuid, write->digest, write->space, full, &write->err))
        write->failed = true;
    uuid_format(iri + PREFIX, uuid);
    json_write_text(&write->out, "@id", iri);
}

void report_uco_write_node(struct report_uco_write *write, const char *key, const char *name,
                           const char *suffix, const char *type, const char *own)
{
    json_write_open(&write->out, key, '{');
    put_iri(write, name, suffix);
    if (!own) {
        json_write_text(&write->out, "@type", type);
        return;
    }
    json_write_open(&write->out, "@type", '[');
    json_write_text(&write->out, NULL, type);
    json_write_text(&write->out, NULL, own);
    json_write_close(&write->out, ']');
}

void report_uco_write_ref(struct report_uco_write *write, const char *key, const char *name)
{
    json_write_open(&write->out, key, '{');
    put_iri(write, name, "");
    json_write_close(&write->out, '}');
}

void report_uco_write_typed(struct report_uco_write *write, const char *key, const char *type,
                            const char *text, size_t len)
{
    json_write_open(&write->out, key, '{');
    json_write_text(&write->out, "@type", type);
    json_write_bytes(&write->out, "@value", text, len);
    json_write_close(&write->out, '}');
}

static void put_digest(struct report_uco_write *write, const char *name, enum digest_kind kind,
                       const uint8_t *value)
{
    static const char *const methods[DIGEST_KINDS] = {
        [DIGEST_SHA1] = "SHA1", [DIGEST_MD5] = "MD5", [DIGEST_SHA256] = "SHA256"};
    static const char *const suffixes[DIGEST_KINDS] = {
        [DIGEST_SHA1] = ":sha1", [DIGEST_MD5] = ":md5", [DIGEST_SHA256] = ":sha256"};
    struct buffer hex = {0};

    report_uco_write_node(write, NULL, name, suffixes[kind], "uco-types:Hash", NULL);
    json_write_text(&write->out, "uco-types:hashMethod", methods[kind]);
    escape_hex(&hex, value, digest_len(kind));
    report_uco_write_typed(write, "uco-types:hashValue", "xsd:hexBinary", hex.data, hex.len);
    json_write_close(&write->out, '}');
    buffer_inherit(write->out.to, &hex);
    buffer_release(&hex);
}

void report_uco_write_digests(struct report_uco_write *write, const char *key, const char *name,
                              const struct digest_values *digests)
{
    if (!digests->kinds)
        return;
    json_write_open(&write->out, key, '[');
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digests->kinds & DIGEST_BIT(kind))
            put_digest(write, name, (enum digest_kind)kind, digests->bytes[kind]);
    json_write_close(&write->out, ']');
}

/* Addresses may be long, so it is their digest that makes the name. */
void report_uco_write_place_name(struct report_uco_write *write, char name[REPORT_UCO_NAME_ROOM],
                                 const struct case_row *row, size_t len)
{
    const char *volume = row->object.volume, *address = row->object.address;
    const uint64_t apart = *address == '-' ? row->id.object : 0;
    struct digest_values values = {0};
    struct buffer text = {0};

    buffer_printf(&text, "%" PRIu64 "/%s/", apart, volume);
    buffer_add(&text, address, len);
    if (!write->failed && !text.failed &&
        (digest_begin(write->digest, &write->err) ||
         digest_update(write->digest, text.data, text.len, &write->err) ||
         digest_final(write->digest, &values, &write->err)))
        write->failed = true;
    write->out.to->failed |= text.failed;
    buffer_reset(&text);
    escape_hex(&text, values.bytes[DIGEST_SHA1], DIGEST_SHA1_LEN);
    snprintf(name, REPORT_UCO_NAME_ROOM, "place:%" PRIu64 ".%.*s", casefile_first_reading(row->evidence),
             (int)text.len, text.len ? text.data : "");
    buffer_inherit(write->out.to, &text);
    buffer_release(&text);
}

void report_uco_write_evidence_name(char name[REPORT_UCO_NAME_ROOM], uint64_t evidence)
{
    snprintf(name, REPORT_UCO_NAME_ROOM, "evidence:%" PRIu64, evidence);
}

void report_uco_write_row_names(const struct case_row *row, char object[REPORT_UCO_NAME_ROOM],
                                char reference[REPORT_UCO_NAME_ROOM], char finding[REPORT_UCO_NAME_ROOM])
{
    snprintf(object, REPORT_UCO_NAME_ROOM, "object:%" PRIu64 ".%" PRIu64, row->id.evidence, row->id.object);
    snprintf(reference, REPORT_UCO_NAME_ROOM, "reference:%" PRIu32 ".%" PRIu64, row->finding.set + 1,
             row->finding.file);
    snprintf(finding, REPORT_UCO_NAME_ROOM, "finding:%" PRIu64 ".%" PRIu64 ".%" PRIu32, row->id.evidence,
             row->id.object, row->id.rank);
}
