/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "unwind/walk.h"

#define WORD 8

/* A stack is seldom larger, and another stack is seldom so near. */
#define SAME_STACK_BYTES (UINT64_C(64) << 20)

/* aarch64, struct rt_sigframe: x0 begins where siginfo and the head of ucontext end. */
#define UCONTEXT_REGS (128 + 176 + 8)
#define UCONTEXT_SP (UCONTEXT_REGS + 31 * WORD)
#define UCONTEXT_PC (UCONTEXT_REGS + 32 * WORD)

const struct unwind_end_text unwind_ends[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = { "complete",
			      N_("complete: up to where the program or the thread began") },
	[UNWIND_TRUNCATED] = { "truncated",
			       N_("the copy of the stack is too short: --call-graph dwarf,SIZE") },
	[UNWIND_OTHER_STACK] = { "other-stack", N_("goes on on another stack, which is not copied "
						   "(signals, coroutines)") },
	[UNWIND_NOT_LOADED] = { "not-loaded",
				N_("code without a file, or its file is not read yet") },
	[UNWIND_NO_RULE] = { "no-rule", N_("the file says nothing about this code") },
	[UNWIND_BAD_RULE] = { "bad-rule", N_("what the file says about this code makes no sense, "
					     "or needs more registers than are known") },
	[UNWIND_NOT_CODE] = { "not-code", N_("a return address where no code is mapped") },
	[UNWIND_LOOP] = { "loop", N_("a caller's frame that is not above the callee's") },
	[UNWIND_LIMIT] = { "limit", N_("more frames than --max-stack") },
	[UNWIND_BUDGET] = { "budget",
			    N_("not looked at: unwinding had used up its share of time") },
	[UNWIND_NO_REGISTERS] = { "no-registers", N_("no registers, or those of 32-bit code") },
	[UNWIND_STITCHED] = { "stitched", N_("complete, the outer part by an earlier stack of the "
					     "thread: the copy was too short") },
};

struct unwinder {
	enum unwind_method method;
	struct unwind_stats stats;
	uint64_t sps[UNWIND_SPS];
};

struct unwinder *unwinder_new(enum unwind_method method)
{
	struct unwinder *u = mem_alloc(sizeof(*u));

	u->method = method;
	return u;
}

void unwinder_free(struct unwinder *u)
{
	free(u);
}

const struct unwind_stats *unwind_stats(const struct unwinder *u)
{
	return &u->stats;
}

/* The reason why a word of the stack could not be read. */
static enum unwind_end unreadable(const struct unwind_stack *s, uint64_t address)
{
	return address >= s->start && address - s->start < SAME_STACK_BYTES ? UNWIND_TRUNCATED
									    : UNWIND_OTHER_STACK;
}

static bool read_word(const struct walk *w, uint64_t address, uint64_t *word, enum unwind_end *end)
{
	if (stack_word(w->stack, address, word))
		return true;
	*end = unreadable(w->stack, address);
	return false;
}

static uint64_t base_value(const struct walk_place *p, uint64_t cfa, uint8_t base)
{
	switch (base) {
	case RULE_CFA:
		return cfa;
	case RULE_SP:
	case RULE_AT_SP:
		return p->sp;
	case RULE_BX:
		return p->bx;
	default:
		return p->fp;
	}
}

static bool leaf_register(const struct walk_place *p, uint8_t number, uint64_t *value)
{
	if (!p->leaf || !unwind_regs_know(p->leaf, number))
		return false;
	*value = p->leaf->value[number];
	return true;
}

/* The base of the frame's address; RULE_BX and other registers are not always known. */
static bool cfa_base(const struct walk_place *p, const struct rule *r, uint64_t *value)
{
	if (r->cfa_base == RULE_REGISTER || r->cfa_base == RULE_AT_REGISTER)
		return leaf_register(p, r->cfa_register, value);
	*value = base_value(p, 0, r->cfa_base);
	return r->cfa_base != RULE_BX || p->knows_bx;
}

