/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_INSPECTOR_H
#define KITH_INSPECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "object.h"

/*
 * What is done with the content of objects, in the process that reads them: hash it, sample it, match it.  An
 * object's bytes come in order and in pieces, between begin and end; end puts what came out into
 * object->result.
 */
struct inspector {
    void *(*open)(void *arg, struct error *err); /* once in each worker, before its sandbox is closed */
    bool (*begin)(void *state, const struct object *object); /* false: its content is not wanted */
    void (*data)(void *state, const void *data, size_t len);
    void (*zeros)(void *state, uint64_t len);
    void (*end)(void *state, struct object *object);
    void *arg; /* for open */
};

#endif
