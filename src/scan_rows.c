/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"

int64_t scan_rows_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The references of a part's findings. */
struct references {
    struct set_file *files;
    struct case_reference *list;
    size_t count;
};

static void release(struct references *references)
{
    for (size_t i = 0; references->files && i < references->count; i++)
        set_file_release(&references->files[i]);
    free(references->files);
    free(references->list);
}

/* Looks them up in the sets, and checks the worker's findings against them.  Returns 0, -1 on error, or
 * SCANNER_INVALID. */
static int find_references(const struct scan_rows *rows, struct references *references, struct error *err)
{
    const struct scanner_part *part = &rows->part;

    references->count = part->findings.count;
    references->files = calloc(references->count + 1, sizeof *references->files);
    references->list = calloc(references->count + 1, sizeof *references->list);
    if (!references->files || !references->list)
        return error_set(err, "out of memory");
    for (size_t i = 0; i < references->count; i++) {
        const struct finding *finding = &part->findings.list[i];
        struct set_file *file = &references->files[i];
        const int found = refset_search_file(rows->sets->searches[finding->set], finding->file, file, err);

        if (found < 0)
            return -1;
        if (found == 0 || (file->has_size && file->size != finding->ref_size) ||
            (finding->verdict == VERDICT_IDENTICAL && digest_differing(&file->digests, &part->digests)))
            return SCANNER_INVALID;
        references->list[i] = (struct case_reference){
            .digests = file->digests, .name = file->name.data, .name_len = file->name.len};
    }
    return 0;
}

/* The case numbers all its sets, of which those of this scan are a part. */
static void number_sets(const struct scan_rows *rows, const struct scanner_part *part)
{
    for (size_t i = 0; i < part->findings.count; i++)
        part->findings.list[i].set += (uint32_t)rows->first_set;
}

static void count_finding(struct scan_rows *rows, const struct scanner_part *part)
{
    if (part->findings.count && rows->sets->known[part->findings.list[0].set].kind != REFSET_KNOWN)
        atomic_fetch_add_explicit(&rows->progress->found[part->verdict], 1, memory_order_relaxed);
}

/* Notes why findings of a part may be missing. */
static void note_lacks(struct scan_rows *rows, struct case_object *row, const struct scanner_part *part)
{
    struct error text;

    if (part->findings.lacks & FINDINGS_COMMON) {
        if (!row->reason[0])
            row->reason = "common content: it is in too many files of a set to be evidence for one of them";
        rows->common++;
    }
    if (part->verdict == VERDICT_NONE && !row->reason[0])
        row->reason = scan_limits_reason(rows->limits, part->len);
    if (part->findings.lacks & FINDINGS_CUT) {
        error_set(&text, "%s: too many matches; %zu finding%s reported, and the rest was not searched",
                  row->path_count ? row->paths : row->address, part->findings.count,
                  part->findings.count == 1 ? " is" : "s are");
        rows->note(rows->arg, text.text);
    }
}

static void take_run(void *arg, const struct object_run *piece)
{
    struct scan_rows *rows = arg;

    rows->runs[rows->run_count] = *piece;
    rows->runs[rows->run_count++].offset -= rows->part.start;
}

/* Finds where a chunk of the object lies on the image. */
static int cut_runs(struct scan_rows *rows, const struct case_object *object, struct case_object *row,
                    struct error *err)
{
    rows->run_count = 0;
    if (array_reserve(&rows->runs, &rows->run_room, object->run_count))
        return error_set(err, "out of memory");
    casefile_pieces(object, rows->part.start, rows->part.start + rows->part.len, take_run, rows);
    row->runs = rows->runs;
    row->run_count = rows->run_count;
    return 0;
}

/* The address of a chunk is that of the object and the chunk's offset in it. */
static int name_chunk(struct scan_rows *rows, const struct case_object *object, struct case_object *row,
                      struct error *err)
{
    buffer_reset(&rows->address);
    buffer_printf(&rows->address, "%s+%" PRIu64, object->address, rows->part.start);
    buffer_add_char(&rows->address, '\0');
    row->address = rows->address.data;
    row->chunk = true;
    return rows->address.failed ? error_set(err, "out of memory") : 0;
}

static int add_part(struct scan_rows *rows, const struct case_object *object, bool is_chunk,
                    const struct references *references, struct error *err)
{
    const struct scanner_part *part = &rows->part;
    struct case_object row = *object;

    if (is_chunk && (name_chunk(rows, object, &row, err) || cut_runs(rows, object, &row, err)))
        return -1;
    row.size = part->len;
    row.digests = part->digests;
    row.verdict = part->verdict;
    note_lacks(rows, &row, part);
    count_finding(rows, part);
    number_sets(rows, part);
    return casefile_add(rows->casefile, &row, &part->findings, references->list, scan_rows_now(), err);
}

/* Takes the part that was read, and adds its row unless the case has it already.  Returns as find_references
 * does. */
static int take_part(struct scan_rows *rows, const struct case_object *object, bool is_chunk, bool is_there,
                     struct error *err)
{
    struct references references = {0};
    int result = find_references(rows, &references, err);

    if (!result)
        result = scan_containers_take(rows->containers, object, &rows->part, !is_chunk, err);
    if (!result && !is_there)
        result = add_part(rows, object, is_chunk, &references, err);
    release(&references);
    return result;
}

int scan_rows_add(struct scan_rows *rows, const struct object *inspected, const struct case_object *object,
                  uint64_t already, struct error *err)
{
    const bool has_chunks = rows->plan->chunk && inspected->size > rows->plan->chunk;
    struct scanner_result result;
    int more;

    scanner_result_begin(&result, inspected);
    while ((more = scanner_result_next(&result, rows->plan, &rows->part, err)) > 0) {
        const int taken = take_part(rows, object, has_chunks, already > 0, err);

        if (taken)
            return taken;
        already -= already > 0;
    }
    return more;
}

int scan_rows_add_bare(struct scan_rows *rows, const struct case_object *object, struct error *err)
{
    static const struct findings none;

    return casefile_add(rows->casefile, object, &none, NULL, scan_rows_now(), err);
}

void scan_rows_release(struct scan_rows *rows)
{
    finding_list_release(&rows->part.findings);
    buffer_release(&rows->address);
    free(rows->runs);
}
