/* SPDX-License-Identifier: Apache-2.0 */
#include "crew/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- Landlock ---- */

/* The kernel's struct since ABI 6; <linux/landlock.h> may be older.  Older kernels accept it if the fields
 * they do not know are 0. */
struct ruleset {
    uint64_t files, network, scopes;
};

enum {
    FILES_TRUNCATE = 1 << 14,
    FILES_DEVICE_IOCTL = 1 << 15,
    NETWORK_TCP = 3, /* bind, connect */
    SCOPES = 3,      /* abstract sockets, signals */
};

/* Everything that this kernel can restrict; returns false if it has no Landlock. */
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
    /* An image may be a device, whose size is queried by ioctl. */
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
        result = error_errno(err, "cannot add a Landlock rule for %s", path);
    close(rule.parent_fd);
    return result;
}

static int restrict_files(const char *const *folders, unsigned *missing, struct error *err)
{
    struct ruleset all;
    int ruleset, result = 0;

    if (!ruleset_of_kernel(&all)) {
        *missing |= SANDBOX_NO_LANDLOCK;
        return 0;
    }
    ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (ruleset < 0) {
        *missing |= SANDBOX_NO_LANDLOCK;
        return 0;
    }
    for (; *folders && result == 0; folders++)
        result = allow_reading(ruleset, all.files, *folders, err);
    if (result == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0))
        *missing |= SANDBOX_NO_LANDLOCK;
    close(ruleset);
    return result;
}

/* ---- limits ---- */

static int limit(int resource, rlim_t most, struct error *err)
{
    struct rlimit now;

    if (getrlimit((unsigned)resource, &now) == 0 && now.rlim_max < most)
        most = now.rlim_max; /* already stricter */
    if (setrlimit((unsigned)resource, &(struct rlimit){most, most}))
        return error_errno(err, "cannot set a resource limit");
    return 0;
}

static int limit_resources(uint64_t bytes, struct error *err)
{
    if (limit(RLIMIT_CORE, 0, err))
        return -1;
#ifdef SANDBOX_SANITIZED
    (void)bytes; /* the shadow memory exceeds any limit, and reports may go to a file */
#else
    if (bytes > 0 && limit(RLIMIT_AS, bytes, err))
        return -1;
    if (limit(RLIMIT_FSIZE, 0, err))
        return -1;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)) /* RLIMIT_CORE does not apply if core_pattern is a pipe */
        return error_errno(err, "cannot disable core dumps");
#endif
    return 0;
}

/* ---- seccomp ---- */

/*
 * The calls that remain to the end.  None of them takes a path, creates a process, a socket or executable
 * memory, or acts on another process.  Some exist only on 32-bit architectures; those that an architecture
 * lacks are skipped.
 */
static const int always[] = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(preadv),
    SCMP_SYS(lseek),
    SCMP_SYS(_llseek),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(fstat64),
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
    SCMP_SYS(setitimer),       /* see limit_building */
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_gettime64),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrusage),
    SCMP_SYS(sysinfo), /* glibc's qsort queries the size of memory */
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
    SCMP_SYS(pipe), /* to test whether memory is readable */
    SCMP_SYS(pipe2),
#endif
};

/* Further calls for opening images, reference sets and libcrypto, and for entering the second step. */
static const int at_first[] = {
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(stat64),
    SCMP_SYS(lstat64),
    SCMP_SYS(newfstatat),
    SCMP_SYS(fstatat64),
    SCMP_SYS(statx),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getdents),
    SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    SCMP_SYS(dup),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(fadvise64),
    SCMP_SYS(flock), /* afflib */
    SCMP_SYS(getppid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getrlimit),
    SCMP_SYS(uname),
    SCMP_SYS(clock_getres),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(landlock_create_ruleset),
    SCMP_SYS(landlock_add_rule),
    SCMP_SYS(landlock_restrict_self),
    SCMP_SYS(seccomp),
    SCMP_SYS(prctl), /* used by libseccomp; affects only this process */
};

/* Ignores the error for a call that the architecture lacks. */
static int rule_result(int result)
{
    return result == -EDOM ? 0 : result;
}

