/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/data/write-head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "perf/event/attr.h"
#include "perf/data/write-machine.h"
#include "perf/data/write-record.h"
#include "perf/data/write-trace.h"

#define MAGIC "PERFILE2"
#define SECTION_BYTES 16u
#define CPUINFO_BYTES 4096u

enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_CLOCKID = 23,
	FEATURE_CLOCK_DATA = 29,
};

static void put_u32(struct buf *b, uint32_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_u64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

static void put_padding(struct buf *b, size_t align)
{
	while (b->size % align)
		buf_add_char(b, '\0');
}

/* Events. */

/*
 * Returns true if event I can be in the file: it could be opened.  An event that is only counted has no
 * samples there, but READ records.
 */
static bool has_event(const struct evlist *evlist, size_t i)
{
	return !evlist->items[i]->open_error && !evsel_is_made(evlist->items[i]);
}

bool write_head_takes_event(const struct source *source, size_t i)
{
	const struct evsel *e = source->evlist->items[i];

	return has_event(source->evlist, i) &&
	       (e->type != PERF_TYPE_TRACEPOINT || e->role != EVSEL_SAMPLE ||
		source->layout.sample_type & PERF_SAMPLE_RAW);
}

/* The first one that is sampled. */
static size_t first_event(const struct write_head *h, const struct evlist *evlist)
{
	size_t i = 0;

	while (i < evlist->count && (!h->events[i] || evlist->items[i]->role != EVSEL_SAMPLE))
		i++;
	return i;
}

/* As it would have to be opened to write what the file holds; the first one brings the side-band. */
static void fill_attr(const struct write_head *h, const struct write_head_options *o, size_t event,
		      struct perf_event_attr *attr)
{
	const struct source *s = o->source;
	const struct evsel *e = s->evlist->items[event];

	evsel_attr_init(e, attr);
	if (e->probe)
		attr->config1 = 0; /* an address in this process */
	attr->sample_type = write_sample_type(&s->layout);
	attr->read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->exclude_kernel |= s->user_only;
	attr->exclude_hv |= s->user_only;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = s->layout.sample_regs_user;
	attr->sample_regs_intr = s->layout.sample_regs_intr;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = s->layout.branch_sample_type;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER)
		attr->sample_stack_user = o->target->user_stack_bytes;
	attr->sample_max_stack = o->target->callchains ? o->target->max_stack : 0;
	if (event != first_event(h, s->evlist))
		return;
	attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
	attr->ksymbol = attr->bpf_event = 1;
	attr->mmap_data = s->layout.sample_type & PERF_SAMPLE_ADDR ? 1 : 0;
}

static void put_attr(struct write_head *h, const struct write_head_options *o, size_t event)
{
	struct perf_event_attr attr;

	fill_attr(h, o, event, &attr);
	buf_add(&h->bytes, &attr, sizeof(attr));
}

/* Events of OLD stay, even if they were removed meanwhile, because the file has samples of them. */
static void choose_events(struct write_head *h, const struct write_head *old,
			  const struct source *source)
{
	h->event_count = source->evlist->count;
	h->events = mem_array(h->event_count, sizeof(*h->events));
	for (size_t i = 0; i < h->event_count; i++)
		h->events[i] = old ? (i < old->event_count && old->events[i]) ||
					       write_head_takes_event(source, i)
				   : has_event(source->evlist, i);
}

static void put_attrs(struct write_head *h, const struct write_head_options *o)
{
	const struct evlist *events = o->source->evlist;
	uint64_t ids = h->bytes.size;

	h->first_id = WRITE_ID(first_event(h, events));
	for (size_t i = 0; i < events->count; i++)
		if (h->events[i])
			put_u64(&h->bytes, WRITE_ID(i));
	h->attrs.offset = h->bytes.size;
	for (size_t i = 0; i < events->count; i++) {
		if (!h->events[i])
			continue;
		put_attr(h, o, i);
		put_u64(&h->bytes, ids);
		put_u64(&h->bytes, sizeof(uint64_t));
		ids += sizeof(uint64_t);
	}
	h->attrs.size = h->bytes.size - h->attrs.offset;
}

/* Sections: each function adds the content. */

static void put_tracepoints(struct write_head *h, const struct write_head_options *o)
{
	write_trace(&h->bytes, o->source->evlist, h->events);
}

static void put_hostname(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_text(&h->bytes, h->system.nodename);
}

static void put_release(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_text(&h->bytes, h->system.release);
}

