/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "evidence/evidence_wire.h"
#include "evidence/worker_inner.h"

/* The digests of the whole image. */

enum { DIGEST_PIECE = 4 << 20 };

static int digest_image(struct evidence_worker *worker, struct digest_values *values, struct error *err)
{
    const uint64_t size = medium_size(worker->medium);
    uint8_t *piece = malloc(DIGEST_PIECE);
    int failed = piece ? digest_begin(worker->digest, err) : error_set(err, "out of memory");

    for (uint64_t at = 0; at < size && !failed;) {
        size_t len = size - at < DIGEST_PIECE ? (size_t)(size - at) : DIGEST_PIECE;

        medium_read(worker->medium, at, piece, len);
        failed = digest_update(worker->digest, piece, len, err);
        crew_progress(worker->crew, len);
        at += len;
    }
    if (!failed)
        failed = digest_final(worker->digest, values, err);
    free(piece);
    return failed;
}

void worker_do_digest(struct evidence_worker *worker)
{
    struct digest_values values = {0};
    struct error err;

    if (!worker->digest || !worker_begin_item(worker, 0))
        return;
    if (digest_image(worker, &values, &err)) {
        worker_send_problem(worker, &err);
    } else {
        worker_put(worker, MESSAGE_DIGEST);
        evidence_put_digests(&worker->out, &values);
    }
}
