/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_IMAGES_INNER_H
#define KITH_SELFTEST_IMAGES_INNER_H

#include "selftest_image.h"
#include "selftest_images.h"

/* What is planted in the images of file systems, and where. */

enum selftest_images_place {
    SELFTEST_ACTIVE,
    SELFTEST_DELETED,
    SELFTEST_UNALLOCATED,
    SELFTEST_SLACK,
    SELFTEST_PLACES,
};

enum { SELFTEST_ITEMS = 6 /* most of a place in an image */ };

/* A content that lies in one image at one place, and nowhere else. */
struct selftest_item {
    char file[16]; /* its name in the file system; slack: that of the file before it; or "" */
    enum selftest_class class;
    struct buffer content;
    char sha1[2 * DIGEST_SHA1_LEN + 1];
    struct buffer carrier; /* slack: the content of the file before it */
    uint64_t at;           /* offset in the image */
    bool found, right, identical;
};

struct selftest_items {
    size_t count; /* of each place */
    struct selftest_item list[SELFTEST_PLACES][SELFTEST_ITEMS];
};

/* Generates the contents for a system. */
int selftest_images_generate(const struct selftest_run *run, const struct selftest_image_system *system,
                             struct selftest_items *items, struct error *err);
void selftest_images_release(struct selftest_items *items);

/* Makes the image and plants everything in it; the image is mapped afterwards.  Fails if any content does not
 * lie where it should, or lies there twice. */
int selftest_images_plant(struct selftest_image *image, struct selftest_items *items, struct error *err);

/* Everything that is planted: items[i] is for systems[i]. */
struct selftest_images {
    struct selftest_run *run;
    const struct selftest_image_system *const *systems; /* `count` of them */
    size_t count;
    struct selftest_items *items;
};

/* Writes all contents to "references", in files whose names are numbers, for sets to be made from. */
int selftest_images_references(const struct selftest_images *images, struct error *err);

/* Scans the image of a system with one of the sets, and adds the results to a case for each place. */
int selftest_images_scan(const struct selftest_images *images, const struct selftest_image *image,
                         size_t system, bool dense, struct selftest_case *const tests[SELFTEST_PLACES],
                         struct error *err);

#endif
