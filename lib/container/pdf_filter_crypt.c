/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/digest_cipher.h"
#include "container/pdf_filter_inner.h"

enum { BLOCK = DIGEST_CIPHER_BLOCK };

struct pdf_filter_crypt {
    struct pdf_crypt_rc4 rc4;
    struct digest_cipher *cipher; /* of AES; NULL before the first block */
    uint8_t blocks[BLOCK + PDF_FILTER_PIECE];
    size_t at, len; /* of blocks: what is left to be read */
    size_t held;    /* bytes after it: the last block so far, which may be padded */
    bool ended;
    const char *problem;
};

int pdf_filter_crypt_init(struct pdf_filter_stage *stage)
{
    stage->crypt = calloc(1, sizeof *stage->crypt);
    if (stage->crypt && stage->step.key.method == PDF_CRYPT_RC4)
        pdf_crypt_rc4_begin(&stage->crypt->rc4, stage->step.key.key, stage->step.key.key_len);
    return stage->crypt ? 0 : -1;
}

void pdf_filter_crypt_release(struct pdf_filter_stage *stage)
{
    if (stage->crypt)
        digest_cipher_free(stage->crypt->cipher);
    free(stage->crypt);
}

/* What is below as it is; fewer than len bytes only at its end. */
static size_t read_packed(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    size_t done = 0;

    while (done < len && (stage->in_at < stage->in_len || pdf_filter_fill(stage))) {
        const size_t left = stage->in_len - stage->in_at, got = left < len - done ? left : len - done;

        memcpy(into + done, stage->in + stage->in_at, got);
        stage->in_at += got;
        done += got;
    }
    return done;
}

/* The first block is what CBC starts from. */
static bool begin(struct pdf_filter_stage *stage)
{
    struct pdf_filter_crypt *crypt = stage->crypt;
    const struct pdf_crypt_key *key = &stage->step.key;
    uint8_t start[BLOCK];

    if (read_packed(stage, start, BLOCK) < BLOCK)
        crypt->problem = "is cut off";
    else if (!(crypt->cipher = digest_cipher_new(key->key, key->key_len, start, NULL)))
        crypt->problem = "cannot be decrypted";
    return crypt->cipher != NULL;
}

/* Decrypts the next piece. The last block is kept until it is known whether there is another one. */
static void fill_blocks(struct pdf_filter_stage *stage)
{
    struct pdf_filter_crypt *crypt = stage->crypt;
    size_t got, whole;

    memmove(crypt->blocks, crypt->blocks + crypt->len, crypt->held);
    crypt->at = crypt->len = 0;
    if (!crypt->cipher && !begin(stage)) {
        crypt->ended = true;
        return;
    }
    got = read_packed(stage, crypt->blocks + crypt->held, PDF_FILTER_PIECE);
    whole = got - got % BLOCK;
    if (digest_cipher_decrypt(crypt->cipher, crypt->blocks + crypt->held, whole, crypt->blocks + crypt->held,
                              NULL) < 0) {
        crypt->problem = "cannot be decrypted";
        whole = 0;
    }
    crypt->len = crypt->held + whole;
    crypt->held = 0;
    crypt->ended = got < PDF_FILTER_PIECE || crypt->problem;
    if (got % BLOCK != 0)
        crypt->problem = "is cut off";
    if (crypt->ended && crypt->len > 0 && !crypt->problem)
        crypt->len -= pdf_crypt_padding(crypt->blocks + crypt->len - BLOCK);
    if (!crypt->ended) {
        crypt->held = BLOCK;
        crypt->len -= BLOCK;
    }
}

size_t pdf_filter_decrypt(struct pdf_filter_stage *stage, uint8_t *into, size_t len)
{
    struct pdf_filter_crypt *crypt = stage->crypt;
    size_t done = 0;

    if (stage->step.key.method == PDF_CRYPT_RC4) {
        done = read_packed(stage, into, len);
        pdf_crypt_rc4(&crypt->rc4, into, done);
        return done;
    }
    while (done < len && (crypt->at < crypt->len || !crypt->ended)) {
        const size_t left = crypt->len - crypt->at, got = left < len - done ? left : len - done;

        memcpy(into + done, crypt->blocks + crypt->at, got);
        crypt->at += got;
        done += got;
        if (done < len && !crypt->ended)
            fill_blocks(stage);
    }
    if (done < len)
        pdf_filter_stop(stage, crypt->problem);
    return done;
}
