/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_BACKEND_H
#define KITH_BACKEND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/error.h"

/* A container of a disk's bytes, of one format.  What may go wrong while reading is told, not hidden. */
struct backend {
    uint64_t size;
    uint32_t sector_size;
    uint32_t
        piece; /* what is lost together when it cannot be read; 0: as little as the system reads at once */
    /* pread(2): may be short; 0 at the end, -1 with a cause in errno. */
    ssize_t (*read)(void *state, uint64_t offset, void *into, size_t len);
    /* Stretches that are known to be wrong: lost when it was opened, or read so far, though read gave
     * something; they grow.  May be NULL. */
    size_t (*bad)(void *state, size_t from, uint64_t *offset,
                  uint64_t *len); /* number from; 0: there is none */
    /* What is wrong with the container as such and was put up with, as lines; "" or NULL: nothing.  May be
     * NULL. */
    const char *(*damages)(void *state);
    /* Names of the files that it reads besides those it was opened with, in the same folder, each ended by a
     * zero byte; len bytes.  May be NULL. */
    const char *(*files)(void *state, size_t *len);
    void (*close)(void *state);
    void *state;
    struct digest_values stored; /* digests of the whole that the container holds */
};

/* paths: the container's files, in order.  Each fills the backend, which is of zeros before. */
int backend_raw_open(struct backend *backend, char *const *paths, size_t count, struct error *err);
/* For one descriptor, which stays the caller's. */
int backend_raw_fd(struct backend *backend, int fd, const char *name, struct error *err);
/* force: put up with damages to what holds the set together; what cannot be placed fails to be read. */
int backend_ewf_open(struct backend *backend, char *const *paths, size_t count, bool force,
                     struct error *err);
/* Other than through afflib; not AFD or AFM. */
int backend_aff_open(struct backend *backend, char *path, bool force, struct error *err);
int backend_qcow2_open(struct backend *backend, const char *path, bool force, struct error *err);
int backend_vdi_open(struct backend *backend, const char *path, bool force, struct error *err);
int backend_vmdk_open(struct backend *backend, const char *path, bool force, struct error *err);
int backend_libewf_open(struct backend *backend, char *const *paths, size_t count, bool force,
                        struct error *err);
/* type: as libtsk names it, "vhd", "afd" .. */
int backend_tsk_open(struct backend *backend, char *const *paths, size_t count, const char *type,
                     struct error *err);

#endif
