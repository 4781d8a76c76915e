/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <string.h>

#include "app/allow.h"
#include "app/asks.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "perf/event/event.h"
#include "perf/record/source.h"

enum { ALICE = 1001, BOB = 1002 };

/* A collector that does what it is told, when a snapshot is taken. */
struct scene {
	struct options options;
	struct asks *asks;
	struct evlist
		*measured; /* as a source keeps them: an event that was removed keeps its place */
	size_t added, removed;
	bool stacks;    /* the collector takes them */
	bool stuck;     /* it cannot */
	size_t told;    /* how often it was told of stacks */
	bool looks;     /* it was told last to look at a function: */
	uint32_t frame; /* this one */
	size_t looked;  /* how often it was told of any */
	const char *tier;
	uint64_t now_ns;
};

static void take_event(struct scene *s, struct evsel *e)
{
	for (size_t i = 0; i < s->measured->count; i++) {
		struct evsel *other = s->measured->items[i];

		if (!other->removed || strcmp(other->name, e->name) != 0)
			continue;
		evsel_free(other);
		s->measured->items[i] = e;
		return;
	}
	evlist_add(s->measured, e);
}

static void add(void *of, struct evlist *more)
{
	struct scene *s = of;

	assert_int_equal(more->count, 1);
	assert_true(more->items[0]->asked);
	take_event(s, more->items[0]);
	more->count = 0;
	evlist_free(more);
	s->added++;
}

static void remove_event(void *of, size_t event)
{
	struct scene *s = of;

	assert_true(event < s->measured->count);
	s->removed += !s->measured->items[event]->removed;
	s->measured->items[event]->removed = true;
}

static void take_stacks(void *of, bool on)
{
	struct scene *s = of;

	s->told++;
	if (!s->stuck)
		s->stacks = on;
}

static void look_at(void *of, bool on, uint32_t frame)
{
	struct scene *s = of;

	s->looks = on;
	s->frame = frame;
	s->looked++;
}

static void scene_open(struct scene *s)
{
	static const struct asks_effects effects = { add, remove_event, take_stacks, look_at };
	struct error err;

	*s = (struct scene){ .options.freq_hz = 999,
			     .tier = source_tier_name(TIER_CPU_GROUP),
			     .now_ns = 1000 * NS_PER_S };
	s->measured = evlist_new();
	assert_int_equal(evlist_parse(s->measured, "cpu-clock", &err), 0);
	s->asks = asks_new(&s->options, &effects, s);
}

static void scene_close(struct scene *s)
{
	asks_free(s->asks);
	evlist_free(s->measured);
}

static struct snapshot *shot(const struct scene *s)
{
	struct snapshot *shot = snapshot_new();

	shot->sampling.tier = s->tier;
	if (s->stacks) {
		shot->stack_ends = mem_array(1, sizeof(*shot->stack_ends));
		shot->stack_end_count = 1;
	}
	snapshot_alloc_events(shot, s->measured->count);
	for (size_t i = 0; i < s->measured->count; i++) {
		const struct evsel *e = s->measured->items[i];

		shot->events[i] = (struct snapshot_event){ .name = strtab_add(shot->arena, e->name),
							   .sampled = e->role == EVSEL_SAMPLE,
							   .removed = e->removed,
							   .asked = e->asked };
	}
	return shot;
}

static enum ask_result hear_at(struct scene *s, struct asker *who, enum ask_kind kind,
			       const char *text, const struct snapshot *seen)
{
	struct ask_answer_message m;
	struct ask_answer answer;
	struct ask ask = { .kind = kind };

	strcpy(ask.text, text);
	asks_hear(s->asks, who, &ask, seen, s->now_ns, &m);
	assert_true(ask_answer_read(&m, sizeof(m), &answer));
	return answer.result;
}

static enum ask_result hear(struct scene *s, struct asker *who, enum ask_kind kind,
			    const char *text)
{
	struct snapshot *seen = shot(s);
	enum ask_result result = hear_at(s, who, kind, text, seen);

	snapshot_free(seen);
	return result;
}

static void look(struct scene *s)
{
	struct snapshot *seen = shot(s);

	asks_look(s->asks, seen, s->now_ns);
	snapshot_free(seen);
}

