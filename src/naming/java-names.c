/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "naming/java-names.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/i18n.h"

#define REST_MIN_NS NS_PER_S
#define REST_MAX_NS (60 * NS_PER_S)
#define WARM_UP 10 /* questions; as many seconds, most code is compiled within */
#define TRIES 5    /* until what may change is taken for the last word */

struct program {
	uint64_t next_ns, rest_ns;
	uint32_t pid; /* that was asked; 0: none yet */
	bool asked;   /* there is no answer yet */
	bool hopeless;
	unsigned answers;
};

struct java_names {
	struct attacher *attacher;
	struct dso_cache *objects;
	const struct clock *clock;
	struct program *programs; /* by object */
	size_t capacity;
	size_t asked; /* questions without an answer */
};

struct java_names *java_names_new(struct attacher *a, struct dso_cache *objects,
				  const struct clock *clock)
{
	struct java_names *j = mem_alloc(sizeof(*j));

	j->attacher = a;
	j->objects = objects;
	j->clock = clock;
	return j;
}

void java_names_free(struct java_names *j)
{
	if (!j)
		return;
	free(j->programs);
	free(j);
}

/* How long P rests after an answer, for which it worked TOOK_NS at most. */
static uint64_t rest_of(struct program *p, uint64_t took_ns)
{
	uint64_t share = (uint64_t)((double)took_ns / JAVA_NAMES_SHARE);

	if (++p->answers <= WARM_UP)
		p->rest_ns = REST_MIN_NS;
	else if (p->rest_ns < REST_MAX_NS)
		p->rest_ns += p->rest_ns / 2;
	return p->rest_ns > share ? p->rest_ns : share;
}

/* True for what a program answers that has just begun, or on a busy machine. */
static bool may_change(enum java_result r)
{
	return r == JAVA_STARTING || r == JAVA_SILENT || r == JAVA_FAILED;
}

static void take_answer(struct java_names *j, uint32_t object, const struct attacher_answer *a)
{
	const char *why = java_result_text(a->result);
	struct program *p = &j->programs[object];
	uint64_t worked_ms = a->result == JAVA_NAMED ? a->took_ms : 0;

	p->asked = false;
	j->asked--;
	p->next_ns = clock_monotonic_ns(j->clock) + rest_of(p, worked_ms * (NS_PER_S / 1000));
	if (may_change(a->result) && p->answers < TRIES)
		return;
	p->hopeless = why || a->result == JAVA_NONE;
	if (a->result == JAVA_NAMED)
		dso_clear_missing(j->objects, object, DSO_NAMES);
	if (why)
		dso_set_missing(j->objects, object, DSO_NAMES, _(why));
}

/* Few wait at a time, and programs with compiled code are few. */
static uint32_t object_of(const struct java_names *j, uint32_t pid)
{
	for (size_t i = 1; i < j->capacity; i++) {
		if (j->programs[i].asked && j->programs[i].pid == pid)
			return (uint32_t)i;
	}
	return 0;
}

static void take_answers(struct java_names *j)
{
	struct attacher_answer answer;

	while (j->asked && attacher_next(j->attacher, &answer)) {
		uint32_t object = object_of(j, answer.pid);

		if (object)
			take_answer(j, object, &answer);
	}
}

void java_names_want(struct java_names *j, uint32_t object)
{
	struct dso_description d;
	struct program *p;

	if (dso_kind(j->objects, object) != DSO_JIT)
		return;
	take_answers(j);
	if (object >= j->capacity)
		mem_grow_zeroed((void **)&j->programs, &j->capacity, object + 1u,
				sizeof(*j->programs));
	p = &j->programs[object];
	if (p->asked || p->hopeless || clock_monotonic_ns(j->clock) < p->next_ns)
		return;
	dso_describe(j->objects, object, &d);
	p->pid = d.key.pid;
	p->asked = attacher_ask(j->attacher, p->pid);
	j->asked += p->asked;
}
