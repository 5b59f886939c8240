/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <assert.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "terminal.h"

enum {
    MAX_OPTIONS = 64,
    HELP_CODE = 1000,
    FIRST_CODE, /* codes of the table's options: greater than every letter */
    TYPED_LEN = sizeof((struct options *)0)->typed,
};

/* Instead of an option's index. */
enum {
    NO_MORE = -1,
    WRONG = -2, /* an error was shown */
    HELP = -3,  /* help was shown */
};

/* ---- errors ---- */

int options_wrong(const struct command *command, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    complain("%s: %s (see: kith %s --help)", command->name, text, command->name);
    return EXIT_USAGE;
}

static bool begins(const char *name, const char *word, size_t len)
{
    return strncmp(name, word, len) == 0;
}

/* The options that a word without its dashes may be short for. */
static size_t list_candidates(const struct command *command, const char *word, size_t len, struct buffer *out)
{
    size_t count = 0;

    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (begins(spec->name, word, len))
            buffer_printf(out, "%s--%s", count++ ? ", " : "", spec->name);
    if (begins("help", word, len))
        buffer_printf(out, "%s--help", count++ ? ", " : "");
    buffer_add_char(out, '\0');
    return count;
}

static const char *nearest_option(const struct command *command, const char *word, size_t len)
{
    const char *nearest = NULL;
    int fewest = -1;

    for (const struct option_spec *spec = command->options; spec->name; spec++) {
        const int slips = values_slips(word, len, spec->name);

        if (slips >= 0 && (!nearest || slips < fewest)) {
            nearest = spec->name;
            fewest = slips;
        }
    }
    return nearest;
}

/* given: as the user wrote it; word: the same without dashes and without a value. */
static void show_unknown(const struct command *command, const char *given, const char *word, size_t len)
{
    const char *nearest = nearest_option(command, word, len);
    const int shown = (int)(word + len - given);

    if (nearest)
        options_wrong(command, "unknown option '%.*s', did you mean --%s?", shown, given, nearest);
    else
        options_wrong(command, "unknown option '%.*s'", shown, given);
}

static void show_unknown_or_ambiguous(const struct command *command, const char *given)
{
    const char *word = given + 2;
    const size_t len = strcspn(word, "=");
    struct buffer candidates = {0};

    if (list_candidates(command, word, len, &candidates) > 1 && !candidates.failed)
        options_wrong(command, "option '--%.*s' is ambiguous: %s", (int)len, word, candidates.data);
    else
        show_unknown(command, given, word, len);
    buffer_release(&candidates);
}

static int find_letter(const struct command *command, int letter)
{
    for (int i = 0; command->options[i].name; i++)
        if (command->options[i].letter == letter)
            return i;
    return WRONG;
}

static void show_unknown_letter(const struct command *command, int letter, const char *given)
{
    const size_t len = strlen(given);
    const int flag = given[0] == '-' && letter == '=' ? find_letter(command, given[1]) : WRONG;
    const char letters[] = {'-', (char)letter, '\0'};

    /* "-deep" for "--deep" */
    if (given[0] == '-' && given[1] == letter && len > 3 && nearest_option(command, given + 1, len - 1))
        show_unknown(command, given, given + 1, len - 1);
    else if (flag >= 0 && given[2] == '=')
        options_wrong(command, "option -%c takes no value", given[1]);
    else if (letter == '/') /* as in "-/zip/a.txt", which kith ls shows */
        options_wrong(command, "unknown option '-/': write -- before an address that begins with a dash");
    else
        options_wrong(command, "unknown option '%s'", letters);
}

/* ---- getopt ---- */

/* getopt's two tables. */
static void make_tables(const struct command *command, struct option longs[MAX_OPTIONS + 2],
                        char letters[2 * MAX_OPTIONS + 4])
{
    int count = 0;

    *letters++ = ':'; /* makes getopt distinguish a missing value from an unknown option */
    for (const struct option_spec *spec = command->options; spec->name; spec++, count++) {
        assert(count < MAX_OPTIONS);
        longs[count] = (struct option){spec->name, spec->argument ? required_argument : no_argument, NULL,
                                       FIRST_CODE + count};
        if (spec->letter)
            *letters++ = (char)spec->letter;
        if (spec->letter && spec->argument)
            *letters++ = ':';
    }
    *letters++ = 'h';
    *letters = '\0';
    longs[count] = (struct option){"help", no_argument, NULL, HELP_CODE};
    longs[count + 1] = (struct option){0};
}

