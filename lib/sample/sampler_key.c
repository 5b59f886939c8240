/* SPDX-License-Identifier: Apache-2.0 */
#include "sample/sampler_key.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/fields.h"

#define MAGIC "kith-key1:"

enum {
    MAGIC_LEN = sizeof MAGIC - 1,
    LINE_LEN = MAGIC_LEN + 2 * SAMPLER_KEY_SECRET_LEN + 1,
    OTHERS = S_IRWXG | S_IRWXO,
};

/* ---- deriving ---- */

/* SHA-256 of the purpose, the secret and the number, which is four bytes, least significant first. */
static int derive(struct digest *digest, const char *purpose, const uint8_t *secret, uint32_t number,
                  uint8_t out[DIGEST_SHA256_LEN], struct error *err)
{
    const uint8_t count[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 24)};
    struct digest_values values;
    int result = 0;

    if (digest_begin(digest, err) || digest_update(digest, purpose, strlen(purpose), err) ||
        digest_update(digest, secret, SAMPLER_KEY_SECRET_LEN, err) ||
        digest_update(digest, count, sizeof count, err) || digest_final(digest, &values, err))
        result = -1;
    else
        memcpy(out, values.bytes[DIGEST_SHA256], DIGEST_SHA256_LEN);
    explicit_bzero(&values, sizeof values);
    return result;
}

static int derive_id(struct sampler_key *key, struct digest *digest, const uint8_t *secret, struct error *err)
{
    uint8_t bytes[DIGEST_SHA256_LEN];

    if (derive(digest, "kith key id", secret, 0, bytes, err))
        return -1;
    memcpy(key->id, bytes, sizeof key->id);
    return sampler_key_number(key->id) ? 0 : error_set(err, "the key is unusable: its ID begins with zeros");
}

static int derive_seeds(struct sampler_key *key, struct digest *digest, const uint8_t *secret,
                        struct error *err)
{
    uint8_t bytes[DIGEST_SHA256_LEN];
    const int result = derive(digest, "kith key fingerprint", secret, 0, bytes, err);

    for (int i = 0; i < SAMPLER_KEY_SEEDS && !result; i++)
        key->seeds[i] = bytes_load64(bytes + i * 8);
    explicit_bzero(bytes, sizeof bytes);
    return result;
}

/* Tries eight bytes for the matrix and the next one for the target, of one digest after another, until they
 * are usable: about one in four is. */
static int derive_selector(struct sampler_key *key, struct digest *digest, const uint8_t *secret,
                           struct error *err)
{
    struct gf8_secret *selector = &key->selector;
    uint8_t bytes[DIGEST_SHA256_LEN];
    uint32_t number = 0;
    int result;

    do {
        result = derive(digest, "kith key selector", secret, number++, bytes, err);
        if (result)
            break;
        memcpy(selector->columns, bytes, sizeof selector->columns);
        selector->target = bytes[sizeof selector->columns];
    } while (!gf8_is_usable(selector));
    explicit_bzero(bytes, sizeof bytes);
    return result;
}

int sampler_key_derive(struct sampler_key *key, const uint8_t *secret, struct error *err)
{
    struct digest *digest = digest_new(DIGEST_BIT(DIGEST_SHA1) | DIGEST_BIT(DIGEST_SHA256), err);
    int result = -1;

    if (digest && derive_id(key, digest, secret, err) == 0 && derive_seeds(key, digest, secret, err) == 0 &&
        derive_selector(key, digest, secret, err) == 0)
        result = 0;
    digest_free(digest);
    if (result)
        sampler_key_wipe(key);
    return result;
}

/* ---- files ---- */

static int check_private(int fd, const char *path, struct error *err)
{
    struct stat st;

    if (fstat(fd, &st))
        return error_errno(err, "%s", path);
    if (S_ISDIR(st.st_mode))
        return error_set(err, "%s: is a folder, not a key", path);
    if (S_ISREG(st.st_mode) && (st.st_mode & OTHERS))
        return error_set(err, "%s: the key can be read or changed by others: its mode is %03o, not 600", path,
                         st.st_mode & 07777);
    return 0;
}