static int allow_all(scmp_filter_ctx filter, const int *calls, size_t count)
{
    int result = 0;

    for (size_t i = 0; i < count && result == 0; i++)
        result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0));
    return result;
}

/* Allows a call if its second argument, the operation, is one of these. */
static int allow_operations(scmp_filter_ctx filter, int call, const unsigned *operations, size_t count)
{
    int result = 0;

    for (size_t i = 0; i < count && result == 0; i++)
        result = rule_result(
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, SCMP_A1(SCMP_CMP_EQ, operations[i], 0)));
    return result;
}

/* No executable memory, signals only to this process, writing only to standard error, which is /dev/null
 * (libraries complain there), and of fcntl the locks that SQLite takes for reading. */
static int allow_in_part(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)};
    static const int writing[] = {SCMP_SYS(write), SCMP_SYS(writev)};
    static const unsigned locks[] = {F_GETLK, F_SETLK};
    int result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                                              SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0)));

    for (size_t i = 0; i < sizeof mapping / sizeof *mapping && result == 0; i++)
        result = rule_result(seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                              SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)));
    for (size_t i = 0; i < sizeof writing / sizeof *writing && result == 0; i++)
        result = rule_result(
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, writing[i], 1, SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO, 0)));
#ifdef SANDBOX_SANITIZED
    if (result == 0) /* sanitizers test whether stderr is a terminal */
        result = allow_operations(filter, SCMP_SYS(ioctl), (const unsigned[]){TCGETS}, 1);
#endif
    if (result == 0)
        result = allow_operations(filter, SCMP_SYS(fcntl), locks, 2);
    if (result == 0)
        result = allow_operations(filter, SCMP_SYS(fcntl64), locks, 2);
    return result;
}

/* For opening files: operations on descriptors, and queries of devices. */
static int allow_opening(scmp_filter_ctx filter)
{
    static const unsigned controls[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL};
    static const unsigned questions[] = {TCGETS, BLKGETSIZE, BLKGETSIZE64, BLKSSZGET, BLKBSZGET, BLKPBSZGET};
    int result = allow_all(filter, at_first, sizeof at_first / sizeof *at_first);

    if (result == 0)
        result = allow_operations(filter, SCMP_SYS(fcntl), controls, sizeof controls / sizeof *controls);
    if (result == 0)
        result = allow_operations(filter, SCMP_SYS(fcntl64), controls, sizeof controls / sizeof *controls);
    if (result == 0)
        result = allow_operations(filter, SCMP_SYS(ioctl), questions, sizeof questions / sizeof *questions);
    if (result == 0) /* only of this process */
        result = rule_result(
            seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A0(SCMP_CMP_EQ, 0, 0)));
    return result;
}

/* In the first step other calls merely fail, since libraries probe for calls that they can do without; in the
 * second they kill. */
static int fill_filter(scmp_filter_ctx filter, bool last)
{
    int result = allow_all(filter, always, sizeof always / sizeof *always);

    if (result == 0)
        result = allow_in_part(filter);
    if (result == 0 && last)
        result = rule_result(seccomp_rule_add(filter, SCMP_ACT_TRAP, SCMP_SYS(newfstatat), 0));
    if (result == 0 && !last)
        result = allow_opening(filter);
    return result;
}

/* ---- fstat ---- */

/*
 * glibc may implement fstat as newfstatat with an empty path.  A filter cannot see whether a path is empty,
 * so that call is never let through: it is trapped, and the handler uses the call that takes no path.  An
 * attacker who replaces the handler gains nothing.
 */
#if defined(__x86_64__) && defined(__LP64__)
#define KERNEL_HAS_THE_SAME_STAT
static long argument(const ucontext_t *context, int number)
{
    static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};

    return (long)context->uc_mcontext.gregs[registers[number]];
}

static void set_result(ucontext_t *context, long result)
{
    context->uc_mcontext.gregs[REG_RAX] = result;
}
#elif defined(__aarch64__) && defined(__LP64__)
#define KERNEL_HAS_THE_SAME_STAT
static long argument(const ucontext_t *context, int number)
{
    return (long)context->uc_mcontext.regs[number];
}

static void set_result(ucontext_t *context, long result)
{
    context->uc_mcontext.regs[0] = (unsigned long long)result;
}
#endif

