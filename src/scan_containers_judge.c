/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "scan_containers_inner.h"

enum {
    MOST_PARENTS = 64,    /* containers of a set that a member is looked up in */
    MOST_CANDIDATES = 16, /* containers of a set that are compared with one in the evidence */
    PAGE = 1024,          /* members of a container in a set that are read at a time */
};

int scan_containers_add_found(struct found_list *list, const struct found *found, struct error *err)
{
    if (array_reserve(&list->list, &list->room, list->count + 1))
        return error_set(err, "out of memory for the findings in a container");
    list->list[list->count++] = *found;
    return 0;
}

/* ---- members and their references ---- */

/* A reference that was found in members, and the container in the set that is being compared. */
struct reference {
    uint64_t file;
    size_t first, count; /* of its findings in the list */
    bool is_alike;       /* identical or a variant */
    bool is_identical;
    double ln_e;     /* the least */
    bool is_covered; /* by a container that was chosen */
    unsigned mark;   /* number of the last candidate that has it */
};

/* What is compared for one set. */
struct judging {
    struct scan_containers *containers;
    struct scan_container *container;
    uint32_t set;
    struct refset_search *search;
    struct reference *references; /* by file */
    size_t count;
    unsigned mark;
    size_t own_count; /* of the container's findings, before it got others */
};

/* A container in a set. */
struct candidate {
    uint64_t file;
    uint64_t hits; /* of its members that were found */
    /* once it was compared: */
    uint64_t members, alike, identical, fresh; /* fresh: alike, and in no container chosen before */
    double ln_e;
};

static int by_file(const void *key, const void *element)
{
    const uint64_t file = *(const uint64_t *)key, other = ((const struct reference *)element)->file;

    return file < other ? -1 : file > other;
}

static struct reference *find_reference(const struct judging *judging, uint64_t file)
{
    return judging->count
               ? bsearch(&file, judging->references, judging->count, sizeof *judging->references, by_file)
               : NULL;
}

/* Gathers the references of the findings from `first` on that are of the same set, for which there is room.
 */
static void gather(struct judging *judging, size_t first, size_t end)
{
    const struct found *list = judging->container->found.list;

    for (size_t i = first; i < end; i++) {
        struct reference *reference = &judging->references[judging->count - (judging->count > 0)];

        if (judging->count == 0 || reference->file != list[i].file) {
            reference = &judging->references[judging->count++];
            *reference = (struct reference){.file = list[i].file, .first = i, .ln_e = INFINITY};
        }
        reference->count++;
        reference->is_alike |= list[i].verdict <= VERDICT_VARIANT;
        reference->is_identical |= list[i].verdict == VERDICT_IDENTICAL;
        if (list[i].verdict <= VERDICT_VARIANT)
            reference->ln_e = fmin(reference->ln_e, list[i].ln_e);
    }
}

/* ---- candidates ---- */

struct candidates {
    struct candidate *list;
    size_t count, room;
};

static int by_candidate(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->file < y->file ? -1 : x->file > y->file;
}

static int by_hits(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    return x->hits != y->hits ? x->hits > y->hits ? -1 : 1 : by_candidate(a, b);
}

static int add_parents(struct judging *judging, const struct reference *reference,
                       struct candidates *candidates, struct error *err)
{
    uint64_t parents[MOST_PARENTS];
    size_t count;

    if (refset_search_parents(judging->search, reference->file, 0, parents, MOST_PARENTS, &count, err))
        return -1;
    if (array_reserve(&candidates->list, &candidates->room, candidates->count + count))
        return error_set(err, "out of memory for the containers of references");
    for (size_t i = 0; i < count; i++)
        candidates->list[candidates->count++] = (struct candidate){.file = parents[i], .hits = 1};
    return 0;
}

/* Joins equal ones, and sorts them by how many of their members were found. */
static void rank_candidates(struct candidates *candidates)
{
    size_t kept = 0;

    if (candidates->count == 0)
        return;
    qsort(candidates->list, candidates->count, sizeof *candidates->list, by_candidate);
    for (size_t i = 1; i < candidates->count; i++)
        if (candidates->list[i].file == candidates->list[kept].file)
            candidates->list[kept].hits++;
        else
            candidates->list[++kept] = candidates->list[i];
    candidates->count = kept + 1;
    qsort(candidates->list, candidates->count, sizeof *candidates->list, by_hits);
}

