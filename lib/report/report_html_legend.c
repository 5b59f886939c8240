/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_html_legend.h"

/* Own text, which may hold elements. */
struct term {
    const char *term, *meaning;
};

static const struct term verdicts[] = {
    {"identical",
     "The content is that of a known file, bit for bit: the lengths and the cryptographic hashes "
     "are equal. It does not mean that somebody used or looked at it, nor where it came from."},
    {"variant",
     "The content is another version of a known file: at least half of each matches the other. This comes "
     "before the two verdicts below, so an object that begins or ends with a whole known file is a variant "
     "if that is at least half of it. Half is meant in bytes; the resemblance counts samples and may be "
     "lower. The content may be in another order; the details say so then. The "
     "verdict does not say which of the two is older, or that one was made from the other: both may come "
     "from a third file."},
    {"embedded",
     "The object contains a known file, or at least 80 % of it, with other content around it: on both sides, "
     "or more of it than of the known file."},
    {"fragment",
     "The object contains a part of a known file, or is itself hardly more than a part of one: then the "
     "verdict is fragment even if it has most of that file, as long as a tenth or more is cut off, or "
     "something at both ends. The rest of that file need not be, or ever have been, on this disk. A part can "
     "come from another file that contains the same bytes and is not in the set."},
    {"none, too-small, low-entropy",
     "Objects without a finding: nothing in common with a known file; too few bytes to say so; or bytes "
     "with too little information to say so, such as zeros, runs and tables. They are listed only with "
     "<code>--all</code>."},
};

static const struct term figures[] = {
    {"score",
     "How significant the finding is, from 0 to 1: the share of samples in common, reduced if little content "
     "matches, or content that many known files have. A sample is a window of 12 bytes. For a variant the "
     "share is the resemblance: the samples that both have, as a share of those that either has. For "
     "embedded files and fragments it is the containment: the share of the known file’s samples that the "
     "object has. A score is no probability. The shares fall faster than that of equal bytes: if one byte in "
     "ten is changed at random, about 28 % of the samples survive. The score of identical content is 1."},
    {"E",
     "How many matches this good chance alone would be expected to produce when one object is compared "
     "with the whole set: the smaller, the less likely is chance. 1.0e-3 is 0.001; 1.0e-300 is the smallest "
     "value that is reported and stands for all below it; 0 is that of an equal hash. E says how surprising "
     "the match would be between unrelated contents. It is neither the probability that the finding is "
     "wrong, "
     "nor that a person is guilty, and it does not cover content that files share for a reason, such as a "
     "common template."},
    {"edits", "How many bytes would have to be inserted, removed or changed to turn one content into the "
              "other, estimated from samples over the whole of both. The interval is meant to contain the "
              "true number in 95 of 100 such estimates. Bytes outside the matching ranges are not known to "
              "differ, so their number may be far above the edits."},
    {"proof",
     "<b>sha1</b>: the whole known file was found, with equal SHA-1. No two contents are known to have the "
     "same SHA-1 by accident; they can be constructed on purpose by someone who makes both, which a "
     "SHA-256 or a comparison of the bytes rules out. <b>blocks k/n</b>: of the known file’s n blocks, k "
     "were "
     "found with equal SHA-1; for these the same holds, and for the rest it is an estimate. "
     "<code>kith export --json</code> lists the hashes of the blocks. <b>members k/n</b>: both are "
     "containers, such as archives or documents; of the known one’s n members, k were found with equal SHA-1 "
     "in this "
     "one, and others may have been found as variants; <code>kith report --all</code> lists each. "
     "<b>estimate</b>: "
     "samples agree in "
     "order "
     "and distance, and nothing was compared by hash: a lead to be examined, for which the bytes can be "
     "extracted."},
    {"common content",
     "Content such as licences and tables, which many unrelated objects have in common with known files, and "
     "which is evidence of nothing. One row, after all others, stands for all findings of the same content; "
     "<code>kith report --all</code> lists each."},
    {"matched",
     "The bytes of the object in matching ranges. Within an estimated range some bytes may differ; the edits "
     "estimate how many. Ranges may overlap if content repeats."},
};

static const struct term objects[] = {
    {"object",
     "A file, or another part of the evidence that is examined by itself; its kind is one of these. "
     "<b>file</b>: an existing file. <b>deleted</b>: a deleted file whose name and place are still recorded. "
     "<b>orphan</b>: a deleted file whose folder is unknown. <b>stream</b>: content of a file besides its "
     "main "
     "one. <b>slack</b>: the rest of a file’s last block, after its end. <b>unallocated</b>: space that "
     "belongs to no file. <b>unclaimed</b>: space marked as used that belongs to no known file. <b>gap</b>: "
     "space outside volumes and file systems. <b>metadata</b>: the file system’s own structures. "
     "<b>folder</b>: the content of a folder."},
    {"counted twice",
     "The bytes of a deleted file may also be unallocated, and files may share bytes. So the objects may "
     "have "
     "more bytes together than the image. A finding that repeats another one at the same place is listed "
     "only with <code>--all</code>."},
    {"sets",
     "Lists of known files. Findings of <b>notable</b> sets come first; what belongs to files of "
     "<b>known</b> sets is not listed; <b>neutral</b> sets are neither. The generation counts the changes of "
     "a set."},
    {"parameters",
     "<b>C</b>: about one sample in C bytes is kept. <b>max-e</b>: matches with a greater E are discarded. "
     "<b>min-matched</b>: findings with fewer matching bytes are discarded, unless identical. <b>blocks</b>: "
     "the size of the chunks that objects were cut into; 0: not cut. <b>kinds</b>: the kinds of objects that "
     "were read."},
};

