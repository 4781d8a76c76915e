/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader reads what the writer wrote: the records, their events, and all of it however little
 * room the disk had.
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/perf_event.h>

#include "base/alloc.h"
#include "encode.h"
#include "perf/data/file.h"
#include "perf/data/write-file.h"
#include "perf/data/write-record.h"
#include "perf/data/write.h"

#define SAMPLE_TYPE                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)
#define GROUP_READ                                                             \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | \
	 PERF_FORMAT_TOTAL_TIME_RUNNING)
#define DEADLINE_S 30

/* A live source, as far as a recording looks at it. */
struct rig {
	struct source source;
	struct source_options target;
	char directory[64], path[128];
};

static void rig_init(struct rig *rig)
{
	struct error err;

	*rig = (struct rig){ .source.tier = TIER_CPU_GROUP };
	rig->source.evlist = evlist_new();
	assert_int_equal(
		evlist_parse(rig->source.evlist, "cpu-clock,page-faults,minor-faults", &err), 0);
	evlist_set_rate(rig->source.evlist, 999, 0);
	rig->source.evlist->items[1]->open_error = ENOENT;
	rig->source.layout =
		(struct record_layout){ .sample_type = SAMPLE_TYPE, .sample_id_all = true };
	snprintf(rig->directory, sizeof(rig->directory), "/tmp/ptop-write-XXXXXX");
	assert_non_null(mkdtemp(rig->directory));
	snprintf(rig->path, sizeof(rig->path), "%s/recording", rig->directory);
}

static void rig_fini(struct rig *rig)
{
	char path[160];

	unlink(rig->path);
	for (unsigned i = 1; i < 10; i++) {
		snprintf(path, sizeof(path), "%s.%u", rig->path, i);
		unlink(path);
	}
	assert_int_equal(rmdir(rig->directory), 0);
	evlist_free(rig->source.evlist);
}

static struct write_head_options head_options(const struct rig *rig)
{
	static const char *const words[] = { "ptop", "--record", "f", NULL };

	return (struct write_head_options){ .source = &rig->source,
					    .target = &rig->target,
					    .version = "ptop 1",
					    .command = words };
}

static struct writer *start(struct rig *rig, struct writer_options options)
{
	struct error err;
	struct writer *w = writer_open(rig->path, &err);
	size_t room = options.head.room;

	options.head = head_options(rig);
	options.head.room = room;
	assert_non_null(w);
	assert_int_equal(writer_start(w, &options, &err), 0);
	return w;
}

/* A sample as the kernel writes it, decoded; BYTES are what it borrows from. */
static void make_sample(const struct record_layout *layout, struct encoder *bytes, struct record *r)
{
	encode_sample(bytes, layout);
	assert_int_equal(record_decode(layout, bytes->bytes, bytes->size, r), 0);
}

static void add_sample_of(struct writer *w, const struct rig *rig, int event, uint64_t time_ns)
{
	const struct write_task task = { .pid = 7, .tid = 8 };
	struct encoder bytes;
	struct record r;
	struct buf *b;

	make_sample(&rig->source.layout, &bytes, &r);
	r.event = event;
	r.time_ns = time_ns;
	writer_prepare(w);
	b = writer_room(w);
	if (!b)
		return;
	assert_int_equal(write_sample(b, &rig->source.layout, &r, &task), 0);
	writer_sampled(w, time_ns);
}

static void add_sample(struct writer *w, const struct rig *rig, uint64_t time_ns)
{
	add_sample_of(w, rig, 2, time_ns);
}

/* The contents of a file. */
struct found {
	struct evlist *evlist;
	uint64_t samples, lost, comms, mappings, kernel_mappings, others;
	struct record last_sample;
	char comm[64], path[64];
	struct build_id build_id;
	struct source_machine machine;
	char hostname[256], command[256];
	bool damaged;
};

