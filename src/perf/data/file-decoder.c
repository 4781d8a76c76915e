/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-decoder.h"

#include <linux/perf_event.h>

#include "base/i18n.h"
#include "perf/data/file-sched.h"
#include "perf/data/file-search.h"

#define HEADER_SIZE 8u

static void count(struct source_stats *stats, const struct record *r)
{
	stats->records++;
	if (r->type == RECORD_LOST || r->type == RECORD_LOST_SAMPLES)
		stats->lost += r->lost.count;
	else if (r->type == RECORD_THROTTLE)
		stats->throttled++;
}

static void tell(struct file_decoder *f, const struct record *r)
{
	f->handed++;
	f->receive(f->context, r);
}

/* A mapping's build id is in the header as a rule; newer kernels put it into the record. */
static void add_build_id(const struct file_decoder *f, struct record_mmap *m)
{
	const struct build_id *id =
		m->build_id.size ? NULL : file_build_ids_find(&f->header.build_ids, m->path);

	if (id)
		m->build_id = *id;
}

/* Returns what COUNTER has grown by.  One that is below its last value began again. */
static uint64_t take_increase(struct file_counter *counter, uint64_t value)
{
	uint64_t before = counter->total;

	counter->total = value;
	return value >= before ? value - before : value;
}

/* See source.h, TIER_FILE.  perf's deliver_sample_group(): what did not grow is no sample. */
static void hand_over_values(struct file_decoder *f, struct record *r)
{
	uint32_t values = r->sample.read.count;

	f->stats->malformed += r->sample.read.dropped;
	r->sample.read.count = 0;
	for (uint32_t i = 0; i < values; i++) {
		struct file_counter *c;

		c = file_events_counter(&f->events, r->sample.read.values[i].id, r->tid);
		if (!c)
			continue;
		r->sample.period = take_increase(c, r->sample.read.values[i].value);
		r->event = (int)c->event;
		r->id = r->sample.read.values[i].id;
		if (!r->sample.period)
			continue;
		f->stats->samples++;
		tell(f, r);
	}
}

static void tell_switches(struct file_decoder *f, const struct record *r)
{
	size_t made = file_sched_make(&f->events, r, f->made);

	for (size_t i = 0; i < made; i++)
		tell(f, &f->made[i]);
}

static void hand_over_sample(struct file_decoder *f, struct record *r, const struct file_event *e)
{
	uint64_t type = e->layout.sample_type;

	if (!(type & PERF_SAMPLE_PERIOD))
		r->sample.period = e->period;
	if (!(type & PERF_SAMPLE_TID))
		r->pid = r->tid = UINT32_MAX;
	if (type & PERF_SAMPLE_READ && e->layout.read_format & PERF_FORMAT_ID) {
		hand_over_values(f, r);
		return;
	}
	f->stats->samples++;
	tell(f, r);
	if (file_sched_is_call(e->sched.kind) ? f->tells_calls : f->tells_switches && e->sched.kind)
		tell_switches(f, r);
}

static void bad_record(struct file_decoder *f, const char *why)
{
	f->damage.records++;
	f->stats->malformed++;
	file_damage_note(&f->damage, "%s", why);
}

/*
 * perf writes READs of what a sampled event counted besides (perf record -s), ptop of what an event that is
 * not sampled counted since its last READ.  Only these are handed over.
 */
static void hand_over_read(struct file_decoder *f, struct record *r)
{
	struct record_read *read = &r->read;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < read->count; i++) {
		int event = file_events_find_id(&f->events, read->values[i].id);

		if (event < 0 || f->events.evlist->items[event]->role != EVSEL_COUNT)
			continue;
		read->values[kept].id = (uint64_t)event;
		read->values[kept++].value = read->values[i].value;
	}
	read->count = kept;
	tell(f, r);
}

/* Returns true if R tells of a switch that a sample tells of, too. */
static bool is_told_twice(const struct file_decoder *f, const struct record *r)
{
	return f->switch_samples && (r->type == RECORD_SWITCH || r->type == RECORD_SWITCH_CPU_WIDE);
}

