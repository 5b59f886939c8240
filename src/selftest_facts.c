/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/digest.h"
#include "base/escape.h"
#include "config.h"
#include "container/archive.h"
#include "database/database.h"
#include "disk/deflate.h"
#include "disk/tsk.h"

void selftest_facts_add(struct selftest_facts *facts, const char *name, const char *fmt, ...)
{
    char text[PATH_MAX + 256];
    struct selftest_fact *fact;
    va_list args;

    if (facts->count == SELFTEST_FACTS_MOST)
        return;
    fact = &facts->list[facts->count++];
    fact->name = name;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buffer_add(&fact->value, text, strlen(text) + 1);
}

const char *selftest_facts_value(const struct selftest_facts *facts, size_t index)
{
    return facts->list[index].value.failed ? "" : facts->list[index].value.data;
}

void selftest_facts_release(struct selftest_facts *facts)
{
    for (size_t i = 0; i < facts->count; i++)
        buffer_release(&facts->list[i].value);
}

/* ---- this program ---- */

#ifdef __clang__
static const char compiler[] = "";
#else
static const char compiler[] = "gcc ";
#endif

static int hash_program(struct digest *digest, struct digest_values *values, struct error *err)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char bytes[1 << 16];
    ssize_t got;

    if (fd < 0 || digest_begin(digest, err))
        return fd < 0 ? error_errno(err, "/proc/self/exe") : -1;
    while ((got = read(fd, bytes, sizeof bytes)) > 0)
        if (digest_update(digest, bytes, (size_t)got, err))
            break;
    close(fd);
    return got ? error_set(err, "/proc/self/exe: cannot be read") : digest_final(digest, values, err);
}

static int add_program(struct selftest_facts *facts, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    struct digest_values values = {0};
    char path[PATH_MAX];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof path);
    struct buffer hex = {0};
    int result = digest ? hash_program(digest, &values, err) : -1;

    escape_hex(&hex, values.bytes[DIGEST_SHA256], DIGEST_SHA256_LEN);
    if (result == 0) {
        selftest_facts_add(facts, "program file", "%.*s", (int)(len > 0 ? len : 0), path);
        selftest_facts_add(facts, "SHA-256 of the program file", "%.*s", (int)hex.len,
                           hex.data ? hex.data : "");
    }
    buffer_release(&hex);
    digest_free(digest);
    return result;
}

int selftest_facts_tool(struct selftest_facts *facts, struct error *err)
{
    selftest_facts_add(facts, "tool", "%s", PACKAGE_NAME);
    selftest_facts_add(facts, "version", "%s", PACKAGE_VERSION);
    if (add_program(facts, err))
        return -1;
    selftest_facts_add(facts, "compiler", "%s%s", compiler, __VERSION__);
    selftest_facts_add(facts, "vector instructions", "%s", cpu_name(cpu_level()));
    selftest_facts_add(facts, "digests", "%s", digest_library());
    selftest_facts_add(facts, "file systems", "The Sleuth Kit %s", tsk_library());
    selftest_facts_add(facts, "reference sets and cases", "SQLite %s", database_library());
    selftest_facts_add(facts, "decompression", "zlib %s", deflate_library());
    selftest_facts_add(facts, "archives", "libarchive %s", archive_library());
    return 0;
}

/* ---- the machine ---- */

/* The value of the first line of a file that begins with this text, without what surrounds it. */
static void add_line(struct selftest_facts *facts, const char *name, const char *path, const char *start)
{
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0)
        if (strncmp(line, start, strlen(start)) == 0) {
            const char *value = line + strlen(start);
            size_t len;

            value += strspn(value, " \t:=\"");
            len = strcspn(value, "\"\n");
            selftest_facts_add(facts, name, "%.*s", (int)len, value);
            break;
        }
    free(line);
    if (file)
        fclose(file);
}

void selftest_facts_machine(struct selftest_facts *facts)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);
    struct utsname name;

    add_line(facts, "system", "/etc/os-release", "PRETTY_NAME");
    if (uname(&name) == 0)
        selftest_facts_add(facts, "kernel", "%s %s %s", name.sysname, name.release, name.version);
    if (uname(&name) == 0)
        selftest_facts_add(facts, "architecture", "%s", name.machine);
    add_line(facts, "processor", "/proc/cpuinfo", "model name");
    selftest_facts_add(facts, "processors in use", "%ld", processors);
    selftest_facts_add(facts, "memory", "%ld MiB", pages / (1 << 20) * sysconf(_SC_PAGESIZE));
}
