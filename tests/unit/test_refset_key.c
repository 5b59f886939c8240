/* SPDX-License-Identifier: Apache-2.0 */
#include "refset_twin.h"
#include "stored_twin.h"

/* Sets that are sampled with a key. */

static const uint8_t id[SAMPLER_KEY_ID_LEN] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void create_keyed(void)
{
    struct refset_params params = small_params(256);
    struct refset *set;

    memcpy(params.key, id, sizeof id);
    set = refset_create(path, &params, "test 1", NOW, &err);
    ck_assert_msg(set != NULL, "%s", err.text);
    close_set(set);
}

START_TEST(a_set_keeps_the_id_of_its_key)
{
    static const enum refset_mode modes[] = {REFSET_READ, REFSET_FIXED, REFSET_WRITE};

    begin_test();
    create_keyed();
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct refset *set = open_as(modes[i]);

        ck_assert_mem_eq(refset_info(set)->params.key, id, sizeof id);
        close_set(set);
    }
    assert_good();
    end_test();
}
END_TEST

START_TEST(a_set_of_an_earlier_schema_has_no_key_and_is_upgraded_by_a_writer)
{
    struct refset *set;

    begin_test();
    close_set(create_at(path, 256));
    spoil("DROP TABLE key; PRAGMA user_version = 2");
    for (int i = 0; i < 2; i++) {
        set = open_as(i ? REFSET_WRITE : REFSET_READ);
        ck_assert(!sampler_key_is_set(refset_info(set)->params.key));
        close_set(set);
    }
    ck_assert_int_eq(ask("PRAGMA user_version"), 4);
    ck_assert_int_eq(ask("SELECT count(*) FROM key"), 0);
    assert_good();
    end_test();
}
END_TEST

START_TEST(a_malformed_key_is_refused)
{
    static const char *const faults[] = {
        "UPDATE key SET id = x'0102'",
        "UPDATE key SET id = zeroblob(16)",
        "UPDATE key SET id = zeroblob(17)",
    };

    begin_test();
    create_keyed();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        spoil(faults[i]);
        ck_assert_ptr_null(refset_open(path, REFSET_READ, &err));
        ck_assert_ptr_nonnull(strstr(err.text, "malformed row in table key"));
    }
    end_test();
}
END_TEST

START_TEST(a_record_that_was_sampled_otherwise_is_refused)
{
    struct refset *set;
    struct refset_writer *writer;

    begin_test();
    create_keyed();
    set = open_as(REFSET_WRITE);
    writer = write_to(set, true);
    for (uint32_t k = 0; k < 2; k++) {
        struct known known = {.has_size = true, .has_record = true, .size = 9000};

        known.digests.kinds = DIGEST_BIT(DIGEST_SHA1);
        known.record.params = (struct sampler_params){SAMPLER_GF8, N, 128, k};
        ck_assert_int_eq(refset_writer_add(writer, &known, &err), REFSET_REFUSED);
        known.record.params.k = 0x04030201;
        ck_assert_int_eq(refset_writer_add(writer, &known, &err), k ? REFSET_THERE : REFSET_ADDED);
        known_release(&known);
    }
    commit(writer);
    refset_writer_free(writer);
    close_set(set);
    assert_good();
    end_test();
}
END_TEST

RUN_TESTS("refset_key", a_set_keeps_the_id_of_its_key,
          a_set_of_an_earlier_schema_has_no_key_and_is_upgraded_by_a_writer, a_malformed_key_is_refused,
          a_record_that_was_sampled_otherwise_is_refused)