/* Makes NEXT the next frame, unless it makes no sense. */
static bool go(struct walk *w, struct walk_place *p, const struct walk_place *next,
	       enum unwind_end *end)
{
	*end = UNWIND_COMPLETE;
	if (!next->pc)
		return false;
	*end = UNWIND_NOT_CODE;
	if (!walk_map(w, next->exact ? next->pc : next->pc - 1))
		return false;
	*p = *next;
	return true;
}

static uint64_t fp_saved_at(const struct walk_place *p, const struct rule *r, uint64_t cfa)
{
	return base_value(p, cfa, r->fp_base) + (uint64_t)((int64_t)r->fp_offset * WORD);
}

/*
 * Compilers do not describe when an epilogue has restored a register.  If it was saved below the
 * present stack pointer, it has been popped: the register is the caller's again.
 */
static bool read_fp(const struct walk *w, const struct walk_place *p, const struct rule *r,
		    uint64_t cfa, uint64_t *fp, enum unwind_end *end)
{
	uint64_t at = fp_saved_at(p, r, cfa);

	*fp = p->fp;
	*end = UNWIND_BAD_RULE;
	if (r->fp_base == RULE_REGISTER)
		return leaf_register(p, (uint8_t)r->fp_offset, fp);
	return r->fp_base == RULE_SAME || at < p->sp || read_word(w, at, fp, end);
}

static void read_bx(const struct walk *w, const struct walk_place *p, const struct rule *r,
		    struct walk_place *next)
{
	uint64_t at = next->sp + (uint64_t)((int64_t)r->bx_offset * WORD);

	next->bx = p->bx;
	next->knows_bx = p->knows_bx && r->bx_offset != RULE_BX_LOST;
	if (r->bx_offset > RULE_BX_LOST && at >= p->sp)
		next->knows_bx = stack_word(w->stack, at, &next->bx);
}

/*
 * If a call leaves its return address in a register, the address is there until it is saved, and
 * again once it has been popped.
 */
static bool is_linked(const struct walk *w, const struct walk_place *p, const struct rule *r,
		      uint64_t saved_at)
{
	return r->ra_base == RULE_SAME || (w->machine->links && saved_at < p->sp);
}

/*
 * Steps by a rule: the caller's stack pointer, and the place of the return address if it is in
 * memory; LINKED: it is LINK, from a register.
 */
struct frame {
	uint64_t cfa, ra_at, link;
	bool linked;
};

static bool find_frame(const struct walk *w, const struct walk_place *p, const struct rule *r,
		       struct frame *f, enum unwind_end *end)
{
	*end = UNWIND_BAD_RULE;
	if (!cfa_base(p, r, &f->cfa))
		return false;
	f->cfa += (uint64_t)(int64_t)r->cfa_offset;
	if (r->cfa_base >= RULE_AT_SP && !read_word(w, f->cfa, &f->cfa, end))
		return false;
	f->cfa += (uint64_t)(int64_t)r->cfa_after;
	f->ra_at = base_value(p, f->cfa, r->ra_base) + (uint64_t)((int64_t)r->ra_offset * WORD);
	f->linked = is_linked(w, p, r, f->ra_at);
	f->link = p->lr;
	if (r->ra_base != RULE_REGISTER)
		return true;
	*end = UNWIND_BAD_RULE;
	f->linked = leaf_register(p, r->ra_register, &f->link);
	return f->linked;
}

static bool step_by_rule(struct walk *w, struct walk_place *p, const struct rule *r,
			 enum unwind_end *end)
{
	struct walk_place next = { .lr = p->lr, .exact = r->interrupted };
	struct frame f;

