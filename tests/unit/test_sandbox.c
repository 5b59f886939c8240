/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check_main.h"
#include "sandbox.h"

enum { MEBIBYTE = 1 << 20, ROOM = 1024 * MEBIBYTE };

static char folder[] = "/tmp/kith-sandbox-XXXXXX";
static char inside[64];
static const char *folders[] = {folder, NULL};
static int descriptor; /* of the file inside */

/* In a child, whose exit status then tells the line. */
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            _exit(1 + __LINE__ % 250);                                                                       \
    } while (0)

static void make_folder(void)
{
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

/* How a process ends that does this: as waitpid says. */
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

/* From now on the system call fails as on a kernel that does not know it. */
static void take_away(uint32_t call)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};

    EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static bool can_open(const char *path, int flags)
{
    int fd = open(path, flags);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
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
    if (lacks(SANDBOX_NO_LANDLOCK))
        return;
    make_folder();
    ck_assert_int_eq(end_of(read_here_and_there), 0);
    remove_folder();
}
END_TEST

static void change_things(void)
{
    char other[80];

    limited();
    snprintf(other, sizeof other, "%s/other", folder);
    EXPECT(!can_open(inside, O_WRONLY) && errno == EACCES);
    EXPECT(open(other, O_WRONLY | O_CREAT, 0600) < 0 && errno == EACCES);
    EXPECT(unlink(inside) < 0 && errno == EACCES);
    EXPECT(rename(inside, other) < 0 && errno == EACCES);
    EXPECT(mkdir(other, 0700) < 0 && errno == EACCES);
    EXPECT(symlink(inside, other) < 0 && errno == EACCES);
}

START_TEST(once_limited_it_changes_nothing_even_below_the_folders)
{
    if (lacks(SANDBOX_NO_LANDLOCK))
        return;
    make_folder();
    ck_assert_int_eq(end_of(change_things), 0);
    remove_folder();
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

START_TEST(a_folder_may_be_a_file_or_not_be_there)
{
    if (lacks(SANDBOX_NO_LANDLOCK))
        return;
    make_folder();
    ck_assert_int_eq(end_of(name_files_and_what_is_not_there), 0);
    remove_folder();
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
    if (lacks(SANDBOX_NO_LANDLOCK))
        return;
    make_folder();
    ck_assert_int_eq(end_of(ask_for_more), 0);
    remove_folder();
}
END_TEST

static void use_tcp(void)
{
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    limited();
    EXPECT(fd < 0 || (bind(fd, (struct sockaddr *)&any, sizeof any) < 0 && errno == EACCES));
    any.sin_port = htons(9);
    EXPECT(fd < 0 || (connect(fd, (struct sockaddr *)&any, sizeof any) < 0 && errno == EACCES));
}

static void signal_others(void)
{
    limited();
    EXPECT(kill(getpid(), 0) == 0);
    EXPECT(kill(getppid(), 0) < 0 && errno == EPERM);
}

static long landlock_abi(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

START_TEST(once_limited_it_neither_uses_tcp_nor_signals_others_where_the_kernel_can_forbid_it)
{
    if (landlock_abi() >= 4)
        ck_assert_int_eq(end_of(use_tcp), 0);
    if (landlock_abi() >= 6)
        ck_assert_int_eq(end_of(signal_others), 0);
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
    (void)!write(descriptor, "more", 4);
}

static void *volatile kept; /* or the compiler takes it that any malloc succeeds */

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
    for (int i = 0; (kept = malloc(1000)); i++) /* small ones come from elsewhere */
        EXPECT(i < ROOM / 1000);
}

START_TEST(memory_ends_at_the_limit_and_that_is_told_by_malloc)
{
    ck_assert_int_eq(end_of(use_much_memory), 0);
}
END_TEST

START_TEST(a_file_that_is_open_for_writing_does_not_grow)
{
    int status;

    make_folder();
    status = end_of(write_to_open_file);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
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

START_TEST(once_closed_a_forbidden_call_kills)
{
    static void (*const deeds[])(void) = {open_file, make_socket, execute,       fork_child,
                                          map_code,  make_code,   signal_parent, ask_device};

    if (lacks(SANDBOX_NO_SECCOMP))
        return;
    make_folder();
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        int status = end_of(deeds[i]);

        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS, "deed %zu: status %d", i, status);
    }
    remove_folder();
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

START_TEST(once_closed_it_still_reads_what_is_open_and_computes)
{
    make_folder();
    ck_assert_int_eq(end_of(read_and_compute), 0);
    remove_folder();
}
END_TEST

static void fail_assertion(void)
{
    closed();
    signal(SIGABRT, SIG_DFL);
    abort();
}

START_TEST(once_closed_an_abort_is_seen_as_one)
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

    take_away(SYS_landlock_create_ruleset);
    EXPECT(sandbox_limit(folders, ROOM, &missing, NULL) == 0 && missing == SANDBOX_NO_LANDLOCK);
    EXPECT(can_open("/etc/passwd", O_RDONLY));
    EXPECT(sandbox_close(&missing, NULL) == 0 && (missing & SANDBOX_NO_LANDLOCK));
}

static void without_seccomp(void)
{
    unsigned missing = 77;

    take_away(SYS_seccomp);
    EXPECT(sandbox_limit(folders, ROOM, &missing, NULL) == 0 && !(missing & SANDBOX_NO_SECCOMP));
    EXPECT(sandbox_close(&missing, NULL) == 0 && (missing & SANDBOX_NO_SECCOMP));
    EXPECT((missing & SANDBOX_NO_LANDLOCK) || !can_open(inside, O_RDONLY)); /* though it was allowed before */
}

START_TEST(what_the_kernel_lacks_is_told_and_the_rest_is_done)
{
    if (lacks(SANDBOX_NO_SECCOMP)) /* with which it is taken away here */
        return;
    make_folder();
    ck_assert_int_eq(end_of(without_landlock), 0);
    ck_assert_int_eq(end_of(without_seccomp), 0);
    remove_folder();
}
END_TEST

#ifdef SANDBOX_SANITIZED
#define UNSANITIZED
#else
#define UNSANITIZED                                                                                          \
    memory_ends_at_the_limit_and_that_is_told_by_malloc, a_file_that_is_open_for_writing_does_not_grow,
#endif

RUN_TESTS("sandbox", UNSANITIZED once_limited_it_reads_below_the_folders_and_nowhere_else,
          once_limited_it_changes_nothing_even_below_the_folders, a_folder_may_be_a_file_or_not_be_there,
          limits_cannot_be_widened,
          once_limited_it_neither_uses_tcp_nor_signals_others_where_the_kernel_can_forbid_it,
          there_is_no_core_dump_and_no_way_to_privileges, once_closed_a_forbidden_call_kills,
          once_closed_it_still_reads_what_is_open_and_computes, once_closed_an_abort_is_seen_as_one,
          once_closed_it_still_talks_to_its_socket, what_the_kernel_lacks_is_told_and_the_rest_is_done)