static int find_candidates(struct judging *judging, struct candidates *candidates, struct error *err)
{
    for (size_t i = 0; i < judging->count; i++)
        if (judging->references[i].is_alike && add_parents(judging, &judging->references[i], candidates, err))
            return -1;
    rank_candidates(candidates);
    return 0;
}

/* Compares a container of the set with the one in the evidence, and marks the references that it has. */
static int compare(struct judging *judging, struct candidate *candidate, struct error *err)
{
    uint64_t page[PAGE], last = 0;
    size_t count;

    judging->mark++;
    candidate->ln_e = INFINITY;
    do {
        if (refset_search_members(judging->search, candidate->file, last, page, PAGE, &count, err))
            return -1;
        for (size_t i = 0; i < count; i++) {
            struct reference *reference = find_reference(judging, page[i]);

            candidate->members++;
            last = page[i];
            if (!reference)
                continue;
            reference->mark = judging->mark;
            if (!reference->is_alike)
                continue;
            candidate->alike++;
            candidate->identical += reference->is_identical;
            candidate->fresh += !reference->is_covered;
            candidate->ln_e = fmin(candidate->ln_e, reference->ln_e);
        }
    } while (count == PAGE);
    return 0;
}

/* ---- folding ---- */

static int fold(struct judging *judging, struct found *found, uint64_t object, uint32_t rank,
                struct error *err)
{
    if (found->is_folded || (found->object == object && found->rank == rank))
        return 0;
    found->is_folded = true;
    return casefile_fold(judging->containers->casefile, judging->container->object.evidence, found->object,
                         found->rank, object, rank, err);
}

/* Makes the findings of the references marked last parts of a finding of the container, and those of the
 * container of the set itself. */
static int fold_marked(struct judging *judging, uint64_t file, uint32_t rank, struct error *err)
{
    struct scan_container *container = judging->container;

    for (size_t i = 0; i < judging->count; i++) {
        struct reference *reference = &judging->references[i];

        if (reference->mark != judging->mark)
            continue;
        reference->is_covered |= reference->is_alike;
        for (size_t j = 0; j < reference->count; j++)
            if (fold(judging, &container->found.list[reference->first + j], container->number, rank, err))
                return -1;
    }
    for (size_t i = 0; i < container->own.count; i++)
        if (container->own.list[i].set == judging->set && container->own.list[i].file == file &&
            fold(judging, &container->own.list[i], container->number, rank, err))
            return -1;
    return 0;
}

/* What is stored as it is lies in the bytes of the container, too: that is no second finding. */
static int fold_stored(struct judging *judging, struct error *err)
{
    struct found_list *own = &judging->container->own;

    for (size_t i = 0; i < judging->own_count; i++) {
        struct reference *reference =
            own->list[i].set == judging->set && own->list[i].verdict > VERDICT_IDENTICAL
                ? find_reference(judging, own->list[i].file)
                : NULL;
        const struct found *member;

        if (!reference || reference->count == 0)
            continue;
        member = &judging->container->found.list[reference->first];
        if (member->verdict > own->list[i].verdict)
            continue;
        reference->first++; /* each explains one */
        reference->count--;
        if (fold(judging, &own->list[i], member->object, member->rank, err))
            return -1;
    }
    return 0;
}

/* The best finding among those of the references marked last; NULL: there is none. */
static const struct found *find_marked(const struct judging *judging)
{
    const struct found *best = NULL;

    for (size_t i = 0; i < judging->count; i++) {
        const struct reference *reference = &judging->references[i];
        const struct found *found = &judging->container->found.list[reference->first];

        if (reference->mark == judging->mark && reference->count > 0 &&
            (!best || found->verdict < best->verdict))
            best = found;
    }
    return best;
}

/*
 * Containers may have bytes in common where members are packed in the same way.  If members are related, they
 * explain it; if none is, but there is boilerplate, that does: the finding is then a part of itself, so it is
 * only listed with all others.
 */
