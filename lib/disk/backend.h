/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BACKEND_H
#define KITH_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/error.h"
#include "disk/content.h"

/* A container of one format that holds a disk.  Damage and read errors are reported, never hidden. */
struct backend {
    uint64_t size;
    uint32_t sector_size;
    uint32_t piece; /* bytes that are lost together if one cannot be read; 0: as few as the system allows */
    /* Like pread(2): may return less than asked; 0 at the end, -1 with errno set. */
    ssize_t (*read)(void *state, uint64_t offset, void *into, size_t len);
    /*
     * Finds known bad ranges, whether or not read reports them as errors: lost when the container was opened,
     * or found while reading.  Stores range number `from` (counting from 0) and returns 1, or returns 0 if
     * there are not that many.  The last range may grow between calls.  May be NULL.
     */
    size_t (*bad)(void *state, size_t from, uint64_t *offset, uint64_t *len);
    /* Damage to the container as such that was tolerated, as lines; "" or NULL: none.  May be NULL. */
    const char *(*damages)(void *state);
    /* Names of other files that it reads, in the same folder as those it was opened with, each
     * NUL-terminated; sets len to their total length.  May be NULL. */
    const char *(*files)(void *state, size_t *len);
    void (*close)(void *state);
    void *state;
    struct digest_values stored; /* digests of the whole disk, stored in the container */
};

/*
 * paths: the container's files, in order.  content: if not NULL, the bytes of the only file, which is none of
 * the host, so that its path is merely its name; borrowed.  Each function fills in the backend, which the
 * caller has initialized to zeros.
 */
int backend_raw_open(struct backend *backend, char *const *paths, size_t count, struct error *err);
/* Reads from a descriptor, which the caller keeps. */
int backend_raw_fd(struct backend *backend, int fd, const char *name, struct error *err);
int backend_raw_content(struct backend *backend, struct content *content, struct error *err);
/* force: tolerate damage to the structures of the set; data that cannot be located is unreadable. */
int backend_ewf_open(struct backend *backend, char *const *paths, size_t count, struct content *content,
                     bool force, struct error *err);
/* Uses afflib only for LZMA pages; AFD and AFM are not supported. */
int backend_aff_open(struct backend *backend, char *path, bool force, struct error *err);
int backend_qcow2_open(struct backend *backend, const char *path, struct content *content, bool force,
                       struct error *err);
int backend_vdi_open(struct backend *backend, const char *path, struct content *content, bool force,
                     struct error *err);
int backend_vmdk_open(struct backend *backend, const char *path, struct content *content, bool force,
                      struct error *err);
int backend_libewf_open(struct backend *backend, char *const *paths, size_t count, bool force,
                        struct error *err);
/* type: libtsk's name for it, such as "vhd" or "afd". */
int backend_tsk_open(struct backend *backend, char *const *paths, size_t count, const char *type,
                     struct error *err);

#endif
