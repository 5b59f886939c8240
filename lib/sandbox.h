/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SANDBOX_H
#define KITH_SANDBOX_H

#include <stdint.h>

#include "error.h"

/*
 * A cage for a process that reads hostile bytes.  Entered in two steps, neither of which can be undone:
 *
 *  sandbox_limit, before anything of the evidence is touched: limits on memory, no core dump, no new
 * privileges, no write anywhere, reading only below the folders that are named (Landlock).
 *
 *  sandbox_close, once all files are open: no file can be opened any more (Landlock), and only the system
 * calls that reading, memory and the socket to the parent need are left (seccomp); any other kills the
 * process (SIGSYS).
 *
 * A kernel that lacks a part is no error: what is missing is returned, so that it can be told.
 */
enum {
    SANDBOX_NO_LANDLOCK = 1,
    SANDBOX_NO_SECCOMP = 2,
};

/* Built with a sanitizer: its runtime needs more address space, a few more system calls, and stderr for its
 * reports. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                                   \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SANDBOX_SANITIZED 1
#endif
#endif

/* folders: ends with NULL; those that cannot be opened are ignored.  bytes: of address space, 0: no limit. */
int sandbox_limit(const char *const *folders, uint64_t bytes, unsigned *missing, struct error *err);
int sandbox_close(unsigned *missing, struct error *err);

#endif