static void receive(void *context, const struct record *r)
{
	struct found *f = context;

	if (r->type == RECORD_SAMPLE) {
		f->samples++;
		f->last_sample = *r;
	} else if (r->type == RECORD_LOST) {
		f->lost += r->lost.count;
	} else if (r->type == RECORD_COMM) {
		f->comms++;
		snprintf(f->comm, sizeof(f->comm), "%s", r->comm.comm);
	} else if (r->type == RECORD_MMAP2) {
		f->mappings++;
		snprintf(f->path, sizeof(f->path), "%s", r->mmap.path);
		f->build_id = r->mmap.build_id;
	} else if (r->type == RECORD_MMAP) {
		f->kernel_mappings++;
	} else {
		f->others++;
	}
}

static void read_file(struct found *f, const char *path)
{
	struct error err = { "" };
	struct source *s;
	int64_t n = 1;

	*f = (struct found){ .evlist = evlist_new() };
	s = file_source_open(f->evlist, path, &err);
	if (!s)
		fail_msg("%s", err.text);
	while (n > 0)
		n = s->ops->drain(s, receive, f);
	f->damaged = n < 0;
	snprintf(f->hostname, sizeof(f->hostname), "%s", s->machine->hostname);
	snprintf(f->command, sizeof(f->command), "%s", s->machine->command);
	f->machine = *s->machine;
	source_close(s);
}

static void found_fini(struct found *f)
{
	evlist_free(f->evlist);
}

UNIT_TEST(records_come_back)
{
	const uint8_t id[20] = { 1, 2, 3, [19] = 20 };
	const struct write_build_id kernel = { .path = "[kernel.kallsyms]",
					       .id = build_id_of(id, 20),
					       .kernel = true };
	const struct write_build_id object = { .path = "/lib/x.so", .id = build_id_of(id, 16) };
	const struct write_stamp stamp = { .pid = 7, .tid = 8, .cpu = 1, .time_ns = 90, .id = 3 };
	const struct record_mmap m = {
		.start = 0x1000, .length = 0x2000, .pgoff = 0x3000, .inode = 5, .path = "/lib/x.so"
	};
	struct buf ids = { 0 };
	struct found f;
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start(&rig, (struct writer_options){ 0 });
	assert_int_equal(writer_sideband_id(w), 1);
	writer_prepare(w);
	write_kernel_mmap(writer_room(w), &stamp, &m);
	write_comm(writer_room(w), &stamp, "a name");
	write_mmap(writer_room(w), &stamp, &m);
	add_sample(w, &rig, 100);
	writer_round(w);
	add_sample(w, &rig, 101);
	write_build_id(&ids, &kernel);
	write_build_id(&ids, &object);
	writer_finish(w, ids.bytes, ids.size);
	assert_int_equal(writer_close(w, &err), 0);
	buf_fini(&ids);

	read_file(&f, rig.path);
	assert_false(f.damaged);
	assert_int_equal(f.evlist->count, 2); /* not the one that could not be opened */
	assert_string_equal(f.evlist->items[0]->name, "cpu-clock");
	assert_string_equal(f.evlist->items[1]->name, "minor-faults");
	assert_int_equal(f.evlist->items[0]->freq_hz, 999);
	assert_int_equal(f.samples, 2);
	assert_int_equal(f.kernel_mappings, 1);
	assert_int_equal(f.comms, 1);
	assert_string_equal(f.comm, "a name");
	assert_string_equal(f.path, "/lib/x.so");
	assert_int_equal(f.build_id.size, 16);
	assert_memory_equal(f.build_id.bytes, id, 16);
	assert_int_equal(f.machine.kernel_build_id.size, 20);
	assert_memory_equal(f.machine.kernel_build_id.bytes, id, 20);
	assert_string_equal(f.command, "ptop --record f");
	assert_true(f.hostname[0]);
	assert_int_equal(f.last_sample.event, 1);
	assert_int_equal(f.last_sample.pid, 7);
	assert_int_equal(f.last_sample.tid, 8);
	assert_int_equal(f.last_sample.time_ns, 101);
	assert_int_equal(f.last_sample.cpu, ENCODE_CPU);
	found_fini(&f);
	rig_fini(&rig);
}

