/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/list/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "view/widget/text.h"

#define NAME_BYTES 64      /* of a thing in a sentence */
#define EVIDENCE_BYTES 256 /* a path may have thousands */
#define ELLIPSIS "..."
#define PERCENT "percent" /* begins the unit of a share */

static const char *const level_names[FINDING_LEVELS] = {
	[FINDING_BAD] = N_("bad"),
	[FINDING_NOTICE] = N_("notice"),
};

const char *finding_level_name(enum finding_level level)
{
	return level_names[level];
}

/* ---- Texts. */

/* Shortens B to MOST bytes; a character of UTF-8 stays whole. */
static void text_cut(struct buf *b, size_t most)
{
	size_t size = most - strlen(ELLIPSIS);

	if (b->size <= most)
		return;
	while (size && ((unsigned char)b->bytes[size] & 0xc0) == 0x80)
		size--;
	buf_truncate(b, size);
	buf_add_str(b, ELLIPSIS);
}

/* Appends RAW, harmless and of at most MOST bytes. */
static void add_harmless(struct buf *out, const char *raw, size_t most)
{
	struct buf text = { 0 };

	text_sanitize(&text, raw, strlen(raw), false);
	text_cut(&text, most);
	buf_add(out, text.bytes, text.size);
	buf_fini(&text);
}

void finding_add_process(struct buf *out, const struct snapshot_process *p)
{
	add_harmless(out, p->comm, NAME_BYTES);
	buf_printf(out, " (%u)", p->pid);
}

static uint32_t pid_of(const struct finding_rule *r, const struct finding_place *at)
{
	return r->subject == FINDING_OF_PROCESS ? at->snapshot->processes[at->index].pid : 0;
}

/* ---- Things. */

static size_t one_machine(const struct snapshot *s)
{
	(void)s;
	return 1;
}

static size_t process_count(const struct snapshot *s)
{
	return s->process_count;
}

static void process_name(const struct finding_place *at, struct buf *out)
{
	finding_add_process(out, &at->snapshot->processes[at->index]);
}

static uint32_t process_identity(const struct finding_place *at)
{
	return at->snapshot->processes[at->index].serial;
}

static size_t cpu_count(const struct snapshot *s)
{
	return s->cpu_count;
}

static void cpu_name(const struct finding_place *at, struct buf *out)
{
	buf_printf(out, "CPU %u", at->snapshot->cpus[at->index].facts.number);
}

static size_t group_count(const struct snapshot *s)
{
	return s->group_count;
}

static void group_name(const struct finding_place *at, struct buf *out)
{
	add_harmless(out, at->snapshot->groups[at->index].name, NAME_BYTES);
}

static uint32_t group_identity(const struct finding_place *at)
{
	return at->snapshot->groups[at->index].id;
}

static size_t object_count(const struct snapshot *s)
{
	return s->object_count;
}

static void object_name(const struct finding_place *at, struct buf *out)
{
	add_harmless(out, at->snapshot->objects[at->index].name, NAME_BYTES);
}

static uint32_t object_identity(const struct finding_place *at)
{
	return at->snapshot->objects[at->index].object;
}

static size_t event_count(const struct snapshot *s)
{
	return s->event_count;
}

static void event_name(const struct finding_place *at, struct buf *out)
{
	add_harmless(out, at->snapshot->events[at->index].name, NAME_BYTES);
}

static const struct {
	size_t (*count)(const struct snapshot *s);
	void (*name)(const struct finding_place *at, struct buf *out);
	/* The same in each snapshot; NULL: its index is. */
	uint32_t (*identity)(const struct finding_place *at);
} things[FINDING_SUBJECTS] = {
	[FINDING_OF_MACHINE] = { one_machine, NULL, NULL },
	[FINDING_OF_PROCESS] = { process_count, process_name, process_identity },
	[FINDING_OF_CPU] = { cpu_count, cpu_name, NULL },
	[FINDING_OF_GROUP] = { group_count, group_name, group_identity },
	[FINDING_OF_OBJECT] = { object_count, object_name, object_identity },
	[FINDING_OF_EVENT] = { event_count, event_name, NULL },
};

/* ---- Sentences. */

static void add_figure(struct buf *out, const struct finding_test *t,
		       const struct finding_place *at)
{
	char text[32];

	t->format(text, t->figure(at));
	buf_printf(out, strncmp(t->unit, PERCENT, strlen(PERCENT)) ? "%s" : "%s %%", text);
}

/* Appends what stands for PLACE, the SIZE bytes between two braces. */
static void add_place(struct buf *out, const struct finding_rule *r, const struct finding_place *at,
		      const char *place, size_t size)
{
	if (size == 1)
		add_figure(out, &r->tests[*place - '1'], at);
	else if (!strncmp(place, "pid", size))
		buf_printf(out, "%u", pid_of(r, at));
	else
		things[r->subject].name(at, out);
}

