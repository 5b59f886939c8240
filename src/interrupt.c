/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static atomic_bool wanted;

static void note(int signal)
{
    (void)signal;
    atomic_store(&wanted, true);
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        struct sigaction before;

        /* a signal that is ignored, as under nohup, stays ignored */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void interrupt_request(void)
{
    atomic_store(&wanted, true);
}

const atomic_bool *interrupt_flag(void)
{
    return &wanted;
}