static void rest(struct scene *s)
{
	s->now_ns += ASKS_STACKS_REST_S * NS_PER_S;
	look(s);
}

/* How often the event is measured now. */
static size_t measured(const struct scene *s, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < s->measured->count; i++)
		count += !s->measured->items[i]->removed &&
			 !strcmp(s->measured->items[i]->name, name);
	return count;
}

static void join_user(struct scene *s, struct asker *who, uint32_t uid)
{
	*who = (struct asker){ .uid = uid, .allowed = 1u << ALLOW_EVENTS };
	asks_join(s->asks, who);
}

static void join_root(struct scene *s, struct asker *who)
{
	*who = (struct asker){ .uid = 0, .allowed = ALLOW_ALL, .any = true };
	asks_join(s->asks, who);
}

static const char *const eight_events[ASKS_USER] = { "page-faults",      "context-switches",
						     "cpu-migrations",   "minor-faults",
						     "major-faults",     "alignment-faults",
						     "emulation-faults", "task-clock" };

UNIT_TEST(an_event_ends_with_the_last_viewer_that_wants_it)
{
	struct scene s;
	struct asker a, b;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_user(&s, &b, BOB);
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_DONE);
	assert_int_equal(hear(&s, &b, ASK_ADD, "faults"), ASK_DONE); /* its other name */
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_DONE);
	assert_int_equal(s.added, 1);
	look(&s);
	assert_int_equal(hear(&s, &a, ASK_DROP, "page-faults"), ASK_DONE);
	assert_int_equal(hear(&s, &a, ASK_DROP, "page-faults"), ASK_NOT_ASKED);
	look(&s);
	assert_int_equal(measured(&s, "page-faults"), 1);
	asks_leave(s.asks, &b); /* its connection ended */
	look(&s);
	assert_int_equal(measured(&s, "page-faults"), 0);
	look(&s);
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_DONE);
	assert_int_equal(s.measured->count, 2); /* in its former place */
	asks_leave(s.asks, &a);
	scene_close(&s);
}

UNIT_TEST(what_the_server_measures_itself_stays)
{
	struct scene s;
	struct asker a, r;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_root(&s, &r);
	assert_int_equal(hear(&s, &a, ASK_ADD, "cpu-clock"), ASK_DONE);
	assert_int_equal(s.added, 0);
	assert_int_equal(hear(&s, &a, ASK_DROP, "cpu-clock"), ASK_NOT_ASKED);
	assert_int_equal(hear(&s, &r, ASK_DROP, "cpu-clock"), ASK_NOT_ASKED);
	look(&s);
	assert_int_equal(measured(&s, "cpu-clock"), 1);
	scene_close(&s);
}

/* Whoever it is told by, what a user does not want is not his to end; root's is the machine. */
UNIT_TEST(a_user_ends_nothing_of_others)
{
	struct scene s;
	struct asker a, b, r;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_user(&s, &b, BOB);
	join_root(&s, &r);
	assert_int_equal(hear(&s, &a, ASK_ADD, "migrations"), ASK_DONE);
	assert_int_equal(hear(&s, &b, ASK_DROP, "cpu-migrations"), ASK_NOT_ASKED);
	look(&s);
	assert_int_equal(measured(&s, "cpu-migrations"), 1);
	assert_int_equal(hear(&s, &r, ASK_DROP, "cpu-migrations"), ASK_DONE);
	look(&s);
	assert_int_equal(measured(&s, "cpu-migrations"), 0);
	scene_close(&s);
}

UNIT_TEST(nothing_is_allowed_by_default)
{
	struct scene s;
	struct asker a = { .uid = ALICE };

	scene_open(&s);
	asks_join(s.asks, &a);
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_NOT_ALLOWED);
	assert_int_equal(hear(&s, &a, ASK_DROP, "page-faults"), ASK_NOT_ALLOWED);
	assert_int_equal(s.added, 0);
	scene_close(&s);
}