/* Everything but the values is as it was, whatever stands before and behind them. */
UNIT_TEST(samples_lose_their_values)
{
	static const uint64_t others[] = { 0, PERF_SAMPLE_ADDR, PERF_SAMPLE_CALLCHAIN,
					   PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
					   PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT };
	const struct write_task task = { .pid = ENCODE_PID, .tid = ENCODE_TID };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct record_layout with = { .sample_type =
						      SAMPLE_TYPE | PERF_SAMPLE_READ | others[i],
					      .read_format = GROUP_READ,
					      .sample_regs_user = 7 };
		struct record_layout without = with;
		struct encoder expected, bytes;
		struct buf b = { 0 };
		struct record r;

		without.sample_type = write_sample_type(&with);
		assert_int_equal(without.sample_type, SAMPLE_TYPE | others[i]);
		make_sample(&with, &bytes, &r);
		r.event = (int)ENCODE_ID - 1;
		assert_int_equal(write_sample(&b, &with, &r, &task), 0);
		assert_int_equal(record_decode(&without, b.bytes, b.size, &r), 0);
		assert_int_equal(r.size, b.size);
		assert_int_equal(r.id, ENCODE_ID);
		make_sample(&without, &expected, &r);
		assert_int_equal(b.size, expected.size);
		buf_fini(&b);
	}
}

/* The stack that was made of a copy stands in the place of what it was made of. */
UNIT_TEST(stacks_are_written_as_chains)
{
	static const uint64_t whole[] = { (uint64_t)-512, 0x1000, 0x2000 };
	const struct write_task plain = { .pid = ENCODE_PID, .tid = ENCODE_TID };
	struct write_task task = plain;
	struct record_layout with = { .sample_type = SAMPLE_TYPE | PERF_SAMPLE_READ |
						     PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
						     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				      .read_format = GROUP_READ,
				      .sample_regs_user = 7 };
	struct record_layout without = with;

	task.chain = whole;
	task.chain_count = 3;
	without.sample_type = write_sample_type(&with);
	assert_int_equal(without.sample_type,
			 SAMPLE_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW);
	for (int i = 0; i < 2; i++) {
		struct encoder expected, bytes;
		struct buf b = { 0 };
		struct record r;

		make_sample(&with, &bytes, &r);
		r.event = (int)ENCODE_ID - 1;
		assert_int_equal(write_sample(&b, &with, &r, i ? &task : &plain), 0);
		assert_int_equal(record_decode(&without, b.bytes, b.size, &r), 0);
		assert_int_equal(r.size, b.size);
		assert_int_equal(r.sample.callchain_count, i ? 3 : ENCODE_CHAIN);
		assert_int_equal(record_word(&without, r.sample.callchain, 1),
				 i ? 0x1000 : record_word(&without, r.sample.callchain, 1));
		make_sample(&without, &expected, &r);
		if (!i)
			assert_int_equal(b.size, expected.size);
		buf_fini(&b);
	}
}

/* A sample that ends before its values do, or says that it has more of them. */
UNIT_TEST(cut_samples_are_refused)
{
	const struct record_layout layout = { .sample_type = SAMPLE_TYPE | PERF_SAMPLE_READ,
					      .read_format = GROUP_READ };
	const struct write_task task = { .pid = 1, .tid = 1 };
	struct encoder bytes;
	struct buf b = { 0 };
	struct record r;

	make_sample(&layout, &bytes, &r);
	r.event = 0;
	for (uint32_t size = 0; size < bytes.size; size++) {
		r.size = size;
		assert_int_equal(write_sample(&b, &layout, &r, &task), -EBADMSG);
	}
	r.bytes = NULL;
	assert_int_equal(write_sample(&b, &layout, &r, &task), -EBADMSG);
	assert_int_equal(b.size, 0);
}

UNIT_TEST(other_records_get_the_id)
{
	const struct record_layout layout = { .sample_type = SAMPLE_TYPE, .sample_id_all = true };
	struct encoder e;
	struct buf b = { 0 };
	struct record r;

	encode_begin(&e, &layout, RECORD_LOST, 0);
	encode_u64(&e, 55);
	encode_u64(&e, 66);
	encode_end(&e);
	assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
	r.time_ns = 4711; /* what the source made of it */
	assert_int_equal(write_other(&b, &r, 9), 0);
	assert_int_equal(record_decode(&layout, b.bytes, b.size, &r), 0);
	assert_int_equal(r.lost.id, 9);
	assert_int_equal(r.lost.count, 66);
	assert_int_equal(r.id, 9);
	assert_int_equal(r.time_ns, 4711);
	buf_fini(&b);
}

