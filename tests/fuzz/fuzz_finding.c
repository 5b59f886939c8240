/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/finding.h"
#include "match/scanner.h"

/*
 * The first byte says what the others are: of an even one a list of findings, of an odd one what a worker
 * sends of an object, which is a list of parts with their findings.  The size of the object is in the next
 * eight bytes.
 *
 * Either it is broken, or what is decoded is within bounds, and is the same when it is encoded and decoded
 * again.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SETS = 3, HEADER = 9 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- findings ---- */

static void require_share(double x)
{
    require(x >= 0 && x <= 1);
}

static void require_count(double x)
{
    require(x >= 0 && isfinite(x));
}

static void require_range(const struct finding_range *range, uint64_t size, uint64_t ref_size)
{
    require(range->obj_start <= range->obj_end && range->obj_end <= size);
    require(range->ref_start <= range->ref_end && range->ref_end <= ref_size);
}

static void require_ranges(const struct finding *finding, uint64_t size)
{
    for (size_t i = 0; i < finding->range_count; i++) {
        require_range(&finding->ranges[i], size, finding->ref_size);
        require(i == 0 || finding->ranges[i].obj_start >= finding->ranges[i - 1].obj_start);
    }
    require_range(&finding->span, size, finding->ref_size);
    require(finding->matched <= finding->span.obj_end - finding->span.obj_start);
}

static void require_sound(const struct finding *finding, uint64_t size)
{
    require((unsigned)finding->verdict <= VERDICT_FRAGMENT && (unsigned)finding->proof < PROOFS);
    require_share(finding->resemblance);
    require_share(finding->containment);
    require_share(finding->score);
    require(!finding->reordered || finding->verdict == VERDICT_VARIANT);
    require_count(finding->edits);
    require_count(finding->edits_low);
    require_count(finding->edits_high);
    require(!isnan(finding->ln_e) && finding->proved <= finding->blocks);
    require_ranges(finding, size);
}

static void require_proof(const struct finding *finding)
{
    struct buffer text = {0};

    finding_proof(finding, &text);
    require(text.len > 0 && !text.failed);
    buffer_release(&text);
}

static void require_round_trip(const struct findings *findings, uint64_t size)
{
    static struct findings back; /* filled again and again */
    struct buffer message = {0}, again = {0};
    struct wire wire;

    finding_list_encode(&message, findings);
    wire = (struct wire){message.data, message.len, false};
    require(finding_list_decode(&wire, size, &back) && !wire_more(&wire));
    finding_list_encode(&again, &back);
    require(message.len == again.len && memcmp(message.data, again.data, message.len) == 0);
    buffer_release(&message);
    buffer_release(&again);
}

static void require_findings(const struct findings *findings, uint64_t size)
{
    for (size_t i = 0; i < findings->count; i++) {
        require_sound(&findings->list[i], size);
        require_proof(&findings->list[i]);
    }
    require_round_trip(findings, size);
}

static void read_findings(struct wire *wire, uint64_t size)
{
    static struct findings findings;

    while (wire_more(wire)) {
        const size_t left = wire->len;

        if (!finding_list_decode(wire, size, &findings))
            break;
        require(wire->len < left);
        require_findings(&findings, size);
    }
}

/* ---- parts ---- */

static void require_part(const struct scanner_part *part, const struct scanner_plan *plan, uint64_t at,
                         uint64_t size)
{
    require(part->start == at && part->len <= size - at);
    require((part->digests.kinds & ~plan->digests) == 0 && (unsigned)part->verdict <= VERDICT_LOW_ENTROPY);
    require((part->findings.count > 0) == (part->verdict <= VERDICT_FRAGMENT));
    if (part->findings.count)
        require(part->verdict == part->findings.list[0].verdict);
    for (size_t i = 0; i < part->findings.count; i++)
        require(part->findings.list[i].set < plan->count);
    require_findings(&part->findings, part->len);
}

static void read_parts(struct wire *wire, uint64_t size)
{
    static struct scanner_part part;
    const struct scanner_plan plan = {.count = SETS,
                                      .digests = DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_MD5)};
    const struct object object = {.size = size,
                                  .result = {.data = (char *)(uintptr_t)wire->data, .len = wire->len}};
    struct scanner_result result;
    struct error err = {{0}};
    uint64_t at = 0;
    int more;

    scanner_result_begin(&result, &object);
    while ((more = scanner_result_next(&result, &plan, &part, &err)) > 0) {
        require_part(&part, &plan, at, size);
        at += part.len;
    }
    require(more == 0 || memchr(err.text, 0, sizeof err.text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire wire;
    uint64_t object_size;

    if (size < HEADER)
        return 0;
    memcpy(&object_size, data + 1, sizeof object_size);
    wire = (struct wire){(const char *)data + HEADER, size - HEADER, false};
    if (data[0] % 2)
        read_parts(&wire, object_size);
    else
        read_findings(&wire, object_size);
    return 0;
}