/* Probes name files, tracepoints have filters, rates of one's own are a load: none is looked at for a user. */
UNIT_TEST(users_ask_for_rows_of_the_table)
{
	static const char *const others[] = { "sched:sched_switch", "uprobe:/etc/shadow:main",
					      "kprobe:vfs_read",    "cycles/period=1/",
					      "cycles:u",           "r1a8",
					      "cycles,page-faults", "cpu/event=0x3c/",
					      "page-faults ",       "sched:*" };
	struct scene s;
	struct asker a, r;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_root(&s, &r);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(hear(&s, &a, ASK_ADD, others[i]), ASK_NOT_NAMED);
	assert_int_equal(hear(&s, &r, ASK_ADD, "page-faults:u"), ASK_DONE);
	assert_int_equal(hear(&s, &r, ASK_ADD, "nonsense"), ASK_WRONG);
	assert_int_equal(hear(&s, &r, ASK_ADD, "page-faults,cs"), ASK_WRONG);
	assert_int_equal(s.added, 1);
	scene_close(&s);
}

UNIT_TEST(a_user_has_so_many_events_on_all_his_viewers)
{
	struct scene s;
	struct asker a, other, b;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_user(&s, &other, ALICE);
	join_user(&s, &b, BOB);
	for (size_t i = 0; i < ASKS_USER; i++)
		assert_int_equal(hear(&s, i & 1 ? &a : &other, ASK_ADD, eight_events[i]), ASK_DONE);
	s.now_ns += 100 * NS_PER_S;
	assert_int_equal(hear(&s, &a, ASK_ADD, "dummy"), ASK_TOO_MANY);
	assert_int_equal(hear(&s, &b, ASK_ADD, "dummy"), ASK_DONE);
	assert_int_equal(s.added, ASKS_USER + 1);
	scene_close(&s);
}

/* One user after the other, each with his number of them: others leave room for who may have all. */
UNIT_TEST(all_users_have_so_many_events)
{
	struct asker users[EVENT_IDS], r;
	size_t count = 0, full = 0;
	struct scene s;

	scene_open(&s);
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_OFF_CPU; id++, count++) {
		join_user(&s, &users[count], ALICE + (uint32_t)count);
		if (id != EVENT_CPU_CLOCK)
			full += hear(&s, &users[count], ASK_ADD, event_at(id)->name) == ASK_FULL;
	}
	assert_int_equal(s.added, ASKS_OTHERS);
	assert_int_equal(full, count - 1 - ASKS_OTHERS);
	join_root(&s, &r);
	assert_int_equal(hear(&s, &r, ASK_ADD, "instructions:u"), ASK_DONE);
	scene_close(&s);
}

/* Whoever asks for whatever in turn, the list does not grow beyond the table, so there is always a place. */
UNIT_TEST(places_are_not_used_up)
{
	struct scene s;
	struct asker a;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	for (int round = 0; round < 5; round++) {
		for (enum event_id id = EVENT_OTHER + 1; id < EVENT_OFF_CPU; id++) {
			s.now_ns += ASKS_REST_S * NS_PER_S;
			assert_int_equal(hear(&s, &a, ASK_ADD, event_at(id)->name), ASK_DONE);
			if (id != EVENT_CPU_CLOCK)
				assert_int_equal(hear(&s, &a, ASK_DROP, event_at(id)->name),
						 ASK_DONE);
			look(&s);
			look(&s);
		}
	}
	assert_int_equal(s.measured->count, EVENT_OFF_CPU - EVENT_OTHER - 1);
	scene_close(&s);
}

UNIT_TEST(a_user_waits_after_a_burst)
{
	struct scene s;
	struct asker a, b;
	size_t done = 0;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_user(&s, &b, BOB);
	for (int i = 0; i < 100; i++) {
		done += hear(&s, &a, ASK_ADD, "page-faults") == ASK_DONE;
		asks_leave(s.asks, &a); /* a new connection begins no new burst */
		asks_join(s.asks, &a);
	}
	assert_int_equal(done, ASKS_BURST);
	assert_int_equal(hear(&s, &b, ASK_ADD, "page-faults"), ASK_DONE);
	s.now_ns += ASKS_REST_S * NS_PER_S;
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_DONE);
	assert_int_equal(hear(&s, &a, ASK_ADD, "page-faults"), ASK_TOO_OFTEN);
	scene_close(&s);
}

