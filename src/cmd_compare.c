/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "compare/compare.h"
#include "compare/distance.h"
#include "compare/factors.h"
#include "compare_html.h"
#include "compare_report.h"
#include "compare_side.h"
#include "formats.h"
#include "match/pairing.h"
#include "options.h"
#include "sketch_flags.h"
#include "terminal.h"

enum {
    OPTION_FORMAT = OPTIONS_SKETCH,
    OPTION_JSON,
    OPTION_EXACT,
    OPTION_PAPERS,
    OPTION_FACTORS,
    OPTION_TIME,
    OPTION_RAW,
};

static const struct option_spec compare_options[] = {
    OPTIONS_SKETCH_SPECS,
    {0, "format", "FORM", "output format (default: text)", &formats_compare},
    {0, "json", NULL, "the same as --format json", NULL},
    {'x', "exact", NULL, "add the exact Levenshtein distance of the two files", NULL},
    {'p', "papers", NULL, "add the estimates of the papers by Coates", NULL},
    {0, "factors", "FILE", "--papers: use the factors in this file, from kith lab (default: 0.82)", NULL},
    {'t', "time", "SECONDS", "time limit for --exact, --papers and blocks (default: 10)", NULL},
    {'r', "raw", NULL, "treat both as content, even if they look like records", NULL},
    {0, NULL, NULL, NULL, NULL},
};

enum {
    USUAL_SECONDS = 10,
    MAX_SECONDS = 1000000,
    DENSE_C = 32,            /* two files can be sampled densely in a short time */
    CLOSE_SAMPLES = 1 << 22, /* the most samples of a file to take */
};

struct compare {
    struct sketch_flags flags;
    struct sketch_params params;
    struct format_choice format;
    bool exact, papers, raw, has_time;
    const char *factors_path; /* NULL: none */
    struct factors factors;
    uint64_t seconds;
};

/* ---- how to sample ---- */

static bool is_split(const struct compare_side *a, const struct compare_side *b)
{
    return a->block_count > 0 || b->block_count > 0;
}

static uint32_t bearable_c(uint32_t c, uint64_t len)
{
    while (c < SAMPLER_MAX_C && len / c > CLOSE_SAMPLES)
        c *= 2;
    return c;
}

/* As densely as the smaller content needs, if the larger one allows that. */
static uint32_t close_c(uint64_t a_len, uint64_t b_len)
{
    uint32_t c = sampler_auto_c(a_len < b_len ? a_len : b_len);

    return bearable_c(c > DENSE_C ? DENSE_C : c, a_len < b_len ? b_len : a_len);
}

/* Whether factors were measured with these parameters, which are those of a sampler. */
static int check_factors(const struct compare *compare, const struct sketch_params *params, struct error *err)
{
    const int scheme = sampler_scheme_find(sketch_scheme_name(params->scheme));
    const struct sampler_params wanted = {(enum sampler_scheme)scheme, params->window, params->rate,
                                          params->residue};

    if (scheme >= 0 && factors_has(&compare->factors, &wanted))
        return 0;
    return error_set(err, "%s: has no factors for %s n=%u C=%u k=%u", compare->factors_path,
                     sketch_scheme_name(params->scheme), params->window, params->rate, params->residue);
}

/* The parameters of the options; or those of the record, if one of the sides is a record. */
static int choose_params(const struct compare *compare, const struct compare_side *a,
                         const struct compare_side *b, struct sketch_params *params, struct error *err)
{
    const struct compare_side *given = a->is_record ? a : b->is_record ? b : NULL;

    if (given && compare->flags.given)
        return error_set(err, "%s: is a record, so the sampling options cannot be used", given->path);
    *params = given ? given->sketch.params : compare->params;
    if (compare->papers && (sketch_uses(params->scheme) & SKETCH_USE_TOKENS))
        return error_set(err, "scheme %s has no signatures, which --papers needs",
                         sketch_scheme_name(params->scheme));
    if (compare->factors_path && check_factors(compare, params, err))
        return -1;
    if (params->scheme != SKETCH_GF8)
        return 0;
    if (params->rate == SAMPLER_AUTO)
        params->rate = close_c(a->len, b->len);
    else if (given)
        params->rate = bearable_c(params->rate, given == a ? b->len : a->len);
    return 0;
}

