/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal.h"

#include <ctype.h>
#include <errno.h>

int decimal_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (!*text)
		return -EINVAL;
	for (const char *p = text; *p; p++) {
		if (!isdigit((unsigned char)*p))
			return -EINVAL;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			v = UINT64_MAX;
	}
	if (v < min || v > max)
		return -ERANGE;
	*out = v;
	return 0;
}

int decimal_parse_double(const char *text, double min, double max, double *out)
{
	double v = 0, place = 1;
	int digits = 0, points = 0;

	for (const char *p = text; *p; p++) {
		if (*p == '.' && !points++)
			continue;
		if (!isdigit((unsigned char)*p))
			return -EINVAL;
		v = v * 10 + (*p - '0');
		place *= points ? 10 : 1;
		digits++;
	}
	if (!digits)
		return -EINVAL;
	v /= place;
	if (!(v >= min && v <= max)) /* also when too many digits made it infinite or NAN */
		return -ERANGE;
	*out = v;
	return 0;
}
