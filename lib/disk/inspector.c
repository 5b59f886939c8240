/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/inspector.h"

void inspector_zeros(void (*data)(void *state, const void *data, size_t len), void *state, uint64_t len)
{
    static const char zeros[1 << 16];

    for (; len > sizeof zeros; len -= sizeof zeros)
        data(state, zeros, sizeof zeros);
    data(state, zeros, (size_t)len);
}

/* ---- an inspector that only reads ---- */

static void *reader_open(void *arg, const struct inspector_watch *watch, struct error *err)
{
    (void)watch;
    (void)err;
    return arg;
}

static bool reader_begin(void *state, const struct object *object, struct content *content)
{
    (void)state;
    (void)object;
    (void)content;
    return true;
}

static void reader_data(void *state, const void *data, size_t len)
{
    (void)state;
    (void)data;
    (void)len;
}

static void reader_zeros(void *state, uint64_t len)
{
    (void)state;
    (void)len;
}

static void reader_end(void *state, struct object *object)
{
    (void)state;
    (void)object;
}

static bool selects_none(void *state, const struct object *object)
{
    (void)state;
    (void)object;
    return false;
}

const struct inspector inspector_reader = {.open = reader_open,
                                           .begin = reader_begin,
                                           .data = reader_data,
                                           .zeros = reader_zeros,
                                           .hole = reader_zeros,
                                           .end = reader_end,
                                           .arg = (void *)&inspector_reader};

const struct inspector inspector_closed = {.open = reader_open,
                                           .selects = selects_none,
                                           .begin = reader_begin,
                                           .data = reader_data,
                                           .zeros = reader_zeros,
                                           .hole = reader_zeros,
                                           .end = reader_end,
                                           .arg = (void *)&inspector_closed};