static int load_sides(const struct compare *compare, struct compare_side *a, struct compare_side *b,
                      struct error *err)
{
    struct compare_side *sides[] = {a, b};
    struct sketch_params params;

    for (int i = 0; i < 2; i++) {
        sides[i]->is_record = !compare->raw && compare_side_is_record(sides[i]);
        if (sides[i]->is_record && compare->exact) {
            error_set(err, "%s: is a record, but --exact needs two files", sides[i]->path);
            return EXIT_USAGE;
        }
        if (sides[i]->is_record && compare_side_parse(sides[i], err))
            return EXIT_USAGE;
        if (compare->exact &&
            compare_side_load(sides[i], err)) /* so that both results are about the same bytes */
            return sides[i]->content ? EXIT_CHANGED : EXIT_PARTIAL; /* some of it, or none, was read */
    }
    if (compare->has_time && !compare->exact && !compare->papers && !is_split(a, b)) {
        error_set(err, "--time is an option of --exact, of --papers, and for files that were split");
        return EXIT_USAGE;
    }
    if (choose_params(compare, a, b, &params, err))
        return EXIT_USAGE;
    for (int i = 0; i < 2; i++) {
        enum feed_result result = sides[i]->is_record ? FEED_OK : compare_side_sign(sides[i], &params, err);

        if (result != FEED_OK)
            return result == FEED_CHANGED      ? EXIT_CHANGED
                   : result == FEED_UNREADABLE ? EXIT_PARTIAL
                                               : EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* ---- with a limit on time ---- */

static int is_late(void *arg)
{
    const struct timespec *deadline = arg;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static struct timespec deadline_in(uint64_t seconds)
{
    struct timespec deadline;

    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)seconds;
    return deadline;
}

/* The exact distance.  It is searched below a limit that grows by four times, so that similar files take
 * little time whatever their size. */
static int find_exact(const struct compare *compare, struct compare_side *a, struct compare_side *b,
                      struct report *report, struct error *err)
{
    struct timespec deadline = deadline_in(compare->seconds);
    uint64_t distance = DISTANCE_MORE, most = a->len > b->len ? a->len : b->len;
    int stopped = 0;

    for (uint64_t limit = 1024; distance == DISTANCE_MORE && !stopped; limit *= 4) {
        stopped = distance_bounded(a->content, a->len, b->content, b->len, limit < most ? limit : most,
                                   is_late, &deadline, &distance, err);
        if (stopped < 0)
            return -1;
        if (distance == DISTANCE_MORE && !stopped)
            report->exact_more_than = limit;
    }
    report->has_exact = !stopped;
    report->exact = distance;
    report->exact_stopped = stopped;
    return 0;
}

/* ---- the papers' figures ---- */

/* The type of a side: by its content, if that is there, or else by the name in its record. */
static const char *type_of(const struct compare_side *side)
{
    uint8_t head[FACTORS_HEAD];
    const struct buffer *name = &side->sketch.name;
    ssize_t got;

    if (side->is_record || side->fd < 0) {
        char text[256];

        snprintf(text, sizeof text, "%.*s", (int)(name->len < 255 ? name->len : 255),
                 name->len ? name->data + (name->len < 255 ? 0 : name->len - 255) : "");
        return factors_type(text, side->is_record ? NULL : side->content, side->len);
    }
    got = pread(side->fd, head, sizeof head, 0);
    return factors_type(side->path, head, got > 0 ? (size_t)got : 0);
}

/* Sets the factors for the type that both have, or for pairs of any types. */
static int set_factors(const struct compare *compare, struct comparer *comparer, const struct compare_side *a,
                       const struct compare_side *b, struct report *report, struct error *err)
{
    const char *type = type_of(a);

    if (strcmp(type, type_of(b)) != 0)
        type = FACTORS_ALL;
    report->factors = factors_find(&compare->factors, &a->sketch.record.params, type);
    if (!report->factors)
        return error_set(err, "%s: has no factors of %s for %s", compare->factors_path,
                         sampler_scheme_name(a->sketch.record.params.scheme), type);
    compare_set_factors(comparer, report->factors->contents, report->factors->signatures);
    return 0;
}

static int find_papers(const struct compare *compare, struct comparer *comparer, const struct compare_side *a,
                       const struct compare_side *b, struct report *report, struct error *err)
{
    struct timespec deadline = deadline_in(compare->seconds);
    const int stopped = compare_signatures(comparer, &a->sketch.record, &b->sketch.record, is_late, &deadline,
                                           &report->papers, err);

    report->has_papers = stopped == 0;
    report->papers_stopped = stopped > 0;
    return stopped < 0 ? -1 : 0;
}

static int find_block(const struct compare *compare, struct comparer *comparer, const struct compare_side *a,
                      const struct compare_side *b, struct report *report, struct error *err)
{
    struct timespec deadline = deadline_in(compare->seconds);
    const int stopped = compare_blocks_find(comparer, a, b, is_late, &deadline, &report->block, err);

    report->has_block = stopped == 0;
    report->block_stopped = stopped > 0;
    report->has_papers = report->has_block && report->block.is_found && compare->papers;
    report->papers = report->block.papers;
    return stopped < 0 ? -1 : 0;
}

static int find_more(const struct compare *compare, struct comparer *comparer, struct compare_side *a,
                     struct compare_side *b, struct report *report, struct error *err)
{
    if (compare->factors_path && set_factors(compare, comparer, a, b, report, err))
        return -1;
    if (is_split(a, b) ? find_block(compare, comparer, a, b, report, err)
                       : compare->papers && find_papers(compare, comparer, a, b, report, err))
        return -1;
    return compare->exact ? find_exact(compare, a, b, report, err) : 0;
}

/* ---- the command ---- */

/* Sketches have figures, but only equal digests allow a verdict. */
static int compare_sketches(const struct compare_side *a, const struct compare_side *b, struct report *report,
                            struct error *err)
{
    struct sketcher *sketcher = sketch_new(&a->sketch.params, err);
    const int result =
        sketcher ? sketch_compare(sketcher, &a->sketch, &b->sketch, &report->likeness, err) : -1;

    report->has_likeness = true;
    report->comparison.verdict = compare_side_is_same(&a->sketch, &b->sketch) ? COMPARE_IDENTICAL
                                 : report->likeness.too_small                 ? COMPARE_TOO_SMALL
                                                                              : COMPARE_UNDECIDED;
    sketch_free(sketcher);
    return result;
}

/* Signatures have no verdict, and that of a block would be none about the file. */
static int compare_split(const struct compare_side *a, const struct compare_side *b, struct report *report,
                         struct error *err)
{
    const struct sketch *document = a->block_count ? &b->sketch : &a->sketch;

    if (a->block_count && b->block_count)
        return error_set(err, "%s and %s: both hold blocks; one of them must be whole", a->path, b->path);
    report->a_blocks = a->block_count;
    report->b_blocks = b->block_count;
    report->comparison.c = document->params.rate;
    report->comparison.verdict =
        document->len < document->params.window ? COMPARE_TOO_SMALL : COMPARE_UNDECIDED;
    return 0;
}

/* Nobody should take equal SHA-1s in the output for a proof. */
static void warn_of_collision(const struct compare_side *a, const struct compare_side *b)
{
    const struct digest_values *x = &a->sketch.digests, *y = &b->sketch.digests;
    const unsigned differing = digest_differing(x, y);

    if (!is_split(a, b) && differing && !(differing & DIGEST_BIT(DIGEST_SHA1)))
        complain(
            "%s and %s: SHA-1 is equal, but %s differs: a collision was constructed, or a record altered",
            a->path, b->path,
            digest_name(differing & DIGEST_BIT(DIGEST_SHA256) ? DIGEST_SHA256 : DIGEST_MD5));
}

/* Work space of comparisons, which holds the ranges of the latest one. */
struct tools {
    struct comparer *comparer;
    struct pairing *pairing;
};

/* As a scan would judge A if B were its only reference. */
static int compare_records(const struct tools *tools, struct compare_side *a, struct compare_side *b,
                           struct report *report, struct error *err)
{
    const struct record *x = &a->sketch.record, *y = &b->sketch.record;
    struct comparison *comparison = &report->comparison;

    if (compare_run(tools->comparer, x, y, comparison, err))
        return -1;
    report->has_e = x->params.scheme == SAMPLER_GF8;
    return pairing_judge(tools->pairing, x, y, compare_side_bytes(a), comparison, &report->ln_e, err);
}

static int compare_loaded(const struct compare *compare, const struct tools *tools, struct compare_side *a,
                          struct compare_side *b, struct report *report, struct error *err)
{
    const bool has_sketch = ((sketch_uses(a->sketch.params.scheme) | sketch_uses(b->sketch.params.scheme)) &
                             SKETCH_USE_TOKENS) != 0;

    warn_of_collision(a, b);
    if (has_sketch       ? compare_sketches(a, b, report, err)
        : is_split(a, b) ? compare_split(a, b, report, err)
                         : compare_records(tools, a, b, report, err))
        return -1;
    return find_more(compare, tools->comparer, a, b, report, err);
}

static int show(const struct compare *compare, const struct report *report, struct error *err)
{
    const int form = compare->format.format ? compare->format.format->number : FORMAT_TEXT;

    if (form == FORMAT_HTML && (report->has_likeness || report->a_blocks || report->b_blocks))
        return error_set(err, "%s have no ranges, which --format html draws",
                         report->has_likeness ? "sketches" : "signatures of blocks");
    if (form == FORMAT_HTML)
        return compare_html(report, err);
    if (form == FORMAT_JSON)
        report_json(report);
    else
        report_words(report);
    return 0;
}

static int compare_sides(const struct compare *compare, struct compare_side *a, struct compare_side *b,
                         struct error *err)
{
    struct report report = {.a = &a->sketch, .b = &b->sketch, .seconds = compare->seconds};
    struct tools tools = {0};
    int status = load_sides(compare, a, b, err);

    if (status != EXIT_DONE)
        return status;
    report.a_record = a->is_record ? a->path : NULL;
    report.b_record = b->is_record ? b->path : NULL;
    if (!(tools.comparer = compare_new(err)) || !(tools.pairing = pairing_new(err)) ||
        compare_loaded(compare, &tools, a, b, &report, err) || show(compare, &report, err))
        status = EXIT_USAGE;
    compare_free(tools.comparer);
    pairing_free(tools.pairing);
    return status;
}

static int take_option(void *arg, const struct options *options, int option)
{
    static const struct options_flag flags[] = {
        {OPTION_EXACT, offsetof(struct compare, exact)},
        {OPTION_PAPERS, offsetof(struct compare, papers)},
        {OPTION_RAW, offsetof(struct compare, raw)},
    };
    struct compare *compare = arg;

    if (options_flag(flags, option, compare))
        return 0;
    if (option == OPTION_FACTORS) {
        compare->factors_path = options->value;
        return 0;
    }
    compare->has_time |= option == OPTION_TIME;
    if (option == OPTION_TIME)
        return options_number(options, 1, MAX_SECONDS, &compare->seconds);
    if (option == OPTION_FORMAT || option == OPTION_JSON)
        return formats_take(&compare->format, options);
    return sketch_flags_take(&compare->flags, options, option);
}

static int run(const struct command *command, int argc, char **argv)
{
    struct compare compare = {.seconds = USUAL_SECONDS};
    struct compare_side a = {.fd = -1}, b = {.fd = -1};
    struct error err;
    int operand = 0;
    int status = options_read(command, argc, argv, take_option, &compare, &operand);

    if (status != OPTIONS_GO)
        return status;
    if (sketch_flags_params(&compare.flags, command, &compare.params))
        return EXIT_USAGE;
    if (compare.factors_path && !compare.papers)
        return options_wrong(command, "--factors is an option of --papers");
    if (compare.factors_path && factors_read(&compare.factors, compare.factors_path, &err)) {
        complain_error(&err);
        return EXIT_USAGE;
    }
    if (compare.papers && compare.format.format && compare.format.format->number == FORMAT_HTML)
        return options_wrong(command, "--papers and --format html contradict each other");
    if (argc - operand != 2)
        return options_wrong(command, "two files or records are needed, not %d", argc - operand);
    if (strcmp(argv[operand], "-") == 0 && strcmp(argv[operand + 1], "-") == 0)
        return options_wrong(command, "only one of the two can be standard input");
    if (compare_side_open(&a, argv[operand], &err) || compare_side_open(&b, argv[operand + 1], &err))
        status = EXIT_PARTIAL;
    else
        status = compare_sides(&compare, &a, &b, &err);
    if (status != EXIT_DONE)
        complain_error(&err);
    compare_side_release(&a);
    compare_side_release(&b);
    return status;
}

const struct command command_compare = {"compare",
                                        "[options] A B",
                                        "report how two files, or two records, are related",
                                        compare_options,
                                        run,
                                        NULL,
                                        NULL};
