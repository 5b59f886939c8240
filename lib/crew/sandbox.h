/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SANDBOX_H
#define KITH_SANDBOX_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/*
 * A cage for a process that reads hostile bytes.  Entered in two steps, neither of which can be undone:
 *
 *  sandbox_limit, before anything of the evidence is touched: limits on memory, no core dump, no new
 * privileges, no write anywhere, reading only below the folders that are named (Landlock); calls other than
 * those that open and read files fail with ENOSYS: no process is made or signalled, no socket, no code
 * (seccomp).
 *
 *  sandbox_close, once all files are open: no file can be opened (Landlock), and only the system calls that
 * reading, memory and the socket to the parent need are left, none of which takes a path (seccomp); any other
 * kills the process (SIGSYS).
 *
 * Any version of Landlock is enough: what older ones do not govern (truncation, devices, TCP, signals, and in
 * all of them the attributes of a file by its path) takes a system call that the filters refuse.  Of seccomp,
 * what Linux 4.14 has is needed.  Whoever lacks one of the two has no sandbox: that is returned in missing,
 * and the other one is entered all the same.
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

/* What this system lacks, as a child process finds by entering both steps; -1 if that fails otherwise. */
int sandbox_probe(unsigned *missing, struct error *err);

/* What is missing, in words: "Landlock, which ..." */
const char *sandbox_lack(unsigned missing);

/* fstat, which stays possible: without the detour that a process in a sandbox pays for glibc's. */
int sandbox_fstat(int fd, struct stat *status);

#endif
