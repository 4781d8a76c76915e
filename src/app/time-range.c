/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/time-range.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/i18n.h"

#define SECONDS_MAX (UINT64_MAX / NS_PER_S / 2)
#define DIGITS 9 /* behind the point */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "5321.250", up to END; exact, which a double is not.  NULL: it is none. */
static const char *take_seconds(const char *text, uint64_t *ns)
{
	uint64_t seconds = 0, part = 0, unit = NS_PER_S;

	if (!is_digit(*text))
		return NULL;
	for (; is_digit(*text) && seconds <= SECONDS_MAX; text++)
		seconds = seconds * 10 + (uint64_t)(*text - '0');
	if (seconds > SECONDS_MAX)
		return NULL;
	if (*text == '.')
		text++;
	for (int i = 0; i < DIGITS && is_digit(*text); i++, text++) {
		unit /= 10;
		part += unit * (uint64_t)(*text - '0');
	}
	*ns = seconds * NS_PER_S + part;
	return text;
}

/* "10%"; NULL: it is none. */
static const char *take_percent(const char *text, double *percent)
{
	char *end;

	if (!is_digit(*text))
		return NULL;
	*percent = strtod(text, &end);
	return *end == '%' && *percent <= 100 ? end + 1 : NULL;
}

static bool parse_percents(const char *text, struct time_range *r)
{
	text = take_percent(text, &r->from_percent);
	if (!text || *text != '-')
		return false;
	text = take_percent(text + 1, &r->to_percent);
	return text && !*text && r->from_percent < r->to_percent;
}

static bool parse_seconds(const char *text, struct time_range *r)
{
	r->from_percent = r->to_percent = NAN;
	r->from_ns = 0;
	r->to_ns = UINT64_MAX;
	if (*text != ',')
		text = take_seconds(text, &r->from_ns);
	if (!text || *text++ != ',')
		return false;
	if (*text)
		text = take_seconds(text, &r->to_ns);
	return text && !*text && r->from_ns <= r->to_ns;
}

int time_range_parse(const char *text, struct time_range *range, struct error *err)
{
	if (strchr(text, '%') ? parse_percents(text, range) : parse_seconds(text, range))
		return 0;
	return error_set(err,
			 _("time '%s' is neither START,STOP in seconds, such as 5321.25,5322, nor "
			   "A%%-B%%, such as 40%%-60%%"),
			 text);
}

int time_range_resolve(struct time_range *range, const struct source_machine *machine,
		       struct error *err)
{
	double total = (double)machine->last_sample_ns - (double)machine->first_sample_ns;

	if (isnan(range->from_percent))
		return 0;
	if (!machine->last_sample_ns || total < 0)
		return error_set(err,
				 _("the recording does not say when its samples begin and end: "
				   "give --time START,STOP in seconds"));
	range->from_ns =
		machine->first_sample_ns + (uint64_t)llround(range->from_percent / 100 * total);
	range->to_ns =
		machine->first_sample_ns + (uint64_t)llround(range->to_percent / 100 * total);
	return 0;
}
