/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "crew/sandbox.h"
#include "take_away.h"

enum { MEBIBYTE = 1 << 20, ROOM = 1024 * MEBIBYTE };

static char folder[] = "/tmp/kith-sandbox-XXXXXX";
static char inside[64];
static const char *folders[] = {folder, NULL};
static int descriptor; /* of the file inside */

/* In a child, whose exit status is the line that failed. */
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            _exit(1 + __LINE__ % 250);                                                                       \
    } while (0)

static void make_folder(void)
{
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(inside, sizeof inside, "%s/file", folder);
    descriptor = open(inside, O_RDWR | O_CREAT | O_EXCL, 0600);
    ck_assert_int_ge(descriptor, 0);
    ck_assert_int_eq(write(descriptor, "content", 7), 7);
}

static void remove_folder(void)
{
    close(descriptor);
    unlink(inside);
    rmdir(folder);
}

/* How a process that does this ends: the status from waitpid. */
static int end_of(void (*deed)(void))
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (child == 0) {
        deed();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static unsigned limited(void)
{
    unsigned missing = 77;

    EXPECT(sandbox_limit(folders, ROOM, &missing, NULL) == 0);
    return missing;
}

static unsigned closed(void)
{
    unsigned missing = limited(), again = 77;

    EXPECT(sandbox_close(&again, NULL) == 0);
    EXPECT((again & SANDBOX_NO_LANDLOCK) == missing);
    return again;
}

/* What this kernel lacks: the exit status of a process that asks. */
static void exit_with_missing(void)
{
    _exit((int)closed());
}

static bool lacks(unsigned what)
{
    int status = end_of(exit_with_missing);

    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) <= 3);
    return (WEXITSTATUS(status) & (int)what) != 0;
}

static bool can_open(const char *path, int flags)
{
    int fd = open(path, flags);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Checks that the whole action succeeds next to the file, unless the kernel lacks this. */
static void assert_done(unsigned without, void (*deed)(void))
{
    if (without && lacks(without))
        return;
    make_folder();
    ck_assert_int_eq(end_of(deed), 0);
    remove_folder();
}

/* ---- limited ---- */

static void read_here_and_there(void)
{
    limited();
    EXPECT(can_open(inside, O_RDONLY));
    EXPECT(can_open(folder, O_RDONLY | O_DIRECTORY));
    EXPECT(!can_open("/etc/passwd", O_RDONLY) && errno == EACCES);
    EXPECT(!can_open("/", O_RDONLY | O_DIRECTORY) && errno == EACCES);
}

START_TEST(once_limited_it_reads_below_the_folders_and_nowhere_else)
{
    assert_done(SANDBOX_NO_LANDLOCK, read_here_and_there);
}
END_TEST

/* By Landlock or by seccomp. */
static bool refused(long result)
{
    return result < 0 && (errno == EACCES || errno == ENOSYS);
}

static void change_things(void)
{
    char other[80];

    limited();
    snprintf(other, sizeof other, "%s/other", folder);
    EXPECT(!can_open(inside, O_WRONLY) && errno == EACCES);
    EXPECT(open(other, O_WRONLY | O_CREAT, 0600) < 0 && errno == EACCES);
    EXPECT(refused(unlink(inside)));
    EXPECT(refused(rename(inside, other)));
    EXPECT(refused(mkdir(other, 0700)));
    EXPECT(refused(symlink(inside, other)));
}

START_TEST(once_limited_it_changes_nothing_even_below_the_folders)
{
    assert_done(SANDBOX_NO_LANDLOCK, change_things);
}
END_TEST

static void name_files_and_what_is_not_there(void)
{
    const char *const named[] = {"/nowhere/at/all", inside, "", NULL};
    unsigned missing;

    EXPECT(sandbox_limit(named, 0, &missing, NULL) == 0);
    EXPECT(can_open(inside, O_RDONLY));
    EXPECT(!can_open(folder, O_RDONLY | O_DIRECTORY));
}

START_TEST(a_folder_may_be_a_file_or_missing)
{
    assert_done(SANDBOX_NO_LANDLOCK, name_files_and_what_is_not_there);
}
END_TEST

static void ask_for_more(void)
{
    static const char *const everything[] = {"/", NULL};
    unsigned missing;

    limited();
    EXPECT(sandbox_limit(everything, (uint64_t)ROOM * 4, &missing, NULL) == 0);
    EXPECT(!can_open("/etc/passwd", O_RDONLY) && errno == EACCES);
    EXPECT(can_open(inside, O_RDONLY));
}

START_TEST(limits_cannot_be_widened)
{
    assert_done(SANDBOX_NO_LANDLOCK, ask_for_more);
}
END_TEST

/* Opens sockets, uses an open one, and does what another process or device would notice. */
static void reach_out(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    limited();
    EXPECT(fd < 0 || (bind(fd, (struct sockaddr *)&any, sizeof any) < 0 && errno == ENOSYS));
    any.sin_port = htons(9);
    EXPECT(fd < 0 || (connect(fd, (struct sockaddr *)&any, sizeof any) < 0 && errno == ENOSYS));
    EXPECT(socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == ENOSYS);
    EXPECT(socket(AF_INET, SOCK_DGRAM, 0) < 0 && errno == ENOSYS);
    EXPECT(socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == ENOSYS);
    EXPECT(socket(AF_NETLINK, SOCK_RAW, 0) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_io_uring_setup, 8, NULL) < 0 && errno == ENOSYS);
    EXPECT(ioctl(descriptor, TIOCSTI, "x") < 0 && errno == ENOSYS);
    EXPECT(fcntl(descriptor, F_SETOWN, getppid()) < 0 && errno == ENOSYS);
}

