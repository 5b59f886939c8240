/* SPDX-License-Identifier: Apache-2.0 */
#include "case_open.h"

#include "terminal.h"

/* Comes before whatever is made of the case. */
static void warn_of_fault(void *arg, const char *text)
{
    bool *warned = arg;

    if (!*warned)
        complain("WARNING: the case does not verify; its contents may have been changed since the scan");
    *warned = true;
    complain("%s", text);
}

struct casefile *case_open(const char *path, bool *faulty, struct error *err)
{
    struct casefile *casefile = casefile_open_report(path, err);

    *faulty = false;
    if (!casefile || casefile_check(casefile, warn_of_fault, faulty, err) >= 0)
        return casefile;
    casefile_close(casefile, NULL);
    return NULL;
}
