/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "encode.h"
#include "perf/record/record.h"
#include "touch.h"

#define ALL_BITS ((uint64_t)(PERF_SAMPLE_MAX - 1) & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT)
#define BRANCH_COUNTERS (1u << 19)

static struct record_layout layout_of(uint64_t sample_type, bool swap)
{
	return (struct record_layout){
		.sample_type = sample_type,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX,
		.sample_regs_user = 0x1ff,
		.sample_regs_intr = 0x3,
		.sample_id_all = true,
		.swap = swap,
	};
}

/* A copy that ends where the record does, for the address sanitizer to guard. */
static int decode(const struct encoder *e, size_t size, struct record *r)
{
	void *bytes = malloc(size ? size : 1);
	int status;

	memcpy(bytes, e->bytes, size);
	memset(r, 0xa5, sizeof(*r));
	status = record_decode(e->layout, bytes, size, r);
	free(bytes);
	return status;
}

static void check_ids(const struct record_layout *l, const struct record *r)
{
	uint64_t t = l->sample_type;

	assert_int_equal(r->pid, t & PERF_SAMPLE_TID ? ENCODE_PID : 0);
	assert_int_equal(r->tid, t & PERF_SAMPLE_TID ? ENCODE_TID : 0);
	assert_int_equal(r->time_ns, t & PERF_SAMPLE_TIME ? ENCODE_TIME : 0);
	assert_int_equal(r->cpu, t & PERF_SAMPLE_CPU ? ENCODE_CPU : 0);
	assert_int_equal(r->stream_id, t & PERF_SAMPLE_STREAM_ID ? ENCODE_STREAM : 0);
	assert_int_equal(r->id, t & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER) ? ENCODE_ID : 0);
	assert_int_equal(r->event, -1);
	assert_false(r->counts_only);
}

/* FIELD has VALUE when the layout has BIT, else 0. */
#define check_field(field, bit, value) \
	assert_int_equal(r->sample.field, l->sample_type &(bit) ? (value) : 0)

