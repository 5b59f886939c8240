/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_MEDIUM_H
#define KITH_MEDIUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ranges.h"
#include "disk/backend.h"

/*
 * A disk's bytes, whatever container they are in.  Reading does not fail: what cannot be read is zeros, and
 * is noted with its place, so that whoever shows the bytes can tell.
 */
struct medium;

/* The names of the container formats that can be asked for: "raw", "ewf", "vmdk" ..; NULL ends the list. */
extern const char *const medium_types[];

/*
 * The files of the image that path is the first of, by their names alone: nothing is opened.  type as below.
 * The list ends with NULL and is given back to medium_files_free.
 */
char **medium_files(const char *path, const char *type, size_t *count, struct error *err);
void medium_files_free(char **files);
/* The files beside path, a VMDK, that are named as its extents; as above.  Which ones it has only its content
 * says. */
char **medium_named_extents(const char *path, size_t *count, struct error *err);

/*
 * Whether a file's name says that it is an image, by its extension: a container's, that of a first segment,
 * or one that raw images have.
 */
bool medium_is_named_image(const char *path);
/* Whether it is a later segment, or an extent, of an image whose first file lies beside it; by the names. */
bool medium_is_part(const char *path);

/* type: NULL to find out.  A format that cannot be read is an error that names it and says what to do. */
/* force: read what is left of a damaged container; see medium_damages. */
struct medium *medium_open(char *const *files, size_t count, const char *type, bool force, struct error *err);
/* Of a descriptor that stays the caller's. */
struct medium *medium_open_fd(int fd, const char *name, struct error *err);
/* Of any backend, which becomes the medium's. */
struct medium *medium_new(const struct backend *backend, const char *format, struct error *err);
void medium_close(struct medium *medium);

/* Bytes of the disk, and of one of its sectors. */
uint64_t medium_size(const struct medium *medium);
uint32_t medium_sector_size(const struct medium *medium);
const char *medium_format(const struct medium *medium); /* "raw", "E01" .. */
/* The digests of the disk that the container holds; they lie in the medium. */
const struct digest_values *medium_stored(const struct medium *medium);
/* Names of files beside the first one that the container lists, each ended by a zero byte; len bytes. */
const char *medium_extents(const struct medium *medium, size_t *len);
/* What is wrong with the container as such, as lines, each ended; "": nothing. */
const char *medium_damages(const struct medium *medium);

/* Bytes behind the end are zeros, and noted. */
void medium_read(struct medium *medium, uint64_t offset, void *into, size_t len);

/* What could not be read so far, sorted; neighbours are joined. */
const struct range *medium_bad(const struct medium *medium, size_t *count);
/* What was added to that since the last call, in any order; valid until something is read. */
const struct range *medium_news(struct medium *medium, size_t *count);
/* Whether something that was read so far in this range was bad; the number of bytes. */
uint64_t medium_bad_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
/* Of these, those that were known to be lost when it was opened, before anything was read. */
uint64_t medium_lost_bytes(const struct medium *medium, uint64_t offset, uint64_t len);
/* Bytes that were asked of the container so far. */
uint64_t medium_bytes_read(const struct medium *medium);

#endif