/* Snapshots are older than commands: an event that is asked for again while it ends is neither lost nor there twice. */
UNIT_TEST(an_older_snapshot_ends_nothing_twice)
{
	struct snapshot *before, *with;
	struct scene s;
	struct asker a;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	before = shot(&s);
	hear_at(&s, &a, ASK_ADD, "page-faults", before);
	hear_at(&s, &a, ASK_DROP, "page-faults", before);
	asks_look(s.asks, before, s.now_ns); /* it is in no snapshot yet */
	with = shot(&s);
	hear_at(&s, &a, ASK_ADD, "page-faults", before);
	assert_int_equal(s.added, 1);
	hear_at(&s, &a, ASK_DROP, "page-faults", before);
	asks_look(s.asks, with, s.now_ns);
	assert_int_equal(measured(&s, "page-faults"), 0);
	hear_at(&s, &a, ASK_ADD, "page-faults", with);
	asks_look(s.asks, with, s.now_ns);
	assert_int_equal(measured(&s, "page-faults"), 1);
	hear_at(&s, &a, ASK_DROP, "page-faults", with);
	asks_look(s.asks, with, s.now_ns);
	look(&s);
	look(&s);
	assert_int_equal(measured(&s, "page-faults"), 0);
	assert_int_equal(s.measured->count, 2);
	snapshot_free(before);
	snapshot_free(with);
	scene_close(&s);
}

static void join_with_stacks(struct scene *s, struct asker *who, uint32_t uid)
{
	join_user(s, who, uid);
	who->allowed = ALLOW_ALL;
}

