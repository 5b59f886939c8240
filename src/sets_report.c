/* SPDX-License-Identifier: Apache-2.0 */
#include "sets_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/escape.h"
#include "export_report.h"
#include "match/matcher.h"
#include "match/scanner.h"
#include "set/refset_index.h"
#include "set/refset_reader.h"
#include "set_limits.h"
#include "terminal.h"

/* What the description has besides the parameters and counts of the set. */
struct figures {
    uint64_t file_size; /* bytes of the set */
    uint64_t sources, members;
    uint64_t features, common, filters; /* entries; keys too common to look up; bytes */
    unsigned segments;
    struct set_limits usual, deep; /* of a scan, and one with --deep */
};

static void count_source(void *arg, const struct refset_source *source)
{
    struct figures *figures = arg;

    (void)source;
    figures->sources++;
}

static int gather_limits(struct refset *set, struct figures *figures, struct error *err)
{
    const uint32_t c = refset_info(set)->params.c;
    const double ln_e = log(MATCHER_USUAL_E);

    return set_limits_of(set, scanner_rate(c, false), ln_e, &figures->usual, err) ||
                   set_limits_of(set, scanner_rate(c, true), ln_e, &figures->deep, err)
               ? -1
               : 0;
}

static int gather(struct refset *set, struct figures *figures, struct error *err)
{
    struct refset_segments segments = {0};
    struct stat st = {0};
    int result;

    *figures = (struct figures){0};
    if (stat(refset_path(set), &st) == 0)
        figures->file_size = (uint64_t)st.st_size;
    result = refset_sources(set, count_source, figures, err) ||
                     refset_count_members(set, &figures->members, err) ||
                     refset_segments_read(set, &segments, NULL, err)
                 ? -1
                 : 0;
    for (size_t i = 0; i < segments.count; i++) {
        const struct refset_segment *segment = &segments.list[i];

        if (segment->index == REFSET_FEATURE)
            figures->features += segment->entries - segment->marks;
        if (segment->index == REFSET_COMMON)
            figures->common += segment->entries;
        figures->filters += segment->blocks * BLOOM_BLOCK_LEN;
        figures->segments++;
    }
    refset_segments_release(&segments);
    return result;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void format_time(char text[32], int64_t seconds)
{
    const time_t when = (time_t)seconds;
    struct tm tm;

    if (!gmtime_r(&when, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M:%S UTC", &tm))
        snprintf(text, 32, "%" PRId64, seconds);
}

static void put_escaped(const char *label, const char *text, size_t len)
{
    struct buffer out = {0};

    escape_text(&out, text, len);
    printf("%s%.*s\n", label, (int)out.len, out.len ? out.data : "");
    note_output(&out);
    buffer_release(&out);
}

static void put_source(void *arg, const struct refset_source *source)
{
    struct buffer out = {0};
    char when[32];

    (void)arg;
    format_time(when, source->time);
    buffer_printf(&out, "  %" PRIu64 "  ", source->id);
    escape_text(&out, source->kind, strlen(source->kind));
    buffer_add_char(&out, ' ');
    escape_text(&out, source->format, strlen(source->format));
    buffer_add_text(&out, *source->format ? " " : "");
    escape_text(&out, source->path, source->path_len);
    buffer_printf(&out, ", %s, ", when);
    escape_text(&out, source->tool, strlen(source->tool));
    if (source->has_sha256) {
        buffer_add_text(&out, ", SHA-256 ");
        escape_hex(&out, source->sha256, DIGEST_SHA256_LEN);
    }
    if (*source->note) {
        buffer_add_text(&out, ": ");
        escape_text(&out, source->note, strlen(source->note));
    }
    buffer_add_char(&out, '\n');
    put_output(&out);
    buffer_release(&out);
}

static void put_limits(const struct figures *figures)
{
    if (figures->usual.count)
        printf("limits      %d %% of copied fragments of at least this many bytes are found (with --deep):\n",
               SET_LIMITS_PERCENT);
    for (size_t i = 0; i < figures->usual.count; i++) {
        const struct set_limits_class *class = &figures->usual.classes[i];
        char words[SET_LIMITS_WORDS];

        set_limits_files(class, words);
        printf("  of files %-14s %8" PRIu64 " (%" PRIu64 ")\n", words, class->len,
               figures->deep.classes[i].len);
    }
}

int sets_report_info(struct refset *set, struct error *err)
{
    const struct refset_info *info = refset_info(set);
    const struct refset_counts *counts = &info->counts;
    const uint64_t by_digest = counts->files - counts->records;
    struct figures figures;
    char created[32], uuid[UUID_ROOM], key[SAMPLER_KEY_ID_ROOM];

    if (gather(set, &figures, err))
        return -1;
    format_time(created, info->created);
    uuid_format(uuid, info->uuid);
    put_escaped("set         ", refset_path(set), strlen(refset_path(set)));
    put_escaped("name        ", info->params.name, strlen(info->params.name));
    printf("kind        %s\n", refset_kind_name(info->params.kind));
    if (*info->params.category)
        put_escaped("category    ", info->params.category, strlen(info->params.category));
    printf("id          %s, generation %" PRIu64 "\n", uuid, info->generation);
    printf("created     %s by ", created);
    put_escaped("", info->tool, strlen(info->tool));
    printf("parameters  scheme gf8, n %u, C %u, blocks of %u bytes, common above %u file%s\n", info->params.n,
           info->params.c, info->params.block, info->params.common, plural(info->params.common));
    if (sampler_key_is_set(info->params.key)) {
        sampler_key_format(key, info->params.key);
        printf("key         %s: needed to scan with the set, and to add files\n", key);
    }
    printf("files       %" PRIu64 " (%" PRIu64 " byte%s), %" PRIu64 " further name%s\n", counts->files,
           counts->bytes, plural(counts->bytes), counts->names, plural(counts->names));
    printf("  full entries       %" PRIu64 " (%.1f %%): similarity and hash\n", counts->sampled,
           share(counts->sampled, counts->files));
    printf("  identical only     %" PRIu64 " (%.1f %%): too small to be sampled, or of low entropy\n",
           counts->records - counts->sampled, share(counts->records - counts->sampled, counts->files));
    printf("  hash-only entries  %" PRIu64 " (%.1f %%), of these %" PRIu64 " without a SHA-1\n", by_digest,
           share(by_digest, counts->files), counts->without_sha1);
    if (figures.members)
        printf("  members            %" PRIu64 " are packed in others\n", figures.members);
    printf("samples     %" PRIu64 "; %" PRIu64 " are looked up, %" PRIu64 " more belong to common features\n",
           counts->samples, figures.features, figures.common);
    printf("size        %" PRIu64 " bytes: %.0f for each file", figures.file_size,
           counts->files ? (double)figures.file_size / (double)counts->files : 0);
    if (counts->bytes)
        printf(", %.1f %% of the files' bytes", share(figures.file_size, counts->bytes));
    printf("\nmemory      %" PRIu64 " bytes of filters; %u segment%s\n", figures.filters, figures.segments,
           plural(figures.segments));
    printf("sources     %" PRIu64 "\n", figures.sources);
    /* the limits are last, since they need the records: in a damaged set, all others may still be readable */
    if (refset_sources(set, put_source, NULL, err) || gather_limits(set, &figures, err))
        return -1;
    put_limits(&figures);
    return 0;
}

static void add_limits(struct buffer *out, const struct figures *figures)
{
    buffer_add_text(out, ",\"limits\":[");
    for (size_t i = 0; i < figures->usual.count; i++)
        buffer_printf(out, "%s{\"file\":%" PRIu64 ",\"scan\":%" PRIu64 ",\"deep\":%" PRIu64 "}", i ? "," : "",
                      figures->usual.classes[i].file_len, figures->usual.classes[i].len,
                      figures->deep.classes[i].len);
    buffer_add_text(out, "]}\n");
}

int sets_report_json(struct refset *set, struct error *err)
{
    const struct refset_info *info = refset_info(set);
    const struct refset_counts *counts = &info->counts;
    struct buffer out = {0};
    struct figures figures;
    char uuid[UUID_ROOM], key[SAMPLER_KEY_ID_ROOM];

    if (gather(set, &figures, err) || gather_limits(set, &figures, err))
        return -1;
    uuid_format(uuid, info->uuid);
    buffer_add_text(&out, "{\"set\":");
    escape_json(&out, refset_path(set), strlen(refset_path(set)));
    buffer_add_text(&out, ",\"name\":");
    escape_json(&out, info->params.name, strlen(info->params.name));
    buffer_printf(&out, ",\"kind\":\"%s\",\"category\":", refset_kind_name(info->params.kind));
    escape_json(&out, info->params.category, strlen(info->params.category));
    buffer_printf(&out, ",\"id\":\"%s\",\"generation\":%" PRIu64 ",\"created\":%" PRId64 ",\"tool\":", uuid,
                  info->generation, info->created);
    escape_json(&out, info->tool, strlen(info->tool));
    buffer_printf(&out, ",\"scheme\":\"gf8\",\"n\":%u,\"c\":%u,\"block\":%u,\"common\":%u", info->params.n,
                  info->params.c, info->params.block, info->params.common);
    if (sampler_key_is_set(info->params.key)) {
        sampler_key_format(key, info->params.key);
        buffer_printf(&out, ",\"key\":\"%s\"", key);
    }
    buffer_printf(&out,
                  ",\"files\":%" PRIu64 ",\"records\":%" PRIu64 ",\"sampled\":%" PRIu64
                  ",\"without_sha1\":%" PRIu64 ",\"further_names\":%" PRIu64 ",\"bytes\":%" PRIu64
                  ",\"samples\":%" PRIu64,
                  counts->files, counts->records, counts->sampled, counts->without_sha1, counts->names,
                  counts->bytes, counts->samples);
    buffer_printf(&out,
                  ",\"looked_up\":%" PRIu64 ",\"of_common\":%" PRIu64 ",\"size\":%" PRIu64
                  ",\"filters\":%" PRIu64 ",\"segments\":%u,\"sources\":%" PRIu64 ",\"members\":%" PRIu64,
                  figures.features, figures.common, figures.file_size, figures.filters, figures.segments,
                  figures.sources, figures.members);
    add_limits(&out, &figures);
    put_output(&out);
    buffer_release(&out);
    return 0;
}

/* ---- files ---- */

static void list_digest(struct buffer *line, const struct known *known)
{
    for (int kind = 0; kind < DIGEST_KINDS; kind++)
        if (known->digests.kinds & DIGEST_BIT(kind)) {
            escape_hex(line, known->digests.bytes[kind], digest_len((enum digest_kind)kind));
            return;
        }
}

static void list_file(struct buffer *line, const struct refset_reader *reader, const struct known *known)
{
    const char *name = known->names.len ? known->names.data : "";

    buffer_printf(line, "%8" PRIu64 " ", refset_reader_id(reader));
    if (known->has_size)
        buffer_printf(line, "%12" PRIu64 " ", known->size);
    else
        buffer_printf(line, "%12s ", "-");
    buffer_printf(line, "%-6s ", refset_reader_has_record(reader) ? "full" : "digest");
    list_digest(line, known);
    buffer_add_text(line, "  ");
    escape_text(line, name, strlen(name));
    buffer_add_char(line, '\n');
}

/* csv: the rows of kith export; otherwise human-readable lines. */
int sets_report_list(struct refset *set, bool csv, bool with_header, struct error *err)
{
    struct export_report report = {.form = EXPORT_CSV, .out.to = stdout};
    struct refset_reader *reader = refset_reader_new(set, csv, err);
    struct buffer line = {0};
    int result = -1;

    if (csv && with_header)
        export_report_begin(&report, refset_info(set));
    while (reader && !ferror(stdout) && (result = refset_reader_next(reader, err)) > 0) {
        const struct known *known = refset_reader_known(reader);

        if (csv) {
            if (export_report_file(&report, refset_reader_id(reader), refset_reader_source(reader), known)) {
                result = error_set(err, "out of memory");
                break;
            }
            continue;
        }
        buffer_reset(&line);
        list_file(&line, reader, known);
        put_output(&line);
    }
    refset_reader_free(reader);
    export_report_release(&report);
    buffer_release(&line);
    return result < 0 ? -1 : 0;
}
