/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/unwinding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "symbol/jitlist.h"
#include "symbol/load-state.h"
#include "unwind/stitch.h"
#include "unwind/unwind-worker.h"

#define TRIES 4     /* processes by which an object is tried to be opened */
#define CHOICES 256 /* a power of two */
#define SHARES 256  /* likewise */
#define GREED 4     /* how much of what is left one process, or one user, may have used lately */

enum slot_state { SLOT_NEW, SLOT_LOADING, SLOT_READY, SLOT_FAILED };

/* The state of an object of the cache. */
struct slot {
	struct unwind_object *object; /* owned */
	enum slot_state state;
	uint8_t tries;
	uint32_t pid;           /* by which it failed last */
	uint32_t second;        /* in which it was last used */
	uint64_t rest_until_ns; /* not 0: its owner had to rest, at least until then */
};

/* Tells if a process keeps frame pointers.  Valid while its mappings are the same, and until then. */
struct choice {
	uint32_t serial;
	uint64_t generation;
	uint64_t until_ns; /* UINT64_MAX: for good */
	bool keeps_fp;
};

/* The time that a process, or all of a user, used lately: half of it is forgotten in each second. */
struct share {
	uint32_t owner; /* the process's serial, or the user */
	uint64_t checked_ns;
	double used_ns;
};

struct unwinding {
	struct unwinding_options use;
	struct unwinder *unwinder;
	struct reader_pool *readers; /* the loader's thread's; NULL without a zygote */
	struct stitches *stitches;   /* NULL: not wanted */
	struct slot *slots;          /* by number of the object */
	size_t slot_count;
	struct process *process; /* whose stack is being unwound, */
	struct space *space;     /* and what it maps */
	bool waits;              /* it came through an object that is being read */
	uint64_t readings;
	uint64_t checked_ns; /* when ALLOWED_NS was computed */
	double allowed_ns;
	size_t max_frames;
	uint64_t frames[UNWINDING_FRAMES];
	struct choice choices[CHOICES];
	struct share processes[SHARES], users[SHARES];
	struct share *share, *user_share; /* of the process whose stack is being unwound */
};

struct unwinding *unwinding_new(const struct unwinding_options *options)
{
	struct unwinding *u = mem_alloc(sizeof(*u));

	u->use = *options;
	u->unwinder = unwinder_new(UNWIND_BY_RULES);
	u->readers = options->zygote ? reader_pool_new(options->zygote, READER_FRAMES) : NULL;
	u->stitches = options->stitch ? stitches_new() : NULL;
	u->max_frames = options->max_frames && options->max_frames < UNWINDING_FRAMES
				? options->max_frames
				: UNWINDING_FRAMES;
	u->checked_ns = clock_monotonic_ns(options->clock);
	u->allowed_ns = UNWINDING_SHARE * NS_PER_S;
	return u;
}

void unwinding_free(struct unwinding *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->slot_count; i++)
		unwind_object_free(u->slots[i].object);
	free(u->slots);
	unwinder_free(u->unwinder);
	reader_pool_free(u->readers);
	stitches_free(u->stitches);
	free(u);
}

/* Objects. */

struct reading {
	struct dso_work work; /* first */
	struct unwinding *unwinding;
	uint32_t dso;
	struct unwind_object *object;
	char *missing; /* why the file was refused, or a part of it; owned; NULL: it was not */
};

/* The loader's thread. */
static void read_object(struct dso_work *w, struct load *load)
{
	struct reading *r = (struct reading *)w;

	if (load->object)
		r->object = unwind_object_new(load->object);
	else if (load->has_file && r->unwinding->readers)
		r->object = unwind_object_in_worker(load, r->unwinding->readers);
	if (*load->missing)
		r->missing = mem_printf(_("callers: %s"), load->missing);
}

static void reading_free(struct reading *r)
{
	free(r->missing);
	free(r);
}

/* Its owner rests: it is asked for again. */
static void reading_postponed(struct reading *r, struct slot *slot)
{
	slot->state = SLOT_NEW;
	slot->tries--;
	slot->rest_until_ns = r->work.rest_until_ns;
	r->missing = mem_printf(_("callers: %s"), load_rest_text());
	dso_set_missing(r->unwinding->use.objects, r->dso, DSO_CALLERS, r->missing);
	reading_free(r);
}

