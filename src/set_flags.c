/* SPDX-License-Identifier: Apache-2.0 */
#include "set_flags.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "file_kind.h"
#include "sample/blocks.h"
#include "sample/gf8.h"
#include "sample/sampler.h"
#include "terminal.h"

const char set_flags_tool[] = "kith " PACKAGE_VERSION;

static const long long LAST_SECOND = 253402300799; /* of the year 9999 */

int64_t set_flags_now(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end;
    long long given;

    if (!epoch || !*epoch)
        return (int64_t)time(NULL);
    given = strtoll(epoch, &end, 10);
    return *end || given < 0 || given > LAST_SECOND ? (int64_t)time(NULL) : (int64_t)given;
}

/* What a set's name lacks to be that of its file. */
static const char *suffix_of(const char *name)
{
    const size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".kith") == 0 ? "" : ".kith";
}

static char *in_folder(const char *folder, const char *name)
{
    char *path = NULL;

    if (!folder || asprintf(&path, "%s/%s%s", folder, name, suffix_of(name)) < 0)
        return NULL;
    if (access(path, F_OK) == 0)
        return path;
    free(path);
    return NULL;
}

static void show_not_found(const char *name)
{
    const char *folder = getenv("KITH_SETS"), *suffix = suffix_of(name);

    if (strchr(name, '/'))
        complain("%s: no such reference set", name);
    else if (folder && *folder)
        complain("%s: no such reference set: neither a file of that name, nor %s%s in %s (KITH_SETS) or %s",
                 name, name, suffix, folder, HASHSETS_DIR);
    else
        complain("%s: no such reference set: neither a file of that name, nor %s%s in %s", name, name, suffix,
                 HASHSETS_DIR);
}

char *set_flags_find(const char *name)
{
    const bool is_path = access(name, F_OK) == 0 || errno != ENOENT;
    char *path = NULL;

    if (!is_path && !strchr(name, '/') && !(path = in_folder(getenv("KITH_SETS"), name)))
        path = in_folder(HASHSETS_DIR, name);
    if (!is_path && !path) {
        show_not_found(name);
        return NULL;
    }
    if (!path && !(path = strdup(name))) {
        complain("out of memory");
        return NULL;
    }
    if (file_kind_check_set(path) == 0)
        return path;
    free(path);
    return NULL;
}

struct set_flags set_flags_none(void)
{
    return (struct set_flags){.kind = -1};
}

static int take_text(const struct options *options, const char **out)
{
    if (strlen(options->value) > REFSET_NAME_LEN) {
        options_wrong(options->command, "%s: '%.20s...' is longer than %d bytes", options->typed,
                      options->value, REFSET_NAME_LEN);
        return -1;
    }
    *out = options->value;
    return 0;
}

static int take_power(const struct options *options, uint64_t least, uint32_t most, uint32_t *out)
{
    if (options_number32(options, least, most, out))
        return -1;
    if ((*out & (*out - 1)) == 0)
        return 0;
    options_wrong(options->command, "%s takes a power of two from %" PRIu64 " to %" PRIu32 ", not '%s'",
                  options->typed, least, most, options->value);
    return -1;
}

int set_flags_take(struct set_flags *flags, const struct options *options, int option)
{
    switch (option) {
    case SET_NAME:
        return take_text(options, &flags->name);
    case SET_CATEGORY:
        return take_text(options, &flags->category);
    case SET_WINDOW:
        return options_number32(options, GF8_MIN_N, GF8_MAX_N, &flags->n);
    case SET_RATE:
        return take_power(options, SAMPLER_MIN_C, SAMPLER_MAX_C, &flags->c);
    case SET_BLOCK:
        return take_power(options, BLOCKS_LEAST, BLOCKS_LARGEST, &flags->block);
    default:
        flags->kind = options_named(options, options->value, strlen(options->value));
        return flags->kind < 0 ? -1 : 0;
    }
}

void set_flags_apply(const struct set_flags *flags, struct refset_params *params)
{
    if (flags->name)
        memcpy(params->name, flags->name, strlen(flags->name) + 1);
    if (flags->category)
        memcpy(params->category, flags->category, strlen(flags->category) + 1);
    if (flags->kind >= 0)
        params->kind = (enum refset_kind)flags->kind;
    params->n = flags->n ? flags->n : params->n;
    params->c = flags->c ? flags->c : params->c;
    params->block = flags->block ? flags->block : params->block;
    if (flags->key)
        memcpy(params->key, flags->key->id, sizeof params->key);
}

/* Whether the options agree with an existing set; shows the first that does not. */
static bool agrees(const struct set_flags *flags, const char *path, const struct refset_params *there)
{
    struct refset_params wanted = *there;

    set_flags_apply(flags, &wanted);
    if (strcmp(wanted.name, there->name) != 0)
        complain("%s: the set exists already, and its name is '%s'", path, there->name);
    else if (strcmp(wanted.category, there->category) != 0)
        complain("%s: the set exists already, and its category is '%s'", path, there->category);
    else if (wanted.kind != there->kind)
        complain("%s: the set exists already, and its kind is %s", path, refset_kind_name(there->kind));
    else if (wanted.n != there->n || wanted.c != there->c || wanted.block != there->block)
        complain("%s: the set exists already, with -n %u -C %u --block %u", path, there->n, there->c,
                 there->block);
    else if (memcmp(wanted.key, there->key, sizeof wanted.key) != 0)
        complain("%s: the set exists already, %s", path,
                 sampler_key_is_set(there->key) ? "with another key" : "without a key");
    else
        return true;
    return false;
}

struct refset *set_flags_open(const struct set_flags *flags, const char *path,
                              const struct refset_params *params)
{
    struct refset_params wanted = *params;
    struct refset *set;
    struct error err;

    if (access(path, F_OK) == 0) {
        if (file_kind_check_set(path))
            return NULL;
        set = refset_open(path, REFSET_WRITE, &err);
        if (set && !agrees(flags, path, &refset_info(set)->params)) {
            refset_close(set, NULL);
            return NULL;
        }
    } else {
        set_flags_apply(flags, &wanted);
        set = refset_create(path, &wanted, set_flags_tool, set_flags_now(), &err);
    }
    if (!set)
        complain_error(&err);
    return set;
}