static void touch_other_processes(void)
{
    const pid_t parent = getppid();
    __attribute__((unused)) struct rlimit none = {0, 0};
    char word[8];
    struct iovec here = {word, sizeof word}, there = {folder, sizeof word};

    limited();
    EXPECT(kill(parent, 0) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_tgkill, parent, parent, 0) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_pidfd_open, parent, 0) < 0 && errno == ENOSYS);
    EXPECT(ptrace(PTRACE_ATTACH, parent, NULL, NULL) < 0 && errno == ENOSYS);
    EXPECT(process_vm_readv(parent, &here, 1, &there, 1, 0) < 0 && errno == ENOSYS);
#ifndef SANDBOX_SANITIZED
    EXPECT(prlimit(parent, RLIMIT_CPU, &none, NULL) < 0 && errno == ENOSYS);
#endif
    EXPECT(setpriority(PRIO_PROCESS, (id_t)parent, 19) < 0 && errno == ENOSYS);
}

static void become_another(void)
{
    char name[] = "/bin/true", *const args[] = {name, NULL};

    limited();
    EXPECT(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_clone3, NULL, 0) < 0 && errno == ENOSYS);
    EXPECT(execv(name, args) < 0 && errno == ENOSYS);
    EXPECT(syscall(SYS_execveat, descriptor, "", args, NULL, AT_EMPTY_PATH) < 0 && errno == ENOSYS);
    EXPECT(unshare(CLONE_NEWUSER) < 0 && errno == ENOSYS);
    EXPECT(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
}

static void truncate_files(void)
{
    limited();
    EXPECT(truncate(inside, 0) < 0 && errno == ENOSYS);
    EXPECT(ftruncate(descriptor, 0) < 0 && errno == ENOSYS);
    EXPECT(chmod(inside, 0) < 0 && errno == ENOSYS);
    EXPECT(utimensat(AT_FDCWD, inside, NULL, 0) < 0 && errno == ENOSYS);
}

/* Landlock governs none of this, or only in its later versions. */
START_TEST(once_limited_it_reaches_no_network_no_other_process_and_no_attributes)
{
    assert_done(SANDBOX_NO_SECCOMP, reach_out);
    assert_done(SANDBOX_NO_SECCOMP, touch_other_processes);
    assert_done(SANDBOX_NO_SECCOMP, become_another);
    assert_done(SANDBOX_NO_SECCOMP, truncate_files);
}
END_TEST

/* What libraries do when they open files. */
static void look_around(void)
{
    struct stat status;
    char path[80];

    limited();
    EXPECT(stat(inside, &status) == 0 && status.st_size == 7);
    EXPECT(lstat(folder, &status) == 0 && S_ISDIR(status.st_mode));
    EXPECT(access(inside, R_OK) == 0);
    EXPECT(readlink(inside, path, sizeof path) < 0 && errno == EINVAL);
    EXPECT(getcwd(path, sizeof path) || errno == ERANGE);
    EXPECT(fcntl(descriptor, F_GETFD) >= 0 && dup(descriptor) >= 0);
}

START_TEST(once_limited_it_can_do_what_opening_files_takes)
{
    assert_done(0, look_around);
}
END_TEST

