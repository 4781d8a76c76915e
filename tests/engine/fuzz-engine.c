/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "engine/rig.h"

/*
 * Input: a byte of settings, and then records for a whole engine: a byte says of what type each is, and
 * where its numbers come from.  Few processes, addresses and names, so that records meet; any number now
 * and then.  Between them the interval ends, as on a screen.
 *
 * Records may say anything, but no figure may be one that cannot be true (profile/invariant.h).
 */
#define RECORDS_MAX 4096
#define STACK_MAX 16
#define NAME_MAX_BYTES 15
#define SNAPSHOTS_MAX 16 /* of an input */
#define IMAGE 0x400000u
#define KERNEL 0xffffffff81000000u

/* clang-format off */
enum { SET_FILE = 1, SET_STACKS = 2, SET_PAST = 4, SET_DECAY = 8, SET_SMALL = 16, SET_TASKS = 32 };

enum kind {
	KIND_SAMPLE, KIND_STACK, KIND_COUNTS, KIND_SWITCH, KIND_READ, KIND_FORK, KIND_EXIT, KIND_COMM,
	KIND_MMAP, KIND_LOST, KIND_KSYMBOL, KIND_DEFERRED, KIND_SNAPSHOT, KIND_CONTROL, KIND_OTHER, KINDS
};
/* clang-format on */

const struct fuzz_bound fuzz_bound = { 1000000, 100000, 65536, 8192 };

struct play {
	struct rig rig;
	struct bytes in;
	uint64_t words[STACK_MAX];
	char name[NAME_MAX_BYTES + 1];
	unsigned snapshots;
};

/* A number below LIMIT, or one time in 16 any. */
static uint64_t number(struct play *p, uint64_t limit)
{
	uint8_t first = bytes_u8(&p->in);

	if (first >= 0xf0)
		return bytes_u64(&p->in);
	return first % limit;
}

static uint32_t task(struct play *p)
{
	return (uint32_t)number(p, 8);
}

/* Mostly a little later than the last; in a recording any.  A live source knows what time it is. */
static uint64_t moment(struct play *p)
{
	uint8_t step = bytes_u8(&p->in);

	if (step >= 0xf8 && p->rig.options.tier == TIER_FILE)
		return bytes_u64(&p->in);
	if (step >= 0xf0)
		return p->rig.now_ns - step * 1000u;
	return p->rig.now_ns + step * 100000u;
}

static uint64_t address(struct play *p)
{
	uint64_t at = number(p, 0xf0) * 64;

	return at & 64 ? KERNEL + at : IMAGE + at;
}

static const char *name(struct play *p)
{
	size_t size = bytes_u8(&p->in) % (NAME_MAX_BYTES + 1);
	const void *text = bytes_take(&p->in, size);

	memset(p->name, 0, sizeof(p->name));
	if (text)
		memcpy(p->name, text, size);
	return p->name;
}

static void add_values(struct play *p, struct record_read *read)
{
	read->count = (uint32_t)(bytes_u8(&p->in) % (RECORD_READ_MAX + 1) % 4);
	for (uint32_t i = 0; i < read->count; i++) {
		read->values[i].id = number(p, 4);
		read->values[i].value = number(p, 200) * 1000;
	}
	read->enabled_ns = number(p, 200) * 1000000;
	read->running_ns = number(p, 200) * 1000000;
}

static void add_stack(struct play *p, struct record *r)
{
	size_t count = bytes_u8(&p->in) % STACK_MAX;

	p->words[0] = CALLCHAIN_KERNEL;
	for (size_t i = 1; i < count; i++)
		p->words[i] = i == count / 2 ? CALLCHAIN_USER : address(p);
	r->sample.callchain = p->words;
	r->sample.callchain_count = count;
}

static struct record sample(struct play *p, enum kind kind)
{
	int events = (int)p->rig.evlist->count;
	uint32_t pid = task(p), tid = task(p);
	struct record r = fake_sample(pid, tid, task(p), moment(p), address(p), 0);
	uint8_t flags = bytes_u8(&p->in);

	r.event = flags % (events + 1) - 1;
	r.cpumode = r.sample.ip >= KERNEL ? CPUMODE_KERNEL : CPUMODE_USER;
	r.sample.period = number(p, 200);
	r.sample.address = address(p);
	r.counts_only = kind == KIND_COUNTS;
	r.switched = flags & 0x10;
	r.no_period = flags & 0x20;
	r.unattributed = flags & 0x40;
	r.estimated = flags & 0x80;
	if (kind == KIND_STACK)
		add_stack(p, &r);
	add_values(p, &r.sample.read);
	return r;
}

static const uint32_t other_types[] = { RECORD_THROTTLE, RECORD_UNTHROTTLE,   RECORD_LOST_SAMPLES,
					RECORD_AUX,      RECORD_ITRACE_START, 99 };

static struct record other(struct play *p, enum kind kind)
{
	uint32_t pid = task(p), tid = task(p);
	uint64_t time_ns = moment(p);
	struct record r = fake_read(pid, tid, time_ns);

