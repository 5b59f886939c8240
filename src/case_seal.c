/* SPDX-License-Identifier: Apache-2.0 */
#include "case_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/digest_signature.h"
#include "case/casefile.h"
#include "command.h"
#include "terminal.h"

enum { SEAL_LINE = 2 * CASE_CHAIN_LEN + 1 };

/* The seal as it is printed and signed: hexadecimal digits and a newline. */
struct seal_line {
    char text[SEAL_LINE + 1];
};

static struct seal_line line_of(const uint8_t chain[CASE_CHAIN_LEN])
{
    struct seal_line line;

    for (size_t i = 0; i < CASE_CHAIN_LEN; i++)
        snprintf(line.text + 2 * i, 3, "%02x", chain[i]);
    line.text[SEAL_LINE - 1] = '\n';
    line.text[SEAL_LINE] = '\0';
    return line;
}

/* ---- the case ---- */

static void show_fault(void *arg, const char *text)
{
    (void)arg;
    complain("%s", text);
}

/* Calls each for the entries of the log.  Returns EXIT_DONE if the case verifies. */
static int read_case(struct casefile *casefile, void (*each)(void *arg, const struct case_entry *entry),
                     void *arg)
{
    struct error err;
    const int faults = casefile_check(casefile, show_fault, NULL, &err);

    if (faults == 0 && casefile_read_log(casefile, each, arg, &err) == 0)
        return EXIT_DONE;
    if (faults > 0) {
        complain("the case does not verify; its contents may have been changed since the scan");
        return EXIT_PARTIAL;
    }
    complain_error(&err);
    return EXIT_USAGE;
}

static int read_path(const char *path, void (*each)(void *arg, const struct case_entry *entry), void *arg)
{
    struct error err;
    struct casefile *casefile = casefile_open_report(path, &err);
    const int status = casefile ? read_case(casefile, each, arg) : EXIT_USAGE;

    if (!casefile)
        complain_error(&err);
    casefile_close(casefile, NULL);
    return status;
}

static void keep_line(void *arg, const struct case_entry *entry)
{
    *(struct seal_line *)arg = line_of(entry->chain);
}

int case_seal_print(const char *path)
{
    struct seal_line line = {""};
    const int status = read_path(path, keep_line, &line);

    if (status == EXIT_DONE)
        fputs(line.text, stdout);
    return status;
}

/* ---- signing ---- */

/* Evidence that is not sealed has rows that no seal covers. */
static int check_finished(struct casefile *casefile)
{
    struct case_evidence evidence;
    struct error err;
    int result;

    for (uint64_t number = 1; (result = casefile_evidence(casefile, number, &evidence, &err)) > 0; number++)
        if (evidence.state == CASE_BEGUN) {
            complain("%s: the scan is incomplete, so the case was not signed; resume the scan first",
                     evidence.path);
            return EXIT_PARTIAL;
        }
    if (result == 0)
        return EXIT_DONE;
    complain_error(&err);
    return EXIT_USAGE;
}

static int read_finished(const char *path, struct seal_line *line)
{
    struct error err;
    struct casefile *casefile = casefile_open_report(path, &err);
    int status = EXIT_USAGE;

    if (!casefile)
        complain_error(&err);
    else if ((status = check_finished(casefile)) == EXIT_DONE)
        status = read_case(casefile, keep_line, line);
    casefile_close(casefile, NULL);
    return status;
}

static int write_new(const char *path, const uint8_t *data, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct error err;
    ssize_t put;
    int result;

    if (fd < 0) {
        error_errno(&err, "%s", path);
        complain(errno == EEXIST ? "%s; a signature is never overwritten (--signature names another file)"
                                 : "%s",
                 err.text);
        return EXIT_USAGE;
    }
    put = write(fd, data, len);
    result = put == (ssize_t)len ? fsync(fd) : -1;
    if (put >= 0 && put < (ssize_t)len)
        errno = ENOSPC;
    if (result)
        error_errno(&err, "%s", path);
    if (close(fd) && !result)
        result = error_errno(&err, "%s", path);
    if (!result)
        return EXIT_DONE;
    complain_error(&err);
    unlink(path);
    return EXIT_USAGE;
}

