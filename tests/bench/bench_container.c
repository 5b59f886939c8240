/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan of containers is measured against: bench_container JOBS < FILES unpacks the files named in the
 * lines of standard input by the libraries alone, and computes the SHA-1 of each member; JOBS processes, each
 * with every JOBS-th file.  Archives are read by libarchive; of PDF files, every stream that zlib can
 * inflate. It writes the wall seconds, the CPU seconds, and the number of members and of their bytes.
 */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/digest.h"

enum { PIECE = 64 << 10, MOST_FILES = 1 << 20 };

struct tally {
    uint64_t members, bytes;
};

static uint8_t piece[PIECE];

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static void hash_entry(struct archive *archive, struct digest *digest, struct tally *tally)
{
    struct digest_values values = {0};
    la_ssize_t got;

    digest_begin(digest, NULL);
    while ((got = archive_read_data(archive, piece, PIECE)) > 0) {
        digest_update(digest, piece, (size_t)got, NULL);
        tally->bytes += (uint64_t)got;
    }
    digest_final(digest, &values, NULL);
    tally->members++;
}

static void unpack_archive(const char *path, struct digest *digest, struct tally *tally)
{
    struct archive *archive = archive_read_new();
    struct archive_entry *entry;

    archive_read_support_filter_all(archive);
    archive_read_support_format_all(archive);
    if (archive_read_open_filename(archive, path, PIECE) == ARCHIVE_OK)
        while (archive_read_next_header(archive, &entry) == ARCHIVE_OK)
            if (archive_entry_filetype(entry) == AE_IFREG)
                hash_entry(archive, digest, tally);
    archive_read_free(archive);
}

/* Returns whether there was a stream; *len: of what it took. */
static bool inflate_stream(uint8_t *at, size_t *len, struct digest *digest, struct tally *tally)
{
    struct digest_values values = {0};
    uint64_t before = tally->bytes;
    z_stream stream = {.next_in = at, .avail_in = (uInt)*len};
    int result = inflateInit(&stream);

    digest_begin(digest, NULL);
    while (result == Z_OK) {
        stream.next_out = piece;
        stream.avail_out = PIECE;
        result = inflate(&stream, Z_NO_FLUSH);
        digest_update(digest, piece, PIECE - stream.avail_out, NULL);
        tally->bytes += PIECE - stream.avail_out;
    }
    inflateEnd(&stream);
    digest_final(digest, &values, NULL);
    *len = *len - stream.avail_in;
    return tally->bytes > before;
}

static void unpack_pdf(uint8_t *data, size_t size, struct digest *digest, struct tally *tally)
{
    uint8_t *at = data;
    const uint8_t *end = data + size;

    while ((at = memmem(at, (size_t)(end - at), "stream", 6))) {
        size_t len;

        at += 6;
        while (at < end && (*at == '\r' || *at == '\n'))
            at++;
        len = (size_t)(end - at);
        if (inflate_stream(at, &len, digest, tally)) {
            tally->members++;
            at += len;
        }
    }
}

static void unpack(const char *path, struct digest *digest, struct tally *tally)
{
    const int fd = open(path, O_RDONLY);
    struct stat stat;
    void *data = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &stat) == 0 && stat.st_size > 4)
        data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        fprintf(stderr, "%s: not read\n", path);
    else if (memcmp(data, "%PDF", 4) == 0)
        unpack_pdf(data, (size_t)stat.st_size, digest, tally);
    else
        unpack_archive(path, digest, tally);
    if (data != MAP_FAILED)
        munmap(data, (size_t)stat.st_size);
    close(fd);
}

static struct tally *shared_tallies(unsigned jobs)
{
    void *memory =
        mmap(NULL, jobs * sizeof(struct tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static void work(char **files, size_t count, unsigned job, unsigned jobs, struct tally *tally)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), NULL);

    for (size_t i = job; digest && i < count; i += jobs)
        unpack(files[i], digest, tally);
    _exit(digest ? 0 : 2);
}

int main(int argc, char **argv)
{
    static char *files[MOST_FILES];
    const unsigned jobs = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    struct tally *tallies = jobs ? shared_tallies(jobs) : NULL, sum = {0};
    size_t count = 0, room = 0;
    char *line = NULL;
    struct rusage usage;
    double start;

    if (!tallies) {
        fprintf(stderr, "usage: bench_container JOBS < FILES\n");
        return 2;
    }
    while (count < MOST_FILES && getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        files[count++] = strdup(line);
    }
    free(line);
    start = now();
    for (unsigned job = 0; job < jobs; job++)
        if (fork() == 0)
            work(files, count, job, jobs, &tallies[job]);
    while (wait(NULL) > 0)
        continue;
    for (unsigned job = 0; job < jobs; job++) {
        sum.members += tallies[job].members;
        sum.bytes += tallies[job].bytes;
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.3f %.3f %llu %llu\n", now() - start, seconds(usage.ru_utime) + seconds(usage.ru_stime),
           (unsigned long long)sum.members, (unsigned long long)sum.bytes);
    return 0;
}
