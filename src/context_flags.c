/* SPDX-License-Identifier: Apache-2.0 */
#include "context_flags.h"

#include "set_flags.h"
#include "terminal.h"

int context_flags_take(struct context_flags *flags, const struct options *options, int option)
{
    struct error err;

    flags->values[option] = options->value;
    if (casefile_check_context((enum case_context_key)option, options->value, &err) == 0)
        return 0;
    options_wrong(options->command, "--%s: %s", options->spec->name, err.text);
    return -1;
}

bool context_flags_any(const struct context_flags *flags)
{
    for (int key = 0; key < CASE_CONTEXT_KEYS; key++)
        if (flags->values[key])
            return true;
    return false;
}

int context_flags_set(const struct context_flags *flags, struct casefile *casefile, struct error *err)
{
    for (int key = 0; key < CASE_CONTEXT_KEYS; key++)
        if (flags->values[key] && casefile_set_context(casefile, (enum case_context_key)key,
                                                       flags->values[key], set_flags_now(), err))
            return -1;
    return 0;
}
