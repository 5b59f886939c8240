/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_REPORT_UCO_WRITE_H
#define KITH_REPORT_UCO_WRITE_H

#include <stdbool.h>

#include "base/digest.h"
#include "base/json_write.h"
#include "base/uuid.h"
#include "case/casefile.h"

/*
 * Nodes of a graph in JSON-LD, with the terms of CASE and UCO 1.4.0.
 *
 * Every node has an IRI with a UUID that is derived from the case's and from a name, such as "object:1.204",
 * so it is the same in every report of the case; a node may be written twice.  Errors are kept until
 * report_uco_write_failed.
 */
struct report_uco_write {
    struct json_write out;
    struct digest *digest;
    uint8_t space[UUID_LEN]; /* the UUID of the case */
    bool failed;
    struct error err;
};

/* Prepares a zeroed struct; -1 if libcrypto fails.  Release frees what it holds. */
int report_uco_write_begin(struct report_uco_write *write, struct buffer *to, const uint8_t space[UUID_LEN],
                           struct error *err);
void report_uco_write_release(struct report_uco_write *write);
/* Returns whether an IRI could not be made, and then fills err. */
bool report_uco_write_failed(const struct report_uco_write *write, struct error *err);

enum { REPORT_UCO_NAME_ROOM = 96 };

/* Begins a node, whose name is that of a thing and a suffix for a part of it; key: NULL in the graph and in
 * lists.  type and own (NULL: none) are its classes.  End it with json_write_close. */
void report_uco_write_node(struct report_uco_write *write, const char *key, const char *name,
                           const char *suffix, const char *type, const char *own);
/* Writes a reference to a node. */
void report_uco_write_ref(struct report_uco_write *write, const char *key, const char *name);
/* Writes a value of an XML Schema type. */
void report_uco_write_typed(struct report_uco_write *write, const char *key, const char *type,
                            const char *text, size_t len);
/* Writes a list of digests, if there are any. */
void report_uco_write_digests(struct report_uco_write *write, const char *key, const char *name,
                              const struct digest_values *digests);
/* The name of what the row's object is packed in, whose address are the first len bytes of its own.  Files of
 * the host all have the same address, so theirs are apart for each object. */
void report_uco_write_place_name(struct report_uco_write *write, char name[REPORT_UCO_NAME_ROOM],
                                 const struct case_row *row, size_t len);
/* Names of a piece of evidence, an object, a reference and a finding. */
void report_uco_write_evidence_name(char name[REPORT_UCO_NAME_ROOM], uint64_t evidence);
void report_uco_write_row_names(const struct case_row *row, char object[REPORT_UCO_NAME_ROOM],
                                char reference[REPORT_UCO_NAME_ROOM], char finding[REPORT_UCO_NAME_ROOM]);

#endif
