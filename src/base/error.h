/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_ERROR_H
#define PTOP_BASE_ERROR_H

/*
 * An error that a person must act on.  It travels up to main(), the only place that prints it, as
 * one line: it names the object and the value, and says what would work.
 *
 * Two other kinds never use this: expected absence is NULL or 0, and a failure on a hot path is a
 * negative errno that the caller counts.
 */
struct error {
	char text[512];	/* one line, no "ptop: " in front, no newline behind; "" is no error */
};

/*
 * Formats into ERR, which may be NULL.  Control characters (C0, DEL, C1) and bytes that are no
 * UTF-8 become '?', so that a name from outside cannot reach the terminal as an escape sequence.  A text
 * that is too long is cut between characters.  Always returns -1, so that a caller can say
 * `return error_set(err, …)`.
 */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
