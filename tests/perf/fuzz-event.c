/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "machine.h"
#include "perf/event/evlist.h"

/*
 * Input: an event string.  A text that parses must format to a text that parses to the same; any
 * other text must give an error.
 */
static struct machine machine;

static void cleanup(void)
{
	machine_fini(&machine);
}

static void setup(void)
{
	if (machine.env.sysfs)
		return;
	machine_init(&machine);
	atexit(cleanup);
}

/* The canonical form of TEXT, or NULL when it does not parse. */
static char *canonical(const char *text)
{
	struct evlist *l = evlist_new();
	struct error err = { "" };
	struct buf b = { 0 };

	if (evlist_parse_in(l, text, &machine.env, &err) == 0) {
		if (!l->count || err.text[0])
			abort();
		evlist_format(l, &b);
	} else if (l->count || !err.text[0]) {
		abort();
	}
	evlist_free(l);
	return b.bytes;
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *once, *twice;

	setup();
	once = canonical(text);
	if (once) {
		twice = canonical(once);
		if (!twice || strcmp(once, twice))
			abort();
		free(twice);
	}
	free(once);
	free(text);
	return 0;
}
