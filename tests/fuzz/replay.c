/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Runs a fuzz target on the given files, and on those in the given folders: what libFuzzer does with -runs=0,
 * for builds without it.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EXIT_UNREADABLE = 2 };

static unsigned long runs;

static void give_up(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    exit(EXIT_UNREADABLE);
}

/* The target gets memory of exactly this size, so that a sanitizer sees the first byte read beyond it. */
static void run_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1);

    if (!file || !data || fread(data, 1, size, file) != size)
        give_up(path);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* if it crashes, this is the one */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    runs++;
}

static int is_no_dot(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void run(const char *path);

static void run_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_no_dot, alphasort);

    if (count < 0)
        give_up(folder);
    for (int i = 0; i < count; i++) {
        char *path;

        if (asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0)
            give_up(folder);
        run(path);
        free(path);
        free(entries[i]);
    }
    free(entries);
}

static void run(const char *path)
{
    struct stat st;

    if (stat(path, &st))
        give_up(path);
    if (S_ISDIR(st.st_mode))
        run_folder(path);
    else
        run_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] != '-') /* an option of libFuzzer */
            run(argv[i]);
    printf("Done %lu runs\n", runs);
    return EXIT_SUCCESS;
}
