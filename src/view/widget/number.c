/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/widget/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "view/widget/text.h"

void number_id(char out[32], double number)
{
	snprintf(out, 32, "%.0f", number);
}

void number_delta(char out[32], double number)
{
	if (fabs(number) < 0.05)
		snprintf(out, 32, "0.0");
	else
		snprintf(out, 32, fabs(number) < 999.95 ? "%+.1f" : "%+.0e", number);
}

/* Writes NUMBER with DECIMALS if it is below LIMIT, from where it would be a character wider. */
static bool fits(char out[32], double number, double limit, int decimals)
{
	if (number >= limit)
		return false;
	snprintf(out, 32, "%.*f", decimals, number);
	return true;
}

void number_percent(char out[32], double number)
{
	if (!fits(out, number, 999.95, 1) && !fits(out, number, 99999.5, 0))
		text_count(out, number);
}

void number_ratio(char out[32], double number)
{
	if (!fits(out, number, 9.995, 2) && !fits(out, number, 99.95, 1))
		number_short(out, number);
}

void number_count(char out[32], double number)
{
	text_count(out, number);
}

void number_short(char out[32], double number)
{
	if (number < 9999.5)
		snprintf(out, 32, "%.0f", number);
	else if (number < 999.5e3)
		snprintf(out, 32, "%.0fk", number / 1e3);
	else if (number < 999.5e6)
		snprintf(out, 32, "%.0fM", number / 1e6);
	else
		strcpy(out, ">1G");
}

void number_any(char out[32], double number)
{
	double size = fabs(number);

	if (size < 1e-99)
		strcpy(out, "0");
	else if (size < 5e-4)
		snprintf(out, 32, "%.1e", number);
	else if (size < 9999.5)
		snprintf(out, 32, "%.*f",
			 size < 9.9995   ? 3
			 : size < 99.995 ? 2
					 : size < 999.95,
			 number);
	else {
		*out = '-';
		text_count(out + signbit(number), size);
	}
}

void number_bytes(char out[32], double number)
{
	text_bytes(out, (int64_t)number);
}

void number_span(char out[32], double number)
{
	static const struct {
		double ms;
		const char *unit;
	} units[] = { { 1e-3, "us" }, { 1, "ms" }, { 1e3, "s" }, { 3600e3, "h" } };
	size_t i = 0;
	double value;

	while (i + 1 < sizeof(units) / sizeof(*units) &&
	       number >= (i == 2 ? 99999.5e3 : 999.5 * units[i].ms))
		i++;
	value = number / units[i].ms;
	snprintf(out, 32, "%.*f%s", i && value < 9.995 ? 2 : i && value < 99.95, value,
		 units[i].unit);
	if (!(number > 0))
		strcpy(out, "0");
	else if (value >= 99999.5)
		strcpy(out, ">99kh");
}

void number_cpu_time(char out[32], double number)
{
	text_duration(out, number);
}

void number_date(char out[32], double number)
{
	time_t when = (time_t)number;
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(out, 32, "%m-%d %H:%M", &tm))
		strcpy(out, "-");
}

double number_divide(double a, double b)
{
	return isnan(a) || isnan(b) || b == 0 ? NAN : a / b;
}

double number_known(int64_t value)
{
	return value < 0 ? NAN : (double)value;
}
