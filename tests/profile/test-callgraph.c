/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "profile/callgraph.h"
#include "profile/cell.h"
#include "profile/sample-snapshot.h"

static const struct callgraph_options down = { .direction = CALLGRAPH_TOP_DOWN };
static const struct callgraph_options up = { .direction = CALLGRAPH_BOTTOM_UP };

/* The item that the named frames lead to from the root, outermost first ("main;hot_a"). */
static const struct callgraph_item *walk_to(struct callgraph *g, const struct snapshot *s,
					    const char *path)
{
	char *copy = strdup(path), *rest = copy, *name;
	uint32_t at = 0;

	while ((name = strsep(&rest, ";"))) {
		uint32_t count = callgraph_expand(g, at), i = 0;
		uint32_t first = callgraph_at(g, at)->first_child;

		while (i < count &&
		       strcmp(frame_symbol(s->frames, callgraph_at(g, first + i)->frame), name))
			i++;
		if (i == count)
			fail_msg("no %s in %s", name, path);
		at = first + i;
	}
	free(copy);
	return callgraph_at(g, at);
}

static double sum_of(const struct snapshot *s, uint16_t event)
{
	double sum = 0;

	for (size_t i = 0; i < s->cell_count; i++)
		sum += s->cells[i].event == event ? s->cells[i].samples : 0;
	return sum;
}

/* Opens everything; every item is its self and its children, the largest first. */
static double expand_all(struct callgraph *g)
{
	double self = 0;

	for (uint32_t i = 0; i < callgraph_count(g); i++) {
		uint32_t count = callgraph_expand(g, i);
		struct callgraph_item item = *callgraph_at(g, i);
		double sum = item.self, before = INFINITY;

		assert_true(item.leaf == !count);
		for (uint32_t c = item.first_child; c < item.first_child + count; c++) {
			assert_int_equal(callgraph_at(g, c)->parent, i);
			assert_int_equal(callgraph_at(g, c)->depth, item.depth + 1);
			assert_true(callgraph_at(g, c)->total <= before);
			before = callgraph_at(g, c)->total;
			sum += before;
		}
		assert_true(fabs(sum - item.total) < 1e-6);
		self += item.self;
	}
	return self;
}

UNIT_TEST(both_directions_have_the_same_sums)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	for (size_t i = 0; i < s->cell_count; i++)
		assert_int_equal(s->nodes[s->cells[i].node].frame, s->cells[i].frame);
	for (uint16_t event = 0; event < 2; event++) {
		struct callgraph_options of[2] = { down, up };

		for (int i = 0; i < 2; i++) {
			struct callgraph *g;

			of[i].event = event;
			g = callgraph_new(s, &of[i]);
			assert_true(callgraph_at(g, 0)->total == sum_of(s, event));
			assert_true(expand_all(g) == sum_of(s, event));
			callgraph_free(g);
		}
	}
	snapshot_free(s);
}

/* Every cell has waits, as many as samples, in one of many buckets. */
static void give_waits(struct snapshot *s)
{
	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].wait = (uint8_t)(1 + i * 7 % DISTRIBUTION_BUCKETS);
		s->cells[i].longest = (double)i;
	}
}

/* Each item has as many waits as its total, those of its children among them, bucket by bucket. */
static void check_waits(struct callgraph *g)
{
	for (uint32_t i = 0; i < callgraph_count(g); i++) {
		uint32_t count = callgraph_expand(g, i);
		struct callgraph_item item = *callgraph_at(g, i);
		struct distribution all, own, below = { 0 };

		callgraph_waits(g, i, &all);
		assert_true(fabs(distribution_count(&all) - item.total) < 1e-6);
		for (uint32_t c = item.first_child; c < item.first_child + count; c++) {
			callgraph_waits(g, c, &own);
			distribution_add(&below, &own);
		}
		for (size_t b = 0; b < DISTRIBUTION_BUCKETS; b++)
			assert_true(all.counts[b] >= below.counts[b] - 1e-6);
		assert_true(all.longest_ns >= below.longest_ns);
		assert_true(fabs(distribution_count(&below) + item.self - item.total) < 1e-6);
	}
}

UNIT_TEST(waits_are_summed_up_as_samples_are)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	give_waits(s);
	for (uint32_t frame = 0; frame < frame_table_count(s->frames); frame++) {
		struct callgraph_options of[2] = { down, up };

		for (int i = 0; i < 2; i++) {
			struct distribution own;
			struct callgraph *g;

			of[i].frame = frame;
			of[i].waits = true;
			g = callgraph_new(s, &of[i]);
			check_waits(g);
			callgraph_waits_self(g, &own);
			if (i == 0 && frame)
				assert_true(fabs(distribution_count(&own) -
						 callgraph_at(g, 0)->self) < 1e-6);
			callgraph_free(g);
		}
	}
	snapshot_free(s);
}

