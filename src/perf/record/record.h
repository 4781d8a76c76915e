/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_RECORD_RECORD_H
#define PTOP_PERF_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/build-id.h"
#include "base/bytes.h"
#include "perf/record/trace-format.h"

/*
 * One record of the kernel (perf_event_open(2), "MMAP layout") in the machine's byte order, every
 * field at a fixed place.  record_decode() is pure: bytes in, struct out, no I/O, no allocation.
 * Pointers in the struct are borrowed from the bytes and live as long as they do.
 *
 * The rest of the program sees these types only; <linux/perf_event.h> stays inside perf/.
 */
enum record_type { /* the values are the kernel's, enum perf_event_type */
		   RECORD_MMAP = 1,
		   RECORD_LOST = 2,
		   RECORD_COMM = 3,
		   RECORD_EXIT = 4,
		   RECORD_THROTTLE = 5,
		   RECORD_UNTHROTTLE = 6,
		   RECORD_FORK = 7,
		   RECORD_READ = 8,
		   RECORD_SAMPLE = 9,
		   RECORD_MMAP2 = 10,
		   RECORD_AUX = 11,
		   RECORD_ITRACE_START = 12,
		   RECORD_LOST_SAMPLES = 13,
		   RECORD_SWITCH = 14,
		   RECORD_SWITCH_CPU_WIDE = 15,
		   RECORD_NAMESPACES = 16,
		   RECORD_KSYMBOL = 17,
		   RECORD_BPF_EVENT = 18,
		   RECORD_CGROUP = 19,
		   RECORD_TEXT_POKE = 20,
		   RECORD_AUX_OUTPUT_HW_ID = 21,
		   RECORD_CALLCHAIN_DEFERRED = 22,
		   RECORD_TYPES = 23, /* one more than the newest that we know */
};

enum record_cpumode { /* header.misc & PERF_RECORD_MISC_CPUMODE_MASK */
		      CPUMODE_UNKNOWN = 0,
		      CPUMODE_KERNEL = 1,
		      CPUMODE_USER = 2,
		      CPUMODE_HYPERVISOR = 3,
		      CPUMODE_GUEST_KERNEL = 4,
		      CPUMODE_GUEST_USER = 5,
};

/* Markers inside a callchain: what follows belongs to that mode (PERF_CONTEXT_*). */
#define CALLCHAIN_KERNEL ((uint64_t)-128)
#define CALLCHAIN_USER ((uint64_t)-512)
#define CALLCHAIN_USER_DEFERRED ((uint64_t)-640)
#define CALLCHAIN_MARKER_MIN ((uint64_t)-4095) /* any value from here up is a marker */

#define RECORD_READ_MAX 64 /* group values in one sample */

struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, length, pgoff;
	bool executable;       /* MMAP2: PROT_EXEC; MMAP: !MISC_MMAP_DATA */
	uint32_t major, minor; /* device; 0 for MMAP and for a build-id MMAP2 */
	uint64_t inode, inode_generation;
	struct build_id build_id; /* none: not in the record */
	const char *path;
};

struct record_comm {
	uint32_t pid, tid;
	bool exec; /* PERF_RECORD_MISC_COMM_EXEC */
	const char *comm;
};

struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
	bool own_space; /* PERF_RECORD_MISC_FORK_EXEC: its mappings follow, none are copied */
};

struct record_lost { /* LOST and LOST_SAMPLES (id 0) */
	uint64_t id, count;
};

struct record_throttle {
	uint64_t time, id, stream_id;
};

struct record_switch { /* SWITCH and SWITCH_CPU_WIDE */
	bool out, preempted;
	uint32_t other_pid, other_tid; /* CPU_WIDE only, else 0 */
};

struct record_ksymbol {
	uint64_t address;
	uint32_t length;
	uint16_t ksym_type;
	bool unregister;
	const char *name;
};

struct record_bpf {     /* BPF_EVENT */
	uint16_t event; /* 1 loaded, 2 unloaded */
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};

struct record_namespaces {
	uint32_t pid, tid;
	uint64_t count;
	const void *links; /* COUNT pairs of words: device, inode; use record_word() */
};

struct record_aux { /* AUX; AUX_OUTPUT_HW_ID has its id in hw_id */
	uint64_t offset, size, flags;
	uint64_t hw_id;
};

