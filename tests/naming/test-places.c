/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "naming/chains.h"
#include "naming/places.h"
#include "engine/rig.h"

#include <poll.h>

/* The parts around: an object that can be loaded (this program) and one that cannot. */
struct parts {
	struct strtab *names;
	struct process_table *processes;
	struct dso_cache *objects;
	struct frame_table *frames;
	struct resolver *resolver;
	struct histogram *histogram;
	struct chains *chains;
	struct process *process;
	struct clock clock;
	uint64_t now_ns, step_ns; /* each look at the clock takes so long */
};

static uint64_t look_at(void *context)
{
	struct parts *p = context;

	return p->now_ns += p->step_ns;
}

static void parts_init(struct parts *p)
{
	const struct dso_cache_options options = { .kallsyms = "" };
	struct record mmap = rig_mmap_self(50, 0);
	struct mapping mapping = { .start = mmap.mmap.start,
				   .pgoff = mmap.mmap.pgoff,
				   .end = mmap.mmap.start + mmap.mmap.length };

	p->clock = (struct clock){ look_at, look_at, p };
	p->now_ns = p->step_ns = 0;
	p->names = strtab_new();
	p->processes = process_table_new(NULL, p->names, &clock_system, 0);
	p->objects = dso_cache_new(&options);
	p->frames = frame_table_new(NULL, 0);
	p->resolver = resolver_new(&(struct resolver_options){
		.processes = p->processes, .objects = p->objects, .frames = p->frames });
	p->histogram = histogram_new(2 * PLACES_LIMIT);
	histogram_set_mode(p->histogram, HISTOGRAM_CUMULATIVE, 0);
	p->chains = chains_new(&(struct chains_options){ .resolver = p->resolver,
							 .frames = p->frames,
							 .processes = p->processes,
							 .histogram = p->histogram,
							 .clock = &p->clock });
	p->process = process_table_thread(p->processes, 50, 50)->process;
	mapping.path = strtab_add(p->names, mmap.mmap.path);
	space_insert(process_space(p->processes, p->process, MAPS_CODE), &mapping);
	mapping = (struct mapping){ .start = 0x1000,
				    .end = 0x20000,
				    .path = strtab_add(p->names, "/nowhere") };
	space_insert(process_space(p->processes, p->process, MAPS_CODE), &mapping);
}

static void parts_fini(struct parts *p)
{
	chains_free(p->chains);
	histogram_free(p->histogram);
	resolver_free(p->resolver);
	frame_table_free(p->frames);
	dso_cache_free(p->objects);
	process_table_free(p->processes);
	strtab_free(p->names);
}

/* Counts a sample as the engine does without callers; whether it has to wait for its name. */
static bool sample(struct parts *p, uint64_t ip, uint32_t tid)
{
	const struct address leaf = { .process = p->process, .mode = CPUMODE_USER, .ip = ip };
	struct cell_key key = { .process = 1, .tid = tid };

	chains_find_leaf(p->chains, &leaf, &key);
	histogram_add(p->histogram, &key, 10, 0);
	assert_int_equal(key.node, CALL_ROOT);
	return name_is_placeholder(name_of_bits(key.frame));
}

static void take_all(struct parts *p, int objects)
{
	for (int turns = 0; objects && turns < 2000; turns++) {
		uint32_t object = dso_cache_loaded(p->objects);

		if (!object) {
			poll(NULL, 0, 5);
			continue;
		}
		resolver_forget(p->resolver);
		chains_loaded(p->chains, object, false);
		objects--;
	}
	assert_int_equal(objects, 0);
}

static void load_all(struct parts *p, int objects)
{
	take_all(p, objects);
	chains_rename(p->chains);
}

static uint64_t samples_called(const struct parts *p, const char *symbol)
{
	const struct cell *c;
	uint64_t sum = 0;

	for (size_t i = 0; (c = histogram_next(p->histogram, &i));) {
		if (!strcmp(frame_symbol(p->frames, chains_shown(p->chains, c->key.frame)), symbol))
			sum += c->samples;
	}
	return sum;
}

