/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Preloaded, it makes calls of a kind fail, in the program's first process or in those that it forks.
 *
 *   FAULT=KIND:WHO:AT:COUNT:ERRNO  KIND one of the names below; WHO parent or worker; the calls AT .. AT +
 * COUNT - 1 of a process fail (AT 0: none), with this errno, or 0: half of it is done FAULT_CALLS=FILE gets
 * the largest number of such calls that any process made
 */

struct shared {
    _Atomic int calls;
};

static struct {
    char kind[16];
    bool in_worker;
    int at, count, error;
    bool ready, forked;
    pid_t first;
    struct shared *shared;
    _Atomic int calls;
} fault;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static void in_child(void)
{
    fault.forked = true;
    atomic_store(&fault.calls, 0);
}

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("FAULT");
    char who[16];

    if (!text ||
        sscanf(text, "%15[^:]:%15[^:]:%d:%d:%d", fault.kind, who, &fault.at, &fault.count, &fault.error) != 5)
        return;
    fault.in_worker = strcmp(who, "worker") == 0;
    fault.shared =
        mmap(NULL, sizeof *fault.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fault.first = getpid();
    if (fault.shared == MAP_FAILED || pthread_atfork(NULL, NULL, in_child))
        abort();
    fault.ready = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAULT_CALLS");
    FILE *file;

    if (!fault.ready || !path || getpid() != fault.first)
        return;
    fault.ready = false;
    file = fopen(path, "w");
    if (!file || fprintf(file, "%d\n", atomic_load(&fault.shared->calls)) < 0 || fclose(file))
        abort();
}

/* Whether this call is to fail. */
static bool hit(const char *kind)
{
    int call, most;

    if (!fault.ready || fault.forked != fault.in_worker || strcmp(kind, fault.kind) != 0)
        return false;
    call = atomic_fetch_add(&fault.calls, 1) + 1;
    most = atomic_load(&fault.shared->calls);
    while (call > most && !atomic_compare_exchange_weak(&fault.shared->calls, &most, call))
        ;
    if (fault.at == 0 || call < fault.at || call - fault.at >= fault.count)
        return false;
    if (fault.error)
        errno = fault.error;
    return true;
}

void *malloc(size_t size)
{
    return hit("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return hit("malloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *data, size_t size)
{
    return hit("malloc") ? NULL : __libc_realloc(data, size);
}

/* clang-format off */
#define NEXT(name) __extension__({ static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); next; })
#define HALF(len) (fault.error == 0 && (len) > 1 ? (len) / 2 : 0)

/* A call on `len` bytes: it fails, or does half of them. */
#define CALL(kind, type, name, parameters, len, arguments, of_half) \
    type name parameters { \
        if (!hit(kind)) return NEXT(name) arguments; \
        if (HALF(len)) { const size_t half = HALF(len); return NEXT(name) of_half; } \
        if (fault.error == 0) return NEXT(name) arguments; \
        return -1; \
    }

CALL("read", ssize_t, read, (int fd, void *data, size_t len), len, (fd, data, len), (fd, data, half))
CALL("read", ssize_t, pread64, (int fd, void *data, size_t len, off64_t at), len, (fd, data, len, at), (fd, data, half, at))
CALL("read", ssize_t, pread, (int fd, void *data, size_t len, off_t at), len, (fd, data, len, at), (fd, data, half, at))
CALL("write", ssize_t, write, (int fd, const void *data, size_t len), len, (fd, data, len), (fd, data, half))
CALL("write", ssize_t, pwrite64, (int fd, const void *data, size_t len, off64_t at), len, (fd, data, len, at), (fd, data, half, at))
CALL("write", ssize_t, pwrite, (int fd, const void *data, size_t len, off_t at), len, (fd, data, len, at), (fd, data, half, at))
CALL("sync", int, fsync, (int fd), 0, (fd), (fd + 0 * (int)half))
CALL("sync", int, fdatasync, (int fd), 0, (fd), (fd + 0 * (int)half))
CALL("sync", int, ftruncate64, (int fd, off64_t len), 0, (fd, len), (fd, len + 0 * (off64_t)half))
CALL("send", ssize_t, send, (int fd, const void *data, size_t len, int flags), len, (fd, data, len, flags), (fd, data, half, flags))
CALL("send", ssize_t, recv, (int fd, void *data, size_t len, int flags), len, (fd, data, len, flags), (fd, data, half, flags & ~MSG_WAITALL))
CALL("send", ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), 0, (fd, message, flags), (fd, message, flags + 0 * (int)half))
CALL("open", int, socketpair, (int domain, int type, int protocol, int pair[2]), 0, (domain, type, protocol, pair), (domain + 0 * (int)half, type, protocol, pair))
/* clang-format on */

/* What a fortified program calls instead. */
ssize_t __read_chk(int fd, void *data, size_t len, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t len, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *data, size_t len, size_t room, int flags);

ssize_t __read_chk(int fd, void *data, size_t len, size_t room)
{
    if (len > room)
        abort();
    return read(fd, data, len);
}

ssize_t __pread64_chk(int fd, void *data, size_t len, off64_t at, size_t room)
{
    if (len > room)
        abort();
    return pread64(fd, data, len, at);
}

ssize_t __recv_chk(int fd, void *data, size_t len, size_t room, int flags)
{
    if (len > room)
        abort();
    return recv(fd, data, len, flags);
}