static void put_version(struct write_head *h, const struct write_head_options *o)
{
	write_text(&h->bytes, o->version);
}

static void put_arch(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_text(&h->bytes, h->system.machine);
}

/* CPUs that there may be, then those that are online. */
static void put_cpus(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	put_u32(&h->bytes, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	put_u32(&h->bytes, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
}

/* "model name	: AMD EPYC"; other architectures say it otherwise, then it is left out. */
static void put_cpu_name(struct write_head *h, const struct write_head_options *o)
{
	static const char key[] = "\nmodel name\t: ";
	char text[CPUINFO_BYTES];
	FILE *f = fopen("/proc/cpuinfo", "re");
	size_t size = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	char *name;

	(void)o;
	if (f)
		fclose(f);
	text[size] = '\0';
	name = strstr(text, key);
	if (!name)
		return;
	name += strlen(key);
	name[strcspn(name, "\n")] = '\0';
	write_text(&h->bytes, name);
}

/* In KiB. */
static void put_memory(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	put_u64(&h->bytes,
		(uint64_t)sysconf(_SC_PHYS_PAGES) * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024));
}

static void put_command(struct write_head *h, const struct write_head_options *o)
{
	uint32_t count = 0;

	while (o->command && o->command[count])
		count++;
	put_u32(&h->bytes, count);
	for (uint32_t i = 0; i < count; i++)
		write_text(&h->bytes, o->command[i]);
}

/*
 * Writes the number of events and the size of an attr; for each event the attr, the number of ids,
 * its name, and its ids.
 */
static void put_event_names(struct write_head *h, const struct write_head_options *o)
{
	const struct evlist *events = o->source->evlist;

	put_u32(&h->bytes,
		(uint32_t)(h->attrs.size / (sizeof(struct perf_event_attr) + SECTION_BYTES)));
	put_u32(&h->bytes, sizeof(struct perf_event_attr));
	for (size_t i = 0; i < events->count; i++) {
		if (!h->events[i])
			continue;
		put_attr(h, o, i);
		put_u32(&h->bytes, 1);
		write_text(&h->bytes, events->items[i]->name);
		put_u64(&h->bytes, WRITE_ID(i));
	}
}

static void put_topology(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_topology(&h->bytes, "/sys", (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
}

static void put_pmus(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_pmus(&h->bytes, "/sys");
}

/*
 * The number of events from I on that are in the file and in I's group.  It is 0 if one of them is
 * only counted, because perf would show that one as never having occurred.
 */
static uint32_t group_size(const struct write_head *h, const struct evlist *events, size_t i)
{
	uint32_t size = 0;

	for (int group = events->items[i]->group;
	     group >= 0 && i < events->count && events->items[i]->group == group; i++) {
		if (events->items[i]->role != EVSEL_SAMPLE)
			return 0;
		size += h->events[i];
	}
	return size;
}

/*
 * Writes the number of groups; for each its name, its first event's number in the file, and its
 * number of events.
 */
static void put_groups(struct write_head *h, const struct write_head_options *o)
{
	const struct evlist *events = o->source->evlist;
	size_t at = h->bytes.size;
	uint32_t count = 0, number = 0;

	put_u32(&h->bytes, 0);
	for (size_t i = 0; i < events->count; i++) {
		bool first = !i || events->items[i - 1]->group != events->items[i]->group;
		uint32_t size = first ? group_size(h, events, i) : 0;

		if (size > 1) {
			write_text(&h->bytes, "{anon_group}");
			put_u32(&h->bytes, number);
			put_u32(&h->bytes, size);
			count++;
		}
		number += h->events[i];
	}
	memcpy(h->bytes.bytes + at, &count, sizeof(count));
	if (!count)
		buf_truncate(&h->bytes, at);
}

/* The resolution of the samples' clock, in nanoseconds. */
static void put_clock_resolution(struct write_head *h, const struct write_head_options *o)
{
	struct timespec resolution = { .tv_nsec = 1 };

	(void)o;
	clock_getres(CLOCK_MONOTONIC, &resolution);
	put_u64(&h->bytes, (uint64_t)resolution.tv_nsec);
}

static void put_clock(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	write_clock(&h->bytes);
}

static void put_times(struct write_head *h, const struct write_head_options *o)
{
	(void)o;
	h->times_offset = h->bytes.size;
	put_u64(&h->bytes, 0);
	put_u64(&h->bytes, 0);
}

/* In the order of their numbers, which is that of the table. */
static const struct {
	unsigned feature;
	void (*put)(struct write_head *h, const struct write_head_options *o);
} sections[] = {
	{ FEATURE_TRACING_DATA, put_tracepoints },
	{ FEATURE_HOSTNAME, put_hostname },
	{ FEATURE_OSRELEASE, put_release },
	{ FEATURE_VERSION, put_version },
	{ FEATURE_ARCH, put_arch },
	{ FEATURE_NRCPUS, put_cpus },
	{ FEATURE_CPUDESC, put_cpu_name },
	{ FEATURE_TOTAL_MEM, put_memory },
	{ FEATURE_CMDLINE, put_command },
	{ FEATURE_EVENT_DESC, put_event_names },
	{ FEATURE_CPU_TOPOLOGY, put_topology },
	{ FEATURE_PMU_MAPPINGS, put_pmus },
	{ FEATURE_GROUP_DESC, put_groups },
	{ FEATURE_SAMPLE_TIME, put_times },
	{ FEATURE_CLOCKID, put_clock_resolution },
	{ FEATURE_CLOCK_DATA, put_clock },
};

static void put_room(struct write_head *h, size_t size)
{
	h->used = h->bytes.size;
	while (h->bytes.size < size)
		buf_add_char(&h->bytes, '\0');
}

static void put_all(struct write_head *h, const struct write_head *old,
		    const struct write_head_options *options)
{
	*h = (struct write_head){ 0 };
	uname(&h->system);
	for (size_t i = 0; i < WRITE_HEADER_BYTES; i++)
		buf_add_char(&h->bytes, '\0');
	choose_events(h, old, options->source);
	put_attrs(h, options);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		struct write_section s = { .feature = sections[i].feature };

		put_padding(&h->bytes, sizeof(uint64_t));
		s.offset = h->bytes.size;
		sections[i].put(h, options);
		s.size = h->bytes.size - s.offset;
		if (s.size)
			h->sections[h->section_count++] = s;
	}
	put_padding(&h->bytes, sizeof(uint64_t));
}

void write_head_init(struct write_head *h, const struct write_head_options *options)
{
	put_all(h, NULL, options);
	put_room(h, h->bytes.size + options->room);
}

bool write_head_renew(struct write_head *h, const struct write_head *old,
		      const struct write_head_options *options)
{
	put_all(h, old, options);
	if (h->bytes.size > old->bytes.size || h->first_id != old->first_id) {
		write_head_fini(h);
		return false;
	}
	put_room(h, old->bytes.size);
	return true;
}

void write_head_fini(struct write_head *h)
{
	buf_fini(&h->bytes);
	free(h->events);
}

uint64_t write_head_table_size(const struct write_head *h, const struct write_state *state)
{
	return (h->section_count + !!state->build_ids_size) * SECTION_BYTES;
}

static void put_section(struct buf *b, uint64_t offset, uint64_t size)
{
	put_u64(b, offset);
	put_u64(b, size);
}

/* In the order of the features. */
void write_head_table(const struct write_head *h, const struct write_state *state, struct buf *b)
{
	uint64_t end = h->bytes.size + state->data_size + write_head_table_size(h, state);
	bool ids = state->build_ids_size != 0;

	for (size_t i = 0; i < h->section_count; i++) {
		if (ids && h->sections[i].feature > FEATURE_BUILD_ID) {
			put_section(b, end, state->build_ids_size);
			ids = false;
		}
		put_section(b, h->sections[i].offset, h->sections[i].size);
	}
}

static uint64_t features_of(const struct write_head *h, const struct write_state *state)
{
	uint64_t features = state->build_ids_size ? 1u << FEATURE_BUILD_ID : 0;

	for (size_t i = 0; i < h->section_count; i++)
		features |= 1ull << h->sections[i].feature;
	return features;
}

void write_head_header(const struct write_head *h, const struct write_state *state, bool features,
		       struct buf *b)
{
	buf_add_str(b, MAGIC);
	put_u64(b, WRITE_HEADER_BYTES);
	put_u64(b, sizeof(struct perf_event_attr) + SECTION_BYTES);
	put_section(b, h->attrs.offset, h->attrs.size);
	put_section(b, h->bytes.size, state->data_size);
	put_section(b, 0, 0); /* event types: of old */
	put_u64(b, features ? features_of(h, state) : 0);
	for (int i = 0; i < 3; i++)
		put_u64(b, 0);
}