/* Another process could open a file, but would be refused, too. */
static void reading_done(struct dso_work *w)
{
	struct reading *r = (struct reading *)w;
	struct slot *slot = &r->unwinding->slots[r->dso];

	r->unwinding->readings++;
	if (w->rest_until_ns) {
		reading_postponed(r, slot);
		return;
	}
	if (slot->rest_until_ns)
		dso_clear_missing(r->unwinding->use.objects, r->dso, DSO_CALLERS);
	slot->rest_until_ns = 0;
	slot->object = r->object;
	slot->state = r->object ? SLOT_READY : SLOT_FAILED;
	if (r->missing) {
		slot->tries = TRIES;
		dso_set_missing(r->unwinding->use.objects, r->dso, DSO_CALLERS, r->missing);
	}
	reading_free(r);
}

static void reading_dropped(struct dso_work *w)
{
	struct reading *r = (struct reading *)w;

	unwind_object_free(r->object);
	reading_free(r);
}

static struct slot *slot_of(struct unwinding *u, uint32_t dso)
{
	if (dso >= u->slot_count)
		mem_grow_zeroed((void **)&u->slots, &u->slot_count, dso + 1u, sizeof(*u->slots));
	return &u->slots[dso];
}

static bool has_call_frames(const struct unwinding *u, uint32_t dso)
{
	enum dso_kind kind = dso_kind(u->use.objects, dso);

	return kind == DSO_FILE || kind == DSO_VDSO;
}

uint64_t unwinding_bytes(const struct unwinding *u)
{
	uint64_t bytes = u->slot_count * sizeof(*u->slots);

	for (size_t i = 0; i < u->slot_count; i++)
		bytes += u->slots[i].object ? unwind_object_bytes(u->slots[i].object) : 0;
	return bytes;
}

static struct slot *unused_for_longest(struct unwinding *u)
{
	struct slot *oldest = NULL;

	for (size_t i = 0; i < u->slot_count; i++) {
		struct slot *slot = &u->slots[i];

		if (slot->object && (!oldest || slot->second < oldest->second))
			oldest = slot;
	}
	return oldest;
}

void unwinding_shed(struct unwinding *u, uint64_t since_ns, uint64_t bytes)
{
	uint64_t has = unwinding_bytes(u), since = since_ns / NS_PER_S;
	struct slot *slot;

	while ((slot = unused_for_longest(u)) && (has > bytes || slot->second < since)) {
		has -= unwind_object_bytes(slot->object);
		unwind_object_free(slot->object);
		*slot = (struct slot){ .state = SLOT_NEW };
	}
}

/* A file that could not be opened by one process may be by the next. */
static bool must_read(const struct unwinding *u, const struct slot *slot, uint32_t pid)
{
	if (slot->state == SLOT_FAILED)
		return slot->tries < TRIES && slot->pid != pid;
	return slot->state == SLOT_NEW &&
	       (!slot->rest_until_ns || slot->rest_until_ns <= clock_monotonic_ns(u->use.clock));
}

/* The slot of what P maps with M, read or being read from here on; NULL: nothing could be read. */
static struct slot *ask_for(struct unwinding *u, struct process *p, struct mapping *m)
{
	uint32_t dso = resolver_object(u->use.resolver, p, u->space, m);
	struct slot *slot;
	struct reading *r;

	if (!has_call_frames(u, dso))
		return NULL;
	slot = slot_of(u, dso);
	if (!must_read(u, slot, p->pid))
		return slot;
	slot->state = SLOT_LOADING;
	slot->pid = p->pid;
	slot->tries++;
	r = mem_alloc(sizeof(*r));
	r->work = (struct dso_work){ .run = read_object,
				     .done = reading_done,
				     .drop = reading_dropped };
	r->unwinding = u;
	r->dso = dso;
	dso_submit(u->use.objects, dso, &r->work);
	return &u->slots[dso];
}

static void free_made(void *made)
{
	unwind_object_free(made);
}

/*
 * A JIT compiler's code: what the walk needs to know of is one function.  The dump is looked at anew as
 * it is for names, and what came meanwhile is of use from the next stack on.
 */
static void find_jit_code(struct unwinding *u, uint32_t dso, uint64_t pc, struct unwind_mapping *to)
{
	struct jitframe *f;

	dso_request(u->use.objects, dso);
	f = dso_jitframe(u->use.objects, dso, pc);
	if (!f)
		return;
	if (!f->made && f->bytes_size) {
		f->made = unwind_object_of_rules(f->bytes, f->bytes_size);
		f->free_made = free_made;
		f->bytes_size = f->made ? f->bytes_size : 0; /* they are not looked at again */
	}
	*to = (struct unwind_mapping){ .start = f->start,
				       .end = f->start + f->size,
				       .bias = f->start - f->made_at,
				       .object = f->made };
}

