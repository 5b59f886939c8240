/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "explain_inner.h"
#include "report/report_edits.h"
#include "report/report_summary.h"
#include "report/report_values.h"

enum { INDENT = 2 };

/* Reports show no smaller E: ln 1e-300. */
#define LEAST_LN_E (-690.7)

/* ---- paragraphs ---- */

void explain_heading(struct explain_text *text, const char *heading)
{
    buffer_printf(text->lines.out, "\n%s\n", heading);
}

void explain_paragraph(struct explain_text *text, const char *fmt, ...)
{
    char *sentences;
    va_list args;
    int len;

    va_start(args, fmt);
    len = vasprintf(&sentences, fmt, args);
    va_end(args);
    if (len < 0) {
        text->lines.out->failed = true;
        return;
    }
    buffer_printf(text->lines.out, "%*s", INDENT, "");
    text->lines.indent = text->lines.column = INDENT;
    report_columns_text(&text->lines, sentences, (size_t)len);
    buffer_add_char(text->lines.out, '\n');
    free(sentences);
}

/* A line of its own, which is not broken: a label and a value from the evidence, escaped. */
static void put_value(struct explain_text *text, const char *label, const char *value, size_t len,
                      const char *after)
{
    struct buffer *out = text->lines.out;

    buffer_printf(out, "%*s%-14s", INDENT, "", label);
    escape_text(out, value, len);
    buffer_printf(out, "%s\n", after);
}

static void put_digests(struct explain_text *text, const struct digest_values *digests)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (digests->kinds & DIGEST_BIT(kind)) {
            buffer_printf(text->lines.out, "%*s%-14s%s ", INDENT, "", "",
                          digest_name((enum digest_kind)kind));
            escape_hex(text->lines.out, digests->bytes[kind], digest_len((enum digest_kind)kind));
            buffer_add_char(text->lines.out, '\n');
        }
}

/* A number with its noun, as a string that is freed by the caller; NULL without memory. */
static char *count_of(uint64_t count, const char *noun)
{
    struct buffer text = {0};

    report_values_count(&text, count, noun);
    buffer_add_char(&text, '\0');
    if (text.failed)
        buffer_release(&text);
    return text.data;
}

static const char *shown(const char *text)
{
    return text ? text : "";
}

/* ---- what was compared ---- */

static void put_object(struct explain_text *text, const struct case_row *row,
                       const struct case_evidence *first)
{
    const struct case_object *object = &row->object;
    char *size = count_of(object->size, "byte");
    char after[200];

    if (object->path_count)
        put_value(text, "The object", object->paths, strlen(object->paths), "");
    snprintf(after, sizeof after, " (%s, %s)", object_kind_name(object->kind), shown(size));
    put_value(text, object->path_count ? "" : "The object", object->address, strlen(object->address), after);
    put_digests(text, &object->digests);
    put_value(text, "in volume", object->volume, strlen(object->volume), "");
    put_value(text, "of", row->evidence->path, strlen(row->evidence->path), "");
    put_digests(text, &first->digests);
    free(size);
}

/* What kind of bytes the object is, unless that is plain. */
static void put_kind(struct explain_text *text, enum object_kind kind)
{
    static const char *const meanings[OBJECT_KINDS] = {
        [OBJECT_DELETED] = "The object is a deleted file: its name and place survive, but other files may "
                           "have been written over its bytes.",
        [OBJECT_ORPHAN] =
            "The object is a deleted file that no folder refers to any more, so its path is unknown.",
        [OBJECT_STREAM] =
            "The object is content of a file besides its main one, such as an alternate data stream.",
        [OBJECT_SLACK] = "The object is the rest of a file's last block after the end of the file: it holds "
                         "what was there before.",
        [OBJECT_UNALLOCATED] =
            "The object is a run of blocks that belong to no file now: it may hold what deleted files left.",
        [OBJECT_UNCLAIMED] = "The object is a run of blocks that the file system marks as used, but that "
                             "belong to none of its files.",
        [OBJECT_GAP] = "The object is space outside the volumes or file systems of the image.",
        [OBJECT_METADATA] = "The object is one of the file system's own structures.",
        [OBJECT_FOLDER] = "The object is the content of a folder.",
        [OBJECT_MEMBER] =
            "The object is a member of a container, and was unpacked to be examined: its bytes need not lie "
            "on the disk as they are. Those of the object that it is packed in do."};

    if (meanings[kind])
        explain_paragraph(text, "%s", meanings[kind]);
}