/* A wait that goes on has no bucket yet, but may be the longest; running is no wait. */
UNIT_TEST(waits_that_last)
{
	struct snapshot *s = sample_snapshot_stacks(true);
	struct callgraph_options options = down;
	struct distribution all;
	struct callgraph *g;

	options.waits = true;
	for (size_t i = 0; i < s->cell_count; i++) {
		s->cells[i].wait = i % 2 ? CELL_WAIT_LASTS : CELL_RAN;
		s->cells[i].longest = i % 2 ? 10 : 20;
	}
	g = callgraph_new(s, &options);
	callgraph_waits(g, 0, &all);
	assert_true(distribution_count(&all) == 0);
	assert_true(distribution_longest(&all) == 10);
	assert_true(isnan(distribution_quantile(&all, 0.5)));
	callgraph_free(g);
	options.waits = false;
	g = callgraph_new(s, &options);
	callgraph_waits(g, 0, &all);
	assert_true(isnan(distribution_longest(&all)));
	callgraph_free(g);
	snapshot_free(s);
}

UNIT_TEST(a_path_has_its_samples)
{
	struct snapshot *s = sample_snapshot_stacks(true);
	struct callgraph *g = callgraph_new(s, &down);

	assert_true(walk_to(g, s, "_start;main;hot_a")->self == 861 - 344);
	assert_true(walk_to(g, s, "_start;main;hot_b;hot_a")->self == 344);
	assert_true(walk_to(g, s, "_start;main;hot_b")->self == 100);
	assert_true(walk_to(g, s, "_start;main;hot_b")->total == 444);
	assert_true(walk_to(g, s, "[others];nft_do_chain")->total == 1);
	callgraph_free(g);
	g = callgraph_new(s, &up);
	assert_true(walk_to(g, s, "hot_a")->total == 861);
	assert_true(walk_to(g, s, "hot_a;hot_b")->total == 344);
	assert_true(walk_to(g, s, "hot_a;hot_b;main;_start")->self == 344);
	assert_true(walk_to(g, s, "hot_a;main;_start")->self == 861 - 344);
	callgraph_free(g);
	snapshot_free(s);
}

static bool is_postgres(const void *context, const struct snapshot_cell *c)
{
	return c->pid == *(const uint32_t *)context;
}

UNIT_TEST(a_filter_and_periods)
{
	static const uint32_t pid = 812;
	struct snapshot *s = sample_snapshot_stacks(true);
	struct callgraph_options some = { .direction = CALLGRAPH_BOTTOM_UP,
					  .shows = is_postgres,
					  .context = &pid };
	struct callgraph *g = callgraph_new(s, &some);

	assert_true(callgraph_at(g, 0)->total == 12);
	callgraph_free(g);
	some.direction = CALLGRAPH_TOP_DOWN;
	some.period = true;
	g = callgraph_new(s, &some);
	assert_true(callgraph_at(g, 0)->total == 12e6);
	assert_int_equal(callgraph_expand(g, 0), 1);
	callgraph_free(g);
	snapshot_free(s);
}

UNIT_TEST(what_only_the_base_has_is_there)
{
	struct snapshot *s = sample_snapshot_stacks(true), *base = sample_snapshot_stacks(true);
	struct callgraph_options o = { .base = base };
	const struct callgraph_item *i;
	struct callgraph *g;

	for (size_t n = 0; n < s->cell_count; n++) {
		uint32_t caller = s->nodes[s->nodes[s->cells[n].node].parent].frame;

		base->cells[n].samples *= 2;
		s->cells[n].samples *= s->cells[n].pid == 4123 ? 10 : 1; /* still the largest */
		if (!strcmp(frame_symbol(s->frames, caller), "hot_b"))
			s->cells[n].samples = 0; /* hot_a, by one of its paths */
	}
	g = callgraph_new(s, &o);
	i = walk_to(g, s, "_start;main;hot_b;hot_a");
	assert_true(i->total == 0 && i->base_total == 2 * 344 && i->gone == 2 * 344 && i->leaf);
	i = walk_to(g, s, "_start;main;hot_b");
	assert_true(i->total == 10 * 100 && i->base_total == 2 * 444 && i->gone == 2 * 344 &&
		    !i->leaf);
	assert_true(callgraph_at(g, 0)->gone == 2 * 344);
	assert_true(callgraph_at(g, 0)->base_total == sum_of(base, 0));
	callgraph_free(g);
	o.direction = CALLGRAPH_BOTTOM_UP;
	g = callgraph_new(s, &o);
	i = walk_to(g, s, "hot_a;hot_b;main;_start");
	assert_true(i->self == 0 && i->base_self == 2 * 344);
	callgraph_free(g);
	snapshot_free(s);
	snapshot_free(base);
}

