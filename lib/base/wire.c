/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wire.h"

#include <string.h>

void wire_put(struct buffer *out, uint64_t number)
{
    buffer_add(out, &number, sizeof number);
}

void wire_put_numbers(struct buffer *out, const uint64_t *numbers, size_t count)
{
    buffer_add(out, numbers, count * sizeof *numbers);
}

void wire_put_bytes(struct buffer *out, const void *data, size_t len)
{
    wire_put(out, len);
    if (len)
        buffer_add(out, data, len);
}

bool wire_more(const struct wire *wire)
{
    return wire->len > 0 && !wire->broken;
}

static const char *take(struct wire *wire, size_t len)
{
    const char *data = wire->data;

    if (wire->broken || len > wire->len) {
        wire->broken = true;
        return NULL;
    }
    wire->data += len;
    wire->len -= len;
    return data;
}

uint64_t wire_get(struct wire *wire)
{
    uint64_t number = 0;
    const char *data = take(wire, sizeof number);

    if (data)
        memcpy(&number, data, sizeof number);
    return number;
}

void wire_get_numbers(struct wire *wire, uint64_t *numbers, size_t count)
{
    const char *data = take(wire, count * sizeof *numbers);

    if (data)
        memcpy(numbers, data, count * sizeof *numbers);
    else
        memset(numbers, 0, count * sizeof *numbers);
}

const char *wire_get_bytes(struct wire *wire, size_t *len)
{
    uint64_t count = wire_get(wire);
    const char *data = count <= SIZE_MAX ? take(wire, (size_t)count) : NULL;

    *len = data ? (size_t)count : 0;
    return data ? data : "";
}

size_t wire_get_count(struct wire *wire, size_t bytes_each)
{
    uint64_t count = wire_get(wire);

    if (count > wire->len / bytes_each) {
        wire->broken = true;
        return 0;
    }
    return (size_t)count;
}
