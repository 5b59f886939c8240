/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SMALL_CREW_H
#define KITH_SMALL_CREW_H

#include "check_main.h"
#include "crew/crew.h"

/* A crew of one worker without a tight time limit; the job holds everything else. */
static inline struct crew *small_crew(struct crew_job job)
{
    static const char *const no_folders[] = {NULL};
    struct error err = {""};
    struct crew *crew;

    job.folders = no_folders;
    job.memory = (uint64_t)1 << 30;
    job.seconds = 600;
    job.patience = 20;
    crew = crew_new(&job, 1, &err);
    ck_assert_msg(crew != NULL, "%s", err.text);
    return crew;
}

#endif
