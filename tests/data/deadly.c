/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into kith, it kills the process that hashes content that begins with the text in DEADLY. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef int update_function(void *, const void *, size_t);

int EVP_DigestUpdate(void *context, const void *data, size_t len)
{
    static update_function *real;
    const char *deadly = getenv("DEADLY");

    if (!real)
        real = (update_function *)dlsym(RTLD_NEXT, "EVP_DigestUpdate");
    if (deadly && len >= strlen(deadly) && memcmp(data, deadly, strlen(deadly)) == 0)
        raise(SIGSEGV);
    return real(context, data, len);
}
