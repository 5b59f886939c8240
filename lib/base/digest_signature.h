/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_DIGEST_SIGNATURE_H
#define KITH_DIGEST_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Ed25519 signatures (RFC 8032), with keys in PEM files as `openssl genpkey -algorithm ed25519` makes them.
 */

enum { DIGEST_SIGNATURE_LEN = 64 };

struct digest_signature_key;

/* Read a private key, to make signatures, or a public one, to check them; libcrypto asks on the terminal for
 * the passphrase of an encrypted key.  NULL on error. */
struct digest_signature_key *digest_signature_private(const char *path, struct error *err);
struct digest_signature_key *digest_signature_public(const char *path, struct error *err);
/* Frees the key and wipes its memory; NULL is fine. */
void digest_signature_free(struct digest_signature_key *key);

/* Signs a message of len bytes with a private key.  Returns -1 if libcrypto fails. */
int digest_signature_make(const struct digest_signature_key *key, const void *message, size_t len,
                          uint8_t signature[DIGEST_SIGNATURE_LEN], struct error *err);
/* Whether the signature is that of the message by the owner of the public key: 1 or 0; -1 if libcrypto fails.
 */
int digest_signature_holds(const struct digest_signature_key *key, const void *message, size_t len,
                           const uint8_t signature[DIGEST_SIGNATURE_LEN], struct error *err);

#endif