UNIT_TEST(stacks_end_with_the_last_viewer_that_wants_them)
{
	struct scene s;
	struct asker a, b;

	scene_open(&s);
	join_with_stacks(&s, &a, ALICE);
	join_with_stacks(&s, &b, BOB);
	assert_int_equal(hear(&s, &a, ASK_NO_STACKS, ASK_STACKS_TEXT), ASK_NOT_ASKED);
	assert_int_equal(hear(&s, &a, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	assert_int_equal(hear(&s, &a, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	assert_int_equal(hear(&s, &b, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	assert_true(s.stacks);
	assert_int_equal(s.told, 1);
	assert_int_equal(hear(&s, &a, ASK_NO_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	rest(&s);
	assert_true(s.stacks);
	asks_leave(s.asks, &b);
	rest(&s);
	assert_false(s.stacks);
	assert_int_equal(s.told, 2);
	rest(&s);
	assert_int_equal(s.told, 2);
	scene_close(&s);
}

/* Whoever toggles as fast as he can: the events of the machine are opened anew once in a while. */
UNIT_TEST(stacks_begin_and_end_seldom)
{
	const uint64_t step_ns = NS_PER_S / 10;
	struct scene s;
	struct asker r;

	scene_open(&s);
	join_root(&s, &r);
	for (int i = 0; i < 300; i++) {
		hear(&s, &r, i & 1 ? ASK_NO_STACKS : ASK_STACKS, ASK_STACKS_TEXT);
		look(&s);
		s.now_ns += step_ns;
	}
	assert_in_range(s.told, 2, 300 * step_ns / NS_PER_S / ASKS_STACKS_REST_S + 1);
	rest(&s);
	assert_false(s.stacks);
	scene_close(&s);
}

UNIT_TEST(stacks_are_granted_or_not)
{
	struct snapshot *none = NULL;
	struct scene s;
	struct asker a, b, r;

	scene_open(&s);
	join_user(&s, &a, ALICE); /* events alone */
	join_with_stacks(&s, &b, BOB);
	join_root(&s, &r);
	assert_int_equal(hear(&s, &a, ASK_STACKS, ASK_STACKS_TEXT), ASK_STACKS_NOT_ALLOWED);
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_WITHOUT_STACKS);
	assert_int_equal(hear_at(&s, &b, ASK_STACKS, ASK_STACKS_TEXT, none), ASK_DONE);
	assert_int_equal(s.told, 0);
	look(&s); /* the first snapshot */
	assert_true(s.stacks);
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_WITHOUT_STACKS); /* they are Bob's */
	for (int i = 0; i < ASKS_BURST; i++)
		hear(&s, &b, ASK_STACKS, ASK_STACKS_TEXT);
	assert_int_equal(hear(&s, &b, ASK_STACKS, ASK_STACKS_TEXT), ASK_TOO_OFTEN);
	scene_close(&s);
	scene_open(&s);
	join_root(&s, &r);
	s.tier = source_tier_name(TIER_PER_TASK);
	assert_int_equal(hear(&s, &r, ASK_STACKS, ASK_STACKS_TEXT), ASK_NEVER_STACKS);
	assert_int_equal(s.told, 0);
	scene_close(&s);
}

UNIT_TEST(code_is_that_of_who_asked_last)
{
	struct scene s;
	struct asker a, b, r;

	scene_open(&s);
	join_with_stacks(&s, &a, ALICE);
	join_with_stacks(&s, &b, BOB);
	join_root(&s, &r);
	a.sees_all = b.sees_all = r.sees_all = true;
	assert_int_equal(hear(&s, &a, ASK_NO_CODE, ASK_CODE_TEXT "7"), ASK_NOT_ASKED);
	assert_int_equal(hear(&s, &a, ASK_CODE, ASK_CODE_TEXT "7"), ASK_DONE);
	assert_int_equal(hear(&s, &a, ASK_CODE, ASK_CODE_TEXT "7"), ASK_DONE);
	assert_true(s.looks && s.frame == 7 && s.looked == 1);
	assert_int_equal(hear(&s, &b, ASK_CODE, ASK_CODE_TEXT ASK_HOTTEST), ASK_DONE);
	assert_true(s.looks && s.frame == FRAME_NONE && s.looked == 2);
	assert_int_equal(hear(&s, &r, ASK_CODE, ASK_CODE_TEXT "8"), ASK_DONE);
	assert_true(s.looks && s.frame == 8);
	assert_int_equal(hear(&s, &b, ASK_NO_CODE, ASK_CODE_TEXT ASK_HOTTEST), ASK_DONE);
	assert_int_equal(s.looked, 3);
	asks_leave(s.asks, &r);
	look(&s);
	assert_true(s.looks && s.frame == 7);
	asks_leave(s.asks, &a);
	look(&s);
	look(&s);
	assert_true(!s.looks && s.looked == 5);
	scene_close(&s);
}

UNIT_TEST(code_is_granted_to_who_sees_all)
{
	static const char *const wrong[] = { "7",        "code 0", "code -1",         "code 7 ",
					     "code 0x7", "code ",  "code 4294967296", "code" };
	struct scene s;
	struct asker a, b, r;

	scene_open(&s);
	join_user(&s, &a, ALICE);
	join_with_stacks(&s, &b, BOB);
	join_root(&s, &r);
	r.sees_all = a.sees_all = true;
	assert_int_equal(hear(&s, &a, ASK_CODE, ASK_CODE_TEXT "7"), ASK_CODE_NOT_ALLOWED);
	assert_int_equal(hear(&s, &b, ASK_CODE, ASK_CODE_TEXT "7"), ASK_CODE_NOT_SHOWN);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(hear(&s, &r, ASK_CODE, wrong[i]), ASK_WRONG);
	b.sees_all = true;
	for (int i = 0; i < ASKS_BURST; i++)
		assert_int_equal(hear(&s, &b, ASK_CODE, ASK_CODE_TEXT "7"), ASK_DONE);
	assert_int_equal(hear(&s, &b, ASK_CODE, ASK_CODE_TEXT "8"), ASK_TOO_OFTEN);
	assert_true(s.looks && s.frame == 7);
	scene_close(&s);
}

UNIT_TEST(stacks_of_the_servers_options_stay)
{
	struct scene s;
	struct asker a, r;

	scene_open(&s);
	s.stacks = true;
	join_user(&s, &a, ALICE);
	join_root(&s, &r);
	assert_int_equal(hear(&s, &a, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	assert_int_equal(hear(&s, &r, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_DONE);
	asks_leave(s.asks, &a);
	asks_leave(s.asks, &r);
	for (int i = 0; i < 4; i++)
		rest(&s);
	assert_true(s.stacks);
	assert_int_equal(s.told, 0);
	scene_close(&s);
}

/* An event of time brings them, and they end after it. */
UNIT_TEST(an_event_of_time_has_stacks)
{
	struct scene s;
	struct asker a;

	scene_open(&s);
	join_with_stacks(&s, &a, ALICE);
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_DONE);
	assert_true(s.stacks);
	assert_int_equal(measured(&s, "off-cpu"), 1);
	rest(&s);
	assert_int_equal(hear(&s, &a, ASK_DROP, "off-cpu"), ASK_DONE);
	rest(&s);
	assert_int_equal(measured(&s, "off-cpu"), 0);
	assert_true(s.stacks);
	look(&s);
	assert_false(s.stacks);
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_TOO_OFTEN);
	scene_close(&s);
}

UNIT_TEST(an_event_without_a_place_takes_no_stacks)
{
	struct scene s;
	struct asker a;

	scene_open(&s);
	join_with_stacks(&s, &a, ALICE);
	for (size_t i = 0; i < ASKS_USER; i++) {
		assert_int_equal(hear(&s, &a, ASK_ADD, eight_events[i]), ASK_DONE);
		s.now_ns += 100 * NS_PER_S;
	}
	assert_int_equal(hear(&s, &a, ASK_ADD, "off-cpu"), ASK_TOO_MANY);
	assert_int_equal(s.told, 0);
	scene_close(&s);
}

/* As where memory for rings may not be locked. */
UNIT_TEST(stacks_that_fail_are_tried_again)
{
	struct scene s;
	struct asker a;

	scene_open(&s);
	s.stuck = true;
	join_with_stacks(&s, &a, ALICE);
	assert_int_equal(hear(&s, &a, ASK_STACKS, ASK_STACKS_TEXT), ASK_DONE);
	look(&s);
	assert_int_equal(s.told, 1);
	s.stuck = false;
	rest(&s);
	assert_int_equal(s.told, 2);
	assert_true(s.stacks);
	s.stuck = true;
	asks_leave(s.asks, &a);
	rest(&s);
	rest(&s);
	assert_int_equal(s.told, 4);
	scene_close(&s);
}

UNIT_TEST(a_list_of_permissions_is_of_the_table)
{
	struct error err = { "" };
	unsigned allowed = 7;

	assert_int_equal(allow_parse("", &allowed, &err), 0);
	assert_int_equal(allowed, 0);
	for (int i = 0; i < PERMISSIONS; i++) {
		assert_int_equal(allow_parse(permission_names[i], &allowed, &err), 0);
		assert_int_equal(allowed, 1u << i);
	}
	assert_int_equal(allow_parse("events,events", &allowed, &err), 0);
	assert_int_equal(allow_parse("event", &allowed, &err), -1);
	assert_string_equal(err.text, "--allow has no 'event': there are events, stacks, code");
	assert_int_equal(allow_parse("stacks,events,code", &allowed, &err), 0);
	assert_int_equal(allowed, ALLOW_ALL);
	assert_int_equal(allow_parse("events,,", &allowed, &err), -1);
}

/* The completion of --allow. */
UNIT_TEST(words_of_the_option_are_the_permissions)
{
	struct buf words = { 0 };

	allow_list(&words, " ");
	assert_string_equal(option_find("allow")->words, words.bytes);
	buf_fini(&words);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_ends_with_the_last_viewer_that_wants_it),
		cmocka_unit_test(what_the_server_measures_itself_stays),
		cmocka_unit_test(a_user_ends_nothing_of_others),
		cmocka_unit_test(nothing_is_allowed_by_default),
		cmocka_unit_test(users_ask_for_rows_of_the_table),
		cmocka_unit_test(a_user_has_so_many_events_on_all_his_viewers),
		cmocka_unit_test(all_users_have_so_many_events),
		cmocka_unit_test(places_are_not_used_up),
		cmocka_unit_test(a_user_waits_after_a_burst),
		cmocka_unit_test(an_older_snapshot_ends_nothing_twice),
		cmocka_unit_test(stacks_end_with_the_last_viewer_that_wants_them),
		cmocka_unit_test(stacks_begin_and_end_seldom),
		cmocka_unit_test(stacks_are_granted_or_not),
		cmocka_unit_test(code_is_that_of_who_asked_last),
		cmocka_unit_test(code_is_granted_to_who_sees_all),
		cmocka_unit_test(stacks_of_the_servers_options_stay),
		cmocka_unit_test(an_event_of_time_has_stacks),
		cmocka_unit_test(an_event_without_a_place_takes_no_stacks),
		cmocka_unit_test(stacks_that_fail_are_tried_again),
		cmocka_unit_test(a_list_of_permissions_is_of_the_table),
		cmocka_unit_test(words_of_the_option_are_the_permissions),
	};

	return unit_run(tests);
}