	if (!find_frame(w, p, r, &f, end))
		return false;
	next.sp = f.cfa;
	next.pc = f.link;
	if (!f.linked && !read_word(w, f.ra_at, &next.pc, end))
		return false;
	if (!read_fp(w, p, r, f.cfa, &next.fp, end))
		return false;
	read_bx(w, p, r, &next);
	next.pc &= w->machine->code_mask;
	/*
	 * A frame cannot end below its return address.  glibc's description of aarch64's resolver
	 * leaves out the two words that the PLT has pushed, and says that the address is at CFA +
	 * 8.
	 */
	if (r->ra_base == RULE_CFA && r->ra_offset >= 0)
		next.sp = f.cfa + ((uint64_t)r->ra_offset + 1) * WORD;
	/*
	 * The register belongs to the leaf or to an interrupted function; only these need no stack.
	 */
	*end = UNWIND_LOOP;
	if (f.linked && !p->exact)
		return false;
	if (next.sp < p->sp ? !r->interrupted : next.sp == p->sp && !f.linked)
		return false;
	return go(w, p, &next, end);
}

static bool step_by_ucontext(struct walk *w, struct walk_place *p, enum unwind_end *end)
{
	struct walk_place next = { .exact = true };

	return read_word(w, p->sp + UCONTEXT_REGS + 29 * WORD, &next.fp, end) &&
	       read_word(w, p->sp + UCONTEXT_REGS + 30 * WORD, &next.lr, end) &&
	       read_word(w, p->sp + UCONTEXT_SP, &next.sp, end) &&
	       read_word(w, p->sp + UCONTEXT_PC, &next.pc, end) && go(w, p, &next, end);
}

/* The caller's frame pointer, then the return address; the same on both machines. */
static bool step_by_fp(struct walk *w, struct walk_place *p, enum unwind_end *end)
{
	struct walk_place next = { .sp = p->fp + 2 * WORD, .lr = p->lr };
	enum unwind_end why = *end, ignored;

	if (p->fp < p->sp || p->fp % WORD || !stack_word(w->stack, p->fp, &next.fp) ||
	    !stack_word(w->stack, p->fp + WORD, &next.pc))
		return false;
	next.pc &= w->machine->code_mask;
	if (!go(w, p, &next, &ignored)) {
		*end = next.pc || next.fp ? why : UNWIND_COMPLETE;
		return false;
	}
	w->unwinder->stats.fp_steps++;
	return true;
}

/* Returns true if ADDRESS is probably behind a call: in code that is described. */
static bool may_be_return(struct walk *w, uint64_t address)
{
	const struct rule *r;

	if (!walk_map(w, address - 1) || !w->mapping.object ||
	    w->mapping.object->head.machine != w->regs->machine)
		return false;
	r = unwind_object_rule(w->mapping.object, address - 1 - w->mapping.bias);
	return r->kind == RULE_STEP || r->kind == RULE_END;
}

/* Finds the caller of a leaf that has no frame yet, or has pushed one word (x86-64). */
static bool guess_caller(struct walk *w, const struct walk_place *p, struct walk_place *next)
{
	bool pushed;

	if (w->machine->links) {
		next->pc = p->lr;
		return may_be_return(w, next->pc);
	}
	if (!stack_word(w->stack, p->sp, &next->pc))
		return false;
	pushed = !may_be_return(w, next->pc);
	if (pushed &&
	    (!stack_word(w->stack, p->sp + WORD, &next->pc) || !may_be_return(w, next->pc)))
		return false;
	next->sp = p->sp + (pushed ? 2 : 1) * WORD;
	if (pushed && p->fp == p->sp)
		stack_word(w->stack, p->sp, &next->fp);
	return true;
}

/* A leaf without a description, in a file with some: mostly start-up code of the C library. */
static bool step_by_guess(struct walk *w, struct walk_place *p, enum unwind_end *end)
{
	struct walk_place next = *p;

	if (w->count > 1 || !guess_caller(w, p, &next))
		return false;
	next.exact = false;
	next.leaf = NULL;
	w->unwinder->stats.guesses++;
	return go(w, p, &next, end);
}

/* Worth a guess: a file that describes its other code; the kernel's page of aarch64, all leaves. */
static bool may_guess(const struct walk *w, const struct unwind_object *o)
{
	return o && (o->head.functions || w->machine->links) && w->unwinder->method != UNWIND_BY_FP;
}

