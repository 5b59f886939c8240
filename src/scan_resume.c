/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_resume.h"

#include <string.h>

#include "evidence/allowance.h"

static int count_members(struct scan_resume *resume, struct error *err)
{
    uint64_t count, bytes;

    if (casefile_members(resume->casefile, resume->evidence, resume->first_item, &count, &bytes, err))
        return -1;
    resume->unpacked = allowance_cost(count, bytes);
    return 0;
}

int scan_resume_begin(struct scan_resume *resume, struct casefile *casefile, uint64_t evidence,
                      struct error *err)
{
    resume->casefile = casefile;
    resume->evidence = evidence;
    resume->passed = 0;
    resume->bad.count = 0;
    return casefile_progress(casefile, evidence, &resume->there, &resume->first_item, err) ||
                   casefile_bad(casefile, evidence, &resume->bad, err) || count_members(resume, err)
               ? -1
               : 0;
}

void scan_resume_release(struct scan_resume *resume)
{
    ranges_release(&resume->bad);
}

enum scan_resumed scan_resume_pass(struct scan_resume *resume, const struct case_object *object,
                                   uint64_t *rows, struct error *err)
{
    int same;

    *rows = 0;
    if (resume->passed == resume->there)
        return SCAN_RESUME_NEW;
    same = casefile_skip(resume->casefile, resume->evidence, &resume->passed, object, err);
    if (same <= 0)
        return same ? SCAN_RESUME_FAILED : SCAN_RESUME_OTHER;
    if (resume->passed < resume->there)
        return SCAN_RESUME_THERE;
    *rows = (uint64_t)same; /* the last object in the case, of which chunks may be missing */
    return SCAN_RESUME_NEW;
}

static void keep_digests(void *arg, const struct digest_values *whole, const struct digest_values *stored)
{
    (void)stored;
    *(struct digest_values *)arg = *whole;
}

static bool has_same_sha1(const struct case_evidence *known, const char *path,
                          const struct evidence_options *options)
{
    struct digest_values now = {0};
    const struct evidence_sink sink = {.digests = keep_digests, .arg = &now};
    struct evidence_options hashing = *options;
    struct error err;

    if (!(known->digests.kinds & DIGEST_BIT(DIGEST_SHA1)))
        return false;
    hashing.kinds = 0;
    hashing.first_item = 0;
    hashing.inspector = NULL;
    hashing.wanted = NULL;
    hashing.image_digests = DIGEST_BIT(DIGEST_SHA1);
    evidence_read(path, &hashing, &sink, &err);
    return (now.kinds & DIGEST_BIT(DIGEST_SHA1)) && digest_differing(&now, &known->digests) == 0;
}

int scan_resume_check_same(const struct case_evidence *known, const char *path, const char *stamp,
                           const struct evidence_options *options, struct error *err)
{
    if (!known->stamp[0] || strcmp(known->stamp, stamp) == 0 || has_same_sha1(known, path, options))
        return 0;
    return error_set(
        err,
        "%s: the evidence is not the one that the case was made of: it was %s, now it is %s; the "
        "case was not changed",
        path, known->stamp, stamp[0] ? stamp : "a device");
}