static double inclusive_of(const struct snapshot *s, const char *symbol, const char *object)
{
	size_t count;
	double *sums = callgraph_inclusive(s, &down, &count), sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(frame_raw_symbol(s->frames, i), symbol) &&
		    !strcmp(frame_object_name(s->frames, i), object))
			sum += sums[i];
	}
	free(sums);
	return sum;
}

/* A function that calls itself has each of its stacks once. */
UNIT_TEST(inclusive_sums_count_a_stack_once)
{
	struct snapshot *s = sample_snapshot_stacks(true);

	assert_true(inclusive_of(s, "hot_b", "load") == 444);
	assert_true(inclusive_of(s, "main", "load") == 993 + 3); /* of load and sh */
	assert_true(inclusive_of(s, "main", "cc1plus") == 957);
	assert_true(inclusive_of(s, "_ZL19cp_parser_expressionP9cp_parser", "cc1plus") == 957 - 24);
	assert_true(inclusive_of(s, "__strlen_avx2", "libc.so.6") == 12);
	snapshot_free(s);
}

/* Callers and callees of each function: both have what came with it, each stack once. */
UNIT_TEST(around_a_function)
{
	struct snapshot *s = sample_snapshot_stacks(true);
	size_t count;
	double *sums = callgraph_inclusive(s, &down, &count);
	struct callgraph_options of[2] = { down, up };

	for (uint32_t frame = 1; frame < count; frame++) {
		for (int i = 0; i < 2; i++) {
			struct callgraph *g;

			of[i].frame = frame;
			g = callgraph_new(s, &of[i]);
			assert_int_equal(callgraph_at(g, 0)->frame, frame);
			assert_true(callgraph_at(g, 0)->total == sums[frame]);
			assert_true(expand_all(g) == sums[frame]);
			callgraph_free(g);
		}
	}
	free(sums);
	snapshot_free(s);
}

UNIT_TEST(without_stacks_each_cell_is_its_frame)
{
	struct snapshot *s = sample_snapshot(true), *empty = snapshot_new();
	struct callgraph *g = callgraph_new(s, &down);

	assert_true(walk_to(g, s, "hot_a")->self == 861);
	assert_true(expand_all(g) == sum_of(s, 0));
	callgraph_free(g);
	assert_true(inclusive_of(s, "hot_a", "load") == 861);
	g = callgraph_new(empty, &up);
	assert_true(expand_all(g) == 0);
	assert_int_equal(callgraph_count(g), 1);
	callgraph_free(g);
	callgraph_free(NULL);
	snapshot_free(empty);
	snapshot_free(s);
}

static bool of_second_event(const void *context, const struct snapshot_cell *c,
			    struct callgraph_extra *sum)
{
	(void)context;
	*sum = (struct callgraph_extra){ .period = c->period,
					 .samples = c->samples,
					 .longest = c->period };
	return c->event == 1;
}

/* The other event's sums, in the places of the first one's: as a graph of its own has them. */
UNIT_TEST(the_other_event_beside)
{
	struct snapshot *s = sample_snapshot_stacks(true);
	const char *const paths[2] = { "_start;main;hot_b;hot_a", "hot_a;hot_b" };

	for (int i = 0; i < 2; i++) {
		struct callgraph_options one = i ? up : down, two = one;
		struct callgraph *g, *other;
		const struct callgraph_item *item;
		const struct callgraph_extra *extra;

		one.extra = of_second_event;
		two.event = 1;
		g = callgraph_new(s, &one);
		other = callgraph_new(s, &two);
		assert_true(callgraph_extra(g, 0)->samples == callgraph_at(other, 0)->total);
		item = walk_to(g, s, paths[i]);
		extra = callgraph_extra(g, (uint32_t)(item - callgraph_at(g, 0)));
		assert_true(extra->samples == walk_to(other, s, paths[i])->total);
		assert_true(extra->samples > 0);
		assert_true(extra->longest > 0 && extra->longest <= extra->period);
		callgraph_free(other);
		callgraph_free(g);
	}
	snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_have_the_same_sums),
		cmocka_unit_test(waits_are_summed_up_as_samples_are),
		cmocka_unit_test(waits_that_last),
		cmocka_unit_test(a_path_has_its_samples),
		cmocka_unit_test(a_filter_and_periods),
		cmocka_unit_test(what_only_the_base_has_is_there),
		cmocka_unit_test(inclusive_sums_count_a_stack_once),
		cmocka_unit_test(around_a_function),
		cmocka_unit_test(the_other_event_beside),
		cmocka_unit_test(without_stacks_each_cell_is_its_frame),
	};

	return unit_run(tests);
}
