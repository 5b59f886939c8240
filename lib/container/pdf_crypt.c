/* SPDX-License-Identifier: Apache-2.0 */
#include "container/pdf_crypt.h"

#include <string.h>

#include "base/digest_cipher.h"

enum {
    PASSWORD = 32, /* bytes of a password, padded, and of what is made of it */
    SALT = 8,      /* bytes; in versions 5, a hash is followed by two of them */
    REPEATS = 64,  /* copies of a round's input, and the least number of rounds */
    MOST_ID = 1 << 10,
};

/* The empty password. */
static const uint8_t padding[PASSWORD] = {
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08,
    0x2e, 0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
};

/* ---- RC4 ---- */

void pdf_crypt_rc4_begin(struct pdf_crypt_rc4 *rc4, const uint8_t *key, size_t key_len)
{
    unsigned j = 0;

    for (unsigned i = 0; i < PDF_CRYPT_STATE; i++)
        rc4->state[i] = (uint8_t)i;
    for (unsigned i = 0; i < PDF_CRYPT_STATE; i++) {
        const uint8_t was = rc4->state[i];

        j = (j + was + key[i % key_len]) % PDF_CRYPT_STATE;
        rc4->state[i] = rc4->state[j];
        rc4->state[j] = was;
    }
    rc4->i = rc4->j = 0;
}

void pdf_crypt_rc4(struct pdf_crypt_rc4 *rc4, uint8_t *bytes, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        uint8_t one, other;

        rc4->i++;
        one = rc4->state[rc4->i];
        rc4->j = (uint8_t)(rc4->j + one);
        other = rc4->state[rc4->j];
        rc4->state[rc4->i] = other;
        rc4->state[rc4->j] = one;
        bytes[at] ^= rc4->state[(one + other) % PDF_CRYPT_STATE];
    }
}

/* ---- the dictionary ---- */

struct handler {
    struct pdf_value dictionary;
    struct buffer owner, user, user_key, id; /* /O, /U, /UE; the file's */
    int64_t version, revision;
    uint32_t permissions;
};

static void decode(struct pdf_value value, struct buffer *out)
{
    struct pdf_lex lex = {value.text, value.text ? value.text + value.len : NULL};
    struct pdf_lex_token token;

    if (value.text && (pdf_lex_next(&lex, &token) == PDF_LEX_STRING || token.kind == PDF_LEX_HEX))
        pdf_lex_decode(&token, out);
}

static enum pdf_crypt_method method_of(const struct handler *handler, const char *key)
{
    const struct pdf_value name = pdf_lex_get(handler->dictionary, key);
    struct pdf_lex lex = {name.text, name.text ? name.text + name.len : NULL};
    struct pdf_lex_token token;
    struct buffer filter = {0};
    struct pdf_value method = {NULL, 0};

    if (!name.text || pdf_lex_is_name(name, "Identity"))
        return PDF_CRYPT_NONE;
    if (pdf_lex_next(&lex, &token) == PDF_LEX_NAME) {
        pdf_lex_decode(&token, &filter);
        buffer_add_char(&filter, '\0');
        if (!filter.failed)
            method = pdf_lex_get(pdf_lex_get(pdf_lex_get(handler->dictionary, "CF"), filter.data), "CFM");
        buffer_release(&filter);
    }
    return pdf_lex_is_name(method, "None")    ? PDF_CRYPT_NONE
           : pdf_lex_is_name(method, "V2")    ? PDF_CRYPT_RC4
           : pdf_lex_is_name(method, "AESV2") ? PDF_CRYPT_AES
           : pdf_lex_is_name(method, "AESV3") ? PDF_CRYPT_AES_256
                                              : PDF_CRYPT_UNKNOWN;
}

static bool read_methods(struct pdf_crypt *crypt, const struct handler *handler)
{
    if (handler->version < 4) {
        crypt->streams = crypt->strings = crypt->files = PDF_CRYPT_RC4;
        return handler->version >= 1;
    }
    crypt->streams = method_of(handler, "StmF");
    crypt->strings = method_of(handler, "StrF");
    crypt->files = pdf_lex_get(handler->dictionary, "EFF").text ? method_of(handler, "EFF") : crypt->streams;
    return handler->version <= 5 && crypt->streams != PDF_CRYPT_UNKNOWN;
}