static bool step_without_rule(struct walk *w, struct walk_place *p, enum unwind_end *end)
{
	const struct unwind_object *o = w->mapping.object;
	enum unwind_end guessed;

	*end = o ? UNWIND_NO_RULE : UNWIND_NOT_LOADED;
	if (may_guess(w, o) && step_by_guess(w, p, &guessed))
		return true;
	return step_by_fp(w, p, end);
}

static bool step(struct walk *w, struct walk_place *p, const struct rule *r, enum unwind_end *end)
{
	switch (r->kind) {
	case RULE_STEP:
		w->unwinder->stats.signal_frames += r->interrupted;
		return step_by_rule(w, p, r, end);
	case RULE_UCONTEXT:
		w->unwinder->stats.signal_frames++;
		return step_by_ucontext(w, p, end);
	case RULE_END:
		*end = UNWIND_COMPLETE;
		return false;
	case RULE_ABSENT:
		return step_without_rule(w, p, end);
	default:
		*end = UNWIND_BAD_RULE;
		return false;
	}
}

/* The rule at the walk's position; where only frame pointers count, that of undescribed code. */
static const struct rule *rule_at(const struct walk *w, const struct walk_place *p)
{
	static const struct rule absent = { .kind = RULE_ABSENT };
	const struct unwind_object *o = w->mapping.object;

	if (!o || o->head.machine != w->regs->machine || w->unwinder->method == UNWIND_BY_FP)
		return &absent;
	return unwind_object_rule(o, p->pc - !p->exact - w->mapping.bias);
}

static void add_frame(struct walk *w, const struct walk_place *p)
{
	w->frames[w->count] = p->pc + (w->count && p->exact);
	if (w->count < UNWIND_SPS)
		w->unwinder->sps[w->count] = p->sp;
	w->count++;
}

static uint64_t value_of(const struct unwind_regs *r, uint8_t number)
{
	return unwind_regs_know(r, number) ? r->value[number] : 0;
}

static struct walk_place leaf_place(const struct walk *w)
{
	const struct unwind_machine_regs *m = w->machine;

	return (struct walk_place){ .pc = w->regs->pc,
				    .sp = value_of(w->regs, m->sp),
				    .fp = value_of(w->regs, m->fp),
				    .lr = m->links ? value_of(w->regs, m->ra) & m->code_mask : 0,
				    .bx = value_of(w->regs, m->bx),
				    .leaf = w->regs,
				    .knows_bx = unwind_regs_know(w->regs, m->bx),
				    .exact = true };
}

static enum unwind_end walk_by_rules(struct walk *w)
{
	struct walk_place p = leaf_place(w);
	enum unwind_end end = UNWIND_LIMIT;

	add_frame(w, &p);
	if (!walk_map(w, p.pc))
		return UNWIND_NOT_CODE;
	while (w->count < w->max) {
		if (!step(w, &p, rule_at(w, &p), &end))
			return end;
		add_frame(w, &p);
	}
	return UNWIND_LIMIT;
}

size_t unwind_sample(struct unwinder *u, const struct unwind_regs *regs,
		     const struct unwind_stack *stack, const struct unwind_space *space,
		     uint64_t *frames, size_t max, enum unwind_end *end)
{
	struct walk w = { .unwinder = u,
			  .machine = &unwind_machine_regs[regs->machine],
			  .regs = regs,
			  .stack = stack,
			  .space = space,
			  .frames = frames,
			  .max = max };

	if (regs->machine == UNWIND_MACHINE_NONE || !max)
		*end = UNWIND_NO_REGISTERS;
	else
		*end = walk_by_rules(&w);
	u->stats.samples++;
	u->stats.frames += w.count;
	u->stats.ends[*end]++;
	return w.count;
}

/* Finds the leaf's caller. */

/*
 * The frame pointer points at the function's own record.  The record has its caller's return
 * address or, in a function that aligns its stack, a copy of it.
 */
static bool has_record(const struct walk_place *p, const struct rule *r, const struct frame *f)
{
	return (!f->linked && f->ra_at == p->fp + WORD) ||
	       (r->fp_base != RULE_SAME && fp_saved_at(p, r, f->cfa) == p->fp);
}

