/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/file-events.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/event/event.h"

/* The attr's fields at their places, which no version has changed; 0 beyond the attr's size. */
struct attr {
	uint32_t type, size, bp_type;
	uint64_t config, period, sample_type, read_format, flags, config1, config2;
	uint64_t branch_sample_type, regs_user, regs_intr;
};

/* Bits of `flags`, in the order of the declaration. */
enum {
	FLAG_INHERIT = 1,
	FLAG_EXCLUDE_USER = 4,
	FLAG_EXCLUDE_KERNEL = 5,
	FLAG_EXCLUDE_HV = 6,
	FLAG_EXCLUDE_IDLE = 7,
	FLAG_FREQ = 10,
	FLAG_PRECISE = 15,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_EXCLUDE_HOST = 19,
	FLAG_EXCLUDE_GUEST = 20,
	FLAG_CONTEXT_SWITCH = 26,
	FLAG_WRITE_BACKWARD = 27,
};

static bool flag(const struct attr *a, unsigned bit)
{
	return a->flags >> bit & 1;
}

/*
 * Bit fields begin at the lowest bit of the first byte on a little-endian machine, at the highest
 * on a big-endian one.  So the bytes stay in place, and the bits of each are reversed.
 */
static uint64_t read_flags(struct bytes *b)
{
	const unsigned char *p = bytes_take(b, 8);
	bool big = b->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint64_t flags = 0;

	for (unsigned bit = 0; p && bit < 64; bit++) {
		unsigned in_byte = big ? 7 - bit % 8 : bit % 8;

		flags |= (uint64_t)(p[bit / 8] >> in_byte & 1) << bit;
	}
	return flags;
}

/* A field beyond the end is 0: what an older kernel did not know. */
static int attr_read(struct attr *a, struct bytes b)
{
	a->type = bytes_u32(&b);
	a->size = bytes_u32(&b);
	a->config = bytes_u64(&b);
	a->period = bytes_u64(&b);
	a->sample_type = bytes_u64(&b);
	a->read_format = bytes_u64(&b);
	a->flags = read_flags(&b);
	bytes_u32(&b); /* wakeup_events */
	a->bp_type = bytes_u32(&b);
	a->config1 = bytes_u64(&b);
	if (b.failed)
		return -1;
	a->config2 = bytes_u64(&b);
	a->branch_sample_type = bytes_u64(&b);
	a->regs_user = bytes_u64(&b);
	bytes_u32(&b); /* sample_stack_user */
	bytes_u32(&b); /* clockid */
	a->regs_intr = bytes_u64(&b);
	return 0;
}

static const char *generic_name(const struct attr *a, char name[EVENT_CACHE_NAME_MAX])
{
	enum event_id id = event_id_of(a->type, a->config);

	if (id != EVENT_OTHER)
		return event_at(id)->name;
	if (a->type == PERF_TYPE_HW_CACHE && !event_cache_format(a->config, name))
		return name;
	return NULL;
}

static char *base_name(const struct attr *a)
{
	char cache[EVENT_CACHE_NAME_MAX];
	const char *name = generic_name(a, cache);

	if (name)
		return mem_strdup(name);
	if (a->type == PERF_TYPE_RAW)
		return mem_printf("r%llx", (unsigned long long)a->config);
	if (a->type == PERF_TYPE_TRACEPOINT)
		return mem_printf("tracepoint/%llu", (unsigned long long)a->config);
	if (a->type == PERF_TYPE_BREAKPOINT)
		return mem_printf("mem:0x%llx", (unsigned long long)a->config1);
	return mem_printf("pmu/type=%u,config=0x%llx/", a->type, (unsigned long long)a->config);
}

/* As perf writes them: what is counted when something is left out, then how precisely. */
static void add_modifiers(struct buf *b, const struct attr *a)
{
	static const struct {
		unsigned bit;
		char letter;
	} parts[] = {
		{ FLAG_EXCLUDE_KERNEL, 'k' },
		{ FLAG_EXCLUDE_USER, 'u' },
		{ FLAG_EXCLUDE_HV, 'h' },
	};
	unsigned precise = a->flags >> FLAG_PRECISE & 3;
	bool some = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		some |= flag(a, parts[i].bit);
	if (some || precise)
		buf_add_char(b, ':');
	for (size_t i = 0; some && i < sizeof(parts) / sizeof(*parts); i++)
		if (!flag(a, parts[i].bit))
			buf_add_char(b, parts[i].letter);
	while (precise--)
		buf_add_char(b, 'p');
}

static struct evsel *evsel_of(const struct attr *a)
{
	struct buf name = { 0 };
	char *base = base_name(a);
	struct evsel *e = evsel_new(base, strlen(base));
	bool freq = flag(a, FLAG_FREQ);

