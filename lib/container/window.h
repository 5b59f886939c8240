/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_WINDOW_H
#define KITH_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "disk/content.h"

/*
 * A view of content that moves forward: for formats that are read from beginning to end.  Each byte is read
 * once, since content that is packed itself may have to be unpacked again to go back.
 */
enum { WINDOW_ROOM = 128 << 10 };

struct window {
    struct content *content;
    uint64_t size;  /* where it ends */
    bool is_text;   /* it ends where text does: see window_init */
    bool is_broken; /* it cannot be read from `start` + `len` on, and ends there */
    uint64_t start; /* of the bytes in `data` */
    size_t len, room;
    uint8_t *data;
};

/*
 * Starts at offset 0.  content is borrowed.  is_text: text in free space, which ends before its first zero
 * byte.  Where another byte that no text has comes first, another file begins in that sector, and the text
 * ends before it.  -1 if out of memory.
 */
int window_init(struct window *window, struct content *content, bool is_text, struct error *err);
void window_release(struct window *window);

/*
 * Returns the bytes from `at` on; at least `want` of them, which may be at most WINDOW_ROOM / 2, or all up to
 * the end. They are valid until the next call, in which `at` may not be smaller.
 */
const uint8_t *window_view(struct window *window, uint64_t at, size_t want, size_t *len);

#endif
