/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KITH_ERROR_H
#define KITH_ERROR_H

/*
 * An error message, composed once, where the cause is known.
 *
 * Functions that can fail return -1 or NULL and take a struct error as their last parameter.  The message
 * may contain raw bytes, for example of a file name; escape it before showing it.
 */
struct error {
    char text[5120]; /* room for a path of PATH_MAX and a reason */
};

/* Formats the message, truncating it if necessary, and returns -1.  err may be NULL. */
int error_set(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As error_set, followed by ": " and strerror(errno). */
int error_errno(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* it looks into one file at a time, and would take the result for any number */
#define error_set(...)   (error_set(__VA_ARGS__), -1)
#define error_errno(...) (error_errno(__VA_ARGS__), -1)
#endif

#endif
