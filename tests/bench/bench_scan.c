/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan is measured against.
 *
 * bench_scan sha1 JOBS < FILES: the SHA-1 of all files named in the lines of standard input, by JOBS
 * processes, each with every JOBS-th file; writes the wall seconds. bench_scan strangers FROM TO: copies a
 * file so that it looks the same to a machine but has no byte in its old place: the material of a set that is
 * unrelated to the evidence.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"

enum { PIECE = 1 << 20, MOST_FILES = 1 << 21 };

static uint8_t piece[PIECE];

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void hash_file(struct digest *digest, const char *path)
{
    const int fd = open(path, O_RDONLY);
    struct digest_values values = {0};
    ssize_t got;

    if (fd < 0)
        return;
    digest_begin(digest, NULL);
    while ((got = read(fd, piece, PIECE)) > 0)
        digest_update(digest, piece, (size_t)got, NULL);
    digest_final(digest, &values, NULL);
    close(fd);
}

static int hash_all(unsigned jobs)
{
    static char *files[MOST_FILES];
    size_t count = 0, room = 0;
    char *line = NULL;
    double start;

    while (count < MOST_FILES && getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        files[count++] = strdup(line);
    }
    free(line);
    start = now();
    for (unsigned job = 0; job < jobs; job++)
        if (fork() == 0) {
            struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1), NULL);

            for (size_t i = job; digest && i < count; i += jobs)
                hash_file(digest, files[i]);
            _exit(digest ? 0 : 2);
        }
    while (wait(NULL) > 0)
        continue;
    printf("%.3f\n", now() - start);
    return 0;
}

static int copy_strange(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    size_t got;

    if (!in || !out)
        return 2;
    while ((got = fread(piece, 1, PIECE, in)) > 0) {
        for (size_t i = 0; i < got; i++)
            piece[i] = (uint8_t)(piece[i] * 167 + 13);
        fwrite(piece, 1, got, out);
    }
    fclose(in);
    return fclose(out) ? 2 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "sha1") == 0)
        return hash_all((unsigned)strtoul(argv[2], NULL, 10));
    if (argc == 4 && strcmp(argv[1], "strangers") == 0)
        return copy_strange(argv[2], argv[3]);
    fprintf(stderr, "usage: bench_scan sha1 JOBS < FILES, bench_scan strangers FROM TO\n");
    return 2;
}
