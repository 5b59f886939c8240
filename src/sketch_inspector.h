/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCH_INSPECTOR_H
#define KITH_SKETCH_INSPECTOR_H

#include "disk/inspector.h"
#include "sketch/sketch.h"

/* An inspector that makes a sketch of the content of a file.  The parameters must outlive it. */
struct inspector sketch_inspector(const struct sketch_params *params);

/* Whether an object that is not whole was read, but its sketch has too many values to be kept. */
bool sketch_inspector_is_too_large(const struct object *object);

/* Reads the result of an object in the parent process.  Returns -1 and a message if it is invalid. */
int sketch_inspector_result(const struct object *object, const struct sketch_params *params,
                            struct sketch *sketch, struct error *err);

#endif