/* Else a process with many mappings would be searched for each of them. */
UNIT_TEST(all_code_without_a_file_gets_its_object_at_once)
{
	struct parts p;
	struct space *space;

	parts_init(&p);
	space = process_space(p.processes, p.process, MAPS_CODE);
	for (uint64_t i = 0; i < 10; i++) {
		const struct mapping m = { .start = (i + 1) << 32,
					   .end = ((i + 1) << 32) + 4096,
					   .path = strtab_add(p.names, "//anon") };

		space_insert(space, &m);
	}
	sample(&p, 1ull << 32, 50);
	assert_true(space_find(space, 1ull << 32)->dso);
	for (uint64_t i = 1; i < 10; i++)
		assert_int_equal(space_find(space, (i + 1) << 32)->dso,
				 space_find(space, 1ull << 32)->dso);
	parts_fini(&p);
}

UNIT_TEST(what_waited_gets_its_name)
{
	struct parts p;

	parts_init(&p);
	for (uint32_t i = 0; i < 5; i++) {
		assert_true(sample(&p, rig_hot_address(), 1));
		assert_true(sample(&p, rig_hot_address(), 2));
		assert_true(sample(&p, 0x1000 + i, 1));
	}
	assert_false(sample(&p, 0x30000, 1)); /* no mapping: known at once */
	assert_int_equal(histogram_count(p.histogram), 2 + 5 + 1);
	assert_int_equal(samples_called(&p, "[loading]"), 15);
	load_all(&p, 2);
	assert_int_equal(histogram_count(p.histogram), 2 + 1 + 1);
	assert_int_equal(samples_called(&p, "rig_hot_function"), 10);
	assert_int_equal(samples_called(&p, "[loading]"), 0);
	assert_int_equal(samples_called(&p, "[unknown]"), 6);
	assert_false(sample(&p, rig_hot_address(), 1));
	assert_int_equal(samples_called(&p, "rig_hot_function"), 11);
	parts_fini(&p);
}

/* Names come all the time: those that are known are shown although their cells are renamed later. */
UNIT_TEST(renaming_that_took_long_can_wait)
{
	struct parts p;

	parts_init(&p);
	p.now_ns = NS_PER_S;
	p.step_ns = NS_PER_S / 10;
	sample(&p, 0x1000, 1);
	take_all(&p, 1);
	chains_rename_soon(p.chains);
	assert_int_equal(samples_called(&p, "[unknown]"), 1);
	assert_true(sample(&p, rig_hot_address(), 1));
	take_all(&p, 1);
	chains_rename_soon(p.chains); /* it would cost as much as the one before */
	assert_int_equal(samples_called(&p, "rig_hot_function"), 1);
	assert_false(sample(&p, rig_hot_address(), 1));
	assert_int_equal(histogram_count(p.histogram), 1 + 2);
	p.now_ns += 30 * NS_PER_S;
	chains_rename_soon(p.chains);
	assert_int_equal(histogram_count(p.histogram), 1 + 1);
	assert_int_equal(samples_called(&p, "rig_hot_function"), 2);
	parts_fini(&p);
}

UNIT_TEST(what_does_not_fit_is_unknown_and_counted)
{
	struct parts p;

	parts_init(&p);
	assert_true(sample(&p, rig_hot_address(), 1));
	for (uint32_t i = 0; i < PLACES_LIMIT + 9; i++)
		sample(&p, 0x1000 + i, 1);
	assert_true(chains_is_behind(p.chains));
	assert_int_equal(chains_overflow(p.chains), 10);
	assert_true(sample(&p, 0x1000, 1));                 /* one that has its place */
	assert_false(sample(&p, rig_hot_address() + 1, 1)); /* one that has none */
	assert_int_equal(chains_overflow(p.chains), 11);
	load_all(&p, 2);
	assert_false(chains_is_behind(p.chains));
	assert_int_equal(samples_called(&p, "rig_hot_function"), 1);
	assert_int_equal(samples_called(&p, "[loading]"), 0);
	assert_int_equal(samples_called(&p, "[unknown]"), PLACES_LIMIT + 9 + 2);
	parts_fini(&p);
}