struct record_text_poke {
	uint64_t address;
	uint16_t old_size, new_size;
	const uint8_t *bytes; /* the old ones, then the new ones */
};

struct record_cgroup {
	uint64_t id;
	const char *path;
};

struct record_read { /* PERF_SAMPLE_READ, and RECORD_READ */
	uint64_t enabled_ns, running_ns;
	/* Tier 1: of the increase of these times so much is not the task's; the source sets them. */
	uint64_t other_enabled_ns, other_running_ns;
	uint64_t clocks;  /* bit i: values[i] is a time enabled, too, and shared in the same way */
	uint32_t count;   /* values; at most RECORD_READ_MAX, */
	uint32_t dropped; /* and this many more, which found no room */
	struct {
		uint64_t value, id, lost;
	} values[RECORD_READ_MAX];
};

struct record_sample {
	uint64_t ip, address, period, data_source, transaction, physical_address;
	uint64_t cgroup, data_page_size, code_page_size;
	uint64_t weight;           /* of WEIGHT_STRUCT its first, 32 bit wide, part */
	uint16_t weight2, weight3; /* its other two; 0 with plain WEIGHT */
	const void *callchain;     /* COUNT words, unaligned: use record_word(); NULL when absent */
	uint64_t callchain_count;
	const void *raw;
	uint32_t raw_size;
	const void *branches; /* COUNT times three words: from, to, flags */
	uint64_t branch_count;
	uint64_t branch_hw_index;    /* (uint64_t)-1: not known */
	const void *branch_counters; /* COUNT words, or NULL */
	uint64_t user_regs_abi;      /* 0 none, 1 32 bit, 2 64 bit */
	uint64_t user_regs_mask;
	const void *user_regs; /* a word for each bit of the mask, unaligned */
	uint64_t intr_regs_abi, intr_regs_mask;
	const void *intr_regs;
	const void *user_stack;
	uint64_t user_stack_size; /* the bytes that are valid (dyn_size) */
	const void *aux;
	uint64_t aux_size;
	struct record_read read; /* last: see record_decode() */
};

struct record_deferred { /* CALLCHAIN_DEFERRED */
	uint64_t cookie, count;
	const void *callchain;
};

struct record_itrace { /* ITRACE_START: a hardware trace of this thread begins */
	uint32_t pid, tid;
};

/*
 * The system call of the record's thread begins, or returns; its number is -1 of the return of sigreturn(2).
 * COUNTED: the thread made calls of which no more is known.  UNTOLD: from here on not all of its calls are told.
 */
enum record_call { CALL_NONE, CALL_ENTERS, CALL_LEAVES, CALL_COUNTED, CALL_UNTOLD };

struct python_walked; /* base/python-walk.h */

/*
 * Waits of the record's thread in one place, which the source has summed: see source.h.  The place is the sample's
 * callchain.
 */
enum record_wait { /* the values are those of enum offcpu_kind */
		   RECORD_WAIT_BLOCKED = 1,
		   RECORD_WAIT_PREEMPTED,
		   RECORD_WAIT_STARTING,
		   RECORD_WAIT_UNKNOWN, /* ran or waited, before it was first seen */
};

struct record_waits {
	enum record_wait kind;
	uint64_t count;                        /* that have ended; 0: one that goes on */
	uint64_t ns, delay_ns;                 /* of all; of that, the time in which it could run */
	uint64_t longest_ns, longest_delay_ns; /* of one, from its start on */
	bool ready;                            /* it is known since when it could run */
	uint32_t waker;                        /* the thread that woke it; 0: not known */
};

/* Calls of the record's thread that the source has summed: of one number and result, with one stack. */
struct record_calls {
	int64_t number;      /* -1: of sigreturn(2) */
	int64_t result;      /* a negative errno, or 0 if they did not fail */
	uint64_t count;      /* that have returned; 0: one that goes on */
	bool timed;          /* their begin was seen, and so their time is known */
	uint64_t ns;         /* of all */
	uint64_t longest_ns; /* of one, from its begin on */
};

