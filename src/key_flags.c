/* SPDX-License-Identifier: Apache-2.0 */
#include "key_flags.h"

#include <string.h>

#include "terminal.h"

int key_flags_take(struct key_flags *flags, const struct options *options)
{
    struct error err;

    if (flags->count == MATCHER_MOST_SETS) {
        options_wrong(options->command, "more than %d keys", MATCHER_MOST_SETS);
        return -1;
    }
    if (sampler_key_load(&flags->list[flags->count], options->value, &err)) {
        complain_error(&err);
        return -1;
    }
    flags->count++;
    return 0;
}

int key_flags_find(const struct key_flags *flags, const struct refset *set, const struct sampler_key **key,
                   struct error *err)
{
    const struct refset_info *info = refset_info(set);
    char id[SAMPLER_KEY_ID_ROOM];

    *key = NULL;
    if (!sampler_key_is_set(info->params.key))
        return 0;
    for (size_t i = 0; i < flags->count && !*key; i++)
        if (memcmp(flags->list[i].id, info->params.key, SAMPLER_KEY_ID_LEN) == 0)
            *key = &flags->list[i];
    if (*key || info->counts.records == 0)
        return 0;
    sampler_key_format(id, info->params.key);
    return error_set(err, "%s: is sampled with the secret key %s, %s", refset_path(set), id,
                     flags->count ? "and another key was given" : "which was not given (--key FILE)");
}

void key_flags_wipe(struct key_flags *flags)
{
    explicit_bzero(flags, sizeof *flags);
}