/* What the hashes of the image show of its history. */
static void put_acquisition(struct explain_text *text, const struct case_evidence *evidence)
{
    if (!evidence->has_image)
        return;
    switch (report_summary_acquisition(evidence)) {
    case REPORT_ACQUISITION_MATCHES:
        explain_paragraph(text,
                          "The hash of the image matches the acquisition hash stored in it. That hash lies "
                          "in the same file: compare it with the one that was noted at acquisition, too.");
        break;
    case REPORT_ACQUISITION_DIFFERS:
        explain_paragraph(text, "The hash of the image DIFFERS from the acquisition hash stored in it: the "
                                "image is not as it was acquired.");
        break;
    case REPORT_ACQUISITION_NONE:
        explain_paragraph(text, "No acquisition hash is stored in the image: compare its SHA-1 with the one "
                                "that was noted at acquisition.");
        break;
    default:
        explain_paragraph(text, "The image was not compared with an acquisition hash.");
        break;
    }
}

/* A further reading of the evidence has no digests of the image: the first has them. */
static struct case_evidence first_reading(struct explain_text *text, struct casefile *casefile,
                                          const struct case_row *row)
{
    struct case_evidence first = *row->evidence;

    if (first.again && casefile_evidence(casefile, first.again, &first, NULL) <= 0)
        text->lines.out->failed = true;
    return first;
}

static void put_compared(struct explain_text *text, struct casefile *casefile, const struct case_row *row)
{
    const struct case_evidence first = first_reading(text, casefile, row);
    char *size = count_of(row->finding.ref_size, "byte"), *files = count_of(row->set->files, "file");
    char after[100];

    explain_heading(text, "What was compared");
    put_object(text, row, &first);
    if (row->object.kind == OBJECT_MEMBER)
        explain_member(text, &row->object);
    snprintf(after, sizeof after, " (%s)", shown(size));
    put_value(text, "The reference", row->reference.name, row->reference.name_len, after);
    put_digests(text, &row->reference.digests);
    snprintf(after, sizeof after, " (%s, %s)", refset_kind_name(row->set->kind), shown(files));
    put_value(text, "of the set", row->set->name, strlen(row->set->name), after);
    put_kind(text, row->object.kind);
    put_acquisition(text, &first);
    if (row->object.chunk)
        explain_paragraph(text, "The object was examined in chunks. This finding is in one of them: all "
                                "offsets below count from the first byte of the chunk.");
    if (row->object.partial)
        explain_paragraph(text, "Not all bytes of the object could be read, or it changed meanwhile. The "
                                "finding holds for what was read; what could not be read counts as zeros.");
    free(size);
    free(files);
}

/* ---- the verdict ---- */

/* note: what the first one is followed by. */
static void put_twins(struct explain_text *text, const struct case_row *row, const char *label,
                      const char *note)
{
    enum { MOST = 20 };

    for (size_t i = 0; i < row->twin_count && i < MOST; i++)
        put_value(text, label, row->twins[i].name, strlen(row->twins[i].name), i ? "" : note);
    if (row->twin_count > MOST)
        explain_paragraph(text, "And %zu more.", row->twin_count - MOST);
}

