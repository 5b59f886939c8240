/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_TERMINAL_H
#define KITH_TERMINAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

/* What a person sees: messages and progress, on standard error beside the data; and lines for people. */

/* A line on standard output, escaped like a message; for what is no data of a format. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* "kith: ..." on a line of its own; control bytes and whatever else steers a terminal are escaped. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void complain_error(const struct error *err);

/* What makes a regular noun agree with its number: "" for one, else "s". */
const char *plural(uint64_t count);

/* Writes to standard output, unless memory ran out for it or for anything before: then what was written is
 * cut there, and finish_output fails. */
void put_output(const struct buffer *out);
/* The same for what was made of a buffer and written in another way. */
void note_output(const struct buffer *made);

/* Flushes standard output; -1 with a message if that failed, now or before. */
int finish_output(void);

/* Columns of the terminal on this file descriptor, or 0 if it is none. */
unsigned terminal_width(int fd);

/* Whether colours are wanted there (NO_COLOR, TERM). */
bool terminal_colours(int fd);

/* Shown while it runs, and redrawn in place, if standard error is a terminal.  Not for data that runs over it
 * there. */
enum { PROGRESS_FOUND = 4 };

struct progress {
    const char *noun; /* what is counted: "files" */
    atomic_ullong bytes;
    atomic_ullong count;
    const char *found_nouns[PROGRESS_FOUND]; /* what is found among them: "identical" ..; NULL: nothing */
    atomic_ullong found[PROGRESS_FOUND];
    atomic_ullong total; /* bytes in all, about; 0: unknown */
};

void progress_start(struct progress *progress, bool quiet);
void progress_stop(void);
/* What is being worked on: shown behind the rest, as far as there is room. */
void progress_what(const char *text);

#endif
