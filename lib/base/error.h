/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ERROR_H
#define KITH_ERROR_H

/*
 * One message, made once, where the cause is known.
 *
 * A function that can fail returns -1 or NULL and takes a struct error last.  The message names what and
 * where as it is: a file name in it may hold any byte, so whoever shows it to a person escapes it first.
 */
struct error {
    char text[5120]; /* the longest path that the system takes, and a reason */
};

/* Formats the message (cut if too long) and returns -1; err may be NULL. */
int error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, followed by ": " and the text of errno. */
int error_errno(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* it looks into one file at a time, and would take the result for any number */
#define error_set(...)   (error_set(__VA_ARGS__), -1)
#define error_errno(...) (error_errno(__VA_ARGS__), -1)
#endif

#endif