/* Of a finding that rests on what is packed in both. */
static void put_members(struct explain_text *text, const struct case_row *row)
{
    struct buffer words = {0};

    report_edits_members(row, &words);
    buffer_add_char(&words, '\0');
    explain_paragraph(text, "%s: %s.", finding_verdict_name(row->finding.verdict),
                      words.failed ? "" : words.data);
    explain_paragraph(
        text, "%s Members that unrelated documents have in common, such as styles and fonts, do not count.",
        row->finding.verdict == VERDICT_VARIANT
            ? "The object and the reference are containers, such as archives, documents or mails. Their own "
              "bytes differ, so what is packed in them was compared file by file."
            : "The reference is a container, such as an archive, a document or a mail. What is packed in it "
              "was compared, file by file, with what is packed in the object, which holds all of it, and "
              "more.");
    put_twins(text, row, "related", " (kith report --all lists what was found in each)");
    buffer_inherit(text->lines.out, &words);
    buffer_release(&words);
}

static void put_verdict(struct explain_text *text, const struct case_row *row)
{
    static const char *const meanings[VERDICTS] = {
        [VERDICT_IDENTICAL] = "The object and the reference have the same content, byte for byte.",
        [VERDICT_VARIANT] =
            "The object and the reference are not the same, but at least half of each matches the other: "
            "they are versions or edits of each other, or one has something added before or after it.",
        [VERDICT_EMBEDDED] = "The whole reference, or at least 80 % of it, lies in the object, possibly "
                             "edited, with other content around it.",
        [VERDICT_FRAGMENT] = "A part of the reference lies in the object; or the object is nothing but a "
                             "part of the reference, of which more than a tenth is missing."};
    const struct finding *finding = &row->finding;
    char *matched = count_of(finding->matched, "byte"), *ranges = count_of(finding->range_count, "range");

    explain_heading(text, "The verdict");
    if (finding->proof == PROOF_MEMBERS) {
        put_members(text, row);
        free(matched);
        free(ranges);
        return;
    }
    explain_paragraph(text, "%s: %s", finding_verdict_name(finding->verdict),
                      shown(meanings[finding->verdict]));
    if (finding->verdict != VERDICT_IDENTICAL)
        explain_paragraph(text,
                          "%s of the object match, in %s between bytes %" PRIu64 " and %" PRIu64
                          "; in the reference they lie between bytes %" PRIu64 " and %" PRIu64
                          ". Offsets count from 0, and the byte at the second offset of a pair is the first "
                          "that does not belong to it.",
                          shown(matched), shown(ranges), finding->span.obj_start, finding->span.obj_end,
                          finding->span.ref_start, finding->span.ref_end);
    if (finding->proof == PROOF_ESTIMATE)
        explain_paragraph(text, "This is how it appears from samples; none of it is proved.");
    if (finding->range_count > 1)
        explain_paragraph(text, "Ranges are where a match was located; bytes outside them are not known to "
                                "differ. Ranges may overlap if content repeats.");
    if (finding_family(finding))
        explain_paragraph(
            text,
            "The reference is one of about %" PRIu64
            " in the set that match the same bytes, as copies that hardly differ do: which of them "
            "it was is uncertain.",
            finding_family(finding));
    else if (finding->also)
        explain_paragraph(
            text, "Other references in the set that match the same bytes less well, or equally: %" PRIu64 ".",
            finding->also);
    if (row->object.kind == OBJECT_MEMBER || (row->twin_count && row->twins[0].kind == OBJECT_MEMBER))
        put_twins(text, row, "related", " (kith report --all lists what was found in each)");
    else
        put_twins(text, row, "same bytes", " (the same bytes of the image under another address)");
    free(matched);
    free(ranges);
}

/* ---- what is proved ---- */

/* The size of the blocks that a file of this length has this many of; 0: none fits. */
static uint64_t block_size(uint64_t len, uint64_t blocks)
{
    for (uint64_t size = 512; blocks > 1 && size <= len; size *= 2)
        if ((len + size - 1) / size == blocks)
            return size;
    return 0;
}

