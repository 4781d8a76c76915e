/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/record/record.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"

/* Newer than the oldest <linux/perf_event.h> that we build with. */
#define BRANCH_COUNTERS (1u << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

#define FORK_EXEC (1u << 13) /* PERF_RECORD_MISC_FORK_EXEC, perf's own */

#define USER_TYPE_START 64 /* PERF_RECORD_USER_TYPE_START of perf.data files */
#define BRANCH_WORDS 3     /* from, to, flags */
#define WORD sizeof(uint64_t)

#define SAMPLE_HEAD_BITS                                                                           \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
		    PERF_SAMPLE_PERIOD))

/* The fields of a sample_id: see "struct sample_id" in <linux/perf_event.h>. */
#define SAMPLE_ID_BITS                                                                 \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* COUNT words, or NULL and `failed`; COUNT is the data's and may be anything. */
static const void *take_words(struct bytes *b, uint64_t count)
{
	if (count > b->left / sizeof(uint64_t)) {
		b->failed = true;
		return NULL;
	}
	return bytes_take(b, count * sizeof(uint64_t));
}

/* SIZE bytes, likewise. */
static const void *take_sized(struct bytes *b, uint64_t size)
{
	if (size > b->left) {
		b->failed = true;
		return NULL;
	}
	return bytes_take(b, size);
}

/* The fields that a sample shares with the sample_id of other records: who and when. */
static inline void read_task(uint64_t type, struct bytes *b, struct record *r)
{
	if (type & PERF_SAMPLE_TID) {
		r->pid = bytes_u32(b);
		r->tid = bytes_u32(b);
	}
	if (type & PERF_SAMPLE_TIME)
		r->time_ns = bytes_u64(b);
}

/* The same: which event, on which CPU.  A sample has its address in between. */
static inline void read_ids(uint64_t type, struct bytes *b, struct record *r)
{
	if (type & PERF_SAMPLE_ID)
		r->id = bytes_u64(b);
	if (type & PERF_SAMPLE_STREAM_ID)
		r->stream_id = bytes_u64(b);
	if (type & PERF_SAMPLE_CPU) {
		r->cpu = bytes_u32(b);
		bytes_u32(b);
	}
}

static void decode_sample_id(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	uint64_t type = layout->sample_type;

	read_task(type, b, r);
	read_ids(type, b, r);
	if (type & PERF_SAMPLE_IDENTIFIER)
		r->id = bytes_u64(b);
}

static void read_times(uint64_t format, struct bytes *b, struct record_read *read)
{
	read->enabled_ns = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? bytes_u64(b) : 0;
	read->running_ns = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? bytes_u64(b) : 0;
	read->other_enabled_ns = read->other_running_ns = read->clocks = 0;
}

static void decode_single(uint64_t format, struct bytes *b, struct record_read *read)
{
	read->count = 1;
	read->dropped = 0;
	read->values[0].value = bytes_u64(b);
	read_times(format, b, read);
	read->values[0].id = format & PERF_FORMAT_ID ? bytes_u64(b) : 0;
	read->values[0].lost = format & PERF_FORMAT_LOST ? bytes_u64(b) : 0;
}

static void decode_group(const struct record_layout *layout, struct bytes *b,
			 struct record_read *read)
{
	bool has_id = layout->read_format & PERF_FORMAT_ID;
	bool has_lost = layout->read_format & PERF_FORMAT_LOST;
	size_t entry = 1 + has_id + has_lost; /* words */
	uint64_t count = bytes_u64(b);
	const void *words;

	read_times(layout->read_format, b, read);
	read->count = read->dropped = 0;
	words = count <= b->left / sizeof(uint64_t) ? take_words(b, count * entry) : NULL;
	if (!words) {
		b->failed = true;
		return;
	}
	read->count = count < RECORD_READ_MAX ? count : RECORD_READ_MAX;
	read->dropped = count - read->count;
	for (size_t i = 0, at = 0; i < read->count; i++, at += entry) {
		read->values[i].value = record_word(layout, words, at);
		read->values[i].id = has_id ? record_word(layout, words, at + 1) : 0;
		read->values[i].lost = has_lost ? record_word(layout, words, at + 1 + has_id) : 0;
	}
}