/* See record_id_offset(). */
UNIT_TEST(what_the_kernel_did_not_write_is_left_out)
{
	const struct record_layout layout = { .sample_type = SAMPLE_TYPE, .sample_id_all = true };
	struct encoder e;
	struct buf b = { 0 };
	struct record r;
	uint16_t size;

	encode_begin(&e, &layout, RECORD_BPF_EVENT, 0);
	encode_u64(&e, 1);
	encode_bytes(&e, "tagtagta", 8);
	encode_end(&e);
	size = (uint16_t)(e.size + 40);
	memset(e.bytes + e.size, 0x5a, 40);
	memcpy(e.bytes + 6, &size, sizeof(size));
	assert_int_equal(record_decode(&layout, e.bytes, size, &r), 0);
	assert_int_equal(write_other(&b, &r, 9), 0);
	assert_int_equal(b.size, e.size);
	assert_int_equal(record_decode(&layout, b.bytes, b.size, &r), 0);
	assert_int_equal(r.size, e.size);
	assert_int_equal(r.id, 9);
	assert_int_equal(r.time_ns, ENCODE_TIME);
	buf_fini(&b);
}

static uint64_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec;
}

/* One buffer: while the disk has it, there is none.  The file counts the records that it lacks. */
UNIT_TEST(nothing_is_lost_silently)
{
	uint64_t end_s = now_s() + DEADLINE_S, added = 0, generation, left_out;
	struct found f;
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start(&rig, (struct writer_options){ .buffers = 1 });
	generation = writer_generation(w);
	while (writer_generation(w) == generation && now_s() < end_s)
		add_sample(w, &rig, ++added);
	assert_true(writer_left_out(w) > 0);
	assert_true(writer_generation(w) > generation);
	writer_finish(w, "", 0);
	left_out = writer_left_out(w);
	assert_int_equal(writer_close(w, &err), 0);
	read_file(&f, rig.path);
	assert_false(f.damaged);
	assert_int_equal(f.lost, left_out);
	assert_int_equal(f.samples, added - left_out);
	found_fini(&f);
	rig_fini(&rig);
}

#define RING_BUFFERS 18u

/* A flight recorder, which keeps KEEP_NS. */
static struct writer *start_ring(struct rig *rig, uint64_t keep_ns)
{
	struct writer_options options = { .buffers = RING_BUFFERS,
					  .keep_ns = keep_ns,
					  .head = head_options(rig) };
	struct error err;
	struct writer *w = writer_open(NULL, &err);

	assert_non_null(w);
	assert_int_equal(writer_start(w, &options, &err), 0);
	return w;
}

