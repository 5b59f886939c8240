/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_PDF_CRYPT_H
#define KITH_PDF_CRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "container/pdf_lex.h"

/*
 * Encryption by the standard security handler (ISO 32000-2, 7.6.4), of files that open without a password:
 * programs encrypt them so that readers refuse to print or to copy.
 */

enum {
    PDF_CRYPT_MOST_KEY = 32,
    PDF_CRYPT_STATE = 256, /* of RC4 */
};

enum pdf_crypt_method {
    PDF_CRYPT_NONE, /* not encrypted */
    PDF_CRYPT_RC4,
    PDF_CRYPT_AES,     /* 128 bits, with a key for each object */
    PDF_CRYPT_AES_256, /* with the key of the file */
    PDF_CRYPT_UNKNOWN,
};

/* A zeroed struct is that of a file that is not encrypted. */
struct pdf_crypt {
    uint8_t key[PDF_CRYPT_MOST_KEY];
    size_t key_len;
    enum pdf_crypt_method streams, strings, files; /* files: that are embedded */
    bool hides_metadata;                           /* the stream of XMP is encrypted, too */
};

/* How an object is encrypted, with its key. */
struct pdf_crypt_key {
    enum pdf_crypt_method method;
    uint8_t key[PDF_CRYPT_MOST_KEY];
    size_t key_len;
};

/* Reads the dictionary of the encryption, in which every value stands itself, and `id`, the first string of
 * the file's /ID. Returns whether what is encrypted can be decrypted; if not, as when a password is needed,
 * there is no key for any object. */
bool pdf_crypt_init(struct pdf_crypt *crypt, struct pdf_value dictionary, struct pdf_value id);
/* The key of an object; false if there is none. */
bool pdf_crypt_key(const struct pdf_crypt *crypt, enum pdf_crypt_method method, uint32_t number,
                   uint32_t generation, struct pdf_crypt_key *key);
/* Decrypts a string in its place; what cannot be decrypted remains. */
void pdf_crypt_string(const struct pdf_crypt *crypt, uint32_t number, uint32_t generation,
                      struct buffer *string);

/* The number of bytes of padding at the end of the last block that AES yields. */
size_t pdf_crypt_padding(const uint8_t *block);

/* RC4, which libcrypto has in a file of its own only. */
struct pdf_crypt_rc4 {
    uint8_t state[PDF_CRYPT_STATE];
    uint8_t i, j;
};

/* Begins with a key of 1 to PDF_CRYPT_STATE bytes. */
void pdf_crypt_rc4_begin(struct pdf_crypt_rc4 *rc4, const uint8_t *key, size_t key_len);
/* Decrypts or encrypts bytes in their place. */
void pdf_crypt_rc4(struct pdf_crypt_rc4 *rc4, uint8_t *bytes, size_t len);

#endif