static void put_blocks(struct explain_text *text, const struct finding *finding)
{
    const uint64_t size = block_size(finding->ref_size, finding->blocks);
    char *each = count_of(size, "byte");

    if (size)
        explain_paragraph(text,
                          "The set keeps the SHA-1 of each block of %s of the reference; the last may be "
                          "shorter. kith export --json lists them.",
                          shown(each));
    explain_paragraph(
        text,
        "%" PRIu64 " of the %" PRIu64
        " blocks were found where the match says that they must lie: these bytes of the evidence were read "
        "again and have the SHA-1 of the block. They are the same in the object and the reference. %s",
        finding->proved, finding->blocks,
        finding->proved == finding->blocks
            ? "Nothing of the reference is left to estimate."
            : "Of the other blocks nothing is proved: they differ, or are not in the object.");
    free(each);
}

static void put_proved_members(struct explain_text *text, const struct finding *finding)
{
    if (finding->proved == 0)
        explain_paragraph(
            text, "Nothing is proved by a digest: no member of the object has the SHA-1 of a member of "
                  "the reference. For each that varies, there is a finding of its own, which kith "
                  "explain explains.");
    else
        explain_paragraph(
            text,
            "%" PRIu64 " of the %" PRIu64
            " members of the reference %s in the object with the same SHA-1. For each of these, "
            "and each that varies, there is a finding of its own, which kith explain explains.",
            finding->proved, finding->blocks, finding->proved == 1 ? "is" : "are");
}

static void put_proved(struct explain_text *text, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    explain_heading(text, "What is proved, and how to verify it");
    if (finding->proof == PROOF_MEMBERS)
        put_proved_members(text, finding);
    else if (finding->proof == PROOF_BLOCKS)
        put_blocks(text, finding);
    else if (finding->proof == PROOF_SHA1)
        explain_paragraph(text, "%s",
                          finding->verdict == VERDICT_IDENTICAL
                              ? "The digest of the object equals that of the reference."
                              : "The whole reference lies in the object: these bytes have its SHA-1.");
    else
        explain_paragraph(
            text, "Nothing is proved by a digest. That the contents are related is inferred from samples: "
                  "windows of 12 bytes that both have in the same order and at the same distances.");
    if (finding->proof == PROOF_SHA1 && !(row->reference.digests.kinds & ~DIGEST_BIT(DIGEST_MD5)))
        explain_paragraph(
            text, "The set has no digest of the reference but the MD5. Different contents with the same MD5 "
                  "can be made on purpose without effort, so this proves identity only if nobody did that.");
    else if (finding->proof != PROOF_ESTIMATE && (finding->proof != PROOF_MEMBERS || finding->proved))
        explain_paragraph(text, "Different contents do not have the same SHA-1 by accident. They can be made "
                                "so on purpose, but only by someone who makes both. To rule that out, "
                                "compare the contents themselves, or a SHA-256.");
    explain_verify(text, row);
}

/* ---- what is estimated ---- */

static void put_edits(struct explain_text *text, const struct case_row *row)
{
    struct buffer words = {0};

    report_edits_of(row, &words);
    buffer_add_char(&words, '\0');
    explain_paragraph(
        text,
        "Edits: %s. This estimates how many bytes must be replaced, inserted or deleted to make one content "
        "of the other, over all of both. The interval is meant to contain the true number in 95 %% of cases; "
        "measured on texts that it was not tuned on, it did in 98 %%. It is too low if one name was replaced "
        "throughout or more than a fifth of all bytes was changed.",
        words.failed ? "" : words.data);
    buffer_inherit(text->lines.out, &words);
    buffer_release(&words);
}

static void put_score(struct explain_text *text, const struct finding *finding)
{
    explain_paragraph(
        text,
        "Score %.3f: the figure by which findings are ranked, from 0 to 1. It is the %s, reduced "
        "if little content matches, or if it is content that many references have.",
        finding->score, finding->verdict == VERDICT_VARIANT ? "resemblance" : "containment");
}