/* ---- versions 1 to 4: MD5 and RC4 ---- */

static bool md5(const void *message, size_t len, uint8_t hash[DIGEST_CIPHER_MOST_HASH])
{
    return digest_cipher_hash(DIGEST_CIPHER_MD5, message, len, hash, NULL) > 0;
}

static size_t key_len_of(const struct handler *handler)
{
    const int64_t bits = pdf_lex_whole(pdf_lex_get(handler->dictionary, "Length"), 128);

    if (handler->revision < 3)
        return 5;
    if (handler->version == 4)
        return 16;
    return bits >= 40 && bits % 8 == 0 ? (size_t)bits / 8 : 5;
}

/* Algorithm 2. */
static bool make_key(struct pdf_crypt *crypt, const struct handler *handler)
{
    const uint32_t bits = handler->permissions;
    const uint8_t permissions[4] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
                                    (uint8_t)(bits >> 24)};
    uint8_t hash[DIGEST_CIPHER_MOST_HASH];
    struct buffer message = {0};
    bool done;

    buffer_add(&message, padding, sizeof padding);
    buffer_add(&message, handler->owner.data, PASSWORD);
    buffer_add(&message, permissions, sizeof permissions);
    if (handler->id.len > 0)
        buffer_add(&message, handler->id.data, handler->id.len);
    if (handler->revision >= 4 && !crypt->hides_metadata)
        buffer_add(&message, "\xff\xff\xff\xff", 4);
    done = !message.failed && md5(message.data, message.len, hash);
    buffer_release(&message);
    crypt->key_len = key_len_of(handler);
    for (int i = 0; done && handler->revision >= 3 && i < 50; i++)
        done = md5(hash, crypt->key_len, hash);
    if (done)
        memcpy(crypt->key, hash, crypt->key_len);
    return done;
}

/* Algorithms 4 and 5: what is stored if this is the key. */
static bool proves_key(const struct pdf_crypt *crypt, const struct handler *handler)
{
    uint8_t proof[DIGEST_CIPHER_MOST_HASH];
    struct buffer message = {0};
    const bool is_long = handler->revision >= 3;
    bool done = true;

    memcpy(proof, padding, PASSWORD);
    if (is_long) {
        buffer_add(&message, padding, PASSWORD);
        if (handler->id.len > 0)
            buffer_add(&message, handler->id.data, handler->id.len);
        done = !message.failed && md5(message.data, message.len, proof);
        buffer_release(&message);
    }
    for (unsigned i = 0; i < (is_long ? 20u : 1u); i++) {
        uint8_t key[PDF_CRYPT_MOST_KEY] = {0};
        struct pdf_crypt_rc4 rc4;

        for (size_t j = 0; j < crypt->key_len; j++)
            key[j] = (uint8_t)(crypt->key[j] ^ i);
        pdf_crypt_rc4_begin(&rc4, key, crypt->key_len);
        pdf_crypt_rc4(&rc4, proof, is_long ? 16 : PASSWORD);
    }
    return done && memcmp(proof, handler->user.data, is_long ? 16 : PASSWORD) == 0;
}

/* ---- version 5: SHA-2 and AES ---- */

/* Algorithm 2.B of the empty password: `hash` is a first SHA-256, and becomes what it yields. */
static bool harden(uint8_t hash[DIGEST_CIPHER_MOST_HASH])
{
    static const enum digest_cipher_hash kinds[] = {DIGEST_CIPHER_SHA256, DIGEST_CIPHER_SHA384,
                                                    DIGEST_CIPHER_SHA512};
    uint8_t input[REPEATS * DIGEST_CIPHER_MOST_HASH];
    size_t hash_len = PASSWORD;

    for (unsigned round = 1;; round++) {
        const size_t len = REPEATS * hash_len;
        unsigned sum = 0;

        for (size_t i = 0; i < REPEATS; i++)
            memcpy(input + i * hash_len, hash, hash_len);
        if (digest_cipher_encrypt(hash, hash + DIGEST_CIPHER_BLOCK, input, len, input, NULL) < 0)
            return false;
        for (size_t i = 0; i < DIGEST_CIPHER_BLOCK; i++)
            sum += input[i];
        hash_len = digest_cipher_hash(kinds[sum % 3], input, len, hash, NULL);
        if (hash_len == 0)
            return false;
        /* A byte is at most 255, so this ends. */
        if (round >= REPEATS && input[len - 1] + 32u <= round)
            return true;
    }
}

