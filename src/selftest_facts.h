/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_SELFTEST_FACTS_H
#define KITH_SELFTEST_FACTS_H

#include "base/buffer.h"
#include "base/error.h"

/* What a report says of the tool and of the machine. */
enum { SELFTEST_FACTS_MOST = 32 };

struct selftest_fact {
    const char *name;
    struct buffer value; /* terminated */
};

struct selftest_facts {
    struct selftest_fact list[SELFTEST_FACTS_MOST];
    size_t count;
};

/* Adds a fact; beyond the limit it is dropped.  name: a constant. */
void selftest_facts_add(struct selftest_facts *facts, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *selftest_facts_value(const struct selftest_facts *facts, size_t index);
void selftest_facts_release(struct selftest_facts *facts);

/* This program: version, file, SHA-256, compiler, libraries. */
int selftest_facts_tool(struct selftest_facts *facts, struct error *err);
/* The system, the processor, the memory. */
void selftest_facts_machine(struct selftest_facts *facts);

#endif