/* "struct read_format": the same in a sample, in a READ record and from read(2). */
static void decode_read(const struct record_layout *layout, struct bytes *b,
			struct record_read *read)
{
	if (layout->read_format & PERF_FORMAT_GROUP)
		decode_group(layout, b, read);
	else
		decode_single(layout->read_format, b, read);
}

/* The common head of both kinds. */
static void mmap_head(struct bytes *b, struct record_mmap *m)
{
	memset(m, 0, sizeof(*m));
	m->pid = bytes_u32(b);
	m->tid = bytes_u32(b);
	m->start = bytes_u64(b);
	m->length = bytes_u64(b);
	m->pgoff = bytes_u64(b);
}

static void decode_mmap(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	struct record_mmap *m = &r->mmap;

	(void)layout;
	mmap_head(b, m);
	m->executable = !(r->misc & PERF_RECORD_MISC_MMAP_DATA);
	m->path = bytes_text(b, b->left);
}

static void decode_build_id(struct bytes *b, struct record_mmap *m)
{
	uint8_t size = bytes_u8(b);
	const void *bytes;

	bytes_take(b, 3);
	bytes = bytes_take(b, BUILD_ID_MAX);
	if (size > BUILD_ID_MAX)
		b->failed = true;
	if (!b->failed)
		m->build_id = build_id_of(bytes, size);
}

static void decode_mmap2(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	struct record_mmap *m = &r->mmap;

	(void)layout;
	mmap_head(b, m);
	if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		decode_build_id(b, m);
	} else {
		m->major = bytes_u32(b);
		m->minor = bytes_u32(b);
		m->inode = bytes_u64(b);
		m->inode_generation = bytes_u64(b);
	}
	m->executable = bytes_u32(b) & PROT_EXEC;
	bytes_u32(b); /* MAP_* flags */
	m->path = bytes_text(b, b->left);
}

static void decode_lost(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->lost.id = bytes_u64(b);
	r->lost.count = bytes_u64(b);
}

static void decode_lost_samples(const struct record_layout *layout, struct bytes *b,
				struct record *r)
{
	(void)layout;
	r->lost.id = 0;
	r->lost.count = bytes_u64(b);
}

static void decode_comm(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->comm.pid = bytes_u32(b);
	r->comm.tid = bytes_u32(b);
	r->comm.exec = r->misc & PERF_RECORD_MISC_COMM_EXEC;
	r->comm.comm = bytes_text(b, b->left);
}

static void decode_task(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->task.pid = bytes_u32(b);
	r->task.ppid = bytes_u32(b);
	r->task.tid = bytes_u32(b);
	r->task.ptid = bytes_u32(b);
	r->task.time = bytes_u64(b);
	r->task.own_space = r->misc & FORK_EXEC;
}

static void decode_throttle(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->throttle.time = bytes_u64(b);
	r->throttle.id = bytes_u64(b);
	r->throttle.stream_id = bytes_u64(b);
}

static void decode_read_record(const struct record_layout *layout, struct bytes *b,
			       struct record *r)
{
	uint32_t pid = bytes_u32(b), tid = bytes_u32(b);

	decode_read(layout, b, &r->read);
	if (r->pid || r->tid)
		return;
	r->pid = pid;
	r->tid = tid;
}

static void decode_aux(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->aux.offset = bytes_u64(b);
	r->aux.size = bytes_u64(b);
	r->aux.flags = bytes_u64(b);
	r->aux.hw_id = 0;
}

static void decode_hw_id(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	memset(&r->aux, 0, sizeof(r->aux));
	r->aux.hw_id = bytes_u64(b);
}

static void decode_itrace(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->itrace.pid = bytes_u32(b);
	r->itrace.tid = bytes_u32(b);
}

static void decode_switch(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	bool wide = r->type == RECORD_SWITCH_CPU_WIDE;

	(void)layout;
	r->cswitch.out = r->misc & PERF_RECORD_MISC_SWITCH_OUT;
	r->cswitch.preempted = r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	r->cswitch.other_pid = wide ? bytes_u32(b) : 0;
	r->cswitch.other_tid = wide ? bytes_u32(b) : 0;
}