static char *text_fill(const char *text, const struct finding_rule *r,
		       const struct finding_place *at)
{
	struct buf out = { 0 };

	for (const char *c = text; *c;) {
		size_t plain = strcspn(c, "{"), place;

		buf_add(&out, c, plain);
		c += plain;
		if (!*c)
			break;
		place = strcspn(c + 1, "}");
		add_place(&out, r, at, c + 1, place);
		c += place + 2;
	}
	buf_add_str(&out, "");
	return out.bytes;
}

static char *evidence_of(const struct finding_rule *r, const struct finding_place *at)
{
	struct buf raw = { 0 }, out = { 0 };

	if (r->evidence)
		r->evidence(at, &raw);
	buf_add_str(&out, "");
	if (raw.size)
		add_harmless(&out, raw.bytes, EVIDENCE_BYTES);
	buf_fini(&raw);
	return out.bytes;
}

static char *command_of(const struct finding_rule *r, const struct finding_place *at)
{
	struct buf better = { 0 };

	if (r->better)
		r->better(at, &better);
	return better.size ? better.bytes : text_fill(r->command, r, at);
}

/* ---- Rules. */

static uint64_t key_of(const struct finding_rule *r, const struct finding_place *at)
{
	uint32_t thing =
		things[r->subject].identity ? things[r->subject].identity(at) : (uint32_t)at->index;

	return (uint64_t)(r - finding_rules + 1) << 32 | thing;
}

static bool holds(const struct finding_test *t, const struct finding_place *at)
{
	double figure;

	if (!t->figure)
		return true;
	figure = t->figure(at);
	return t->below ? figure <= t->limit : figure >= t->limit;
}

static bool all_hold(const struct finding_rule *r, const struct finding_place *at)
{
	bool all = true;

	if (r->subject == FINDING_OF_PROCESS && at->snapshot->processes[at->index].tid)
		return false;
	for (size_t i = 0; all && i < FINDING_TESTS; i++)
		all = holds(&r->tests[i], at);
	return all;
}

/* The things for which a rule holds. */
struct found {
	size_t index[FINDINGS_OF_RULE];
	double number[FINDINGS_OF_RULE]; /* the furthest from the limit first */
	size_t count;
};

static bool further(const struct finding_rule *r, double a, double b)
{
	return r->tests[0].below ? a < b : a > b;
}

/* Returns false if it, or the one that it replaces, is left out. */
static bool found_add(struct found *f, const struct finding_rule *r, size_t index, double number)
{
	size_t at = f->count;
	bool room = f->count < FINDINGS_OF_RULE;

	while (at && further(r, number, f->number[at - 1]))
		at--;
	f->count += room;
	for (size_t i = f->count - 1; at < f->count && i > at; i--) {
		f->index[i] = f->index[i - 1];
		f->number[i] = f->number[i - 1];
	}
	if (at < f->count) {
		f->index[at] = index;
		f->number[at] = number;
	}
	return room;
}

static struct finding finding_make(const struct finding_rule *r, const struct finding_place *at,
				   double number)
{
	struct finding f = {
		.rule = r,
		.index = at->index,
		.pid = pid_of(r, at),
		.key = key_of(r, at),
		.number = number,
		.text = text_fill(_(r->text), r, at),
		.evidence = evidence_of(r, at),
		.command = command_of(r, at),
	};

	f.line = *f.evidence ? mem_printf("%s: %s", f.text, f.evidence) : mem_strdup(f.text);
	return f;
}

static void rule_apply(struct findings *f, const struct finding_rule *r, struct finding_place at)
{
	size_t count = things[r->subject].count(at.snapshot);
	struct found found = { .count = 0 };

	for (at.index = 0; at.index < count; at.index++) {
		if (all_hold(r, &at))
			f->more += !found_add(&found, r, at.index, r->tests[0].figure(&at));
	}
	mem_grow((void **)&f->items, &f->capacity, f->count + found.count, sizeof(*f->items));
	for (size_t i = 0; i < found.count; i++) {
		at.index = found.index[i];
		f->items[f->count++] = finding_make(r, &at, found.number[i]);
	}
}

static void findings_clear(struct findings *f)
{
	for (size_t i = 0; i < f->count; i++)
		mem_free(f->items[i].text, f->items[i].evidence, f->items[i].line,
			 f->items[i].command);
	f->count = f->more = 0;
}

void findings_build(struct findings *f, const struct snapshot *s)
{
	struct finding_facts *facts = finding_facts_new(s);
	const struct finding_place at = { .snapshot = s, .facts = facts };

	findings_clear(f);
	for (int level = 0; level < FINDING_LEVELS; level++) {
		for (const struct finding_rule *r = finding_rules; r->name; r++) {
			if ((int)r->level == level)
				rule_apply(f, r, at);
		}
	}
	finding_facts_free(facts);
}

void findings_fini(struct findings *f)
{
	findings_clear(f);
	free(f->items);
	*f = (struct findings){ .count = 0 };
}
