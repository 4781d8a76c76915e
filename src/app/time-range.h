/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_APP_TIME_RANGE_H
#define PTOP_APP_TIME_RANGE_H

#include <stdint.h>

#include "base/error.h"
#include "perf/record/source.h"

/*
 * The range of --time, in the syntax of `perf report --time`.  START,STOP are seconds of the
 * recording's clock, as perf script prints them; one of them may be missing.  A%-B% is a part of
 * the time between its first and last sample.
 */
struct time_range {
	double from_percent, to_percent; /* NAN: it is in ns */
	uint64_t from_ns, to_ns;         /* both belong to it */
};

/* 0, or -1 with ERR set. */
int time_range_parse(const char *text, struct time_range *range, struct error *err);

/* Makes ns of percents, by what MACHINE says of its samples.  0, or -1 with ERR set: nothing is said. */
int time_range_resolve(struct time_range *range, const struct source_machine *machine,
		       struct error *err);

#endif