UNIT_TEST(after_a_zero_no_sample_comes_back)
{
	struct parts p;

	parts_init(&p);
	sample(&p, rig_hot_address(), 1);
	histogram_zero(p.histogram);
	load_all(&p, 1);
	assert_int_equal(histogram_count(p.histogram), 0);
	chains_free(NULL);
	parts_fini(&p);
}

#define GIVE_UP_INTERVALS 4

UNIT_TEST(only_what_may_never_come_is_given_up)
{
	const struct place loading = { .object = 1, .address = 1, .loading = true };
	const struct place growing = { .object = 1, .address = 2 };
	struct name shown, wanted;
	struct places *places;
	struct parts p;

	parts_init(&p);
	places = places_new(p.resolver, p.frames);
	shown = name_of_frame(resolver_nameless(p.resolver, 1, FRAME_PENDING));
	wanted = places_add(places, &loading, shown, 0);
	places_add(places, &growing, shown, 0);
	for (int i = 0; i < GIVE_UP_INTERVALS; i++)
		assert_false(places_next_interval(places));
	for (int i = 1; i < GIVE_UP_INTERVALS; i++)
		assert_false(places_next_interval(places));
	assert_int_equal(places_count(places), 2);
	assert_true(places_next_interval(places));
	places_renamed(places);
	assert_int_equal(places_count(places), 1);
	assert_int_equal(places_add(places, &loading, shown, 0).bits, wanted.bits);
	places_free(places);
	places_free(NULL);
	parts_fini(&p);
}

UNIT_TEST(a_mark_parts_what_came_before_and_after)
{
	struct parts p;
	uint64_t mark;

	parts_init(&p);
	sample(&p, rig_hot_address(), 1);
	mark = chains_mark(p.chains);
	assert_int_equal(chains_newest_mark(p.chains), mark);
	assert_true(chains_waits(p.chains, mark));
	sample(&p, rig_hot_address(), 1); /* the same place as before */
	sample(&p, 0x1000, 1);
	assert_false(chains_waits(p.chains, mark - 1));
	load_all(&p, 2);
	assert_false(chains_waits(p.chains, mark));
	sample(&p, rig_hot_address(), 1);
	assert_false(chains_waits(p.chains, chains_mark(p.chains)));
	parts_fini(&p);
}

/* Places that wait only for a JIT map to grow may wait for ever. */
UNIT_TEST(only_what_is_loaded_is_waited_for)
{
	const struct place loading = { .object = 1, .address = 1, .loading = true };
	const struct place growing = { .object = 1, .address = 2 };
	struct places *places;
	struct parts p;

	parts_init(&p);
	places = places_new(p.resolver, p.frames);
	places_add(places, &growing, name_of_frame(FRAME_REST), 0);
	assert_false(places_waits(places, 1));
	places_add(places, &loading, name_of_frame(FRAME_REST), 1);
	assert_false(places_waits(places, 1));
	assert_true(places_waits(places, 2));
	places_free(places);
	parts_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_code_without_a_file_gets_its_object_at_once),
		cmocka_unit_test(what_waited_gets_its_name),
		cmocka_unit_test(renaming_that_took_long_can_wait),
		cmocka_unit_test(what_does_not_fit_is_unknown_and_counted),
		cmocka_unit_test(after_a_zero_no_sample_comes_back),
		cmocka_unit_test(only_what_may_never_come_is_given_up),
		cmocka_unit_test(a_mark_parts_what_came_before_and_after),
		cmocka_unit_test(only_what_is_loaded_is_waited_for),
	};

	return unit_run(tests);
}