static void decode_namespaces(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->namespaces.pid = bytes_u32(b);
	r->namespaces.tid = bytes_u32(b);
	r->namespaces.count = bytes_u64(b);
	if (r->namespaces.count > b->left / 16)
		b->failed = true;
	else
		r->namespaces.links = take_words(b, r->namespaces.count * 2);
}

static void decode_ksymbol(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->ksymbol.address = bytes_u64(b);
	r->ksymbol.length = bytes_u32(b);
	r->ksymbol.ksym_type = bytes_u16(b);
	r->ksymbol.unregister = bytes_u16(b) & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	r->ksymbol.name = bytes_text(b, b->left);
}

static void decode_bpf(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->bpf.event = bytes_u16(b);
	bytes_u16(b); /* flags: none is defined */
	r->bpf.id = bytes_u32(b);
	r->bpf.tag = bytes_take(b, 8);
}

static void decode_cgroup(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->cgroup.id = bytes_u64(b);
	r->cgroup.path = bytes_text(b, b->left);
}

static void decode_text_poke(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->text_poke.address = bytes_u64(b);
	r->text_poke.old_size = bytes_u16(b);
	r->text_poke.new_size = bytes_u16(b);
	r->text_poke.bytes = bytes_take(b, (size_t)r->text_poke.old_size + r->text_poke.new_size);
}

static void decode_deferred(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	(void)layout;
	r->deferred.cookie = bytes_u64(b);
	r->deferred.count = bytes_u64(b);
	r->deferred.callchain = take_words(b, r->deferred.count);
}

static void sample_branches(const struct record_layout *layout, struct bytes *b,
			    struct record_sample *s)
{
	uint64_t count = bytes_u64(b);

	/*
	 * With no entry at all a kernel may leave the index out; as in perf it is taken to be
	 * there, because nothing in the record says which it is.
	 */
	s->branch_hw_index = (uint64_t)-1;
	if (layout->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		s->branch_hw_index = bytes_u64(b);
	if (count > b->left / (BRANCH_WORDS * sizeof(uint64_t))) {
		b->failed = true;
		return;
	}
	s->branch_count = count;
	s->branches = take_words(b, count * BRANCH_WORDS);
	if (layout->branch_sample_type & BRANCH_COUNTERS)
		s->branch_counters = take_words(b, count);
}

/* The words of MASK, which are there only if the abi is not 0.  Returns the abi. */
static uint64_t sample_regs(struct bytes *b, uint64_t mask, const void **regs)
{
	uint64_t abi = bytes_u64(b);

	if (abi)
		*regs = take_words(b, (uint64_t)__builtin_popcountll(mask));
	return abi;
}

static void sample_stack(struct bytes *b, struct record_sample *s)
{
	uint64_t size = bytes_u64(b);

	if (!size)
		return;
	s->user_stack = take_sized(b, size);
	s->user_stack_size = bytes_u64(b);
	if (s->user_stack_size > size)
		b->failed = true;
}

/* One word in either order: see union perf_sample_weight. */
static void sample_weight(const struct record_layout *layout, struct bytes *b,
			  struct record_sample *s)
{
	uint64_t word = bytes_u64(b);

