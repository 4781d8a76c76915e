/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/share.h"

#include <math.h>

static double part_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

double share_percent(const struct share_sum *whole, double part)
{
	return whole->now > 0 ? 100 * part / whole->now : NAN;
}

double share_delta(const struct share_sum *whole, double part, double base)
{
	return isnan(whole->base) ? NAN : part_of(part, whole->now) - part_of(base, whole->base);
}

double share_width(const struct share_sum *whole, double part, double gone)
{
	return part_of(part, whole->now) + part_of(gone, whole->base);
}