static void decode(struct file_decoder *f, const struct order_entry *entry)
{
	const struct file_event *e = &f->events.items[entry->event < 0 ? 0 : entry->event];
	struct record *r = &f->record;

	/* The size was compared when the record was taken: it is all there. */
	if (record_decode(&e->layout, entry->data, FILE_RECORD_MAX, r)) {
		bad_record(f, _("records in it are damaged"));
		return;
	}
	count(f->stats, r);
	if (r->type == RECORD_SAMPLE && entry->event < 0) {
		bad_record(f, _("it has samples of events that it does not describe"));
		return;
	}
	r->event = entry->event;
	if (r->type == RECORD_MMAP || r->type == RECORD_MMAP2)
		add_build_id(f, &r->mmap);
	if (is_told_twice(f, r))
		return;
	r->switched = r->type == RECORD_SAMPLE && f->tells_switches &&
		      file_sched_switches(&f->events, (size_t)r->event);
	if (r->type == RECORD_SAMPLE)
		hand_over_sample(f, r, e);
	else if (r->type == RECORD_READ)
		hand_over_read(f, r);
	else
		tell(f, r);
}

void file_decoder_hand_over(struct file_decoder *f, uint64_t limit_ns)
{
	struct order_entry entry;

	while (file_order_next(f->order, limit_ns, &entry)) {
		decode(f, &entry);
		file_block_release(entry.block);
	}
}

/* The queue is full: half of it goes, although older records may follow. */
static void hand_over_half(struct file_decoder *f)
{
	struct order_entry entry;

	for (size_t n = file_order_count(f->order) / 2 + 1; n; n--) {
		if (!file_order_next(f->order, UINT64_MAX, &entry))
			return;
		decode(f, &entry);
		file_block_release(entry.block);
	}
}

/* A record without a time is of this moment: perf made it up from /proc when it began, or in between. */
static void take_kernel_record(struct file_decoder *f, struct file_part *p,
			       const struct file_input *in, uint32_t type, size_t size)
{
	const unsigned char *data = file_input_peek(in);
	struct file_stamp stamp = file_events_stamp(&f->events, data, size, type);
	struct order_entry entry = { .time_ns = stamp.time_ns,
				     .sequence = f->sequence++,
				     .data = data,
				     .block = in->block,
				     .event = stamp.event };

	if (!stamp.time_ns) {
		decode(f, &entry);
		return;
	}
	if (file_order_full(f->order))
		hand_over_half(f);
	if (stamp.time_ns > f->newest_ns)
		f->newest_ns = stamp.time_ns;
	if (stamp.time_ns > p->newest_ns)
		p->newest_ns = stamp.time_ns;
	file_block_hold(in->block);
	file_order_add(f->order, &entry, f->events.backward);
}

/* Before the first drain only what describes the recording is taken. */
static bool may_take(const struct file_decoder *f, uint32_t type)
{
	return f->receive || (type >= FILE_OWN_FIRST && type != FILE_OWN_COMPRESSED &&
			      type != FILE_OWN_COMPRESSED2);
}

/*
 * perf went once round all buffers: what it will read in the next round but one is newer than all
 * that it had read when the previous round ended.
 */
static void end_round(struct file_decoder *f)
{
	if (f->many_parts)
		return;
	file_decoder_hand_over(f, f->round_ns);
	f->round_ns = f->newest_ns;
}

static bool take_record(struct file_decoder *f, struct file_part *p, struct file_input *in);

/* Bytes of Zstandard become records in P's PLAIN.  Each part is a stream of its own. */
static void take_compressed(struct file_decoder *f, struct file_part *p, const struct bytes *b)
{
	size_t room, n;

	if (!p->decompressor)
		p->decompressor = decompressor_new();
	if (p->decompressor)
		decompressor_feed(p->decompressor, b->at, b->left);
	do {
		unsigned char *to = file_input_room(&p->plain, &room);

		n = p->decompressor ? decompressor_next(p->decompressor, to, room) : (size_t)-1;
		if (n == (size_t)-1) {
			f->damage.bytes += b->left;
			file_damage_note(&f->damage,
					 p->decompressor ? _("what is compressed in it is damaged")
							 : _("it is compressed (perf record -z), "
							     "and reading that is not "
							     "built in"));
			return;
		}
		file_input_put(&p->plain, n);
		while (take_record(f, p, &p->plain))
			;
	} while (n);
}