static int fold_packed(struct judging *judging, struct found *own, struct error *err)
{
    const struct scan_container *container = judging->container;
    struct candidate candidate = {.file = own->file};
    const struct found *member;

    if (compare(judging, &candidate, err))
        return -1;
    if (candidate.members == 0)
        return 0;
    member = find_marked(judging);
    if (member && member->verdict > own->verdict)
        return 0; /* most of the bytes match as they are, not packed */
    if (member)
        return fold(judging, own, member->object, member->rank, err);
    if (!container->packs_boilerplate)
        return 0;
    own->is_folded = true;
    return casefile_fold(judging->containers->casefile, container->object.evidence, own->object, own->rank,
                         own->object, own->rank, err);
}

static int fold_all_packed(struct judging *judging, struct error *err)
{
    for (size_t i = 0; i < judging->own_count; i++) {
        struct found *own = &judging->container->own.list[i];

        if (own->set == judging->set && own->verdict > VERDICT_IDENTICAL && !own->is_folded &&
            !own->is_kept && fold_packed(judging, own, err))
            return -1;
    }
    return 0;
}

/* ---- findings ---- */

/* Blocks without a name may hold several containers, but are none. */
static bool is_container(enum object_kind kind)
{
    return kind != OBJECT_SLACK && kind != OBJECT_UNALLOCATED && kind != OBJECT_UNCLAIMED &&
           kind != OBJECT_GAP;
}

/* At least half of each is found in the other; or all of several members, and more besides. */
static bool is_related(const struct judging *judging, const struct candidate *candidate,
                       enum verdict *verdict)
{
    const struct scan_container *container = judging->container;
    const uint64_t alike = candidate->alike;

    *verdict = is_container(container->object.kind) && 2 * alike >= container->members ? VERDICT_VARIANT
                                                                                       : VERDICT_EMBEDDED;
    return candidate->fresh > 0 && (*verdict == VERDICT_VARIANT ? 2 * alike >= candidate->members
                                                                : alike == candidate->members && alike > 1);
}

static struct finding make_finding(const struct judging *judging, const struct candidate *candidate,
                                   enum verdict verdict, uint64_t size)
{
    const uint64_t here = judging->container->members,
                   all = (here > candidate->alike ? here : candidate->alike) + candidate->members -
                         candidate->alike;

    struct finding finding = {.verdict = verdict,
                              .set = judging->set + (uint32_t)judging->containers->first_set,
                              .file = candidate->file,
                              .ref_size = size,
                              .resemblance = (double)candidate->alike / (double)all,
                              .containment = (double)candidate->alike / (double)candidate->members,
                              .ln_e = candidate->ln_e,
                              .proof = PROOF_MEMBERS,
                              .proved = candidate->identical,
                              .blocks = candidate->members};

    finding_rate(&finding, 1);
    return finding;
}

/* In blocks without a name, where the containers begin that the references marked last were found in: so the
 * case finds the deleted file that lies there. */
static struct finding_range span_of(const struct judging *judging)
{
    enum { SECTOR = 512 };
    const struct case_object *object = &judging->container->object;
    struct finding_range span = {.obj_start = object->size};

    if (is_container(object->kind))
        return (struct finding_range){0};
    for (size_t i = 0; i < judging->count; i++) {
        const struct reference *reference = &judging->references[i];

        for (size_t j = 0; j < reference->count && reference->mark == judging->mark; j++) {
            const uint64_t at = judging->container->found.list[reference->first + j].carved;

            span.obj_start = at < span.obj_start ? at : span.obj_start;
            span.obj_end = at > span.obj_end ? at : span.obj_end;
        }
    }
    if (span.obj_end >= object->size)
        return (struct finding_range){0};
    span.obj_end += object->size - span.obj_end < SECTOR ? object->size - span.obj_end : SECTOR;
    return span;
}

/* Adds the finding of the container.  *rank is its rank. */
static int add_finding(struct judging *judging, const struct candidate *candidate, enum verdict verdict,
                       uint32_t *rank, struct error *err)
{
    struct scan_container *container = judging->container;
    struct set_file file = {0};
    struct finding finding;
    struct found found;
    int result = refset_search_file(judging->search, candidate->file, &file, err);

    finding = make_finding(judging, candidate, verdict, file.size);
    finding.span = span_of(judging);
    *rank = (uint32_t)container->own.count;
    if (result > 0) {
        const struct case_reference reference = {
            .digests = file.digests, .name = file.name.data, .name_len = file.name.len};

        result = casefile_extend(judging->containers->casefile, &container->object, container->number, *rank,
                                 &finding, &reference, err);
    } else if (result == 0) {
        result = error_set(err, "%s: a container that is missing has members",
                           refset_search_path(judging->search));
    }
    set_file_release(&file);
    found = (struct found){.set = judging->set,
                           .file = candidate->file,
                           .verdict = verdict,
                           .ln_e = candidate->ln_e,
                           .object = container->number,
                           .rank = *rank};
    return result ? -1 : scan_containers_add_found(&container->own, &found, err);
}

