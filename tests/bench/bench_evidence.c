/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "evidence/evidence.h"

/*
 * bench_evidence WHAT JOBS IMAGE: what it costs to walk an image, and to read all content without doing
 * anything with it.  WHAT: names (nothing is read but metadata), files (all files' content), unallocated.
 * Writes one line: CPU seconds, wall seconds, objects, bytes handed over, bytes read from the image, the
 * largest process in MB.
 */
static unsigned long long objects, bytes;

static void count_object(void *arg, const struct evidence_volume *volume, const struct object *object,
                         const char *paths, size_t count)
{
    (void)arg;
    (void)volume;
    (void)paths;
    (void)count;
    objects++;
    bytes += object_stored(object);
}

static void show(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "%s\n", text);
}

/* Of this process and those that it waited for. */
static double all_cpu_seconds(void)
{
    struct rusage self, children;

    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(self.ru_utime.tv_sec + self.ru_stime.tv_sec + children.ru_utime.tv_sec +
                    children.ru_stime.tv_sec) +
           1e-6 * (double)(self.ru_utime.tv_usec + self.ru_stime.tv_usec + children.ru_utime.tv_usec +
                           children.ru_stime.tv_usec);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned long long read_bytes(void)
{
    unsigned long long number = 0;
    FILE *file = fopen("/proc/self/io", "r");

    if (file && fscanf(file, "rchar: %llu", &number) != 1)
        number = 0;
    if (file)
        fclose(file);
    return number;
}

static long largest_kb(void)
{
    struct rusage self, children;

    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss;
}

int main(int argc, char **argv)
{
    const struct evidence_sink sink = {.object = count_object, .problem = show, .note = show};
    struct evidence_options options = {.seconds = 20};
    struct error err;
    double start = now();
    enum evidence_result result;

    if (argc != 4) {
        fprintf(stderr, "usage: bench_evidence names|files|unallocated JOBS IMAGE\n");
        return 2;
    }
    options.kinds = strcmp(argv[1], "unallocated") == 0
                        ? OBJECT_BIT(OBJECT_UNALLOCATED)
                        : OBJECT_BIT(OBJECT_FILE) | OBJECT_BIT(OBJECT_DELETED) | OBJECT_BIT(OBJECT_STREAM);
    options.inspector = strcmp(argv[1], "names") == 0 ? NULL : &inspector_reader;
    options.workers = (unsigned)atoi(argv[2]);
    result = evidence_read(argv[3], &options, &sink, &err);
    if (result == EVIDENCE_FAILED) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    printf("cpu %.2f wall %.2f objects %llu bytes %llu read %llu largest_mb %ld\n", all_cpu_seconds(),
           now() - start, objects, bytes, read_bytes(), largest_kb() / 1024);
    return 0;
}