static const struct term picture[] = {
    {"evidence map",
     "Each finding opens to a picture: a strip for the object, a strip for the known file, and "
     "a ribbon that connects each pair of matching ranges. Solid ribbons are proved by SHA-1, hatched "
     "ones are estimated, cross-hatched ones are proved in part. If a strip shows only a section, a "
     "line beside it shows where that section lies."},
    {"address",
     "Where the object lies, as The Sleuth Kit writes it: <code>1234-128-3</code> is the number of the "
     "file’s record (inode) with its attribute, for <code>icat</code>; <code>@4096+65536</code> is a range "
     "of "
     "65,536 bytes of the image, from byte 4,096. A volume <code>2@1048576</code> has number 2 in the "
     "partition table, as The Sleuth Kit lists it, and begins at that byte. Bytes, and sectors of 512 bytes, "
     "are numbered from 0 at the beginning of the image. Of a range the end is the first byte after it."},
    {"times",
     "Those of files are what the file system records; clocks can be wrong, and times forged. A time "
     "that ends in Z is in UTC."},
    {"seal",
     "The last value of a chain of hashes over everything in the case. It shows later changes only to "
     "somebody who noted it before. This page itself carries no signature: to check it, verify the case and "
     "write the page again."},
    {"commands",
     "<code>kith explain CASE FINDING</code> and <code>kith extract CASE FINDING -d FOLDER</code>: "
     "CASE stands for the case file, FOLDER for where to write."},
};

static const struct term limits[] = {
    {"changed content", "Content of which more than 20 % was changed at random is usually missed."},
    {"small parts",
     "Most fragments below 2 to 8 KB are missed, depending on the size of the known file. A copy of a whole "
     "known file, as a file, is found whatever its size, in what was examined."},
    {"common content",
     "Content that many files of a set have in common (the usual limit is 64 files) is no evidence for a "
     "part of any of them, and is not reported."},
    {"other encodings",
     "Archives, documents and other containers inside the evidence are not opened, and content that is "
     "compressed, encrypted or encoded differently is not recognised."},
    {"error rates", "<code>kith lab selftest</code> measures on this computer how often known content is "
                    "missed or wrongly reported, and writes a report with the number of trials."},
};

static void put_terms(struct buffer *out, const struct term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "<dt>%s</dt>\n<dd>%s</dd>\n", terms[i].term, terms[i].meaning);
}

static void add_terms(struct buffer *out, const char *id, const char *heading, const struct term *terms,
                      size_t count)
{
    buffer_printf(out, "<h3 id=\"%s\">%s</h3>\n<dl class=\"legend\">\n", id, heading);
    put_terms(out, terms, count);
    buffer_add_text(out, "</dl>\n");
}

static const char standard[] =
    "<h3>Approximate matching as defined by NIST SP 800-168</h3>\n"
    "<p>Feature: a window of 12 bytes. Extraction: Mod_C, about one window in C, selected by its hash. "
    "Similarity function: the share of common features, as resemblance (variant) or containment (embedded, "
    "fragment). The score is this share, weighed by how much content matches and how rare it is. E, edits "
    "and proof are supplementary. Identical means an equal "
    "cryptographic hash, which is not approximate matching. Nothing is claimed about meaning, appearance, or "
    "content that is encoded differently in two files.</p>\n";

#define COUNT(terms) (sizeof(terms) / sizeof *(terms))

void report_html_legend_limits(struct buffer *out)
{
    buffer_add_text(out,
                    "<section aria-labelledby=\"limits\">\n<h2 id=\"limits\">What may have been missed</h2>\n"
                    "<p>That something was not found does not show that it is not there.</p>\n"
                    "<dl class=\"facts\">\n");
    put_terms(out, limits, COUNT(limits));
    buffer_add_text(out, "</dl>\n</section>\n");
}

void report_html_legend(struct buffer *out)
{
    buffer_add_text(out,
                    "<section aria-labelledby=\"legend\">\n<h2 id=\"legend\">What the terms mean</h2>\n");
    add_terms(out, "verdicts", "Verdicts", verdicts, COUNT(verdicts));
    add_terms(out, "figures", "Figures", figures, COUNT(figures));
    add_terms(out, "objects", "Objects, sets and parameters", objects, COUNT(objects));
    add_terms(out, "places", "Pictures and places", picture, COUNT(picture));
    buffer_add_text(out, standard);
    buffer_add_text(out, "</section>\n");
}