/* All that W keeps is in the rig's file then. */
static struct writer_taken take(struct writer *w, const struct rig *rig)
{
	int fd = open(rig->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct writer_taken taken;

	assert_true(fd >= 0);
	assert_false(writer_is_asked(w));
	assert_true(writer_take(w, fd));
	assert_true(writer_is_asked(w));
	assert_false(writer_take(w, fd));
	writer_hand_over(w, "", 0);
	assert_true(writer_taken(w, true, &taken));
	return taken;
}

static void expect_samples(const struct rig *rig, const struct writer_taken *taken)
{
	struct found f;

	assert_int_equal(taken->error, 0);
	read_file(&f, rig->path);
	assert_false(f.damaged);
	assert_int_equal(f.samples, taken->samples);
	if (f.samples)
		assert_int_equal(f.last_sample.time_ns, taken->last_ns);
	found_fini(&f);
}

UNIT_TEST(what_is_kept_is_written_once)
{
	struct writer_taken taken;
	struct rig rig;
	struct writer *w;
	struct error err;
	uint64_t time_ns = 0, generation;

	rig_init(&rig);
	w = start_ring(&rig, 1000 * 1000000000ull);
	for (uint64_t count = 3; count != 0; count--) {
		generation = writer_generation(w);
		for (uint64_t i = 0; i < count; i++)
			add_sample(w, &rig, ++time_ns);
		assert_int_equal(writer_generation(w), generation + 1);
		taken = take(w, &rig);
		assert_int_equal(taken.samples, count);
		expect_samples(&rig, &taken);
	}
	taken = take(w, &rig);
	assert_int_equal(taken.samples, 0);
	expect_samples(&rig, &taken);
	writer_finish(w, "", 0);
	assert_int_equal(writer_close(w, &err), 0);
	rig_fini(&rig);
}

/* More samples than the buffers hold: the newest are there, without a gap, and nothing was left out. */
UNIT_TEST(the_oldest_goes_first)
{
	const uint64_t added = 3ull * RING_BUFFERS * WRITER_BUFFER_BYTES / 64;
	struct writer_taken taken;
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start_ring(&rig, 1000 * 1000000000ull);
	for (uint64_t i = 1; i <= added; i++)
		add_sample(w, &rig, i);
	assert_int_equal(writer_left_out(w), 0);
	taken = take(w, &rig);
	assert_int_equal(taken.last_ns, added);
	assert_int_equal(taken.last_ns - taken.first_ns + 1, taken.samples);
	assert_in_range(taken.samples, added / 6, added / 2);
	expect_samples(&rig, &taken);
	writer_finish(w, "", 0);
	assert_int_equal(writer_close(w, &err), 0);
	rig_fini(&rig);
}

/* The shortest time: what is kept is what came since the last two rounds or so. */
UNIT_TEST(what_is_too_old_goes)
{
	struct writer_taken taken;
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start_ring(&rig, 8);
	for (uint64_t i = 1; i <= 100; i++) {
		add_sample(w, &rig, i);
		writer_round(w);
	}
	taken = take(w, &rig);
	assert_int_equal(taken.last_ns, 100);
	assert_in_range(taken.samples, 1, 4);
	expect_samples(&rig, &taken);
	writer_finish(w, "", 0);
	assert_int_equal(writer_close(w, &err), 0);
	rig_fini(&rig);
}

static void add_event(struct rig *rig, const char *name, int error)
{
	struct error err;

	assert_int_equal(evlist_parse(rig->source.evlist, name, &err), 0);
	rig->source.evlist->items[rig->source.evlist->count - 1]->open_error = error;
}

static void expect_added(const char *path, uint64_t samples)
{
	struct found f;

	read_file(&f, path);
	assert_false(f.damaged);
	assert_int_equal(f.evlist->count, 4);
	assert_string_equal(f.evlist->items[1]->name, "minor-faults");
	assert_string_equal(f.evlist->items[2]->name, "major-faults");
	assert_string_equal(f.evlist->items[3]->name, "alignment-faults");
	assert_int_equal(f.samples, samples);
	assert_int_equal(f.last_sample.event, 3);
	assert_true(f.machine.cpus > 0);
	found_fini(&f);
}

/* The one that was removed has samples in the file; the next file has all of them as well. */
UNIT_TEST(events_that_are_added_are_described)
{
	char path[160];
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start(&rig, (struct writer_options){ .head.room = WRITE_HEAD_ROOM, .files = 2 });
	add_sample(w, &rig, 100);
	add_event(&rig, "major-faults", 0);
	add_event(&rig, "emulation-faults", ENOENT);
	assert_false(writer_has_event(w, 4));
	assert_true(writer_has_event(w, 3));
	add_sample_of(w, &rig, 3, 101);
	rig.source.evlist->items[3]->removed = true;
	rig.source.evlist->items[3]->open_error = ECANCELED;
	add_event(&rig, "alignment-faults", 0);
	assert_true(writer_has_event(w, 5));
	assert_true(writer_has_event(w, 3));
	add_sample_of(w, &rig, 5, 102);
	writer_end_file(w, "", 0);
	add_sample_of(w, &rig, 5, 103);
	writer_finish(w, "", 0);
	assert_int_equal(writer_left_out(w), 0);
	assert_int_equal(writer_close(w, &err), 0);
	snprintf(path, sizeof(path), "%s.1", rig.path);
	expect_added(path, 3);
	expect_added(rig.path, 1);
	rig_fini(&rig);
}

/* As in batch, where nobody adds any. */
UNIT_TEST(without_room_no_event_is_added)
{
	struct found f;
	struct rig rig;
	struct writer *w;
	struct error err;

	rig_init(&rig);
	w = start(&rig, (struct writer_options){ 0 });
	add_sample(w, &rig, 100);
	add_event(&rig, "major-faults", 0);
	assert_false(writer_lacks_event(w));
	assert_false(writer_has_event(w, 3));
	assert_true(writer_lacks_event(w));
	add_sample(w, &rig, 101);
	writer_finish(w, "", 0);
	assert_int_equal(writer_close(w, &err), 0);
	read_file(&f, rig.path);
	assert_false(f.damaged);
	assert_int_equal(f.evlist->count, 2);
	assert_int_equal(f.samples, 2);
	found_fini(&f);
	rig_fini(&rig);
}

/* perf script refuses a whole file that has samples of a tracepoint without its fields. */
UNIT_TEST(a_tracepoint_is_added_where_fields_are_recorded)
{
	struct rig rig;
	struct evsel *e;

	rig_init(&rig);
	e = rig.source.evlist->items[0];
	assert_true(write_head_takes_event(&rig.source, 0));
	e->type = PERF_TYPE_TRACEPOINT;
	assert_false(write_head_takes_event(&rig.source, 0));
	rig.source.layout.sample_type |= PERF_SAMPLE_RAW;
	assert_true(write_head_takes_event(&rig.source, 0));
	rig_fini(&rig);
}

/* FILE, FILE.1, FILE.2: each can be read, the newest has the last samples, and the oldest goes. */
UNIT_TEST(files_follow_each_other)
{
	const uint64_t limit = WRITER_SIZE_MIN;
	uint64_t added = 0, kept = 0, files = 0;
	struct found f;
	struct rig rig;
	struct writer *w;
	struct error err;
	char path[160];

	rig_init(&rig);
	w = start(&rig,
		  (struct writer_options){ .size_limit = limit, .files = 3, .buffers = 1024 });
	while (files < 4) {
		add_sample(w, &rig, ++added);
		if (!writer_file_is_full(w))
			continue;
		writer_end_file(w, "", 0);
		files++;
	}
	add_sample(w, &rig, ++added);
	writer_finish(w, "", 0);
	assert_int_equal(writer_left_out(w), 0);
	assert_int_equal(writer_generation(w), files + 1);
	assert_int_equal(writer_close(w, &err), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct stat st;

		snprintf(path, sizeof(path), i ? "%s.%u" : "%s", rig.path, i);
		assert_int_equal(stat(path, &st), 0);
		assert_true((uint64_t)st.st_size <= limit);
		assert_int_equal(st.st_mode & 0777, 0600);
		read_file(&f, path);
		assert_false(f.damaged);
		assert_int_equal(f.last_sample.time_ns, added - kept);
		kept += f.samples;
		found_fini(&f);
	}
	snprintf(path, sizeof(path), "%s.3", rig.path);
	assert_int_equal(access(path, F_OK), -1);
	rig_fini(&rig);
}

static void set_file_limit(rlim_t bytes)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes three pieces of records and build ids where there is room for LIMIT bytes; 0 or an error. */
static int write_within(const struct rig *rig, const struct write_head *head, rlim_t limit)
{
	struct write_piece piece = { .first_ns = 1, .last_ns = 2 };
	struct write_file file;
	struct buf b = { 0 };
	int fd = open(rig->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err, late;

	for (int i = 0; i < 5; i++)
		write_comm(&b, &(struct write_stamp){ .id = 1, .time_ns = 1 }, "12345678");
	piece.bytes = b.bytes;
	piece.size = b.size;
	err = write_file_begin(&file, fd, head);
	assert_int_equal(err, 0);
	set_file_limit(limit);
	for (int i = 0; i < 3 && !err; i++)
		err = write_file_append(&file, &piece);
	late = write_file_end(&file, err ? NULL : b.bytes, err ? 0 : b.size);
	set_file_limit(RLIM_INFINITY);
	buf_fini(&b);
	return err ? err : late;
}

UNIT_TEST(a_full_disk_leaves_a_whole_file)
{
	const struct write_state empty = { 0 };
	struct write_head_options options;
	struct write_head head;
	uint64_t before = 0;
	struct rig rig;
	rlim_t limit;
	int err;

	rig_init(&rig);
	options = head_options(&rig);
	write_head_init(&head, &options);
	signal(SIGXFSZ, SIG_IGN);
	limit = head.bytes.size + sizeof(struct perf_event_header) +
		write_head_table_size(&head, &empty);
	do {
		struct found f;
		struct stat st;

		err = write_within(&rig, &head, limit);
		assert_int_equal(stat(rig.path, &st), 0);
		assert_true((rlim_t)st.st_size <= limit);
		read_file(&f, rig.path);
		assert_false(f.damaged);
		assert_string_equal(f.command, "ptop --record f");
		assert_true(f.comms >= before);
		assert_true(f.comms <= 15);
		before = f.comms;
		found_fini(&f);
		limit++;
	} while (err);
	assert_int_equal(before, 15);
	write_head_fini(&head);
	rig_fini(&rig);
}

UNIT_TEST(an_early_end_is_told)
{
	uint64_t end_s = now_s() + DEADLINE_S, time_ns = 0;
	struct error err = { "" };
	struct found f;
	struct rig rig;
	struct writer *w;

	rig_init(&rig);
	w = start(&rig, (struct writer_options){ 0 });
	set_file_limit(1024 * 1024);
	while (!writer_failed(w) && now_s() < end_s)
		add_sample(w, &rig, ++time_ns);
	assert_true(writer_failed(w));
	writer_finish(w, "", 0);
	assert_int_equal(writer_close(w, &err), -1);
	set_file_limit(RLIM_INFINITY);
	assert_non_null(strstr(err.text, rig.path));
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	read_file(&f, rig.path);
	assert_false(f.damaged);
	assert_true(f.samples > 1024 * 1024 / 100);
	found_fini(&f);
	rig_fini(&rig);
}

UNIT_TEST(only_files_are_taken)
{
	struct error err;

	assert_null(writer_open("/dev/full", &err));
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_null(writer_open("/nowhere/at/all", &err));
	assert_non_null(strstr(err.text, strerror(ENOENT)));
}

/* Until it is started, the file keeps what it had. */
UNIT_TEST(an_older_recording_stays)
{
	struct error err;
	struct stat st;
	struct rig rig;
	int fd;

	rig_init(&rig);
	fd = open(rig.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "old", 3), 3);
	close(fd);
	assert_int_equal(writer_close(writer_open(rig.path, &err), &err), 0);
	assert_int_equal(stat(rig.path, &st), 0);
	assert_int_equal(st.st_size, 3);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_back),
		cmocka_unit_test(samples_lose_their_values),
		cmocka_unit_test(stacks_are_written_as_chains),
		cmocka_unit_test(cut_samples_are_refused),
		cmocka_unit_test(other_records_get_the_id),
		cmocka_unit_test(what_the_kernel_did_not_write_is_left_out),
		cmocka_unit_test(nothing_is_lost_silently),
		cmocka_unit_test(what_is_kept_is_written_once),
		cmocka_unit_test(the_oldest_goes_first),
		cmocka_unit_test(what_is_too_old_goes),
		cmocka_unit_test(events_that_are_added_are_described),
		cmocka_unit_test(without_room_no_event_is_added),
		cmocka_unit_test(a_tracepoint_is_added_where_fields_are_recorded),
		cmocka_unit_test(files_follow_each_other),
		cmocka_unit_test(a_full_disk_leaves_a_whole_file),
		cmocka_unit_test(an_early_end_is_told),
		cmocka_unit_test(only_files_are_taken),
		cmocka_unit_test(an_older_recording_stays),
	};

	return unit_run(tests);
}