static void look_at_limits(void)
{
    struct rlimit core;

    limited();
    EXPECT(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0);
    EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
#ifndef SANDBOX_SANITIZED
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
#endif
}

START_TEST(there_is_no_core_dump_and_no_way_to_privileges)
{
    ck_assert_int_eq(end_of(look_at_limits), 0);
}
END_TEST

#ifndef SANDBOX_SANITIZED
static void write_to_open_file(void)
{
    limited();
    signal(SIGXFSZ, SIG_IGN); /* of the limit, where there are no filters */
    EXPECT(write(descriptor, "more", 4) < 0 && (errno == ENOSYS || errno == EFBIG));
}

static void *volatile kept; /* or the compiler assumes that any malloc succeeds */

static void use_much_memory(void)
{
    closed();
    for (size_t size = MEBIBYTE; size <= ROOM / 4; size *= 2) {
        char *p = malloc(size);

        EXPECT(p != NULL);
        memset(p, 1, size);
        free(p);
    }
    kept = malloc(ROOM);
    EXPECT(kept == NULL);
    for (int i = 0; (kept = malloc(1000)); i++) /* small blocks come from elsewhere */
        EXPECT(i < ROOM / 1000);
}

START_TEST(memory_ends_at_the_limit_and_malloc_reports_it)
{
    ck_assert_int_eq(end_of(use_much_memory), 0);
}
END_TEST

START_TEST(a_file_open_for_writing_does_not_grow)
{
    struct stat status;

    make_folder();
    ck_assert_int_eq(end_of(write_to_open_file), 0);
    ck_assert_int_eq(fstat(descriptor, &status), 0);
    ck_assert_int_eq(status.st_size, 7);
    remove_folder();
}
END_TEST
#endif

/* ---- closed ---- */

static void open_file(void)
{
    closed();
    can_open(inside, O_RDONLY);
}

static void make_socket(void)
{
    closed();
    socket(AF_UNIX, SOCK_STREAM, 0);
}

static void execute(void)
{
    char name[] = "/bin/true", *const args[] = {name, NULL};

    closed();
    execv(name, args);
}