/* Reads up to `room` bytes. */
static int read_some(int fd, const char *path, char *text, size_t room, size_t *len, struct error *err)
{
    for (*len = 0; *len < room;) {
        const ssize_t got = read(fd, text + *len, room - *len);

        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return error_errno(err, "%s", path);
        *len += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

static bool parse(const char *text, size_t len, uint8_t secret[SAMPLER_KEY_SECRET_LEN])
{
    return (len == LINE_LEN || len == LINE_LEN - 1) && memcmp(text, MAGIC, MAGIC_LEN) == 0 &&
           fields_hex(text + MAGIC_LEN, SAMPLER_KEY_SECRET_LEN, secret) &&
           (len == LINE_LEN - 1 || text[LINE_LEN - 1] == '\n');
}

static int take(struct sampler_key *key, int fd, const char *path, struct error *err)
{
    uint8_t secret[SAMPLER_KEY_SECRET_LEN] = {0};
    char text[LINE_LEN + 1];
    size_t len;
    int result = -1;

    if (read_some(fd, path, text, sizeof text, &len, err) == 0) {
        if (parse(text, len, secret))
            result = sampler_key_derive(key, secret, err);
        else
            error_set(err, "%s: is not a key: it is not one line of " MAGIC " and 64 hexadecimal digits",
                      path);
    }
    explicit_bzero(secret, sizeof secret);
    explicit_bzero(text, sizeof text);
    return result;
}

int sampler_key_load(struct sampler_key *key, const char *path, struct error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int result;

    if (fd < 0)
        return error_errno(err, "%s", path);
    result = check_private(fd, path, err) || take(key, fd, path, err) ? -1 : 0;
    close(fd);
    return result;
}

/* Fills in a line with a random key. */
static int make_line(char text[LINE_LEN], struct error *err)
{
    uint8_t secret[SAMPLER_KEY_SECRET_LEN];

    if (getrandom(secret, sizeof secret, 0) != sizeof secret)
        return error_errno(err, "cannot get random bytes");
    memcpy(text, MAGIC, MAGIC_LEN);
    fields_put_hex(text + MAGIC_LEN, secret, sizeof secret);
    text[LINE_LEN - 1] = '\n';
    explicit_bzero(secret, sizeof secret);
    return 0;
}

static int write_line(int fd, const char text[LINE_LEN])
{
    for (size_t done = 0; done < LINE_LEN;) {
        const ssize_t written = write(fd, text + done, LINE_LEN - done);

        if (written < 0 && errno != EINTR)
            return -1;
        done += written > 0 ? (size_t)written : 0;
    }
    return fsync(fd);
}

int sampler_key_create(const char *path, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    char text[LINE_LEN];
    int result;

    if (fd < 0)
        return error_errno(err, "%s", path);
    result = make_line(text, err);
    if (result == 0 && write_line(fd, text))
        result = error_errno(err, "%s", path);
    explicit_bzero(text, sizeof text);
    if (close(fd) && result == 0)
        result = error_errno(err, "%s", path);
    if (result)
        unlink(path);
    return result;
}

/* ---- keys ---- */

void sampler_key_wipe(struct sampler_key *key)
{
    explicit_bzero(key, sizeof *key);
}

bool sampler_key_is_set(const uint8_t id[SAMPLER_KEY_ID_LEN])
{
    for (int i = 0; i < SAMPLER_KEY_ID_LEN; i++)
        if (id[i])
            return true;
    return false;
}

uint32_t sampler_key_number(const uint8_t id[SAMPLER_KEY_ID_LEN])
{
    return bytes_load32(id);
}

void sampler_key_format(char text[SAMPLER_KEY_ID_ROOM], const uint8_t id[SAMPLER_KEY_ID_LEN])
{
    fields_put_hex(text, id, SAMPLER_KEY_ID_LEN);
    text[SAMPLER_KEY_ID_ROOM - 1] = '\0';
}