static bool hash_salt(const struct handler *handler, const char *salt, uint8_t hash[DIGEST_CIPHER_MOST_HASH])
{
    return digest_cipher_hash(DIGEST_CIPHER_SHA256, salt, SALT, hash, NULL) > 0 &&
           (handler->revision < 6 || harden(hash));
}

/* Algorithm 2.A. */
static bool unwrap_key(struct pdf_crypt *crypt, const struct handler *handler)
{
    static const uint8_t zeros[DIGEST_CIPHER_BLOCK];
    const char *salts = handler->user.data + PASSWORD;
    uint8_t hash[DIGEST_CIPHER_MOST_HASH];
    struct digest_cipher *cipher;
    bool done;

    if (handler->user_key.len < PDF_CRYPT_MOST_KEY || !hash_salt(handler, salts, hash) ||
        memcmp(hash, handler->user.data, PASSWORD) != 0 || !hash_salt(handler, salts + SALT, hash))
        return false;
    cipher = digest_cipher_new(hash, PDF_CRYPT_MOST_KEY, zeros, NULL);
    done = cipher && digest_cipher_decrypt(cipher, (const uint8_t *)handler->user_key.data,
                                           PDF_CRYPT_MOST_KEY, crypt->key, NULL) == 0;
    digest_cipher_free(cipher);
    crypt->key_len = PDF_CRYPT_MOST_KEY;
    return done;
}

/* ---- all versions ---- */

static bool find_key(struct pdf_crypt *crypt, const struct handler *handler)
{
    const bool is_new = handler->version == 5;

    if (handler->owner.failed || handler->user.failed || handler->user_key.failed || handler->id.failed ||
        handler->id.len > MOST_ID || handler->owner.len < PASSWORD ||
        handler->user.len < (is_new ? PASSWORD + 2 * SALT : PASSWORD))
        return false;
    if (is_new)
        return handler->revision >= 5 && handler->revision <= 6 && unwrap_key(crypt, handler);
    return handler->revision >= 2 && handler->revision <= 4 && make_key(crypt, handler) &&
           proves_key(crypt, handler);
}

static bool lock(struct pdf_crypt *crypt)
{
    *crypt = (struct pdf_crypt){.streams = PDF_CRYPT_UNKNOWN,
                                .strings = PDF_CRYPT_UNKNOWN,
                                .files = PDF_CRYPT_UNKNOWN,
                                .hides_metadata = true};
    return false;
}

bool pdf_crypt_init(struct pdf_crypt *crypt, struct pdf_value dictionary, struct pdf_value id)
{
    struct handler handler = {.dictionary = dictionary};
    bool done;

    if (!pdf_lex_is_name(pdf_lex_get(dictionary, "Filter"), "Standard"))
        return lock(crypt);
    handler.version = pdf_lex_whole(pdf_lex_get(dictionary, "V"), 100);
    handler.revision = pdf_lex_whole(pdf_lex_get(dictionary, "R"), 100);
    /* Programs write the 32 bits with a sign or without. */
    const double permissions = pdf_lex_number(pdf_lex_get(dictionary, "P"), 0);

    if (permissions >= INT32_MIN && permissions <= UINT32_MAX)
        handler.permissions = (uint32_t)(int64_t)permissions;
    const struct pdf_value metadata = pdf_lex_get(dictionary, "EncryptMetadata");

    *crypt = (struct pdf_crypt){0};
    crypt->hides_metadata = !(metadata.len == 5 && memcmp(metadata.text, "false", 5) == 0);
    decode(pdf_lex_get(dictionary, "O"), &handler.owner);
    decode(pdf_lex_get(dictionary, "U"), &handler.user);
    decode(pdf_lex_get(dictionary, "UE"), &handler.user_key);
    decode(id, &handler.id);
    done = read_methods(crypt, &handler) && find_key(crypt, &handler);
    if (!done)
        lock(crypt);
    buffer_release(&handler.owner);
    buffer_release(&handler.user);
    buffer_release(&handler.user_key);
    buffer_release(&handler.id);
    return done;
}