static void fork_child(void)
{
    closed();
    if (syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        _exit(0);
}

static void map_code(void)
{
    closed();
    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void make_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    closed();
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static void signal_parent(void)
{
    pid_t parent = getppid();

    closed();
    syscall(SYS_tgkill, parent, parent, 0);
}

static void ask_device(void)
{
    closed();
    syscall(SYS_ioctl, 0, 0, 0);
}

static void ask_for_path(const char *path, int flags)
{
    struct stat status;

    closed();
    syscall(SYS_newfstatat, AT_FDCWD, path, &status, flags);
}

static void stat_path(void)
{
    ask_for_path("/etc/passwd", 0);
}

static void stat_link(void)
{
    ask_for_path("/etc/passwd", AT_SYMLINK_NOFOLLOW);
}

/* With this flag a path still counts, unless it is empty. */
static void stat_path_as_descriptor(void)
{
    ask_for_path("/etc/passwd", AT_EMPTY_PATH);
}

static void stat_missing_path(void)
{
    ask_for_path("/nowhere/at/all", AT_EMPTY_PATH);
}

static void stat_in_new_way(void)
{
    struct statx status;

    closed();
    statx(AT_FDCWD, "/etc/passwd", 0, STATX_BASIC_STATS, &status);
}

static void ask_for_access(void)
{
    closed();
    access("/etc/passwd", R_OK);
}

static void change_folder(void)
{
    closed();
    (void)!chdir("/");
}

#ifndef SANDBOX_SANITIZED
static void read_link(void)
{
    char path[80];

    closed();
    (void)!readlink("/proc/self/exe", path, sizeof path);
}

static void write_to_output(void)
{
    closed();
    (void)!write(STDOUT_FILENO, "x", 1);
}

static void limit_parent(void)
{
    const pid_t parent = getppid();
    struct rlimit none = {0, 0};

    closed();
    syscall(SYS_prlimit64, parent, RLIMIT_CPU, &none, NULL);
}

static void change_process(void)
{
    closed();
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}
#endif

static void list_folder(void)
{
    char room[4096];
    const int fd = open(folder, O_RDONLY | O_DIRECTORY);

    closed();
    syscall(SYS_getdents64, fd, room, sizeof room);
}

static void make_child(void)
{
    closed();
    syscall(SYS_clone3, NULL, 0);
}

static void trace_parent(void)
{
    const pid_t parent = getppid();

    closed();
    ptrace(PTRACE_ATTACH, parent, NULL, NULL);
}

static void read_parent(void)
{
    const pid_t parent = getppid();
    char word[8];
    struct iovec here = {word, sizeof word}, there = {folder, sizeof word};

    closed();
    process_vm_readv(parent, &here, 1, &there, 1, 0);
}

static void kill_parent(void)
{
    const pid_t parent = getppid();

    closed();
    kill(parent, 0);
}

static void connect_socket(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/nowhere"};
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    closed();
    (void)!connect(fd, (struct sockaddr *)&name, sizeof name);
}

static void start_ring(void)
{
    closed();
    syscall(SYS_io_uring_setup, 8, NULL);
}

static void own_descriptor(void)
{
    const pid_t parent = getppid();

    closed();
    fcntl(descriptor, F_SETOWN, parent);
}

static void duplicate(void)
{
    closed();
    (void)!dup(descriptor);
}

/* Whoever has taken over a worker can install any handler. */
static void pass_over(int signal)
{
    (void)signal;
}

static void stat_with_another_handler(void)
{
    struct stat status = {0};

    closed();
    signal(SIGSYS, pass_over);
    syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &status, 0);
    EXPECT(status.st_ino == 0 && status.st_size == 0);
}

#ifdef SANDBOX_SANITIZED
#define UNSANITIZED_DEEDS
#else
#define UNSANITIZED_DEEDS read_link, write_to_output, change_process, limit_parent,
#endif

START_TEST(once_closed_a_forbidden_call_kills)
{
    static void (*const deeds[])(void) = {UNSANITIZED_DEEDS open_file,
                                          make_socket,
                                          execute,
                                          fork_child,
                                          map_code,
                                          make_code,
                                          signal_parent,
                                          ask_device,
                                          stat_path,
                                          stat_link,
                                          stat_path_as_descriptor,
                                          stat_missing_path,
                                          stat_in_new_way,
                                          ask_for_access,
                                          change_folder,
                                          list_folder,
                                          make_child,
                                          trace_parent,
                                          read_parent,
                                          kill_parent,
                                          connect_socket,
                                          start_ring,
                                          own_descriptor,
                                          duplicate};

    if (lacks(SANDBOX_NO_SECCOMP))
        return;
    make_folder();
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        int status = end_of(deeds[i]);

        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "deed %zu: status %d", i, status);
    }
    ck_assert_int_eq(end_of(stat_with_another_handler), 0);
    remove_folder();
}
END_TEST

/* By the C library, by the call that it may use, and by ours. */
static void ask_for_open_file(void)
{
    struct stat status = {0}, other = {0};

    closed();
    EXPECT(fstat(descriptor, &status) == 0 && status.st_size == 7 && S_ISREG(status.st_mode));
    EXPECT(sandbox_fstat(descriptor, &other) == 0);
    EXPECT(other.st_ino == status.st_ino && other.st_mtim.tv_nsec == status.st_mtim.tv_nsec);
#if defined(__x86_64__) || defined(__aarch64__)
    other = (struct stat){0};
    EXPECT(syscall(SYS_newfstatat, descriptor, "", &other, AT_EMPTY_PATH) == 0);
    EXPECT(other.st_ino == status.st_ino && other.st_size == 7);
    EXPECT(syscall(SYS_newfstatat, 4000, "", &other, AT_EMPTY_PATH) < 0 && errno == EBADF);
#endif
    EXPECT(sandbox_fstat(4000, &other) < 0 && errno == EBADF);
}

START_TEST(once_closed_it_can_query_the_attributes_of_an_open_file)
{
    assert_done(0, ask_for_open_file);
}
END_TEST