int case_seal_sign(const char *path, const char *key_path, const char *signature_path)
{
    struct error err;
    struct seal_line line = {""};
    uint8_t signature[DIGEST_SIGNATURE_LEN];
    struct digest_signature_key *key;
    int status = read_finished(path, &line);

    if (status != EXIT_DONE)
        return status;
    key = digest_signature_private(key_path, &err);
    if (!key || digest_signature_make(key, line.text, SEAL_LINE, signature, &err)) {
        complain_error(&err);
        status = EXIT_USAGE;
    } else {
        status = write_new(signature_path, signature, sizeof signature);
    }
    digest_signature_free(key);
    if (status == EXIT_DONE)
        fputs(line.text, stdout);
    return status;
}

/* ---- verifying ---- */

struct verification {
    const struct digest_signature_key *key;
    uint8_t signature[DIGEST_SIGNATURE_LEN];
    uint64_t entries, signed_entries; /* 0: the signature is that of none */
    bool failed;
    struct error err;
};

static void try_entry(void *arg, const struct case_entry *entry)
{
    struct verification *verification = arg;
    const struct seal_line line = line_of(entry->chain);
    int holds = 0;

    verification->entries++;
    if (!verification->failed)
        holds = digest_signature_holds(verification->key, line.text, SEAL_LINE, verification->signature,
                                       &verification->err);
    if (holds < 0)
        verification->failed = true;
    if (holds > 0)
        verification->signed_entries = verification->entries;
}

static int load_signature(const char *path, uint8_t signature[DIGEST_SIGNATURE_LEN])
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t data[DIGEST_SIGNATURE_LEN + 1];
    struct error err;
    const ssize_t len = fd < 0 ? -1 : read(fd, data, sizeof data);

    if (len < 0) {
        error_errno(&err, "%s", path);
        complain_error(&err);
    } else if (len != DIGEST_SIGNATURE_LEN) {
        complain("%s: is not a signature: one has %d bytes", path, DIGEST_SIGNATURE_LEN);
    } else {
        for (size_t i = 0; i < DIGEST_SIGNATURE_LEN; i++)
            signature[i] = data[i];
    }
    if (fd >= 0)
        close(fd);
    return len == DIGEST_SIGNATURE_LEN ? 0 : -1;
}

/* The case verifies. */
static int show_outcome(const struct verification *verification, const char *path, const char *signature_path)
{
    const uint64_t since = verification->entries - verification->signed_entries;

    if (verification->failed) {
        complain_error(&verification->err);
        return EXIT_USAGE;
    }
    if (!verification->signed_entries) {
        complain("%s: BAD SIGNATURE: %s was not signed with this key, or the seal that was signed is not in "
                 "its log",
                 signature_path, path);
        return EXIT_PARTIAL;
    }
    if (since) {
        complain("%s: is the signature of entry %" PRIu64 " of the log: the case was signed, and %" PRIu64
                 " entr%s came later (kith report --about lists them)",
                 signature_path, verification->signed_entries, since, since == 1 ? "y" : "ies");
        return EXIT_PARTIAL;
    }
    say("%s: good signature, and the case is as it was signed", path);
    return EXIT_DONE;
}

int case_seal_verify(const char *path, const char *key_path, const char *signature_path)
{
    struct verification verification = {.entries = 0};
    struct error err;
    struct digest_signature_key *key = digest_signature_public(key_path, &err);
    int status = EXIT_USAGE;

    verification.key = key;
    if (!key)
        complain_error(&err);
    else if (load_signature(signature_path, verification.signature) == 0)
        status = read_path(path, try_entry, &verification);
    if (status == EXIT_DONE)
        status = show_outcome(&verification, path, signature_path);
    digest_signature_free(key);
    return status;
}
