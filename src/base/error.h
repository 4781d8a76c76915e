/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_ERROR_H
#define PTOP_BASE_ERROR_H

/*
 * An error that a person must act on.  It travels up to main(), which alone prints it, as one line.
 * The line names the object and the value, and says what would work.
 *
 * Two other kinds of failure never use this struct.  Expected absence is NULL or 0.  A failure on a
 * hot path is a negative errno that the caller counts.
 */
struct error {
	char text[512]; /* one line, no "ptop: " in front, no newline behind; "" is no error */
};

/*
 * Formats into ERR, which may be NULL.  Control characters (C0, DEL, C1) and bytes that are not
 * UTF-8 become '?', so no foreign name reaches the terminal as an escape sequence.  A text that is
 * too long is cut between characters.  Always returns -1, so that a caller can write `return
 * error_set(err, …)`.
 */
int error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