	buf_add_str(&name, base);
	free(base);
	add_modifiers(&name, a);
	e->name = name.bytes;
	e->type = a->type;
	e->config = a->config;
	e->config1 = a->config1;
	e->config2 = a->config2;
	e->bp_type = a->bp_type;
	e->freq_hz = freq ? a->period : 0;
	e->period = freq ? 0 : a->period;
	e->rate = RATE_OWN;
	e->addresses = a->sample_type & PERF_SAMPLE_ADDR;
	e->exclude_user = flag(a, FLAG_EXCLUDE_USER);
	e->exclude_kernel = flag(a, FLAG_EXCLUDE_KERNEL);
	e->exclude_hv = flag(a, FLAG_EXCLUDE_HV);
	e->exclude_idle = flag(a, FLAG_EXCLUDE_IDLE);
	e->exclude_host = flag(a, FLAG_EXCLUDE_HOST);
	e->exclude_guest = flag(a, FLAG_EXCLUDE_GUEST);
	e->precise_ip = a->flags >> FLAG_PRECISE & 3;
	if ((a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY) ||
	    (!a->period && !(a->sample_type & PERF_SAMPLE_READ)))
		e->role = EVSEL_COUNT; /* it only carries the side-band, or READ records */
	return e;
}

/* One word for each bit of MASK that TYPE has, or -1 without BIT itself. */
static int words_of(uint64_t type, uint64_t bit, uint64_t mask)
{
	return type & bit ? __builtin_popcountll(type & mask) : -1;
}

/* perf_event_open(2), "MMAP layout": where time and id are, before which only words of fixed number
 * come. */
#define BEFORE_TIME (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define BEFORE_ID (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
#define FROM_ID (PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define FROM_TIME (PERF_SAMPLE_TIME | FROM_ID | PERF_SAMPLE_IDENTIFIER)

static int sample_id_place(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return words_of(type, PERF_SAMPLE_ID, BEFORE_ID);
}

static int trailer_id_place(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	return words_of(type, PERF_SAMPLE_ID, FROM_ID);
}

static struct file_event event_of(const struct attr *a, bool swap)
{
	uint64_t type = a->sample_type;

	return (struct file_event){
		.layout = { .sample_type = type,
			    .read_format = a->read_format,
			    .branch_sample_type = a->branch_sample_type,
			    .sample_regs_user = a->regs_user,
			    .sample_regs_intr = a->regs_intr,
			    .sample_id_all = flag(a, FLAG_SAMPLE_ID_ALL),
			    .swap = swap },
		.period = a->period,
		.context_switch = flag(a, FLAG_CONTEXT_SWITCH),
		.per_task = flag(a, FLAG_INHERIT) && type & PERF_SAMPLE_READ,
		.sample_time = words_of(type, PERF_SAMPLE_TIME, BEFORE_TIME),
		.trailer_time = words_of(type, PERF_SAMPLE_TIME, FROM_TIME),
	};
}

static size_t id_size_of(const struct file_event *e)
{
	return e->layout.sample_id_all ? record_id_size(e->layout.sample_type) : 0;
}

int file_events_add(struct file_events *f, const struct bytes *attr, struct error *err)
{
	struct attr a = { 0 };

	if (attr_read(&a, *attr))
		return error_set(err, _("the description of event %zu is cut short"), f->count + 1);
	if (f->count == FILE_EVENTS_MAX)
		return error_set(err, _("more than %u events"), FILE_EVENTS_MAX);
	mem_grow((void **)&f->items, &f->capacity, f->count + 1, sizeof(*f->items));
	f->items[f->count] = event_of(&a, f->swap);
	f->sample_id = sample_id_place(f->items[0].layout.sample_type);
	f->trailer_id = trailer_id_place(f->items[0].layout.sample_type);
	if (!f->count)
		f->id_size = id_size_of(&f->items[0]);
	else if (f->id_size != id_size_of(&f->items[f->count]))
		f->id_size = 0;
	f->backward |= flag(&a, FLAG_WRITE_BACKWARD);
	evlist_add(f->evlist, evsel_of(&a));
	return (int)f->count++;
}

static uint64_t counter_key(uint64_t id, uint32_t tid)
{
	return tid ? hash_u64(id) ^ tid : id;
}

static struct file_counter *add_counter(struct file_events *f, uint64_t key, size_t event)
{
	struct file_counter *c;

	if (f->counters.count >= FILE_IDS_MAX)
		return NULL;
	c = mem_alloc(sizeof(*c));
	c->event = event;
	map_put(&f->counters, key, c);
	return c;
}

