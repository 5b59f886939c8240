/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Landlock ---- */

/* As the kernel has it since ABI 6; <linux/landlock.h> may be older.  Older kernels take it if what they lack
 * is 0. */
struct ruleset {
    uint64_t files, network, scopes;
};

enum {
    FILES_TRUNCATE = 1 << 14,
    FILES_DEVICE_IOCTL = 1 << 15,
    NETWORK_TCP = 3, /* bind, connect */
    SCOPES = 3,      /* abstract sockets, signals */
};

/* All that this kernel can forbid; false if it cannot forbid anything. */
static bool ruleset_of_kernel(struct ruleset *all)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

    *all = (struct ruleset){.files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1}; /* ABI 1 */
    if (abi >= 2)
        all->files |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3)
        all->files |= FILES_TRUNCATE;
    if (abi >= 4)
        all->network = NETWORK_TCP;
    if (abi >= 5)
        all->files |= FILES_DEVICE_IOCTL;
    if (abi >= 6)
        all->scopes = SCOPES;
    return abi >= 1;
}

static int allow_reading(int ruleset, uint64_t known, const char *path, struct error *err)
{
    /* An image may be a device, which is asked for its size. */
    uint64_t rights =
        (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | FILES_DEVICE_IOCTL) & known;
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat status;
    int result = 0;

    if (rule.parent_fd < 0)
        return 0;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rights &= ~(uint64_t)LANDLOCK_ACCESS_FS_READ_DIR; /* the kernel refuses it for a file */
    rule.allowed_access = rights;
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0))
        result = error_errno(err, "cannot restrict files to %s", path);
    close(rule.parent_fd);
    return result;
}

static int restrict_files(const char *const *folders, unsigned *missing, struct error *err)
{
    struct ruleset all;
    int ruleset, result = -1;

    if (!ruleset_of_kernel(&all)) {
        *missing |= SANDBOX_NO_LANDLOCK;
        return 0;
    }
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (ruleset < 0)
        return error_errno(err, "cannot make a Landlock ruleset");
    for (; *folders; folders++)
        if (allow_reading(ruleset, all.files, *folders, err))
            goto out;
    if (syscall(SYS_landlock_restrict_self, ruleset, 0)) {
        error_errno(err, "cannot enter a Landlock ruleset");
        goto out;
    }
    result = 0;
out:
    close(ruleset);
    return result;
}

/* ---- limits ---- */

static int limit(int resource, rlim_t most, struct error *err)
{
    struct rlimit now;

    if (getrlimit((unsigned)resource, &now) == 0 && now.rlim_max < most)
        most = now.rlim_max; /* it is tighter already */
    if (setrlimit((unsigned)resource, &(struct rlimit){most, most}))
        return error_errno(err, "cannot set a limit");
    return 0;
}

static int limit_resources(uint64_t bytes, struct error *err)
{
    if (limit(RLIMIT_CORE, 0, err))
        return -1;
#ifdef SANDBOX_SANITIZED
    (void)bytes; /* its shadow is larger than any limit, and its report may go to a file */
#else
    if (bytes > 0 && limit(RLIMIT_AS, bytes, err))
        return -1;
    if (limit(RLIMIT_FSIZE, 0, err))
        return -1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) /* a core dump to a program is not subject to RLIMIT_CORE */
        return error_errno(err, "cannot forbid core dumps");
#endif
    return 0;
}

int sandbox_limit(const char *const *folders, uint64_t bytes, unsigned *missing, struct error *err)
{
    *missing = 0;
    if (limit_resources(bytes, err))
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return error_errno(err, "cannot give up privileges");
    return restrict_files(folders, missing, err);
}

/* ---- seccomp ---- */

/* Names that an architecture lacks are skipped by libseccomp; those of 32-bit ones are among them. */
static const int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(lseek),
    SCMP_SYS(_llseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(fstat64),
    SCMP_SYS(newfstatat), /* glibc's fstat */
    SCMP_SYS(fstatat64),
    SCMP_SYS(sendmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(recvfrom),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(ppoll_time64),
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(futex_time64),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall), /* after a stop and SIGCONT */
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_gettime64),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrusage),
    SCMP_SYS(sysinfo), /* glibc's qsort asks for the size of memory */
    SCMP_SYS(sched_yield),
    SCMP_SYS(getrandom),
#ifdef SANDBOX_SANITIZED
    SCMP_SYS(write),
    SCMP_SYS(readlink),
    SCMP_SYS(prctl),
    SCMP_SYS(getrlimit),
    SCMP_SYS(prlimit64),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(pipe), /* to see whether memory can be read */
    SCMP_SYS(pipe2),
#endif
};

/* A name that the architecture lacks is no error. */
static int rule_result(int result)
{
    return result == -EDOM ? 0 : result;
}

/*
 * Those that are allowed for some arguments only: no code is made, no other process gets a signal; of what
 * fcntl does, only the locks with which SQLite guards what it reads.
 */
static int allow_in_part(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)};
    static const int control[] = {SCMP_SYS(fcntl), SCMP_SYS(fcntl64)};
    static const int locks[] = {F_GETLK, F_SETLK};
    int result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                                              SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)));

    for (size_t i = 0; i < sizeof mapping / sizeof *mapping && result == 0; i++)
        result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                              SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)));
    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        for (size_t k = 0; k < sizeof locks / sizeof *locks && result == 0; k++)
            result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, control[i], 1,
                                                  SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)locks[k], 0)));
    return result;
}

static int restrict_calls(unsigned *missing, struct error *err)
{
    scmp_filter_ctx filter;
    int result = 0;

    if (seccomp_api_get() < 3) { /* the level of SCMP_ACT_KILL_PROCESS */
        *missing |= SANDBOX_NO_SECCOMP;
        return 0;
    }
    filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (!filter)
        return error_set(err, "cannot make a seccomp filter");
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && result == 0; i++)
        result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0));
    if (result == 0)
        result = allow_in_part(filter);
    if (result == 0)
        result = seccomp_load(filter);
    seccomp_release(filter);
    if (result == 0)
        return 0;
    errno = -result;
    return error_errno(err, "cannot enter a seccomp filter");
}

int sandbox_close(unsigned *missing, struct error *err)
{
    static const char *const nothing[] = {NULL};

    *missing = 0;
    if (restrict_files(nothing, missing, err))
        return -1;
    return restrict_calls(missing, err);
}