struct record {
	uint32_t type; /* enum record_type, or one that we do not know */
	uint16_t misc;
	uint32_t
		size; /* with the header, as written: its own may say more, see record_id_offset() */
	const void *bytes; /* SIZE of them, the record as it came; NULL: a source made it up */
	enum record_cpumode cpumode;
	bool exact_ip;
	/* The sample_id: of the sample itself or the trailer of the others; 0 when absent. */
	uint32_t pid, tid, cpu;
	uint64_t time_ns, id, stream_id;
	int event;          /* index in the evlist, -1 none: the source sets it from id */
	bool counts_only;   /* a SAMPLE that carries counter values but is no hit of `event` */
	bool estimated;     /* time_ns: the record bore another clock's */
	bool switched;      /* a SAMPLE that a CPU made when its task gave it up; see source.h */
	uint32_t woken_tid; /* a SAMPLE that only tells of a wake-up: of that thread; else 0 */
	const struct record_waits *waits; /* a SAMPLE that only tells of waits; NULL */
	const struct record_calls
		*calls; /* a SAMPLE that only tells of summed system calls; NULL */
	const struct python_walked *python; /* a SAMPLE with the frames of Python; NULL */
	uint64_t increase; /* a SAMPLE that only says: its task has so much more of `event` */
	enum trace_context woken_in;      /* where the wake-up came from, on the CPU of its task */
	enum record_call call;            /* a SAMPLE that only tells of a system call */
	int64_t call_number, call_result; /* of that; the result is valid when it LEAVES */
	uint32_t
		call_count; /* likewise: the calls that it stands for; also valid when they were COUNTED */
	bool no_period; /* a SAMPLE of whose layout BYTES has all but PERIOD: the source tells that */
	bool unattributed; /* such a one of which the increase is nobody's; see source.h */
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_switch cswitch;
		struct record_ksymbol ksymbol;
		struct record_cgroup cgroup;
		struct record_bpf bpf;
		struct record_namespaces namespaces;
		struct record_aux aux;
		struct record_itrace itrace;
		struct record_text_poke text_poke;
		struct record_read read;
		struct record_sample sample;
		struct record_deferred deferred;
	};
};

/* The layout of one event's samples: fields of its perf_event_attr. */
struct record_layout {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	bool sample_id_all;
	bool swap; /* the bytes have the other byte order */
};

/*
 * Decodes the record at DATA, header first.  SIZE bytes are there; those beyond the header's size
 * are ignored.  Returns 0, or -EBADMSG if the bytes contradict the header or the layout (R is then
 * undefined).  A type that is not known decodes to its header and sample_id; one from 64 up, which
 * perf adds to its files, to its header alone.
 *
 * R is not cleared: this is called millions of times a second and R is 1.8 KiB.  Valid are the
 * common part, the union's member of the type, and of a record_read its first COUNT values.  Fields
 * that the layout lacks are 0 or NULL.
 */
int record_decode(const struct record_layout *layout, const void *data, size_t size,
		  struct record *r);

bool record_tells_cpu(const struct record_layout *layout); /* samples have a CPU */

/* The bytes of the sample_id of events with that SAMPLE_TYPE. */
size_t record_id_size(uint64_t sample_type);

/*
 * Where the sample_id of RECORD, header first and no SAMPLE, begins: bytes from its start, or 0 when it
 * is too short to have one of ID_SIZE bytes.
 *
 * That is ID_SIZE from its end, but for a KSYMBOL, a BPF_EVENT and a TEXT_POKE.  When several
 * events on one CPU take one of these, Linux (5.1 to at least 6.18) adds the sample_id of each to
 * the size of the next one's record.  It writes no more than before, so the end of such a record is
 * older content of the ring.  perf reads a time of any century from it.
 */
size_t record_id_offset(const struct bytes *record, size_t id_size);

/*
 * Sets VALUE to the user's register NUMBER, a bit of the mask (perf_regs.h).  Returns false if the sample does not
 * have it.  Only of this machine: nothing is swapped.
 */
bool record_user_register(const struct record_sample *s, unsigned number, uint64_t *value);

/* Word I of an unaligned array such as a callchain, in the machine's order if LAYOUT swaps. */
static inline uint64_t record_word(const struct record_layout *layout, const void *words,
				   uint64_t i)
{
	uint64_t v;

	memcpy(&v, (const unsigned char *)words + i * sizeof(v), sizeof(v));
	return layout->swap ? __builtin_bswap64(v) : v;
}

#endif
