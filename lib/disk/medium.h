/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIUM_H
#define KITH_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranges.h"
#include "disk/backend.h"
#include "disk/format.h"

/*
 * The bytes of a disk, whatever container they are in.  Reading does not fail: what cannot be read is zeros,
 * and its position is recorded, so that it can be reported.
 */
struct medium;

/* The container formats that may be requested: "raw", "ewf", "vmdk", ...; ends with NULL. */
extern const char *const medium_types[];

/*
 * Finds the files of the image whose first file is path, by their names alone: nothing is opened.  type as in
 * medium_open.  The list ends with NULL and is freed by medium_files_free.
 */
char **medium_files(const char *path, const char *type, size_t *count, struct error *err);
void medium_files_free(char **files);
/* Finds the files next to path, a VMDK, that are named like extents of it; as above.  Only its content shows
 * which ones really are. */
char **medium_named_extents(const char *path, size_t *count, struct error *err);

/* Returns whether a file's extension says that it is an image: that of a container, of a first segment, or
 * one that raw images use. */
bool medium_is_named_image(const char *path);
/* Returns whether it is a later segment or an extent of an image whose first file lies next to it, by the
 * names. */
bool medium_is_part(const char *path);

/* type: NULL to detect it.  force: read what remains of a damaged container; see medium_damages.  An
 * unsupported format is an error that names the format and says what to do. */
struct medium *medium_open(char *const *files, size_t count, const char *type, bool force, struct error *err);
/*
 * Opens an image that is not a file of the host, but content, which must outlive it.  name: for messages.  An
 * image in several files, or in a format that only a library can read, is an error.
 */
struct medium *medium_open_content(struct content *content, const char *name, const char *type, bool force,
                                   struct error *err);
/* Returns whether medium_open_content reads the format, as far as that is known without opening it. */
bool medium_reads_content(const struct format_verdict *verdict);
/* Opens a descriptor, which the caller keeps. */
struct medium *medium_open_fd(int fd, const char *name, struct error *err);
/* Takes ownership of a backend, even on error. */
struct medium *medium_new(const struct backend *backend, const char *format, struct error *err);
void medium_close(struct medium *medium);

/* The size of the disk, and of one of its sectors, in bytes. */
uint64_t medium_size(const struct medium *medium);
uint32_t medium_sector_size(const struct medium *medium);
const char *medium_format(const struct medium *medium); /* "raw", "E01", ... */
/* Returns the digests of the disk that the container stores; they belong to the medium. */
const struct digest_values *medium_stored(const struct medium *medium);
/* Returns the names of further files that the container lists, in the folder of the first one, each
 * NUL-terminated; len: their total length. */
const char *medium_extents(const struct medium *medium, size_t *len);
/* Returns the damage to the container as such, as lines that end in a newline; "": none. */
const char *medium_damages(const struct medium *medium);

/* Bytes beyond the end are zeros, and recorded as unreadable. */
void medium_read(struct medium *medium, uint64_t offset, void *into, size_t len);

/* Returns what has been found unreadable so far, sorted, with adjacent ranges merged. */
const struct range *medium_bad(const struct medium *medium, size_t *count);
/* Returns what was added to that since the last call, in any order; valid until the next read. */
const struct range *medium_news(struct medium *medium, size_t *count);
/* Returns how many bytes of this range have been found unreadable so far. */
uint64_t medium_bad_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
/* The same, but counting only bytes known to be lost on opening, before anything was read. */
uint64_t medium_lost_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
/* Returns how many bytes have been requested from the container so far. */
uint64_t medium_bytes_read(const struct medium *medium);

#endif