/* Containers with one member, such as the text of a page, that is not identical.  What they have in common is
 * then said by a finding with ranges: that of their bytes or that of the member. */
static bool is_single(const struct judging *judging, const struct candidate *candidate)
{
    return judging->container->members == 1 && candidate->members == 1 && candidate->identical == 0;
}

/* The bytes of the containers may be more alike than their members say; and of those with one member, they
 * say more precisely in what they differ.  NULL: they do not. */
static struct found *find_better(const struct judging *judging, const struct candidate *candidate,
                                 enum verdict verdict)
{
    const struct scan_container *container = judging->container;
    const unsigned worst = verdict + is_single(judging, candidate);

    for (size_t i = 0; i < judging->own_count; i++) {
        struct found *own = &container->own.list[i];

        if (own->set == judging->set && own->file == candidate->file && own->verdict < worst)
            return own;
    }
    return NULL;
}

static int try_candidate(struct judging *judging, struct candidate *candidate, struct error *err)
{
    enum verdict verdict;
    struct found *better;
    uint32_t rank;

    if (compare(judging, candidate, err))
        return -1;
    if (!is_related(judging, candidate, &verdict))
        return 0;
    better = find_better(judging, candidate, verdict);
    if (better) {
        better->is_kept = true;
        rank = better->rank;
    } else if (is_single(judging, candidate)) {
        return 0;
    } else if (add_finding(judging, candidate, verdict, &rank, err))
        return -1;
    return fold_marked(judging, candidate->file, rank, err);
}

/* A container that is identical to one of the set explains its members. */
static int fold_identical(struct judging *judging, struct error *err)
{
    const struct found_list *own = &judging->container->own;

    for (size_t i = 0; i < judging->own_count; i++) {
        struct candidate candidate = {.file = own->list[i].file};

        if (own->list[i].set == judging->set && own->list[i].verdict == VERDICT_IDENTICAL &&
            (compare(judging, &candidate, err) ||
             fold_marked(judging, candidate.file, own->list[i].rank, err)))
            return -1;
    }
    return 0;
}

/* Judges the container by its findings in one set: those from first to below end. */
static int judge_set(struct scan_containers *containers, struct scan_container *container, uint32_t set,
                     size_t first, size_t end, struct error *err)
{
    struct reference *references = calloc(end - first + 1, sizeof *references);
    struct judging judging = {.containers = containers,
                              .container = container,
                              .set = set,
                              .references = references,
                              .search = containers->sets->searches[set],
                              .own_count = container->own.count};
    struct candidates candidates = {0};
    int result;

    if (!references)
        return error_set(err, "out of memory for the findings in a container");
    gather(&judging, first, end);
    result = fold_identical(&judging, err) || find_candidates(&judging, &candidates, err) ? -1 : 0;
    for (size_t i = 0; i < candidates.count && i < MOST_CANDIDATES && !result; i++)
        result = try_candidate(&judging, &candidates.list[i], err);
    if (!result)
        result = fold_all_packed(&judging, err) || fold_stored(&judging, err) ? -1 : 0;
    free(references);
    free(candidates.list);
    return result;
}

int scan_containers_judge(struct scan_containers *containers, struct scan_container *container,
                          struct error *err)
{
    struct found_list *found = &container->found;
    size_t first = 0, end;

    if (!container->is_whole || container->is_full ||
        (container->members == 0 && !container->has_boilerplate))
        return 0;
    for (uint32_t set = 0; set < containers->sets->count; set++, first = end) {
        for (end = first; end < found->count && found->list[end].set == set; end++)
            ;
        if ((end > first || container->own.count) && judge_set(containers, container, set, first, end, err))
            return -1;
    }
    return 0;
}