int file_events_add_id(struct file_events *f, size_t event, uint64_t id)
{
	struct file_counter *c = map_find(&f->counters, id);

	f->newest = NULL;
	if (c)
		c->event = event;
	else
		c = add_counter(f, id, event);
	return c ? 0 : -1;
}

void file_events_fini(struct file_events *f)
{
	map_fini_each(&f->counters, free);
	free(f->items);
}

void file_events_set_name(struct file_events *f, size_t event, const char *name, size_t size)
{
	struct evsel *e = f->evlist->items[event];

	size = strnlen(name, size);
	if (!size)
		return;
	free(e->name);
	e->name = mem_strndup(name, size);
	e->own_name = true;
}

static struct file_counter *find_counter(struct file_events *f, uint64_t id)
{
	if (f->newest && f->newest_id == id)
		return f->newest;
	f->newest = map_find(&f->counters, id);
	f->newest_id = id;
	return f->newest;
}

int file_events_find_id(const struct file_events *f, uint64_t id)
{
	const struct file_counter *c = map_find(&f->counters, id);

	return c ? (int)c->event : -1;
}

int file_events_check(struct file_events *f, struct error *err)
{
	f->complete = true;
	if (!f->count)
		return error_set(err, _("it describes no event"));
	for (size_t i = 0; i < f->count && f->count > 1; i++) {
		uint64_t type = f->items[i].layout.sample_type;

		if (sample_id_place(type) < 0)
			return error_set(err,
					 _("its records do not say of which of %zu events they "
					   "are: record it with one event"),
					 f->count);
		if (sample_id_place(type) != f->sample_id ||
		    trailer_id_place(type) != f->trailer_id)
			return error_set(err,
					 _("the samples of its events differ in where they say "
					   "of which event they are"));
	}
	return 0;
}

static uint64_t word_at(const struct file_events *f, const unsigned char *data, size_t word)
{
	uint64_t v;

	memcpy(&v, data + word * sizeof(v), sizeof(v));
	return f->swap ? __builtin_bswap64(v) : v;
}

/* Word number PLACE after the header of a sample, or from the end of another record. */
static bool find_word(size_t words, bool sample, int place, size_t *word)
{
	if (place < 0 || (size_t)place + sample >= words)
		return false;
	*word = sample ? (size_t)place + 1 : words - (size_t)place;
	return true;
}

/*
 * perf's rule (evlist__event2evsel()): with one event all records are its; without an id in it, or
 * in files older than sample_id_all, a record is the first one's.
 */
static int event_at_id(struct file_events *f, const unsigned char *data, size_t words, bool sample)
{
	int place = sample ? f->sample_id : f->trailer_id;
	const struct file_counter *c;
	uint64_t id;
	size_t word;

	if (f->count == 1 || (!sample && !f->items[0].layout.sample_id_all))
		return 0;
	if (!find_word(words, sample, place, &word))
		return -1;
	id = word_at(f, data, word);
	if (!id)
		return 0;
	c = find_counter(f, id);
	if (c)
		return (int)c->event;
	return f->items[0].layout.sample_id_all ? -1 : 0;
}

/* Up to the end of the sample_id, see record_id_offset(); perf reads what is behind it. */
static size_t written_size(const struct file_events *f, const unsigned char *data, size_t size)
{
	const struct bytes record = { .at = data, .left = size, .swap = f->swap };
	size_t at = f->id_size ? record_id_offset(&record, f->id_size) : 0;

	return at ? at + f->id_size : size;
}

struct file_stamp file_events_stamp(struct file_events *f, const unsigned char *data, size_t size,
				    uint32_t type)
{
	bool sample = type == RECORD_SAMPLE;
	size_t words = (sample ? size : written_size(f, data, size)) / sizeof(uint64_t), word;
	struct file_stamp stamp = { .event = event_at_id(f, data, words, sample) };
	const struct file_event *e = &f->items[stamp.event < 0 ? 0 : stamp.event];

	if (!sample && !e->layout.sample_id_all)
		return stamp;
	if (find_word(words, sample, sample ? e->sample_time : e->trailer_time, &word))
		stamp.time_ns = word_at(f, data, word);
	if (stamp.time_ns == UINT64_MAX)
		stamp.time_ns = 0;
	return stamp;
}

struct file_counter *file_events_counter(struct file_events *f, uint64_t id, uint32_t tid)
{
	struct file_counter *c = find_counter(f, id), *own;

	if (!c || !f->items[c->event].per_task)
		return c;
	own = map_find(&f->counters, counter_key(id, tid));
	return own ? own : add_counter(f, counter_key(id, tid), c->event);
}