/* An unwind_space. */
static bool find_mapping(void *context, uint64_t pc, struct unwind_mapping *to)
{
	struct unwinding *u = context;
	struct mapping *m = space_find(u->space, pc);
	struct slot *slot;

	if (!m)
		return false;
	*to = (struct unwind_mapping){ .start = m->start, .end = m->end };
	slot = ask_for(u, u->process, m);
	if (!slot && dso_kind(u->use.objects, m->dso) == DSO_JIT)
		find_jit_code(u, m->dso, pc, to);
	u->waits |= slot && slot->state == SLOT_LOADING;
	if (slot && slot->object &&
	    unwind_object_bias(slot->object, m->start, m->pgoff, &to->bias)) {
		to->object = slot->object;
		slot->second = (uint32_t)(u->checked_ns / NS_PER_S);
	}
	return true;
}

/* Time. */

/* Unused time is saved up for a second. */
static bool has_time(struct unwinding *u, uint64_t now_ns)
{
	if (!u->use.limited)
		return true;
	u->allowed_ns += UNWINDING_SHARE * (double)(now_ns - u->checked_ns);
	if (u->allowed_ns > UNWINDING_SHARE * NS_PER_S)
		u->allowed_ns = UNWINDING_SHARE * NS_PER_S;
	u->checked_ns = now_ns;
	return u->allowed_ns > 0;
}

static struct share *share_of(struct share *shares, uint32_t owner, uint64_t now_ns)
{
	struct share *s = &shares[hash_u64(owner) & (SHARES - 1)];

	if (s->owner != owner)
		*s = (struct share){ .owner = owner, .checked_ns = now_ns };
	s->used_ns *= exp2(-(double)(now_ns - s->checked_ns) / NS_PER_S);
	s->checked_ns = now_ns;
	return s;
}

/*
 * One process, whatever its files and stacks cost, leaves time for the others; so do all processes of one user
 * for those of others, however many these are.
 */
static bool has_share(struct unwinding *u, const struct process *p, uint64_t now_ns)
{
	const double most_ns = GREED * u->allowed_ns;

	u->share = share_of(u->processes, p->serial, now_ns);
	u->user_share = share_of(u->users, p->uid, now_ns);
	return !u->use.limited ||
	       (u->share->used_ns <= most_ns && u->user_share->used_ns <= most_ns);
}

static void ended(struct unwinding *u, uint64_t began_ns)
{
	if (!u->use.limited)
		return;
	u->checked_ns = clock_monotonic_ns(u->use.clock);
	u->allowed_ns -= (double)(u->checked_ns - began_ns);
	u->share->used_ns += (double)(u->checked_ns - began_ns);
	u->user_share->used_ns += (double)(u->checked_ns - began_ns);
}

/* Choosing. */

/*
 * Returns true if all code that P maps keeps frame pointers.  The answer is no while some of it has not been read, and
 * holds until *UNTIL_NS: 0 while that is being read, or when its owner's rest ends.  It is requested only if no code
 * that was read lacks frame pointers.
 */
static bool keeps_frame_pointers(struct unwinding *u, struct process *p, uint64_t *until_ns)
{
	struct mapping *unread = NULL;
	const struct slot *requested;

	*until_ns = UINT64_MAX;
	for (size_t i = 0; i < space_count(u->space); i++) {
		struct mapping *m = space_at(u->space, i);
		uint32_t dso = resolver_object(u->use.resolver, p, u->space, m);
		const struct slot *slot = slot_of(u, dso);

		if (dso_kind(u->use.objects, dso) != DSO_FILE)
			continue;
		if (slot->state != SLOT_READY)
			unread = m;
		else if (unwind_object_fp_percent(slot->object) >= 0 &&
			 unwind_object_fp_percent(slot->object) < UNWIND_KEEPS_FP)
			return false;
	}
	if (!unread)
		return true;
	requested = ask_for(u, p, unread);
	*until_ns = requested && requested->state == SLOT_NEW ? requested->rest_until_ns : 0;
	return false;
}

static bool is_valid(const struct unwinding *u, const struct choice *c, const struct process *p)
{
	if (c->serial != p->serial || c->generation != space_generation(u->space))
		return false;
	return c->until_ns == UINT64_MAX ||
	       (c->until_ns && clock_monotonic_ns(u->use.clock) < c->until_ns);
}

/* A process decides how many mappings it has and when they change.  Without time the older choice stays. */
static bool chooses_frame_pointers(struct unwinding *u, struct process *p)
{
	struct choice *c = &u->choices[hash_u64(p->serial) & (CHOICES - 1)];
	uint64_t now_ns;

	u->space = process_space(u->use.processes, p, MAPS_CODE);
	if (is_valid(u, c, p))
		return c->keeps_fp;
	now_ns = clock_monotonic_ns(u->use.clock);
	if (!has_time(u, now_ns) || !has_share(u, p, now_ns))
		return c->serial == p->serial && c->keeps_fp;
	c->keeps_fp = keeps_frame_pointers(u, p, &c->until_ns);
	c->generation = space_generation(u->space);
	c->serial = p->serial;
	ended(u, now_ns);
	return c->keeps_fp;
}