	s->weight = word;
	if (!(layout->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
		return;
	s->weight = word & UINT32_MAX;
	s->weight2 = (uint16_t)(word >> 32);
	s->weight3 = (uint16_t)(word >> 48);
}

/*
 * All but the values of the READ.  In pieces, because compilers clear the whole with "rep stos",
 * which then takes longer than all of the decoding.
 */
static void sample_clear(struct record_sample *s)
{
	const size_t size = offsetof(struct record_sample, read.values), piece = 64;
	unsigned char *bytes = (unsigned char *)s;
	size_t at = 0;

	for (; at + piece <= size; at += piece)
		memset(bytes + at, 0, piece);
	memset(bytes + at, 0, size - at);
}

/* The fields of SAMPLE_HEAD_BITS.  The compiler keeps a copy of B in registers, but not B. */
static void sample_head(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	uint64_t type = layout->sample_type;
	struct bytes in = *b;

	if (type & PERF_SAMPLE_IDENTIFIER)
		r->id = bytes_u64(&in);
	if (type & PERF_SAMPLE_IP)
		r->sample.ip = bytes_u64(&in);
	read_task(type, &in, r);
	if (type & PERF_SAMPLE_ADDR)
		r->sample.address = bytes_u64(&in);
	read_ids(type, &in, r);
	if (type & PERF_SAMPLE_PERIOD)
		r->sample.period = bytes_u64(&in);
	*b = in;
}

/* The ones of variable size. */
static void sample_body(const struct record_layout *layout, struct bytes *b,
			struct record_sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->callchain_count = bytes_u64(b);
		s->callchain = take_words(b, s->callchain_count);
	}
	if (type & PERF_SAMPLE_RAW) {
		s->raw_size = bytes_u32(b);
		s->raw = take_sized(b, s->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		sample_branches(layout, b, s);
	if (type & PERF_SAMPLE_REGS_USER) {
		s->user_regs_mask = layout->sample_regs_user;
		s->user_regs_abi = sample_regs(b, s->user_regs_mask, &s->user_regs);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		sample_stack(b, s);
}

static void sample_tail(const struct record_layout *layout, struct bytes *b,
			struct record_sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_WEIGHT_TYPE)
		sample_weight(layout, b, s);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_source = bytes_u64(b);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = bytes_u64(b);
	if (type & PERF_SAMPLE_REGS_INTR) {
		s->intr_regs_mask = layout->sample_regs_intr;
		s->intr_regs_abi = sample_regs(b, s->intr_regs_mask, &s->intr_regs);
	}
	if (type & PERF_SAMPLE_PHYS_ADDR)
		s->physical_address = bytes_u64(b);
	if (type & PERF_SAMPLE_CGROUP)
		s->cgroup = bytes_u64(b);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = bytes_u64(b);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = bytes_u64(b);
	if (type & PERF_SAMPLE_AUX) {
		s->aux_size = bytes_u64(b);
		s->aux = take_sized(b, s->aux_size);
	}
}

/*
 * Decodes the fields behind the head; not inlined, because a plain sample would pay for its frame.
 */
static __attribute__((noinline)) void sample_rest(const struct record_layout *layout,
						  struct bytes *b, struct record_sample *s)
{
	if (layout->sample_type & PERF_SAMPLE_READ)
		decode_read(layout, b, &s->read);
	if (!(layout->sample_type & ~(SAMPLE_HEAD_BITS | PERF_SAMPLE_READ)))
		return;
	sample_body(layout, b, s);
	sample_tail(layout, b, s);
}

/* Order of the fields: perf_output_sample() in the kernel's kernel/events/core.c. */
static void decode_sample(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	sample_clear(&r->sample);
	r->exact_ip = r->misc & PERF_RECORD_MISC_EXACT_IP;
	sample_head(layout, b, r);
	if (layout->sample_type & ~SAMPLE_HEAD_BITS)
		sample_rest(layout, b, &r->sample);
}

/* Decodes what is between the header and the sample_id. */
typedef void decoder(const struct record_layout *layout, struct bytes *b, struct record *r);

static decoder *const decoders[RECORD_TYPES] = {
	[RECORD_MMAP] = decode_mmap,
	[RECORD_LOST] = decode_lost,
	[RECORD_COMM] = decode_comm,
	[RECORD_EXIT] = decode_task,
	[RECORD_THROTTLE] = decode_throttle,
	[RECORD_UNTHROTTLE] = decode_throttle,
	[RECORD_FORK] = decode_task,
	[RECORD_READ] = decode_read_record,
	[RECORD_SAMPLE] = decode_sample,
	[RECORD_MMAP2] = decode_mmap2,
	[RECORD_AUX] = decode_aux,
	[RECORD_ITRACE_START] = decode_itrace,
	[RECORD_LOST_SAMPLES] = decode_lost_samples,
	[RECORD_SWITCH] = decode_switch,
	[RECORD_SWITCH_CPU_WIDE] = decode_switch,
	[RECORD_NAMESPACES] = decode_namespaces,
	[RECORD_KSYMBOL] = decode_ksymbol,
	[RECORD_BPF_EVENT] = decode_bpf,
	[RECORD_CGROUP] = decode_cgroup,
	[RECORD_TEXT_POKE] = decode_text_poke,
	[RECORD_AUX_OUTPUT_HW_ID] = decode_hw_id,
	[RECORD_CALLCHAIN_DEFERRED] = decode_deferred,
};

bool record_tells_cpu(const struct record_layout *layout)
{
	return layout->sample_type & PERF_SAMPLE_CPU;
}

size_t record_id_size(uint64_t sample_type)
{
	return WORD * (size_t)__builtin_popcountll(sample_type & SAMPLE_ID_BITS);
}

/* The bytes that the fields of a record of TYPE take in B, whole words; SIZE_MAX: all that there are. */
static size_t fields_size(uint32_t type, struct bytes b)
{
	size_t size = b.left;

	switch (type) {
	case RECORD_KSYMBOL:
		bytes_take(&b, 2 * WORD);
		size = 2 * WORD + strnlen((const char *)b.at, b.left) + 1;
		break;
	case RECORD_BPF_EVENT:
		size = 2 * WORD;
		break;
	case RECORD_TEXT_POKE:
		bytes_take(&b, WORD);
		size = WORD + 2 * sizeof(uint16_t) + bytes_u16(&b);
		size += bytes_u16(&b);
		break;
	default:
		return SIZE_MAX;
	}
	return b.failed ? SIZE_MAX : (size + WORD - 1) / WORD * WORD;
}

size_t record_id_offset(const struct bytes *record, size_t id_size)
{
	struct bytes b = *record;
	uint32_t type = bytes_u32(&b);
	size_t fields;

	bytes_take(&b, sizeof(uint32_t));
	if (b.failed || b.left < id_size)
		return 0;
	fields = fields_size(type, b);
	if (fields > b.left - id_size)
		fields = b.left - id_size;
	return sizeof(struct perf_event_header) + fields;
}

/* Cuts the sample_id off B, which is behind the header, with what follows it, and decodes it. */
static void cut_sample_id(const struct record_layout *layout, struct bytes *b, struct record *r)
{
	struct bytes record = { .at = r->bytes, .left = r->size, .swap = layout->swap };
	size_t size = record_id_size(layout->sample_type);
	size_t at = record_id_offset(&record, size);
	struct bytes id = record;

	if (!at) {
		b->failed = true;
		return;
	}
	bytes_take(&id, at);
	id.left = size;
	decode_sample_id(layout, &id, r);
	b->left = at - sizeof(struct perf_event_header);
	r->size = (uint32_t)(at + size);
}

/* Decodes the header that IN begins with.  IN holds at least that much. */
static int decode_header(struct bytes in, struct record *r)
{
	size_t there = in.left;

	r->type = bytes_u32(&in);
	r->misc = bytes_u16(&in);
	r->size = bytes_u16(&in);
	if (r->size < sizeof(struct perf_event_header) || r->size > there)
		return -EBADMSG;
	r->cpumode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	r->exact_ip = false;
	r->pid = r->tid = r->cpu = 0;
	r->time_ns = r->id = r->stream_id = 0;
	r->event = -1;
	r->counts_only = r->unattributed = r->switched = r->estimated = r->no_period = false;
	return 0;
}

int record_decode(const struct record_layout *layout, const void *data, size_t size,
		  struct record *r)
{
	const size_t header = sizeof(struct perf_event_header);
	struct bytes b = { .at = data, .left = size, .swap = layout->swap };
	decoder *decode;

	if (size < header || decode_header(b, r) < 0)
		return -EBADMSG;
	b.at += header;
	b.left = r->size - header;
	r->bytes = data;
	if (r->type >= USER_TYPE_START)
		return 0;
	if (r->type != RECORD_SAMPLE && layout->sample_id_all)
		cut_sample_id(layout, &b, r);
	decode = r->type < RECORD_TYPES ? decoders[r->type] : NULL;
	if (decode)
		decode(layout, &b, r);
	return b.failed ? -EBADMSG : 0;
}

bool record_user_register(const struct record_sample *s, unsigned number, uint64_t *value)
{
	uint64_t below = (UINT64_C(1) << number) - 1;
	size_t place = (size_t)__builtin_popcountll(s->user_regs_mask & below);

	if (!s->user_regs || !(s->user_regs_mask >> number & 1))
		return false;
	memcpy(value, (const char *)s->user_regs + place * sizeof(*value), sizeof(*value));
	return true;
}