static void check_words(const struct record_layout *l, uint64_t bit, const void *words,
			unsigned int count, unsigned int first)
{
	if (!(l->sample_type & bit)) {
		assert_null(words);
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		assert_int_equal(record_word(l, words, i), encode_value(first + i));
}

static void check_read(const struct record_layout *l, const struct record_read *read)
{
	uint64_t format = l->read_format;

	assert_int_equal(read->count, format & PERF_FORMAT_GROUP ? ENCODE_VALUES : 1);
	assert_int_equal(read->dropped, 0);
	assert_int_equal(read->enabled_ns, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 2000 : 0);
	assert_int_equal(read->running_ns, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1000 : 0);
	for (unsigned int i = 0; i < read->count; i++) {
		assert_int_equal(read->values[i].value, encode_value(10 + i));
		assert_int_equal(read->values[i].id, format & PERF_FORMAT_ID ? 500 + i : 0);
		assert_int_equal(read->values[i].lost, format & PERF_FORMAT_LOST ? 600 + i : 0);
	}
}

static void check_weight(const struct record_layout *l, const struct record *r)
{
	uint64_t word = encode_value(4);

	if (l->sample_type & PERF_SAMPLE_WEIGHT_STRUCT) {
		assert_int_equal(r->sample.weight, (uint32_t)word);
		assert_int_equal(r->sample.weight2, (uint16_t)(word >> 32));
		assert_int_equal(r->sample.weight3, (uint16_t)(word >> 48));
		return;
	}
	check_field(weight, PERF_SAMPLE_WEIGHT, word);
	assert_int_equal(r->sample.weight2, 0);
	assert_int_equal(r->sample.weight3, 0);
}

static void check_sample(const struct record_layout *l, const struct record *r)
{
	check_ids(l, r);
	assert_int_equal(r->type, RECORD_SAMPLE);
	assert_int_equal(r->cpumode, CPUMODE_USER);
	assert_true(r->exact_ip);
	check_field(ip, PERF_SAMPLE_IP, encode_value(0));
	check_field(address, PERF_SAMPLE_ADDR, encode_value(1));
	check_field(period, PERF_SAMPLE_PERIOD, encode_value(2));
	check_field(data_source, PERF_SAMPLE_DATA_SRC, encode_value(5));
	check_field(transaction, PERF_SAMPLE_TRANSACTION, encode_value(6));
	check_field(physical_address, PERF_SAMPLE_PHYS_ADDR, encode_value(7));
	check_field(cgroup, PERF_SAMPLE_CGROUP, encode_value(8));
	check_field(data_page_size, PERF_SAMPLE_DATA_PAGE_SIZE, 4096);
	check_field(code_page_size, PERF_SAMPLE_CODE_PAGE_SIZE, 2097152);
	check_field(callchain_count, PERF_SAMPLE_CALLCHAIN, ENCODE_CHAIN);
	check_field(raw_size, PERF_SAMPLE_RAW, ENCODE_RAW);
	check_field(branch_count, PERF_SAMPLE_BRANCH_STACK, ENCODE_BRANCHES);
	check_field(user_regs_abi, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_ABI_64);
	check_field(user_stack_size, PERF_SAMPLE_STACK_USER, ENCODE_STACK_VALID);
	check_field(intr_regs_abi, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_REGS_ABI_64);
	check_field(aux_size, PERF_SAMPLE_AUX, ENCODE_AUX);
	check_weight(l, r);
	if (l->sample_type & PERF_SAMPLE_READ)
		check_read(l, &r->sample.read);
	else
		assert_int_equal(r->sample.read.count, 0);
}

/* Checks the data behind the pointers of a sample; the record's bytes must still be there. */
static void check_blocks(const struct record_layout *l, const struct record *r)
{
	const struct record_sample *s = &r->sample;

	check_words(l, PERF_SAMPLE_CALLCHAIN, s->callchain, ENCODE_CHAIN, 20);
	check_words(l, PERF_SAMPLE_BRANCH_STACK, s->branches, ENCODE_BRANCHES * 3, 30);
	check_words(l, PERF_SAMPLE_REGS_USER, s->user_regs, 9, 50);
	check_words(l, PERF_SAMPLE_REGS_INTR, s->intr_regs, 2, 60);
	if (l->sample_type & PERF_SAMPLE_RAW)
		assert_memory_equal(s->raw, "bytes withou", ENCODE_RAW);
	if (l->sample_type & PERF_SAMPLE_STACK_USER)
		assert_memory_equal(s->user_stack, "bytes without an order", 22);
	if (l->sample_type & PERF_SAMPLE_AUX)
		assert_string_equal(s->aux, "aux");
}

static void round_trip(const struct record_layout *layout)
{
	struct encoder e;
	struct record r;

	memset(&r, 0xa5, sizeof(r));
	encode_sample(&e, layout);
	assert_int_equal(record_decode(layout, e.bytes, e.size, &r), 0);
	assert_int_equal(r.size, e.size);
	check_sample(layout, &r);
	check_blocks(layout, &r);
}

UNIT_TEST(each_sample_bit_alone)
{
	for (uint64_t bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1) {
		for (int swap = 0; swap < 2; swap++) {
			struct record_layout layout = layout_of(bit, swap);

			round_trip(&layout);
		}
	}
}

UNIT_TEST(all_sample_bits_together)
{
	for (int swap = 0; swap < 2; swap++) {
		struct record_layout layout = layout_of(ALL_BITS, swap);

		round_trip(&layout);
		layout.sample_type ^= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
		round_trip(&layout);
	}
}

/* Every pair shows an order of two fields that is wrong. */
UNIT_TEST(every_pair_of_sample_bits)
{
	for (uint64_t a = 1; a < PERF_SAMPLE_MAX; a <<= 1) {
		for (uint64_t b = 1; b < a; b <<= 1) {
			struct record_layout layout = layout_of(a | b, false);

			if ((a | b) != (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
				round_trip(&layout);
		}
	}
}

UNIT_TEST(every_read_format)
{
	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++) {
		for (int swap = 0; swap < 2; swap++) {
			struct record_layout layout =
				layout_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN, swap);

			layout.read_format = format;
			round_trip(&layout);
		}
	}
}

UNIT_TEST(branch_stack_with_every_flag)
{
	struct record_layout layout =
		layout_of(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_CGROUP, false);
	struct encoder e;
	struct record r;

	layout.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX | BRANCH_COUNTERS;
	encode_sample(&e, &layout);
	assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
	assert_int_equal(r.sample.branch_hw_index, encode_value(3));
	assert_int_equal(record_word(&layout, r.sample.branch_counters, 1), encode_value(41));
	assert_int_equal(r.sample.cgroup, encode_value(8));

	layout.branch_sample_type = 0;
	encode_sample(&e, &layout);
	assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
	assert_int_equal(r.sample.branch_hw_index, UINT64_MAX);
	assert_null(r.sample.branch_counters);
	assert_int_equal(r.sample.cgroup, encode_value(8));
}

UNIT_TEST(registers_and_stack_may_be_absent)
{
	struct record_layout layout = layout_of(
		PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_CGROUP, false);
	struct encoder e;
	struct record r;

	encode_begin(&e, &layout, RECORD_SAMPLE, 0);
	encode_u64(&e, 0); /* abi */
	encode_u64(&e, 0); /* size of the stack */
	encode_u64(&e, 5);
	encode_end(&e);
	assert_int_equal(decode(&e, e.size, &r), 0);
	assert_int_equal(r.sample.user_regs_abi, 0);
	assert_null(r.sample.user_regs);
	assert_int_equal(r.sample.user_stack_size, 0);
	assert_int_equal(r.sample.cgroup, 5);
}

UNIT_TEST(more_values_than_we_keep_are_counted)
{
	struct record_layout layout = layout_of(PERF_SAMPLE_READ | PERF_SAMPLE_CGROUP, false);
	struct encoder e;
	struct record r;

	encode_begin(&e, &layout, RECORD_SAMPLE, 0);
	encode_read(&e, RECORD_READ_MAX + 2, 0);
	encode_u64(&e, 5);
	encode_end(&e);
	assert_int_equal(decode(&e, e.size, &r), 0);
	assert_int_equal(r.sample.read.count, RECORD_READ_MAX);
	assert_int_equal(r.sample.read.dropped, 2);
	assert_int_equal(r.sample.cgroup, 5);
}

/* The records that are no samples: what is written, and what must come out. */
#define MISC_KERNEL PERF_RECORD_MISC_KERNEL

static void put_mmap(struct encoder *e)
{
	encode_u32(e, 11);
	encode_u32(e, 12);
	encode_u64(e, 0x7f0000000000);
	encode_u64(e, 0x2000);
	encode_u64(e, 0x1000);
	encode_text(e, "/usr/lib/libc.so.6");
}

static void check_mmap(const struct record *r)
{
	assert_int_equal(r->mmap.pid, 11);
	assert_int_equal(r->mmap.tid, 12);
	assert_int_equal(r->mmap.start, 0x7f0000000000);
	assert_int_equal(r->mmap.length, 0x2000);
	assert_int_equal(r->mmap.pgoff, 0x1000);
	assert_true(r->mmap.executable);
	assert_int_equal(r->mmap.inode, 0);
	assert_int_equal(r->mmap.build_id.size, 0);
	assert_string_equal(r->mmap.path, "/usr/lib/libc.so.6");
}

static void check_mmap_data(const struct record *r)
{
	assert_false(r->mmap.executable);
}

static void put_mmap2(struct encoder *e)
{
	encode_u32(e, 11);
	encode_u32(e, 12);
	encode_u64(e, 0x400000);
	encode_u64(e, 0x3000);
	encode_u64(e, 0);
	encode_u32(e, 8);
	encode_u32(e, 1);
	encode_u64(e, 4242);
	encode_u64(e, 9);
	encode_u32(e, 5); /* PROT_READ | PROT_EXEC */
	encode_u32(e, 2);
	encode_text(e, "/bin/a");
}

static void check_mmap2(const struct record *r)
{
	assert_int_equal(r->mmap.start, 0x400000);
	assert_int_equal(r->mmap.major, 8);
	assert_int_equal(r->mmap.minor, 1);
	assert_int_equal(r->mmap.inode, 4242);
	assert_int_equal(r->mmap.inode_generation, 9);
	assert_true(r->mmap.executable);
	assert_int_equal(r->mmap.build_id.size, 0);
	assert_string_equal(r->mmap.path, "/bin/a");
}

static void put_mmap2_build_id(struct encoder *e)
{
	encode_u32(e, 11);
	encode_u32(e, 12);
	encode_u64(e, 0x400000);
	encode_u64(e, 0x3000);
	encode_u64(e, 0);
	encode_bytes(e,
		     "\x14\0\0\0"
		     "abcdefghijklmnopqrst",
		     24);
	encode_u32(e, 1); /* PROT_READ */
	encode_u32(e, 2);
	encode_text(e, "/bin/a");
}

static void check_mmap2_build_id(const struct record *r)
{
	assert_int_equal(r->mmap.build_id.size, 20);
	assert_memory_equal(r->mmap.build_id.bytes, "abcdefghijklmnopqrst", 20);
	assert_int_equal(r->mmap.inode, 0);
	assert_false(r->mmap.executable);
	assert_string_equal(r->mmap.path, "/bin/a");
}

static void put_lost(struct encoder *e)
{
	encode_u64(e, 55);
	encode_u64(e, 66);
}

static void check_lost(const struct record *r)
{
	assert_int_equal(r->lost.id, 55);
	assert_int_equal(r->lost.count, 66);
}

static void put_word(struct encoder *e)
{
	encode_u64(e, 66);
}

static void check_lost_samples(const struct record *r)
{
	assert_int_equal(r->lost.id, 0);
	assert_int_equal(r->lost.count, 66);
}

static void put_comm(struct encoder *e)
{
	encode_u32(e, 21);
	encode_u32(e, 22);
	encode_text(e, "a (b) \033[2J");
}

static void check_comm(const struct record *r)
{
	assert_int_equal(r->comm.pid, 21);
	assert_int_equal(r->comm.tid, 22);
	assert_false(r->comm.exec);
	assert_string_equal(r->comm.comm, "a (b) \033[2J");
}

static void check_comm_exec(const struct record *r)
{
	assert_true(r->comm.exec);
}

static void put_task(struct encoder *e)
{
	encode_u32(e, 31);
	encode_u32(e, 32);
	encode_u32(e, 33);
	encode_u32(e, 34);
	encode_u64(e, 35);
}

static void check_task(const struct record *r)
{
	assert_int_equal(r->task.pid, 31);
	assert_int_equal(r->task.ppid, 32);
	assert_int_equal(r->task.tid, 33);
	assert_int_equal(r->task.ptid, 34);
	assert_int_equal(r->task.time, 35);
}

static void put_throttle(struct encoder *e)
{
	encode_u64(e, 41);
	encode_u64(e, 42);
	encode_u64(e, 43);
}

static void check_throttle(const struct record *r)
{
	assert_int_equal(r->throttle.time, 41);
	assert_int_equal(r->throttle.id, 42);
	assert_int_equal(r->throttle.stream_id, 43);
}

static void put_read(struct encoder *e)
{
	encode_u32(e, 51);
	encode_u32(e, 52);
	encode_read(e, ENCODE_VALUES, 10);
}

static void check_read_record(const struct record *r)
{
	const struct record_layout layout = layout_of(0, false);

	check_read(&layout, &r->read);
}

static void put_pid_tid(struct encoder *e)
{
	encode_u32(e, 61);
	encode_u32(e, 62);
}

static void check_itrace(const struct record *r)
{
	assert_int_equal(r->itrace.pid, 61);
	assert_int_equal(r->itrace.tid, 62);
}

static void check_switch_wide(const struct record *r)
{
	assert_true(r->cswitch.out);
	assert_true(r->cswitch.preempted);
	assert_int_equal(r->cswitch.other_pid, 61);
	assert_int_equal(r->cswitch.other_tid, 62);
}

static void put_nothing(struct encoder *e)
{
	(void)e;
}

static void check_switch_in(const struct record *r)
{
	assert_false(r->cswitch.out);
	assert_int_equal(r->cswitch.other_pid, 0);
}

static void check_aux(const struct record *r)
{
	assert_int_equal(r->aux.offset, 41);
	assert_int_equal(r->aux.size, 42);
	assert_int_equal(r->aux.flags, 43);
}

static void check_hw_id(const struct record *r)
{
	assert_int_equal(r->aux.hw_id, 66);
	assert_int_equal(r->aux.size, 0);
}

static void put_namespaces(struct encoder *e)
{
	put_pid_tid(e);
	encode_u64(e, 2);
	for (unsigned int i = 0; i < 4; i++)
		encode_u64(e, encode_value(i));
}

static void check_namespaces(const struct record *r)
{
	assert_int_equal(r->namespaces.pid, 61);
	assert_int_equal(r->namespaces.count, 2);
	assert_non_null(r->namespaces.links);
}

static void put_ksymbol(struct encoder *e)
{
	encode_u64(e, 0xffffffffc0001000);
	encode_u32(e, 128);
	encode_u16(e, 1);
	encode_u16(e, 1);
	encode_text(e, "bpf_prog_1234_filter");
}

static void check_ksymbol(const struct record *r)
{
	assert_int_equal(r->ksymbol.address, 0xffffffffc0001000);
	assert_int_equal(r->ksymbol.length, 128);
	assert_int_equal(r->ksymbol.ksym_type, 1);
	assert_true(r->ksymbol.unregister);
	assert_string_equal(r->ksymbol.name, "bpf_prog_1234_filter");
}

static void put_bpf(struct encoder *e)
{
	encode_u16(e, 1);
	encode_u16(e, 0);
	encode_u32(e, 71);
	encode_bytes(e, "tagtagta", 8);
}

static void check_bpf(const struct record *r)
{
	assert_int_equal(r->bpf.event, 1);
	assert_int_equal(r->bpf.id, 71);
	assert_non_null(r->bpf.tag);
}

static void put_cgroup(struct encoder *e)
{
	encode_u64(e, 81);
	encode_text(e, "/system.slice/a.service");
}

static void check_cgroup(const struct record *r)
{
	assert_int_equal(r->cgroup.id, 81);
	assert_string_equal(r->cgroup.path, "/system.slice/a.service");
}

static void put_text_poke(struct encoder *e)
{
	encode_u64(e, 91);
	encode_u16(e, 1);
	encode_u16(e, 3);
	encode_bytes(e, "ABBB", 4);
}

static void check_text_poke(const struct record *r)
{
	assert_int_equal(r->text_poke.address, 91);
	assert_int_equal(r->text_poke.old_size, 1);
	assert_int_equal(r->text_poke.new_size, 3);
	assert_memory_equal(r->text_poke.bytes, "ABBB", 4);
}

static void put_deferred(struct encoder *e)
{
	encode_u64(e, 101);
	encode_u64(e, 2);
	encode_u64(e, encode_value(0));
	encode_u64(e, encode_value(1));
}

static void check_deferred(const struct record *r)
{
	assert_int_equal(r->deferred.cookie, 101);
	assert_int_equal(r->deferred.count, 2);
	assert_non_null(r->deferred.callchain);
}

static void check_nothing(const struct record *r)
{
	(void)r;
}

#define RECORD_NEWER (RECORD_TYPES + 5)

static const struct kind {
	uint32_t type;
	uint16_t misc;
	void (*put)(struct encoder *e);
	void (*check)(const struct record *r);
} kinds[] = {
	{ RECORD_MMAP, 0, put_mmap, check_mmap },
	{ RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA, put_mmap, check_mmap_data },
	{ RECORD_MMAP2, 0, put_mmap2, check_mmap2 },
	{ RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, put_mmap2_build_id, check_mmap2_build_id },
	{ RECORD_LOST, 0, put_lost, check_lost },
	{ RECORD_LOST_SAMPLES, 0, put_word, check_lost_samples },
	{ RECORD_COMM, 0, put_comm, check_comm },
	{ RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, put_comm, check_comm_exec },
	{ RECORD_EXIT, 0, put_task, check_task },
	{ RECORD_FORK, 0, put_task, check_task },
	{ RECORD_THROTTLE, 0, put_throttle, check_throttle },
	{ RECORD_UNTHROTTLE, 0, put_throttle, check_throttle },
	{ RECORD_READ, 0, put_read, check_read_record },
	{ RECORD_AUX, 0, put_throttle, check_aux },
	{ RECORD_ITRACE_START, 0, put_pid_tid, check_itrace },
	{ RECORD_SWITCH, 0, put_nothing, check_switch_in },
	{ RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	  put_pid_tid, check_switch_wide },
	{ RECORD_NAMESPACES, 0, put_namespaces, check_namespaces },
	{ RECORD_KSYMBOL, MISC_KERNEL, put_ksymbol, check_ksymbol },
	{ RECORD_BPF_EVENT, 0, put_bpf, check_bpf },
	{ RECORD_CGROUP, 0, put_cgroup, check_cgroup },
	{ RECORD_TEXT_POKE, 0, put_text_poke, check_text_poke },
	{ RECORD_AUX_OUTPUT_HW_ID, 0, put_word, check_hw_id },
	{ RECORD_CALLCHAIN_DEFERRED, 0, put_deferred, check_deferred },
	{ RECORD_NEWER, 0, put_word, check_nothing },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void encode_kind(struct encoder *e, const struct record_layout *layout,
			const struct kind *kind)
{
	encode_begin(e, layout, kind->type, kind->misc);
	kind->put(e);
	encode_end(e);
}

UNIT_TEST(every_kind_in_both_orders)
{
	static struct encoder e;
	struct record r;

	for (size_t i = 0; i < KINDS * 2; i++) {
		struct record_layout layout = layout_of(ALL_BITS, i % 2);

		encode_kind(&e, &layout, &kinds[i / 2]);
		memset(&r, 0xa5, sizeof(r));
		assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
		assert_int_equal(r.type, kinds[i / 2].type);
		assert_int_equal(r.misc, kinds[i / 2].misc);
		check_ids(&layout, &r);
		kinds[i / 2].check(&r);
	}
}

/* Says that E, which is whole, has MORE bytes; they are what a ring held there before. */
static void encode_overstate(struct encoder *e, size_t more)
{
	uint16_t size = (uint16_t)(e->size + more);

	memset(e->bytes + e->size, 0x5a, more);
	e->size += more;
	size = e->layout->swap ? __builtin_bswap16(size) : size;
	memcpy(e->bytes + 6, &size, sizeof(size));
}

/* The kernel adds the sample_id of other profilers' events to the size of ours. */
UNIT_TEST(a_size_may_be_more_than_was_written)
{
	static struct encoder e;
	struct record r;

	for (size_t i = 0; i < KINDS * 2; i++) {
		const struct kind *kind = &kinds[i / 2];
		struct record_layout layout = layout_of(ALL_BITS, i % 2);

		if (kind->type != RECORD_KSYMBOL && kind->type != RECORD_BPF_EVENT &&
		    kind->type != RECORD_TEXT_POKE)
			continue;
		for (size_t more = 8; more <= 80; more += 8) {
			size_t written;

			encode_kind(&e, &layout, kind);
			written = e.size;
			encode_overstate(&e, more);
			assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
			assert_int_equal(r.size, written);
			check_ids(&layout, &r);
			kind->check(&r);
		}
	}
}

UNIT_TEST(without_a_sample_id_nothing_is_cut_off)
{
	static struct encoder e;
	struct record r;

	for (size_t i = 0; i < KINDS; i++) {
		struct record_layout layout = layout_of(ALL_BITS, false);

		layout.sample_id_all = false;
		encode_kind(&e, &layout, &kinds[i]);
		assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
		assert_int_equal(r.time_ns, 0);
		assert_int_equal(r.pid, kinds[i].type == RECORD_READ ? 51 : 0);
		kinds[i].check(&r);
	}
}

/* A type of perf's own, in a file, has no sample_id whatever the layout says. */
UNIT_TEST(a_type_of_perf_is_a_header)
{
	struct record_layout layout = layout_of(ALL_BITS, false);
	struct encoder e;
	struct record r;

	layout.sample_id_all = false;
	encode_begin(&e, &layout, 68, 0);
	encode_end(&e);
	layout.sample_id_all = true;
	assert_int_equal(decode(&e, e.size, &r), 0);
	assert_int_equal(r.type, 68);
	assert_int_equal(r.pid, 0);
}

/* Decodes SIZE bytes, in memory of just that size, and reads all that comes out. */
static int probe(const struct record_layout *layout, const unsigned char *bytes, size_t size,
		 uint64_t *total)
{
	unsigned char *copy = malloc(size ? size : 1);
	static struct record r;
	int status;

	memcpy(copy, bytes, size);
	status = record_decode(layout, copy, size, &r);
	assert_true(status == 0 || status == -EBADMSG);
	if (!status)
		*total += record_touch(&r);
	free(copy);
	return status;
}

static void cut_everywhere(struct encoder *e, const struct record_layout *layout, uint64_t *total)
{
	size_t whole = e->size;

	for (size_t size = 0; size < whole; size++) {
		uint16_t claimed = (uint16_t)size;

		assert_int_equal(probe(layout, e->bytes, size, total), -EBADMSG);
		claimed = layout->swap ? __builtin_bswap16(claimed) : claimed;
		if (size < 8)
			continue;
		memcpy(e->bytes + 6, &claimed, 2);
		/* A shorter record is another one; that of a sample lacks a field. */
		if (probe(layout, e->bytes, size, total) == 0)
			assert_true(e->bytes[layout->swap ? 3 : 0] != RECORD_SAMPLE);
		claimed = (uint16_t)whole;
		claimed = layout->swap ? __builtin_bswap16(claimed) : claimed;
		memcpy(e->bytes + 6, &claimed, 2);
	}
	assert_int_equal(probe(layout, e->bytes, whole, total), 0);
}

UNIT_TEST(every_truncation)
{
	static struct encoder e;
	uint64_t total = 0;

	for (size_t i = 0; i < KINDS * 2; i++) {
		struct record_layout layout = layout_of(ALL_BITS, i % 2);

		encode_kind(&e, &layout, &kinds[i / 2]);
		cut_everywhere(&e, &layout, &total);
		encode_sample(&e, &layout);
		cut_everywhere(&e, &layout, &total);
	}
	assert_true(total > 0);
}

static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Counts of every size in every place: they must be compared with what is left. */
UNIT_TEST(damaged_words)
{
	static const uint64_t bad[] = { 0,
					1,
					7,
					0xff,
					0x1000,
					UINT32_MAX,
					UINT64_MAX,
					UINT64_MAX / 8,
					UINT64_MAX / 8 + 2,
					UINT64_MAX / 24 + 1,
					(uint64_t)1 << 61,
					(uint64_t)1 << 63 };
	static struct encoder e;
	uint64_t total = 0;

	for (size_t i = 0; i <= KINDS; i++) {
		struct record_layout layout = layout_of(ALL_BITS, false);

		if (i < KINDS)
			encode_kind(&e, &layout, &kinds[i]);
		else
			encode_sample(&e, &layout);
		for (size_t at = 8; at + 8 <= e.size; at += 4) {
			unsigned char saved[8];

			memcpy(saved, e.bytes + at, 8);
			for (size_t j = 0; j < sizeof(bad) / sizeof(bad[0]); j++) {
				memcpy(e.bytes + at, &bad[j], 8);
				probe(&layout, e.bytes, e.size, &total);
			}
			memcpy(e.bytes + at, saved, 8);
		}
	}
	assert_true(total > 0);
}

UNIT_TEST(random_bytes)
{
	uint32_t seed = 2463534242u;
	unsigned char bytes[256];
	uint64_t total = 0;
	int decoded = 0;

	for (int round = 0; round < 50000; round++) {
		struct record_layout layout = layout_of(random_next(&seed) & ALL_BITS, round % 2);
		uint16_t size = sizeof(bytes);
		uint32_t type = random_next(&seed) % (RECORD_TYPES + 1);

		for (size_t i = 8; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)(random_next(&seed) % 4 ? 0 : random_next(&seed));
		size = layout.swap ? __builtin_bswap16(size) : size;
		type = layout.swap ? __builtin_bswap32(type) : type;
		memcpy(bytes, &type, 4);
		memcpy(bytes + 4, &seed, 2);
		memcpy(bytes + 6, &size, 2);
		decoded += probe(&layout, bytes, sizeof(bytes), &total) == 0;
	}
	assert_true(decoded > 0);
}

UNIT_TEST(a_text_without_its_end_is_malformed)
{
	struct record_layout layout = layout_of(0, false);
	struct encoder e;
	struct record r;

	encode_begin(&e, &layout, RECORD_COMM, 0);
	put_pid_tid(&e);
	encode_bytes(&e, "abcdefgh", 8);
	encode_end(&e);
	assert_int_equal(decode(&e, e.size, &r), -EBADMSG);
}

UNIT_TEST(contradictions_are_malformed)
{
	struct record_layout layout = layout_of(PERF_SAMPLE_STACK_USER, false);
	struct encoder e;
	struct record r;

	encode_begin(&e, &layout, RECORD_SAMPLE, 0);
	encode_u64(&e, 8);
	encode_u64(&e, 0);
	encode_u64(&e, 9); /* more valid bytes than there are */
	encode_end(&e);
	assert_int_equal(decode(&e, e.size, &r), -EBADMSG);

	encode_begin(&e, &layout, RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
	put_mmap2_build_id(&e);
	e.bytes[8 + 32] = 21; /* the build id's size: at most 20 */
	encode_end(&e);
	assert_int_equal(decode(&e, e.size, &r), -EBADMSG);
}

UNIT_TEST(what_follows_the_record_is_not_its)
{
	struct record_layout layout = layout_of(ALL_BITS, false);
	static struct encoder e;
	struct record r;

	encode_sample(&e, &layout);
	encode_u64(&e, 12345);
	assert_int_equal(record_decode(&layout, e.bytes, e.size, &r), 0);
	assert_int_equal(r.size, e.size - 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sample_bit_alone),
		cmocka_unit_test(all_sample_bits_together),
		cmocka_unit_test(every_pair_of_sample_bits),
		cmocka_unit_test(every_read_format),
		cmocka_unit_test(branch_stack_with_every_flag),
		cmocka_unit_test(registers_and_stack_may_be_absent),
		cmocka_unit_test(more_values_than_we_keep_are_counted),
		cmocka_unit_test(every_kind_in_both_orders),
		cmocka_unit_test(a_size_may_be_more_than_was_written),
		cmocka_unit_test(without_a_sample_id_nothing_is_cut_off),
		cmocka_unit_test(a_type_of_perf_is_a_header),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test(damaged_words),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(a_text_without_its_end_is_malformed),
		cmocka_unit_test(contradictions_are_malformed),
		cmocka_unit_test(what_follows_the_record_is_not_its),
	};

	return unit_run(tests);
}