	r.cpu = (uint32_t)number(p, 4);
	switch (kind) {
	case KIND_FORK:
		return fake_fork(pid, tid, task(p), time_ns);
	case KIND_EXIT:
		return fake_exit(pid, tid, time_ns);
	case KIND_COMM:
		return fake_comm(pid, tid, time_ns, name(p), bytes_u8(&p->in) & 1);
	case KIND_MMAP:
		r = fake_mmap(pid, time_ns, address(p), number(p, 64) * 4096, name(p));
		r.mmap.executable = bytes_u8(&p->in) & 1;
		return r;
	case KIND_LOST:
		return fake_lost(r.cpu, time_ns, number(p, 64));
	case KIND_SWITCH:
		r.type = RECORD_SWITCH_CPU_WIDE;
		r.cswitch = (struct record_switch){ .out = pid & 1, .preempted = tid & 1 };
		return r;
	case KIND_KSYMBOL:
		r.type = RECORD_KSYMBOL;
		r.ksymbol = (struct record_ksymbol){ .address = address(p),
						     .length = (uint32_t)number(p, 200),
						     .unregister = pid & 1,
						     .name = name(p) };
		return r;
	case KIND_DEFERRED:
		r.type = RECORD_CALLCHAIN_DEFERRED;
		r.deferred = (struct record_deferred){ .cookie = number(p, 4),
						       .count = STACK_MAX,
						       .callchain = p->words };
		return r;
	case KIND_OTHER:
		r.type = other_types[bytes_u8(&p->in) %
				     (sizeof(other_types) / sizeof(*other_types))];
		memset(&r.sample, 0, sizeof(r.sample));
		return r;
	default:
		add_values(p, &r.read);
		return r;
	}
}

/* A screen is refreshed. */
static void end_interval(struct play *p)
{
	const struct engine_request request = { .source = p->rig.source, .budget_percent = 2 };

	if (p->snapshots++ == SNAPSHOTS_MAX)
		return;
	engine_drained(p->rig.engine, p->rig.now_ns);
	p->rig.now_ns += NS_PER_S;
	snapshot_free(p->rig.snapshot);
	p->rig.snapshot = engine_snapshot(p->rig.engine, &request);
	rig_check(&p->rig);
}

/* Its end is never before its beginning: no screen asks for that. */
static void choose_window(struct play *p)
{
	uint64_t from_ns = moment(p), width_ns = number(p, 8) * NS_PER_S;
	uint64_t most_ns = UINT64_MAX - from_ns;

	engine_set_window(p->rig.engine, from_ns,
			  from_ns + (width_ns < most_ns ? width_ns : most_ns));
}

static void control(struct play *p)
{
	struct engine *e = p->rig.engine;

	switch (bytes_u8(&p->in) % 6) {
	case 0:
		engine_zero(e);
		break;
	case 1:
		choose_window(p);
		break;
	case 2:
		engine_set_window(e, 0, 0);
		break;
	case 3:
		engine_set_threads(e, bytes_u8(&p->in) & 1);
		break;
	case 4:
		engine_set_mode(e, bytes_u8(&p->in) % 3, (double)number(p, 100));
		break;
	default:
		engine_look(e, &(struct engine_look){ .hottest = true });
		break;
	}
}

static void play_one(struct play *p)
{
	enum kind kind = bytes_u8(&p->in) % KINDS;
	struct record r;

	if (kind == KIND_SNAPSHOT) {
		end_interval(p);
		return;
	}
	if (kind == KIND_CONTROL) {
		control(p);
		return;
	}
	r = kind <= KIND_COUNTS ? sample(p, kind) : other(p, kind);
	if (!p->in.failed)
		rig_receive(&p->rig, r);
}

static void open_rig(struct play *p)
{
	uint8_t settings = bytes_u8(&p->in);
	struct rig *rig = &p->rig;

	rig_init(rig, "cpu-clock,page-faults,off-cpu,wall-clock",
		 settings & SET_FILE    ? TIER_FILE
		 : settings & SET_TASKS ? TIER_PER_TASK
					: TIER_CPU_GROUP);
	for (size_t i = 0; i < rig->evlist->count; i++)
		rig->evlist->items[i]->role = EVSEL_SAMPLE;
	rig->now_ns = 1000 * NS_PER_S;
	rig->options.mode = settings & SET_DECAY ? HISTOGRAM_DECAY : HISTOGRAM_CUMULATIVE;
	rig->options.past = settings & SET_PAST;
	rig->options.addresses = settings & SET_PAST;
	rig->options.target.callchains = settings & SET_STACKS;
	rig->options.cell_limit = settings & SET_SMALL ? HISTOGRAM_CELLS_MIN : 0;
	rig_open(rig);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct play p;

	memset(&p, 0, sizeof(p));
	p.in = bytes_of(data, size);
	open_rig(&p);
	for (int i = 0; i < RECORDS_MAX && p.in.left; i++)
		play_one(&p);
	p.snapshots = 0;
	end_interval(&p);
	rig_fini(&p.rig);
	return 0;
}