/* The name that the option of getopt's code was given with. */
static const char *typed_name(const struct command *command, int code, char out[TYPED_LEN])
{
    if (code >= FIRST_CODE)
        snprintf(out, TYPED_LEN, "--%s", command->options[code - FIRST_CODE].name);
    else
        snprintf(out, TYPED_LEN, "-%c", code);
    return out;
}

static int show_no_value(const struct command *command, const struct option_spec *spec, const char *typed)
{
    return options_wrong(command, "option %s needs a value (%s)", typed, spec->argument);
}

/* Shows why getopt returned code, '?' or ':', with optopt; given: the argument that it looked at. */
static void show_wrong(const struct command *command, int code, const char *given)
{
    const int index = optopt >= FIRST_CODE ? optopt - FIRST_CODE : find_letter(command, optopt);

    char typed[TYPED_LEN];

    if (code == ':')
        show_no_value(command, &command->options[index], typed_name(command, optopt, typed));
    else if (optopt >= HELP_CODE)
        options_wrong(command, "option --%s takes no value",
                      optopt == HELP_CODE ? "help" : command->options[index].name);
    else if (optopt)
        show_unknown_letter(command, optopt, given);
    else
        show_unknown_or_ambiguous(command, given);
}

/* The next option's index in the command's table, or one of the above. */
static int next(struct options *options, int *operand)
{
    struct option longs[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 4];
    int before = optind ? optind : 1, code;

    make_tables(options->command, longs, letters);
    code = getopt_long(options->argc, options->argv, letters, longs, NULL);
    options->value = optarg;
    if (code == -1) {
        *operand = optind;
        return NO_MORE;
    }
    if (code == HELP_CODE || code == 'h') {
        command_show_help(options->command);
        return HELP;
    }
    if (code == '?' || code == ':') {
        show_wrong(options->command, code, options->argv[optind > before ? optind - 1 : before]);
        return WRONG;
    }
    typed_name(options->command, code, options->typed);
    return code >= FIRST_CODE ? code - FIRST_CODE : find_letter(options->command, code);
}

/* Whether the word is an option of the command, in full. */
static bool is_option(const struct command *command, const char *word)
{
    if (word[0] != '-' || !word[1])
        return false;
    if (word[1] != '-')
        return !word[2] && find_letter(command, word[1]) >= 0;
    for (const struct option_spec *spec = command->options; spec->name; spec++)
        if (strcmp(spec->name, word + 2) == 0)
            return true;
    return false;
}

/* An option in place of the value is one that was left out; "--note=-r" says that it is meant. */
static bool lacks_value(const struct options *options)
{
    const struct option_spec *spec = options->spec;

    if (!options->value)
        return false;
    return (spec->values && !options->value[0]) ||
           (options->value == options->argv[optind - 1] && is_option(options->command, options->value));
}

/* Whether a second value would replace the first.  Options that may be repeated say so in their help; formats
 * that go together are known elsewhere (see formats_take). */
static bool takes_one_value(const struct option_spec *spec)
{
    return strcmp(spec->name, "format") != 0 && !strstr(spec->help, "may be repeated");
}

static int check_value(const struct options *options, const char **earlier)
{
    if (lacks_value(options)) {
        show_no_value(options->command, options->spec, options->typed);
        return -1;
    }
    if (*earlier && strcmp(*earlier, options->value) != 0 && takes_one_value(options->spec)) {
        options_wrong(options->command, "option %s is given twice, with '%s' and '%s'", options->typed,
                      *earlier, options->value);
        return -1;
    }
    *earlier = options->value;
    return 0;
}

int options_read(const struct command *command, int argc, char **argv,
                 int (*take)(void *arg, const struct options *options, int option), void *arg, int *operand)
{
    struct options options = {.command = command, .argc = argc, .argv = argv};
    const char *values[MAX_OPTIONS] = {0};
    int option;

    optind = 0; /* glibc: start over */
    opterr = 0;
    while ((option = next(&options, operand)) >= 0) {
        options.spec = &command->options[option];
        if (check_value(&options, &values[option]) || take(arg, &options, option))
            return EXIT_USAGE;
    }
    return option == NO_MORE ? OPTIONS_GO : option == HELP ? EXIT_DONE : EXIT_USAGE;
}

