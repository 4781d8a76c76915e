/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "naming/pending.h"
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
	struct process *process;
};

static void parts_init(struct parts *p)
{
	const struct dso_cache_options options = { .kallsyms = "" };
	struct record mmap = rig_mmap_self(50, 0);
	struct mapping mapping = { .start = mmap.mmap.start, .pgoff = mmap.mmap.pgoff,
				   .end = mmap.mmap.start + mmap.mmap.length };

	p->names = strtab_new();
	p->processes = process_table_new(NULL, p->names, &clock_system);
	p->objects = dso_cache_new(&options);
	p->frames = frame_table_new(NULL);
	p->resolver = resolver_new(&(struct resolver_options){
		.processes = p->processes, .objects = p->objects, .frames = p->frames });
	p->histogram = histogram_new(0);
	histogram_set_mode(p->histogram, HISTOGRAM_CUMULATIVE, 0);
	p->process = process_table_thread(p->processes, 50, 50)->process;
	mapping.path = strtab_add(p->names, mmap.mmap.path);
	space_insert(process_space(p->processes, p->process, MAPS_CODE), &mapping);
	mapping = (struct mapping){ .start = 0x1000, .end = 0x2000,
				    .path = strtab_add(p->names, "/nowhere") };
	space_insert(process_space(p->processes, p->process, MAPS_CODE), &mapping);
}

static void parts_fini(struct parts *p)
{
	histogram_free(p->histogram);
	resolver_free(p->resolver);
	frame_table_free(p->frames);
	dso_cache_free(p->objects);
	process_table_free(p->processes);
	strtab_free(p->names);
}

/* Counts a sample as the engine does; the object it waits for, or 0. */
static uint32_t sample(struct parts *p, struct pending *pending, uint64_t ip, uint32_t tid)
{
	const struct address address = { .process = p->process, .mode = CPUMODE_USER, .ip = ip };
	struct cell_key key = { .process = 1, .tid = tid };
	struct place later;

	key.frame = resolver_frame(p->resolver, &address, &later);
	histogram_add(p->histogram, &key, 10, 0);
	if (later.object)
		pending_add(pending, &key, &later, 10);
	return later.object;
}

static void load_all(struct parts *p, struct pending *pending, int objects)
{
	for (int turns = 0; objects && turns < 2000; turns++) {
		uint32_t object = dso_cache_loaded(p->objects);

		if (!object) {
			poll(NULL, 0, 5);
			continue;
		}
		resolver_forget(p->resolver);
		pending_loaded(pending, object, p->resolver, p->histogram);
		objects--;
	}
	assert_int_equal(objects, 0);
}

static uint64_t samples_called(const struct parts *p, const char *symbol)
{
	const struct cell *c;
	uint64_t sum = 0;

	for (size_t i = 0; (c = histogram_next(p->histogram, &i));) {
		if (!strcmp(frame_symbol(p->frames, c->key.frame), symbol))
			sum += c->samples;
	}
	return sum;
}

UNIT_TEST(what_waited_gets_its_name)
{
	struct pending *pending = pending_new(0);
	struct parts p;

	parts_init(&p);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_not_equal(sample(&p, pending, rig_hot_address(), 1), 0);
		assert_int_not_equal(sample(&p, pending, rig_hot_address(), 2), 0);
		assert_int_not_equal(sample(&p, pending, 0x1000 + i, 1), 0);
	}
	assert_int_equal(sample(&p, pending, 0x5000, 1), 0);	/* no mapping: known at once */
	assert_int_equal(pending_count(pending), 2 + 5);
	assert_int_equal(samples_called(&p, "[loading]"), 15);
	load_all(&p, pending, 2);
	assert_int_equal(pending_count(pending), 0);
	assert_int_equal(samples_called(&p, "rig_hot_function"), 10);
	assert_int_equal(samples_called(&p, "[loading]"), 0);
	assert_int_equal(samples_called(&p, "[unknown]"), 6);
	assert_int_equal(sample(&p, pending, rig_hot_address(), 1), 0);
	assert_int_equal(samples_called(&p, "rig_hot_function"), 11);
	pending_free(pending);
	parts_fini(&p);
}