/*
 * Returns true if a saved return address is still in the register, too, as between the two
 * instructions that make a record: no call was made since.  This is sure in code that keeps frame
 * pointers, because such code calls nothing before.  Other code among it has a return address of
 * its own there.
 */
static bool keeps_link(const struct walk *w, const struct walk_place *p, const struct rule *r,
		       const struct frame *f)
{
	const struct unwind_object *o = w->mapping.object;
	uint64_t back = p->lr - 1 - w->mapping.bias, start, end;

	return p->lr && r->fp_base != RULE_SAME && fp_saved_at(p, r, f->cfa) + WORD == f->ra_at &&
	       o->head.fp_percent >= UNWIND_KEEPS_FP &&
	       unwind_object_function(o, p->pc - w->mapping.bias, &start, &end) &&
	       back - start >= end - start;
}

static bool read_caller(const struct walk *w, const struct walk_place *p, const struct rule *r,
			const struct frame *f, uint64_t *caller)
{
	*caller = p->lr;
	if (!f->linked && !stack_word(w->stack, f->ra_at, caller) && !keeps_link(w, p, r, f))
		return false;
	*caller &= w->machine->code_mask;
	return *caller != 0;
}

/* Older kernels of x86 give -1 for a register that they do not have at hand. */
static bool knows_frame(const struct unwind_regs *r)
{
	const struct unwind_machine_regs *m = &unwind_machine_regs[r->machine];

	return unwind_regs_know(r, m->sp) && unwind_regs_know(r, m->fp) &&
	       r->value[m->fp] != UINT64_MAX;
}

/*
 * Applies P's rule if the sample has what the rule needs.  The link register alone is seldom
 * enough.  If another register tells the frame, as gcc's r10 in functions that align their stack, it is not
 * described when the frame pointer is the caller's again.
 */
static enum unwind_leaf_kind ask_rule(struct walk *w, const struct walk_place *p, uint64_t *caller)
{
	const struct rule *r = rule_at(w, p);
	struct frame f = { .linked = true };
	enum unwind_end end;

	if (r->kind != RULE_STEP || r->interrupted || r->cfa_base == RULE_REGISTER ||
	    r->ra_base == RULE_REGISTER || r->fp_base == RULE_REGISTER)
		return UNWIND_LEAF_UNKNOWN;
	if (r->ra_base != RULE_SAME) {
		if (!knows_frame(w->regs) || !find_frame(w, p, r, &f, &end))
			return UNWIND_LEAF_UNKNOWN;
		if (has_record(p, r, &f))
			return UNWIND_LEAF_LINKED;
	}
	if (!read_caller(w, p, r, &f, caller) || !walk_map(w, *caller - 1))
		return UNWIND_LEAF_UNKNOWN;
	return UNWIND_LEAF_OMITTED;
}

struct unwind_leaf unwind_leaf(struct unwinder *u, const struct unwind_regs *regs,
			       const struct unwind_stack *stack, const struct unwind_space *space)
{
	struct walk w = { .unwinder = u,
			  .machine = &unwind_machine_regs[regs->machine],
			  .regs = regs,
			  .stack = stack,
			  .space = space };
	struct unwind_leaf leaf = { .kind = UNWIND_LEAF_UNKNOWN };
	struct walk_place p = leaf_place(&w);

	if (!walk_map(&w, p.pc))
		return leaf;
	leaf.kind = ask_rule(&w, &p, &leaf.caller);
	if (leaf.kind != UNWIND_LEAF_OMITTED)
		return (struct unwind_leaf){ .kind = leaf.kind };
	if (stack_word(stack, p.fp + WORD, &leaf.next))
		leaf.next &= w.machine->code_mask;
	u->stats.leaf_callers++;
	return leaf;
}

const uint64_t *unwind_sps(const struct unwinder *u)
{
	return u->sps;
}

void unwind_skipped(struct unwinder *u)
{
	u->stats.samples++;
	u->stats.ends[UNWIND_BUDGET]++;
}
