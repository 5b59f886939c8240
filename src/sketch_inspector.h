/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SKETCH_INSPECTOR_H
#define KITH_SKETCH_INSPECTOR_H

#include "disk/inspector.h"
#include "sketch/sketch.h"

/* An inspector that makes a sketch of the content of a file.  The parameters must outlive it. */
struct inspector sketch_inspector(const struct sketch_params *params);

/* Reads the result of an object in the parent process.  Returns -1 and a message if it is invalid. */
int sketch_inspector_result(const struct object *object, const struct sketch_params *params,
                            struct sketch *sketch, struct error *err);

#endif