UNIT_TEST(what_does_not_fit_is_unknown_and_counted)
{
	struct pending *pending = pending_new(3);
	struct parts p;

	parts_init(&p);
	sample(&p, pending, rig_hot_address(), 1);
	for (uint32_t i = 0; i < 10; i++)
		sample(&p, pending, 0x1000 + i, 1);
	sample(&p, pending, 0x1000, 1);			/* one that has its place */
	sample(&p, pending, rig_hot_address(), 2);	/* one that has none */
	assert_int_equal(pending_count(pending), 3);
	assert_int_equal(pending_overflow(pending), 8 + 1);
	load_all(&p, pending, 2);
	assert_int_equal(samples_called(&p, "rig_hot_function"), 1);
	assert_int_equal(samples_called(&p, "[loading]"), 0);
	assert_int_equal(samples_called(&p, "[unknown]"), 11 + 1);
	pending_free(pending);
	parts_fini(&p);
}

UNIT_TEST(after_a_zero_nothing_waits)
{
	struct pending *pending = pending_new(0);
	struct parts p;

	parts_init(&p);
	sample(&p, pending, rig_hot_address(), 1);
	histogram_zero(p.histogram);
	pending_clear(pending);
	assert_int_equal(pending_count(pending), 0);
	load_all(&p, pending, 1);
	assert_int_equal(histogram_count(p.histogram), 0);
	pending_free(pending);
	pending_free(NULL);
	parts_fini(&p);
}

UNIT_TEST(only_what_may_never_come_is_given_up)
{
	struct pending *pending = pending_new(0);
	struct cell_key key = { .process = 1, .frame = 7 };
	struct place loading = { .object = 1, .address = 1, .loading = true };
	struct place growing = { .object = 1, .address = 2 };

	pending_add(pending, &key, &loading, 1);
	pending_add(pending, &key, &growing, 1);
	for (int i = 0; i < 4; i++)
		pending_next_interval(pending);
	assert_int_equal(pending_count(pending), 2);
	pending_next_interval(pending);
	assert_int_equal(pending_count(pending), 1);
	pending_add(pending, &key, &loading, 1);	/* its entry is still found */
	assert_int_equal(pending_count(pending), 1);
	pending_free(pending);
}

UNIT_TEST(a_mark_parts_what_came_before_and_after)
{
	struct pending *pending = pending_new(0);
	struct cell_key key = { .process = 1, .frame = 7 };
	struct place growing = { .object = 1, .address = 2 };
	struct parts p;
	uint64_t mark;

	parts_init(&p);
	pending_add(pending, &key, &growing, 1);	/* may never come: nobody waits for it */
	sample(&p, pending, rig_hot_address(), 1);
	mark = pending_mark(pending);
	assert_true(pending_waits(pending, mark));
	sample(&p, pending, rig_hot_address(), 1);	/* the same place as before */
	sample(&p, pending, 0x1000, 1);
	assert_false(pending_waits(pending, mark - 1));
	load_all(&p, pending, 2);
	assert_false(pending_waits(pending, mark));
	sample(&p, pending, rig_hot_address(), 1);
	assert_false(pending_waits(pending, pending_mark(pending)));
	pending_free(pending);
	parts_fini(&p);
}

UNIT_TEST(what_came_after_is_not_waited_for)
{
	struct pending *pending = pending_new(0);
	struct cell_key key = { .process = 1, .frame = 7 };
	struct place loading = { .object = 1, .address = 1, .loading = true };
	uint64_t mark = pending_mark(pending);

	pending_add(pending, &key, &loading, 1);
	assert_false(pending_waits(pending, mark));
	assert_true(pending_waits(pending, pending_mark(pending)));
	pending_free(pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_waited_gets_its_name),
		cmocka_unit_test(what_does_not_fit_is_unknown_and_counted),
		cmocka_unit_test(after_a_zero_nothing_waits),
		cmocka_unit_test(only_what_may_never_come_is_given_up),
		cmocka_unit_test(a_mark_parts_what_came_before_and_after),
		cmocka_unit_test(what_came_after_is_not_waited_for),
	};

	return unit_run(tests);
}