#ifdef KERNEL_HAS_THE_SAME_STAT
int sandbox_fstat(int fd, struct stat *status)
{
    return (int)syscall(SYS_fstat, fd, status);
}

static bool is_fstat(const siginfo_t *info, const ucontext_t *context)
{
    const char *path;

    if (info->si_syscall != SYS_newfstatat || !(argument(context, 3) & AT_EMPTY_PATH))
        return false;
    path = (const char *)argument(context, 1); // NOLINT(performance-no-int-to-ptr): it is in a register
    return !path || !*path;
}

static void trapped(int signal, siginfo_t *info, void *arg)
{
    const int saved = errno;
    ucontext_t *context = arg;

    if (is_fstat(info, context)) {
        const long failed = syscall(SYS_fstat, argument(context, 0), argument(context, 2));

        set_result(context, failed ? -errno : 0);
        errno = saved;
        return;
    }
    sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    syscall(SYS_tgkill, getpid(), gettid(), signal); /* delivered when this handler returns */
}

static void catch_traps(void)
{
    sigaction(SIGSYS, &(struct sigaction){.sa_sigaction = trapped, .sa_flags = SA_SIGINFO}, NULL);
}
#else
int sandbox_fstat(int fd, struct stat *status)
{
    return fstat(fd, status);
}

static void catch_traps(void)
{
}
#endif

/* ---- both steps ---- */

enum { BUILDING_SECONDS = 3 }; /* of CPU time; normally milliseconds */

/* If memory runs out while libseccomp 2.5 compiles the rules, it loops forever; SIGPROF ends that.  0 lifts
 * the limit. */
static void limit_building(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

static int restrict_calls(bool last, unsigned *missing, struct error *err)
{
    scmp_filter_ctx filter = NULL;
    int result;

    if (seccomp_api_get() >= 3) /* the level of SCMP_ACT_KILL_PROCESS */
        filter = seccomp_init(last ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_ERRNO(ENOSYS));
    if (!filter) {
        *missing |= SANDBOX_NO_SECCOMP;
        return 0;
    }
    limit_building(BUILDING_SECONDS);
    result = fill_filter(filter, last);
    if (result == 0 && seccomp_load(filter))
        *missing |= SANDBOX_NO_SECCOMP;
    limit_building(0);
    seccomp_release(filter);
    return result ? error_set(err, "cannot create a seccomp filter: %s", strerror(-result)) : 0;
}

int sandbox_limit(const char *const *folders, uint64_t bytes, unsigned *missing, struct error *err)
{
    *missing = 0;
    if (limit_resources(bytes, err))
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return error_errno(err, "cannot set no_new_privs");
    return restrict_files(folders, missing, err) || restrict_calls(false, missing, err) ? -1 : 0;
}

int sandbox_close(unsigned *missing, struct error *err)
{
    static const char *const nothing[] = {NULL};

    *missing = 0;
    if (restrict_files(nothing, missing, err))
        return -1;
    catch_traps();
    return restrict_calls(true, missing, err);
}

/* ---- probing ---- */

enum { PROBE_FAILED = 100 };

static _Noreturn void probe(void)
{
    static const char *const nothing[] = {NULL};
    unsigned missing, also_missing;

    if (sandbox_limit(nothing, 0, &missing, NULL) || sandbox_close(&also_missing, NULL))
        _exit(PROBE_FAILED);
    _exit((int)(missing | also_missing));
}

int sandbox_probe(unsigned *missing, struct error *err)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0)
        probe();
    if (child < 0)
        return error_errno(err, "cannot start a process");
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    *missing = (unsigned)WEXITSTATUS(status);
    if (!WIFEXITED(status) || *missing >= PROBE_FAILED)
        return error_set(err, "cannot enter the sandbox");
    return 0;
}

const char *sandbox_lack(unsigned missing)
{
    static const char *const lacks[] = {
        "",
        "Landlock, which restricts workers' access to files",
        "seccomp filters, which restrict workers' access to the network and other processes",
        "Landlock and seccomp filters, which confine workers",
    };

    return lacks[missing & (SANDBOX_NO_LANDLOCK | SANDBOX_NO_SECCOMP)];
}