/* ---- objects ---- */

bool pdf_crypt_key(const struct pdf_crypt *crypt, enum pdf_crypt_method method, uint32_t number,
                   uint32_t generation, struct pdf_crypt_key *key)
{
    const uint8_t place[5] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                              (uint8_t)generation, (uint8_t)(generation >> 8)};
    static const uint8_t salt[] = {'s', 'A', 'l', 'T'};
    uint8_t message[PDF_CRYPT_MOST_KEY + sizeof place + sizeof salt], hash[DIGEST_CIPHER_MOST_HASH];
    size_t len = crypt->key_len;

    *key = (struct pdf_crypt_key){.method = method, .key_len = len};
    memcpy(key->key, crypt->key, len);
    if (method == PDF_CRYPT_AES_256)
        return len == PDF_CRYPT_MOST_KEY;
    if (len == 0 || len > 16)
        return false;
    memcpy(message, crypt->key, len);
    memcpy(message + len, place, sizeof place);
    len += sizeof place;
    if (method == PDF_CRYPT_AES) {
        memcpy(message + len, salt, sizeof salt);
        len += sizeof salt;
    }
    if (!md5(message, len, hash))
        return false;
    key->key_len = crypt->key_len + sizeof place < 16 ? crypt->key_len + sizeof place : 16;
    memcpy(key->key, hash, key->key_len);
    return method == PDF_CRYPT_RC4 || (method == PDF_CRYPT_AES && key->key_len == 16);
}

size_t pdf_crypt_padding(const uint8_t *block)
{
    const uint8_t count = block[DIGEST_CIPHER_BLOCK - 1];

    if (count > DIGEST_CIPHER_BLOCK)
        return 0;
    for (size_t i = DIGEST_CIPHER_BLOCK - count; i < DIGEST_CIPHER_BLOCK; i++)
        if (block[i] != count)
            return 0;
    return count;
}

/* After the first block come others, the last of which ends with padding. */
static void decrypt_blocks(const struct pdf_crypt_key *key, struct buffer *string)
{
    uint8_t *bytes = (uint8_t *)string->data;
    const size_t len = string->len - string->len % DIGEST_CIPHER_BLOCK;
    struct digest_cipher *cipher;

    if (len < 2 * DIGEST_CIPHER_BLOCK || !(cipher = digest_cipher_new(key->key, key->key_len, bytes, NULL)))
        return;
    string->len = len - DIGEST_CIPHER_BLOCK;
    if (digest_cipher_decrypt(cipher, bytes + DIGEST_CIPHER_BLOCK, string->len, bytes, NULL) == 0)
        string->len -= pdf_crypt_padding(bytes + string->len - DIGEST_CIPHER_BLOCK);
    digest_cipher_free(cipher);
}

void pdf_crypt_string(const struct pdf_crypt *crypt, uint32_t number, uint32_t generation,
                      struct buffer *string)
{
    struct pdf_crypt_key key;
    struct pdf_crypt_rc4 rc4;

    if (crypt->strings == PDF_CRYPT_NONE || string->len == 0 ||
        !pdf_crypt_key(crypt, crypt->strings, number, generation, &key))
        return;
    if (key.method != PDF_CRYPT_RC4) {
        decrypt_blocks(&key, string);
        return;
    }
    pdf_crypt_rc4_begin(&rc4, key.key, key.key_len);
    pdf_crypt_rc4(&rc4, (uint8_t *)string->data, string->len);
}
