/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SANDBOX_H
#define KITH_SANDBOX_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

/*
 * A sandbox for a process that parses hostile bytes.  It is entered in two steps, neither of which can be
 * undone:
 *
 * sandbox_limit, before any evidence is touched: limited memory, no core dumps, no new privileges, no
 * writing, and reading only below the given folders (Landlock).  System calls other than those for opening
 * and reading files fail with ENOSYS, so no process can be created or signalled, no socket opened, and no
 * memory made executable (seccomp).
 *
 * sandbox_close, once all files are open: no file can be opened (Landlock).  Only the system calls for
 * reading, memory and the socket to the parent remain, none of which takes a path; any other kills the
 * process with SIGSYS (seccomp).
 *
 * Any version of Landlock suffices: whatever older ones do not control (truncation, devices, TCP, signals,
 * and in every version changing a file's attributes by path) needs a system call that the filters refuse. The
 * filters need Linux 4.14.  If the system lacks Landlock or seccomp, that is reported in `missing`, and the
 * other one is used nevertheless.
 */
enum {
    SANDBOX_NO_LANDLOCK = 1,
    SANDBOX_NO_SECCOMP = 2,
};

/* Defined in builds with a sanitizer, whose runtime needs more address space, a few more system calls, and
 * stderr for its reports. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANDBOX_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                                   \
    __has_feature(memory_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define SANDBOX_SANITIZED 1
#endif
#endif

/* folders: ends with NULL; those that cannot be opened are ignored.  bytes: limit on the address space, 0 for
 * none.  *missing receives a set of SANDBOX_NO_*.  Return -1 on any other error. */
int sandbox_limit(const char *const *folders, uint64_t bytes, unsigned *missing, struct error *err);
int sandbox_close(unsigned *missing, struct error *err);

/* Determines what this system lacks by having a child process enter both steps; -1 if that fails. */
int sandbox_probe(unsigned *missing, struct error *err);

/* Describes the missing parts, for messages: "Landlock, which ..." */
const char *sandbox_lack(unsigned missing);

/* fstat without the detour through a signal handler that glibc's takes in the sandbox. */
int sandbox_fstat(int fd, struct stat *status);

#endif
