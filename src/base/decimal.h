/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_DECIMAL_H
#define PTOP_BASE_DECIMAL_H

#include <stdint.h>

/*
 * Parses a plain decimal number as people type it.  The whole text must be the number: no sign, no
 * blanks, no "0x", "nan" or "1e3".  Returns 0, -EINVAL if TEXT is no number, or -ERANGE if it lies
 * outside [MIN, MAX].  *OUT is written only on success.
 */
int decimal_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* The same with a fraction, such as "0.25".  The decimal point is '.' in every locale. */
int decimal_parse_double(const char *text, double min, double max, double *out);

#endif