bool unwinding_is_needed(struct unwinding *u, struct process *p, const struct record_sample *s)
{
	if (!s->user_stack || !s->user_regs_abi || u->use.no_copies)
		return false;
	return !u->use.choose || !chooses_frame_pointers(u, p);
}

/* Unwinding. */

static size_t unwind(struct unwinding *u, const struct record_sample *s, enum unwind_end *end)
{
	const struct unwind_space space = { find_mapping, u };
	struct unwind_stack stack = { .bytes = s->user_stack, .size = s->user_stack_size };
	struct unwind_regs regs;

	if (!unwind_regs_of_sample(&regs, u->use.machine, s->user_regs_abi, s->user_regs_mask,
				   s->user_regs)) {
		*end = UNWIND_NO_REGISTERS;
		return 0;
	}
	stack.start = regs.value[unwind_machine_regs[regs.machine].sp];
	return unwind_sample(u->unwinder, &regs, &stack, &space, u->frames, u->max_frames, end);
}

/* A whole stack is kept, of which one that was cut may have the outer part. */
static void stitch(struct unwinding *u, uint64_t thread, size_t *count, enum unwind_end *end)
{
	const struct stitch_stack stack = {
		.thread = thread,
		.generation = space_generation(u->space),
		.frames = u->frames,
		.sps = unwind_sps(u->unwinder),
		.count = *count,
	};
	size_t callers;

	if (*end == UNWIND_COMPLETE)
		stitches_keep(u->stitches, &stack);
	if (*end != UNWIND_TRUNCATED)
		return;
	callers =
		stitches_complete(u->stitches, &stack, u->frames + *count, u->max_frames - *count);
	if (!callers)
		return;
	*count += callers;
	*end = UNWIND_STITCHED;
}

/* A stack of P is looked at, unless there is no time for it. */
static bool begin(struct unwinding *u, struct process *p, uint64_t *now_ns)
{
	*now_ns = clock_monotonic_ns(u->use.clock);
	u->waits = false;
	if (!has_time(u, *now_ns) || !has_share(u, p, *now_ns)) {
		unwind_skipped(u->unwinder);
		return false;
	}
	u->process = p;
	u->space = process_space(u->use.processes, p, MAPS_CODE);
	return true;
}

const uint64_t *unwinding_frames(struct unwinding *u, struct process *p, uint32_t tid,
				 const struct record_sample *s, size_t *count, enum unwind_end *end)
{
	uint64_t now_ns;

	*count = 0;
	*end = UNWIND_BUDGET;
	if (!begin(u, p, &now_ns))
		return u->frames;
	*count = unwind(u, s, end);
	if (u->stitches && tid && !u->waits)
		stitch(u, (uint64_t)p->serial << 32 | tid, count, end);
	ended(u, now_ns);
	return u->frames;
}

static uint64_t caller_of_leaf(struct unwinding *u, const struct unwind_regs *regs,
			       const struct record_sample *s, uint64_t second)
{
	const struct unwind_space space = { find_mapping, u };
	const struct unwind_stack stack = {
		.bytes = s->user_stack,
		.size = s->user_stack ? s->user_stack_size : 0,
		.start = regs->known >> unwind_machine_regs[regs->machine].sp & 1
				 ? regs->value[unwind_machine_regs[regs->machine].sp]
				 : 0,
	};
	const struct unwind_leaf leaf = unwind_leaf(u->unwinder, regs, &stack, &space);

	return leaf.next && second && leaf.next != second ? 0 : leaf.caller;
}

bool unwinding_leaf_caller(struct unwinding *u, struct process *p, const struct record_sample *s,
			   const uint64_t user[2], uint64_t *caller)
{
	struct unwind_regs regs;
	uint64_t now_ns;

	*caller = 0;
	u->waits = false;
	if (!user[0] || !unwind_regs_of_leaf(&regs, u->use.machine, s->user_regs_abi,
					     s->user_regs_mask, s->user_regs, user[0]))
		return true;
	if (!begin(u, p, &now_ns))
		return false;
	*caller = caller_of_leaf(u, &regs, s, user[1]);
	ended(u, now_ns);
	return true;
}

bool unwinding_waits(const struct unwinding *u)
{
	return u->waits;
}

uint64_t unwinding_readings(const struct unwinding *u)
{
	return u->readings;
}

uint64_t unwinding_generation(struct unwinding *u, struct process *p)
{
	return space_generation(process_space(u->use.processes, p, MAPS_CODE));
}