/* ---- values ---- */

bool options_flag_in(const struct options_flag *flags, size_t count, int option, void *arg)
{
    for (size_t i = 0; i < count; i++)
        if (flags[i].option == option) {
            *(bool *)((char *)arg + flags[i].offset) = true;
            return true;
        }
    return false;
}

static int check_folder(const char *path)
{
    char *folder = path_folder(path);
    struct error err;
    int result = 0;

    if (folder && access(folder, W_OK)) {
        error_errno(&err, "%s: cannot be created in %s", path, folder);
        complain_error(&err);
        result = -1;
    }
    free(folder);
    return result;
}

int options_check_new(const struct command *command, const char *path)
{
    const bool is_number = path[0] && path[strspn(path, "0123456789")] == '\0';
    const int o = find_letter(command, 'o');
    const bool has_offset = o >= 0 && strcmp(command->options[o].name, "offset") == 0;

    if (access(path, F_OK) == 0)
        return 0;
    if (!is_number && path[0] != '-')
        return check_folder(path);
    options_wrong(command, "'%s' looks like %s; to create a file of that name, write ./%s", path,
                  !is_number   ? "an option"
                  : has_offset ? "a sector offset"
                               : "a number",
                  path);
    return -1;
}

static int find_named(const struct command *command, const struct values *values, const char *text,
                      size_t len)
{
    const int found = values_find(values, text, len);
    struct buffer why = {0};

    if (found >= 0)
        return found;
    values_explain(values, text, len, &why);
    options_wrong(command, "%s", why.failed ? "out of memory" : why.data);
    buffer_release(&why);
    return -1;
}

int options_share(const struct options *options, double *out)
{
    char *end;
    double share = strtod(options->value, &end);

    if (strcmp(end, "%") == 0) {
        share /= 100;
        end++;
    }
    if (*end || end == options->value || !(share >= 0 && share <= 1)) {
        options_wrong(options->command, "%s takes a number from 0 to 1, not '%s'", options->typed,
                      options->value);
        return -1;
    }
    *out = share;
    return 0;
}

int options_named(const struct options *options, const char *text, size_t len)
{
    return find_named(options->command, options->spec->values, text, len);
}

int options_list(const struct options *options, unsigned *bits)
{
    *bits = 0;
    for (const char *at = options->value;; at++) {
        const size_t len = strcspn(at, ",");
        const int found = options_named(options, at, len);

        if (found < 0)
            return -1;
        *bits |= 1u << found;
        at += len;
        if (!*at)
            return 0;
    }
}

int options_named_operand(const struct command *command, const struct values *values, const char *text)
{
    return find_named(command, values, text, strlen(text));
}

/* Reads the digits at the start and returns where they end; or the start, if there are none or their number
 * needs more than 64 bits. */
static const char *read_digits(const char *text, uint64_t *out)
{
    const char *at = text;

    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *at - '0', out))
            return text;
    return at;
}

int options_number(const struct options *options, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t value;
    const char *end = read_digits(options->value, &value);

    if (end == options->value || *end || value < least || value > most) {
        options_wrong(options->command, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                      options->typed, least, most, options->value);
        return -1;
    }
    *out = value;
    return 0;
}

int options_number32(const struct options *options, uint64_t least, uint32_t most, uint32_t *out)
{
    uint64_t number = 0;

    if (options_number(options, least, most, &number))
        return -1;
    *out = (uint32_t)number;
    return 0;
}

int options_size(const struct options *options, uint64_t least, uint64_t most, uint64_t *out)
{
    static const char units[] = "kMGT";
    uint64_t value;
    const char *end = read_digits(options->value, &value), *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (end == options->value || *(end + (unit != NULL)) || value > most >> shift || value << shift < least) {
        options_wrong(options->command,
                      "%s takes a size from %" PRIu64 " to %" PRIu64
                      " bytes, optionally with the unit k, M, G or T, not '%s'",
                      options->typed, least, most, options->value);
        return -1;
    }
    *out = value << shift;
    return 0;
}
