/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TERMINAL_H
#define KITH_TERMINAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* Messages and progress on standard error, and human-readable output. */

/* Prints a line on standard output, escaped like a message; not for data formats. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Shows "kith: ..." on a line of its own; control characters are escaped. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain_error(const struct error *err);

/* What makes a regular noun agree with its number: "" for one, else "s". */
const char *plural(uint64_t count);

/* Writes to standard output, unless memory ran out for this or earlier output: then the output ends there,
 * and finish_output fails. */
void put_output(const struct buffer *out);
/* Notes whether memory ran out for output that was written in another way. */
void note_output(const struct buffer *made);

/* Flushes standard output.  Returns -1 after an error was shown if that or an earlier write failed. */
int finish_output(void);

/* Columns of the terminal on this file descriptor, or 0 if it is not a terminal. */
unsigned terminal_width(int fd);

/* Whether to write colours there: it is a terminal, NO_COLOR is not set, and TERM is not "dumb". */
bool terminal_colours(int fd);

/* A progress line, redrawn in place if standard error is a terminal.  Do not use it while data is written to
 * the same terminal. */
enum { PROGRESS_FOUND = 4 };

struct progress {
    const char *noun; /* what count counts, in the singular: "file" */
    atomic_ullong bytes;
    atomic_ullong count;
    const char *found_nouns[PROGRESS_FOUND]; /* findings among them: "identical" ..; or NULL */
    atomic_ullong found[PROGRESS_FOUND];
    atomic_ullong total; /* approximate number of bytes; 0: unknown */
};

void progress_start(struct progress *progress, bool quiet);
void progress_stop(void);
/* What is being read; shown after the rest if there is room. */
void progress_what(const char *text);

#endif