static void put_estimated(struct explain_text *text, const struct case_row *row)
{
    const struct finding *finding = &row->finding;

    explain_heading(text, "What is estimated, and how well");
    if (finding->proof == PROOF_MEMBERS) {
        explain_paragraph(
            text,
            "Resemblance %.3f, containment %.3f: the share of the members of either container that "
            "both have, and the share of the members of the reference that the object has, as they "
            "are or as variants.",
            finding->resemblance, finding->containment);
        put_score(text, finding);
        return;
    }
    explain_paragraph(text,
                      "Resemblance %.3f, containment %.3f: the share of the samples in either content that "
                      "both have, and the share of the samples of the reference that the object has. They "
                      "count samples, not bytes, so they may differ from the share of bytes that match. They "
                      "are estimates of how much content is common, not probabilities.",
                      finding->resemblance, finding->containment);
    put_score(text, finding);
    if (finding->reordered)
        explain_paragraph(text,
                          "Both have the same content in another order. The ranges are those that could "
                          "be matched one by one; the verdict rests on the samples of all content.");
    if (finding->has_edits && !finding_is_complete(finding))
        put_edits(text, row);
    if (!finding_is_complete(finding))
        explain_paragraph(text,
                          "Ranges: where blocks are proved their ends are exact. Elsewhere they are accurate "
                          "to about the distance between samples: some 128 bytes with the default settings "
                          "if the reference has up to 1 MiB, and more if it is larger.");
}

/* ---- E ---- */

static void put_chance(struct explain_text *text, struct casefile *casefile, const struct case_row *row)
{
    const double ln_e = row->finding.ln_e;
    struct case_counts counts;
    struct buffer e = {0}, all = {0};
    char *files = count_of(row->set->files, "file"), *objects = NULL;

    explain_heading(text, "Whether chance could explain it");
    report_values_e(&e, ln_e);
    buffer_add_char(&e, '\0');
    explain_paragraph(text,
                      "E is %s. That is the number of matches as good as this one that chance alone would be "
                      "expected to produce between an object like this and all %s of the set together. It is "
                      "not the probability that the finding is wrong, and does not show how the content came "
                      "to be there. Values below 1e-300 are given as 1e-300.",
                      e.failed ? "" : e.data, shown(files));
    if (ln_e > LEAST_LN_E && casefile_count(casefile, row->object.evidence, &counts, NULL) == 0 &&
        counts.objects > 1) {
        objects = count_of(counts.objects, "object");
        report_values_e(&all, ln_e + log((double)counts.objects));
        buffer_add_char(&all, '\0');
        explain_paragraph(text, "In all %s of this evidence, that makes at most %s such matches by chance.",
                          shown(objects), all.failed ? "" : all.data);
    }
    explain_paragraph(text, "Besides a low E, a finding requires at least 128 contiguous matching bytes that "
                            "vary as text, code or pictures do, or many matches scattered among changed "
                            "bytes: tables and other regular content are alike in unrelated files.");
    free(files);
    free(objects);
    buffer_release(&e);
    buffer_release(&all);
}

void explain(struct buffer *out, struct casefile *casefile, const struct case_row *row, const char *case_path,
             unsigned width)
{
    struct explain_text text = {.lines = {.out = out, .width = width}, .case_path = case_path};
    const struct case_info *info = casefile_info(casefile);

    buffer_add_text(out, "Finding ");
    casefile_put_id(out, &row->id);
    buffer_add_text(out, " of ");
    escape_text(out, case_path, strlen(case_path));
    buffer_add_text(out, "\nmade by ");
    escape_text(out, info->tool, strlen(info->tool));
    buffer_add_char(out, '\n');
    put_compared(&text, casefile, row);
    put_verdict(&text, row);
    put_proved(&text, row);
    if (row->finding.verdict != VERDICT_IDENTICAL) {
        put_estimated(&text, row);
        if (row->finding.proof != PROOF_MEMBERS)
            put_chance(&text, casefile, row);
    }
    explain_limits(&text, casefile, row);
}
