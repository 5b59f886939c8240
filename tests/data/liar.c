/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into kith, it makes workers lie: in what they send, the number LIE_OLD (64 bits, as in messages)
 * becomes LIE_NEW.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef ssize_t send_function(int, const void *, size_t, int);

ssize_t send(int socket, const void *data, size_t len, int flags)
{
    static char copy[1 << 20];
    send_function *real = (send_function *)dlsym(RTLD_NEXT, "send");
    const char *old = getenv("LIE_OLD"), *new = getenv("LIE_NEW");
    uint64_t from, to;

    if (!old || !new || len > sizeof copy)
        return real(socket, data, len, flags);
    from = strtoull(old, NULL, 10);
    to = strtoull(new, NULL, 10);
    memcpy(copy, data, len);
    for (size_t i = 0; i + sizeof from <= len; i++)
        if (memcmp(copy + i, &from, sizeof from) == 0)
            memcpy(copy + i, &to, sizeof to);
    return real(socket, copy, len, flags);
}
