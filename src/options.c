/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

enum {
    MAX_OPTIONS = 32,
    HELP_CODE = 1000,
    FIRST_CODE, /* codes of the list's options: beyond all letters */
};

/* Instead of an option's number. */
enum {
    NO_MORE = -1,
    WRONG = -2, /* was shown */
    HELP = -3,  /* was shown */
};

/* getopt's two tables; returns the number of options in the list. */
static int make_tables(const struct command *command, struct option longs[MAX_OPTIONS + 2],
                       char letters[2 * MAX_OPTIONS + 4])
{
    int count = 0;

    *letters++ = ':'; /* tells a missing value from an unknown option */
    for (const struct option_spec *spec = command->options; spec->name; spec++, count++) {
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
    return count;
}

static int find_letter(const struct command *command, int letter)
{
    for (int i = 0; command->options[i].name; i++)
        if (command->options[i].letter == letter)
            return i;
    return WRONG;
}

/* The next option's number in the command's list, or one of the above. */
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
        const char *word = options->argv[optind > before ? optind - 1 : before];

        if (optopt > 0 && optopt < HELP_CODE && code == '?')
            options_wrong(options->command, "there is no option '-%c'", optopt);
        else
            options_wrong(options->command,
                          code == ':' ? "option '%s' takes a value"
                                      : "there is no option '%s', or it takes no value",
                          word);
        return WRONG;
    }
    return code >= FIRST_CODE ? code - FIRST_CODE : find_letter(options->command, code);
}

int options_read(const struct command *command, int argc, char **argv,
                 int (*take)(void *arg, const struct options *options, int option), void *arg, int *operand)
{
    struct options options = {.command = command, .argc = argc, .argv = argv};
    int option;

    optind = 0; /* glibc: begin anew */
    opterr = 0;
    while ((option = next(&options, operand)) >= 0) {
        options.spec = &command->options[option];
        if (take(arg, &options, option))
            return EXIT_USAGE;
    }
    return option == NO_MORE ? OPTIONS_GO : option == HELP ? EXIT_DONE : EXIT_USAGE;
}

bool options_flag_in(const struct options_flag *flags, size_t count, int option, void *arg)
{
    for (size_t i = 0; i < count; i++)
        if (flags[i].option == option) {
            *(bool *)((char *)arg + flags[i].offset) = true;
            return true;
        }
    return false;
}

int options_choose(const struct options *options, int option, int *chosen, const char *names)
{
    if (*chosen >= 0 && *chosen != option) {
        options_wrong(options->command, "%s exclude each other", names);
        return -1;
    }
    *chosen = option;
    return 0;
}

int options_check_new(const struct command *command, const char *path)
{
    const bool is_number = path[0] && path[strspn(path, "0123456789")] == '\0';

    if ((!is_number && path[0] != '-') || access(path, F_OK) == 0)
        return 0;
    options_wrong(command, "'%s' looks like %s; to create a file of that name, write ./%s", path,
                  is_number ? "a sector offset" : "an option", path);
    return -1;
}

int options_wrong(const struct command *command, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    complain("%s: %s (see: kith %s --help)", command->name, text, command->name);
    return EXIT_USAGE;
}

/* The digits at the beginning, and where they end; a number beyond most is some number beyond it. */
static const char *read_digits(const char *text, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        if (value <= most)
            value = value > (UINT64_MAX - 9) / 10 ? UINT64_MAX : value * 10 + (uint64_t)(*text - '0');
    *out = value;
    return text;
}

int options_number(const struct options *options, uint64_t least, uint64_t most, uint64_t *out)
{
    uint64_t value;
    const char *end = read_digits(options->value, most, &value);

    if (end == options->value || *end || value < least || value > most) {
        options_wrong(options->command, "--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'",
                      options->spec->name, least, most, options->value);
        return -1;
    }
    *out = value;
    return 0;
}

int options_size(const struct options *options, uint64_t least, uint64_t most, uint64_t *out)
{
    static const char units[] = "kMGT";
    uint64_t value;
    const char *end = read_digits(options->value, most, &value), *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (end == options->value || *(end + (unit != NULL)) || value > most >> shift || value << shift < least) {
        options_wrong(options->command,
                      "--%s takes a size from %" PRIu64 " to %" PRIu64
                      " bytes, optionally with the unit k, M, G or T, not '%s'",
                      options->spec->name, least, most, options->value);
        return -1;
    }
    *out = value << shift;
    return 0;
}

int sampling_take(struct sampling *sampling, const struct options *options, int option)
{
    uint64_t number = 0;

    if (option == OPTION_SCHEME) {
        sampling->scheme = sampler_scheme_find(options->value);
        if (sampling->scheme >= 0)
            return 0;
        options_wrong(options->command, "there is no scheme '%s'", options->value);
        return -1;
    }
    if (options_number(options, 0, UINT32_MAX, &number))
        return -1;
    switch (option) {
    case OPTION_N:
        sampling->n = (uint32_t)number;
        sampling->has_n = 1;
        break;
    case OPTION_C:
        sampling->c = (uint32_t)number;
        sampling->has_c = 1;
        break;
    default:
        sampling->k = (uint32_t)number;
        sampling->has_k = 1;
        break;
    }
    return 0;
}

int sampling_params(const struct sampling *sampling, const struct command *command,
                    struct sampler_params *params)
{
    struct error err;

    *params = sampler_defaults((enum sampler_scheme)sampling->scheme);
    if (sampling->has_n)
        params->n = sampling->n;
    if (sampling->has_c)
        params->c = sampling->c;
    if (sampling->has_k)
        params->k = sampling->k;
    if (sampling->has_c && sampling->c == SAMPLER_AUTO) {
        options_wrong(command, "C must not be 0");
        return -1;
    }
    if (sampler_check(params, &err)) {
        options_wrong(command, "%s", err.text);
        return -1;
    }
    return 0;
}
