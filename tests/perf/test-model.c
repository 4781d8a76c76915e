/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <linux/perf_event.h>

#include "base/buf.h"
#include "perf/live/catalog.h"
#include "perf/event/evlist.h"

/* Names of the events of one model of CPU, which is Skylake whatever machine this is. */
#define MODEL "skl"

static struct evlist *parsed(const char *text)
{
	struct evlist *l = evlist_new();
	struct error err;

	if (evlist_parse(l, text, &err))
		fail_msg("%s", err.text);
	return l;
}

UNIT_TEST(names_are_encoded)
{
	static const struct {
		const char *text;
		uint64_t config;
	} rows[] = {
		{ "L1D:REPLACEMENT", 0x151 },
		{ MODEL "::L1D:REPLACEMENT", 0x151 },
		{ "INST_RETIRED:ANY_P", 0xc0 },
		{ "INST_RETIRED", 0xc0 },
		{ "INST_RETIRED:ANY_P:c=1:i=1", 0x18000c0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct evlist *l = parsed(rows[i].text);
		const struct evsel *e = l->items[0];

		assert_int_equal(l->count, 1);
		assert_int_equal(e->type, PERF_TYPE_RAW);
		assert_int_equal(e->config, rows[i].config);
		assert_int_equal(e->role, EVSEL_SAMPLE);
		assert_string_equal(e->name, rows[i].text);
		assert_false(e->exclude_kernel);
		evlist_free(l);
	}
}

/* Modifiers of all events follow the model's own text. */
UNIT_TEST(modifiers_are_our_own)
{
	struct evlist *l = parsed("{L1D:REPLACEMENT:u,INST_RETIRED:ANY_P/freq=99/pp},cycles:k");
	struct buf b = { 0 };

	assert_int_equal(l->count, 3);
	assert_true(l->items[0]->exclude_kernel);
	assert_string_equal(l->items[0]->base, "L1D:REPLACEMENT");
	assert_int_equal(l->items[1]->freq_hz, 99);
	assert_int_equal(l->items[1]->precise_ip, 2);
	assert_int_equal(l->items[2]->type, PERF_TYPE_HARDWARE);
	evlist_format(l, &b);
	assert_string_equal(b.bytes, "{L1D:REPLACEMENT:u,INST_RETIRED:ANY_P/freq=99/pp},cycles:k");
	buf_fini(&b);
	evlist_free(l);
}

UNIT_TEST(mistakes_are_pointed_at)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "cycles,L2_RQSTS:NOSUCH", "column 8, 'L2_RQSTS:NOSUCH': libpfm: " },
		{ "NO_SUCH_EVENT", "no such event" },
		{ MODEL "::NO_SUCH_EVENT", "column " },
		{ MODEL "::L1D:REPLACEMENT:z=1", "libpfm: " },
		{ "CPU_CYCLES", "no such event" },  /* of another architecture */
		{ "PAGE-FAULTS", "no such event" }, /* the kernel's, by its name in the library */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct evlist *l = evlist_new();
		struct error err;

		assert_int_equal(evlist_parse(l, rows[i].text, &err), -1);
		if (!strstr(err.text, rows[i].said))
			fail_msg("'%s' is not in '%s'", rows[i].said, err.text);
		assert_int_equal(l->count, 0);
		evlist_free(l);
	}
}

struct seen {
	size_t count, of_model;
	char name[64], help[64];
};

static void see(void *context, const struct catalog_event *e)
{
	struct seen *seen = context;

	seen->count++;
	if (strncmp(e->name, MODEL "::", strlen(MODEL) + 2))
		return;
	seen->of_model++;
	snprintf(seen->name, sizeof(seen->name), "%s", e->name);
	snprintf(seen->help, sizeof(seen->help), "%s", e->help);
	assert_string_equal(e->kind, "CPU model");
}

static struct seen list(const char *glob)
{
	const struct event_env env = { 0 };
	struct seen seen = { 0 };
	struct error err;
	size_t count = catalog_list(glob, &env, see, &seen, &err);

	assert_int_equal(count, seen.count);
	return seen;
}

UNIT_TEST(they_are_listed_when_asked_for)
{
	struct seen seen = list(MODEL "::L1D:REPL*");

	assert_int_equal(seen.of_model, 1);
	assert_string_equal(seen.name, MODEL "::L1D:REPLACEMENT");
	assert_true(*seen.help);
	assert_true(list(MODEL "::INST_RETIRED").of_model > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_encoded),
		cmocka_unit_test(modifiers_are_our_own),
		cmocka_unit_test(mistakes_are_pointed_at),
		cmocka_unit_test(they_are_listed_when_asked_for),
	};

#ifndef HAVE_LIBPFM4
	puts("skipped: built without libpfm4");
	return UNIT_SKIP;
#endif
	setenv("LIBPFM_FORCE_PMU", MODEL, 1);
	return unit_run(tests);
}