static void take_own_record(struct file_decoder *f, struct file_part *p,
			    const struct file_input *in, uint32_t type, size_t size)
{
	struct bytes b = bytes_of(file_input_peek(in), size);
	struct file_own_rest rest;

	b.swap = f->events.swap;
	rest = file_own_read(&f->own, type, b, in == &p->plain);
	if (rest.round)
		end_round(f);
	if (rest.compressed.at)
		take_compressed(f, p, &rest.compressed);
	if (rest.behind)
		p->skip = rest.behind;
}

/* Sets B to the header of the next record of IN and what follows it.  Returns false if it is cut short. */
static bool next_header(const struct file_decoder *f, const struct file_input *in, struct bytes *b)
{
	if (file_input_left(in) < HEADER_SIZE)
		return false;
	*b = bytes_of(file_input_peek(in), file_input_left(in));
	b->swap = f->events.swap;
	return true;
}

/* Finds the next record.  Returns false if what was read so far has none. */
static bool search(struct file_decoder *f, struct file_input *in)
{
	f->damage.bytes += file_search_record(&f->events, f->newest_ns, in);
	return !in->lost;
}

/* Takes one record of IN, an input of P; false when there is no whole one. */
static bool take_record(struct file_decoder *f, struct file_part *p, struct file_input *in)
{
	struct bytes header;
	uint32_t type;
	uint16_t size;

	if ((in->lost && !search(f, in)) || !next_header(f, in, &header))
		return false;
	type = bytes_u32(&header);
	bytes_u16(&header);
	size = bytes_u16(&header);
	if (size < HEADER_SIZE) {
		file_damage_note(&f->damage, _("there is no record at byte %llu"),
				 (unsigned long long)in->offset + p->records_at);
		in->lost = true;
		return true;
	}
	if (size - HEADER_SIZE > header.left || !may_take(f, type))
		return false;
	if (type < FILE_OWN_FIRST)
		take_kernel_record(f, p, in, type, size);
	else
		take_own_record(f, p, in, type, size);
	file_input_take(in, size);
	return true;
}

static void skip(struct file_part *p)
{
	size_t n = file_input_left(&p->raw);

	if (p->skip < n)
		n = (size_t)p->skip;
	file_input_take(&p->raw, n);
	p->skip -= n;
}

void file_decoder_take(struct file_decoder *f, struct file_part *p)
{
	do {
		if (p->skip)
			skip(p);
	} while (take_record(f, p, &p->raw));
}

bool file_decoder_must_wait(const struct file_decoder *f, const struct file_part *p)
{
	struct bytes header;

	return !p->skip && next_header(f, &p->raw, &header) && !may_take(f, bytes_u32(&header));
}

bool file_decoder_tell_calls(struct file_decoder *f)
{
	f->tells_calls = file_sched_has(&f->events, FILE_SCHED_LEAVE);
	return f->tells_calls;
}

bool file_decoder_tell_switches(struct file_decoder *f)
{
	bool records = false;

	f->switch_samples = file_sched_has(&f->events, FILE_SCHED_SWITCH);
	for (size_t i = 0; i < f->events.count; i++)
		records |= f->events.items[i].context_switch;
	f->tells_switches = records || f->switch_samples;
	return f->tells_switches;
}

void file_decoder_init(struct file_decoder *f, struct evlist *evlist,
		       struct source_machine *machine, struct source_stats *stats)
{
	f->events.evlist = evlist;
	f->header.events = &f->events;
	f->header.machine = machine;
	f->header.damage = &f->damage;
	f->own.header = &f->header;
	f->stats = stats;
	f->order = file_order_new();
}

void file_decoder_release(struct file_decoder *f)
{
	file_order_free(f->order);
	f->order = NULL;
	file_build_ids_fini(&f->header.build_ids);
}

void file_decoder_fini(struct file_decoder *f)
{
	file_decoder_release(f);
	file_events_fini(&f->events);
}
