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
     "The content is another version of a known file: at least half of each matches the other. "
     "It does not say which of the two is older, or that one was made from the other: both may come "
     "from a third file."},
    {"embedded", "The object contains a known file, or at least 80 % of it, with other content around it."},
    {"fragment",
     "The object contains a part of a known file, or is itself a part of one. The rest of that "
     "file need not be, or ever have been, on this disk. Parts that many files have in common are "
     "not reported, but a part can still come from a file that is not in the set."},
    {"nothing found",
     "That something was not found does not show that it is not there. Content of which "
     "more than 20 % was changed at random is usually missed, and so are most fragments below "
     "2 to 8 KB, depending on the size of the known file. A copy of a whole known file, "
     "as a file, is found whatever its size, in what was examined."},
};

static const struct term figures[] = {
    {"score",
     "How much of the samples is common, from 0 to 1. For a variant it is r, the resemblance: the "
     "samples in both, of those in either. For embedded files and fragments it is c, the containment: "
     "the share of the known file’s samples that the object has. A score is no probability, and "
     "falls faster than the share of equal bytes: if one byte in ten is changed at random, about "
     "28 % of the samples survive. Identical content has no score."},
    {"E",
     "How many matches this good chance alone would be expected to produce when one object is compared "
     "with the whole set: the smaller, the less likely is chance. 1e-30 is a decimal point, 29 zeros and "
     "a 1; 1.0e-300 stands for this or less. E says how surprising the match is between unrelated "
     "contents. It is neither the probability that the finding is wrong, nor that a person is guilty, "
     "and it does not cover content that files share for a reason, such as a common template."},
    {"edits", "How many bytes would have to be inserted, removed or changed to turn one content into the "
              "other, estimated from samples. The interval is meant to contain the true number in 95 of 100 "
              "such estimates."},
    {"proof",
     "<b>sha1</b>: the whole known file was found, with equal SHA-1. No two contents with equal SHA-1 "
     "are known to exist by chance; they can be constructed on purpose, with great effort. <b>blocks "
     "k/n</b>: of the known file’s n blocks, k were found with equal SHA-1; for these the same "
     "holds, and for the rest it is an estimate. <b>estimate</b>: samples line up, and nothing was "
     "compared by hash: a lead to be examined, for which the bytes can be extracted."},
    {"matched",
     "The bytes of the object in matching ranges. Within an estimated range some bytes may differ, "
     "as the edits say."},
};

static const struct term picture[] = {
    {"evidence map",
     "Each finding opens to a picture: a strip for the object, a strip for the known file, and "
     "a ribbon between each two ranges that match. Solid ribbons are proved by SHA-1, hatched "
     "ones are estimated, crossed ones are proved in part. If a strip shows only a section, a "
     "line beside it shows where that section lies."},
    {"address",
     "Where the object lies, as The Sleuth Kit writes it: <code>1234-128-3</code> is an inode with "
     "its attribute, for <code>icat</code>; <code>@4096+65536</code> is a range of bytes of the "
     "image. A volume <code>2@1048576</code> has number 2 in the partition table, as The Sleuth Kit "
     "lists it, and begins at that byte. Bytes and sectors, of 512 bytes, count from 0 at the beginning of "
     "the image."},
    {"times",
     "Those of files are what the file system records; clocks can be wrong, and times forged. A time "
     "that ends in Z is in UTC."},
    {"seal",
     "The last value of a chain of hashes over everything in the case. It shows later changes only to "
     "somebody who noted it before."},
    {"commands",
     "<code>kith explain CASE FINDING</code> and <code>kith extract CASE FINDING -d FOLDER</code>: "
     "CASE stands for the case file, FOLDER for where to write."},
};

static void add_terms(struct buffer *out, const char *heading, const struct term *terms, size_t count)
{
    buffer_printf(out, "<h3>%s</h3>\n<dl class=\"legend\">\n", heading);
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "<dt>%s</dt>\n<dd>%s</dd>\n", terms[i].term, terms[i].meaning);
    buffer_add_text(out, "</dl>\n");
}

static const char standard[] =
    "<h3>Approximate matching as defined by NIST SP 800-168</h3>\n"
    "<p>Feature: a window of 12 bytes. Extraction: Mod_C, about one window in C, selected by its hash. "
    "Similarity function: the share of common features, as resemblance (variant) or containment (embedded, "
    "fragment); this is the score. E, edits and proof are supplementary. Identical means an equal "
    "cryptographic hash, which is not approximate matching. Nothing is claimed about meaning, appearance, or "
    "content that is encoded differently in two files.</p>\n";

#define COUNT(terms) (sizeof(terms) / sizeof *(terms))

void report_html_legend(struct buffer *out)
{
    buffer_add_text(out,
                    "<section aria-labelledby=\"legend\">\n<h2 id=\"legend\">What the terms mean</h2>\n");
    add_terms(out, "Verdicts", verdicts, COUNT(verdicts));
    add_terms(out, "Figures", figures, COUNT(figures));
    add_terms(out, "Pictures and places", picture, COUNT(picture));
    buffer_add_text(out, standard);
    buffer_add_text(out, "</section>\n");
}