static int compare_bytes(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void read_and_compute(void)
{
    char text[8] = "";
    struct stat status;
    struct timespec now;
    unsigned char *p;

    closed();
    EXPECT(pread(descriptor, text, 7, 0) == 7 && memcmp(text, "content", 7) == 0);
    EXPECT(lseek(descriptor, 3, SEEK_SET) == 3 && read(descriptor, text, 4) == 4);
    EXPECT(fstat(descriptor, &status) == 0 && status.st_size == 7);
    EXPECT(clock_gettime(CLOCK_MONOTONIC, &now) == 0 && time(NULL) > 0);
    EXPECT(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    for (size_t size = 1; size <= 32 * MEBIBYTE; size = size * 3 / 2 + 1) {
        p = malloc(size);
        EXPECT(p != NULL);
        memset(p, 1, size);
        p = realloc(p, size * 2);
        EXPECT(p != NULL && p[size - 1] == 1);
        free(p);
    }
    p = calloc(1, 2 * MEBIBYTE);
    EXPECT(p != NULL);
    qsort(p, 100000, 1, compare_bytes); /* asks for the size of memory */
    free(p);
}

START_TEST(once_closed_it_still_reads_open_files_and_computes)
{
    assert_done(0, read_and_compute);
}
END_TEST

static void fail_assertion(void)
{
    closed();
    signal(SIGABRT, SIG_DFL);
    abort();
}

START_TEST(once_closed_an_abort_still_ends_in_sigabrt)
{
    int status = end_of(fail_assertion);

    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

static void talk(void)
{
    int pair[2];
    char c = 0;

    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    closed();
    EXPECT(send(pair[0], "x", 1, MSG_NOSIGNAL) == 1);
    EXPECT(recv(pair[1], &c, 1, 0) == 1 && c == 'x');
    EXPECT(close(pair[0]) == 0);
}

START_TEST(once_closed_it_still_talks_to_its_socket)
{
    ck_assert_int_eq(end_of(talk), 0);
}
END_TEST

/* ---- a kernel that lacks a part ---- */

static void without_landlock(void)
{
    unsigned missing = 77;

    EXPECT(take_away(SYS_landlock_create_ruleset));
    EXPECT(sandbox_probe(&missing, NULL) == 0 && missing == SANDBOX_NO_LANDLOCK);
    EXPECT(sandbox_limit(folders, ROOM, &missing, NULL) == 0 && missing == SANDBOX_NO_LANDLOCK);
    EXPECT(can_open("/etc/passwd", O_RDONLY));
    EXPECT(sandbox_close(&missing, NULL) == 0 && (missing & SANDBOX_NO_LANDLOCK));
}

static void without_seccomp(void)
{
    unsigned missing = 77;

    EXPECT(take_away(SYS_seccomp));
    EXPECT(sandbox_probe(&missing, NULL) == 0 && (missing & SANDBOX_NO_SECCOMP));
    EXPECT(sandbox_limit(folders, ROOM, &missing, NULL) == 0 && (missing & SANDBOX_NO_SECCOMP));
    EXPECT(sandbox_close(&missing, NULL) == 0 && (missing & SANDBOX_NO_SECCOMP));
    EXPECT((missing & SANDBOX_NO_LANDLOCK) || !can_open(inside, O_RDONLY)); /* as it was before */
}

START_TEST(a_process_detects_what_the_kernel_lacks_without_confining_itself)
{
    unsigned missing = 77;

    ck_assert_int_eq(sandbox_probe(&missing, NULL), 0);
    ck_assert_int_eq((missing & SANDBOX_NO_LANDLOCK) != 0, lacks(SANDBOX_NO_LANDLOCK));
    ck_assert_int_eq((missing & SANDBOX_NO_SECCOMP) != 0, lacks(SANDBOX_NO_SECCOMP));
    ck_assert(can_open("/etc/passwd", O_RDONLY));
}
END_TEST

START_TEST(what_the_kernel_lacks_is_reported_and_the_rest_is_applied)
{
    assert_done(SANDBOX_NO_SECCOMP, without_landlock); /* it takes seccomp to take something away */
    assert_done(SANDBOX_NO_SECCOMP, without_seccomp);
}
END_TEST

#ifdef SANDBOX_SANITIZED
#define UNSANITIZED
#else
#define UNSANITIZED                                                                                          \
    memory_ends_at_the_limit_and_malloc_reports_it, a_file_open_for_writing_does_not_grow,
#endif

RUN_TESTS("sandbox", UNSANITIZED once_limited_it_reads_below_the_folders_and_nowhere_else,
          once_limited_it_changes_nothing_even_below_the_folders, a_folder_may_be_a_file_or_missing,
          limits_cannot_be_widened, once_limited_it_reaches_no_network_no_other_process_and_no_attributes,
          once_limited_it_can_do_what_opening_files_takes, there_is_no_core_dump_and_no_way_to_privileges,
          once_closed_a_forbidden_call_kills, once_closed_it_can_query_the_attributes_of_an_open_file,
          once_closed_it_still_reads_open_files_and_computes, once_closed_an_abort_still_ends_in_sigabrt,
          once_closed_it_still_talks_to_its_socket,
          a_process_detects_what_the_kernel_lacks_without_confining_itself,
          what_the_kernel_lacks_is_reported_and_the_rest_is_applied)
