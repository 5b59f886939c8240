/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_CASE_SEAL_H
#define KITH_CASE_SEAL_H

/*
 * The seal of a case, which is the last value of the chain of its log, and signatures of it in files of their
 * own.  What is signed is the line that case_seal_print prints, so other programs can check it too.
 *
 * Each of these shows errors, and what of the case does not verify, and returns the exit status.
 */

/* Prints the seal. */
int case_seal_print(const char *path);
/* Writes the signature, made with a private key, into a new file.  A case that does not verify, or whose scan
 * is not finished, is not signed. */
int case_seal_sign(const char *path, const char *key_path, const char *signature_path);
/* Checks the signature with a public key, and the case.  It may be that of an earlier entry of the log; then
 * the exit status is EXIT_PARTIAL, too. */
int case_seal_verify(const char *path, const char *key_path, const char *signature_path);

#endif
