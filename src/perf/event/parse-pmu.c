/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/parse.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "base/nearest.h"
#include "perf/event/pmu.h"
#include "perf/event/sysfile.h"

/*
 * The PMUs that WORD means: the one of that name, or those that the glob matches, or the numbered
 * boxes of one kind (uncore_imc: uncore_imc_0, uncore_imc_1, …).
 */
static int matching_pmus(const struct parser *p, struct token word, char ***names)
{
	char *pattern = token_dup(word), *numbered;
	int count = pmu_names(p->env, pattern, names);

	if (!count && !strpbrk(pattern, "*?")) {
		numbered = mem_printf("%s_[0-9]*", pattern);
		count = pmu_names(p->env, numbered, names);
		free(numbered);
	}
	free(pattern);
	return count < 0 ? 0 : count;
}

bool parse_pmu_exists(struct parser *p, struct token word)
{
	char **names;
	int count = matching_pmus(p, word, &names);

	sysfile_names_free(names, count);
	return count > 0;
}

static struct evsel *pmu_evsel(const struct pmu *pmu)
{
	struct evsel *e = evsel_new("", 0);

	e->type = pmu->type;
	e->per_cpu_only = pmu->socket_wide;
	e->role = pmu->socket_wide ? EVSEL_COUNT : EVSEL_SAMPLE;
	e->cpus.count = pmu->cpus.count;
	if (e->cpus.count) {
		e->cpus.items = mem_array(e->cpus.count, sizeof(uint32_t));
		memcpy(e->cpus.items, pmu->cpus.items, e->cpus.count * sizeof(uint32_t));
	}
	return e;
}

/* As the kernel has them in asm/perf_event.h. */
#define PARTS_FIRST 0x8000u
#define PARTS_LAST 0x8700u

/* The codes mean that only on a PMU that has an event of that name. */
static void note_slots(const struct parser *p, const struct pmu *pmu, struct evsel *e)
{
	uint64_t code = e->config & EVSEL_SLOTS_CODE;
	bool part = code >= PARTS_FIRST && code <= PARTS_LAST && !(code & 0xff);
	char text[PMU_TEXT_MAX];

	if (!pmu->core || e->type != pmu->type || (code != EVSEL_SLOTS_CONFIG && !part))
		return;
	if (pmu_read(p->env, pmu->name, "events/", "slots", text) > 0)
		e->slots = part ? SLOTS_PART : SLOTS_WHOLE;
}

struct evsel *parse_pmu_of_type(struct parser *p, uint32_t type)
{
	struct evsel *e = NULL;
	struct pmu pmu;
	char **names;
	int count = pmu_names(p->env, "*", &names);

	for (int i = 0; i < count && !e; i++) {
		if (pmu_init(&pmu, p->env, names[i]) < 0)
			continue;
		if (pmu.type == type)
			e = pmu_evsel(&pmu);
		pmu_fini(&pmu);
	}
	sysfile_names_free(names, count < 0 ? 0 : count);
	return e ? e : evsel_new("", 0);
}

#define EXTENDED_TYPE_SHIFT 32 /* PERF_PMU_TYPE_SHIFT: of a generalized event, which PMU's */

/* Spreads VALUE, from its lowest bit on, over the bits of MASK. */
static uint64_t deposit(uint64_t value, uint64_t mask)
{
	uint64_t spread = 0;

	for (; mask; mask &= mask - 1, value >>= 1) {
		if (value & 1)
			spread |= mask & -mask;
	}
	return spread;
}

static void set_bits(struct evsel *e, const struct pmu_format *format, uint64_t value)
{
	uint64_t *words[PMU_CONFIG_WORDS] = { &e->config, &e->config1, &e->config2 };
	uint64_t *word = words[format->word];

	*word = (*word & ~format->mask) | deposit(value, format->mask);
}

/* A term without value is a flag: 1. */
static int term_value(struct parser *p, const struct term *term, const struct pmu_format *format,
		      uint64_t *value)
{
	int bits = __builtin_popcountll(format->mask);

	*value = 1;
	if (term->has_value && !token_number(term->value, value))
		return parse_error(p, term->value, _("is no number, such as 60 or 0x3c"));
	if (bits < 64 && *value >> bits)
		return parse_error(p, term->has_value ? term->value : term->name,
				   _("does not fit in the %d bits of the field"), bits);
	return 0;
}

/* A field of the PMU or a whole config word.  1 when TERM was one, 0 when not, -1 on error. */
static int field_term(struct parser *p, const struct pmu *pmu, const struct term *term,
		      struct evsel *e)
{
	struct pmu_format format = { .mask = UINT64_MAX };
	int word = pmu_config_word(term->name.at, term->name.size);
	char *name = token_dup(term->name);
	char text[PMU_TEXT_MAX];
	int n = word < 0 ? pmu_read(p->env, pmu->name, "format/", name, text) : 0;
	uint64_t value;

	free(name);
	if (n < 0)
		return 0;
	if (word >= 0)
		format.word = (unsigned int)word;
	else if (pmu_format_parse(text, &format) < 0)
		return parse_error(p, term->name,
				   _("the kernel puts this field into '%.40s', which "
				     "ptop does not know"),
				   text);
	if (term_value(p, term, &format, &value) < 0)
		return -1;
	set_bits(e, &format, value);
	return 1;
}

/*
 * The terms of an event's file.  "param=?" there is for the user's own term to fill in, and a
 * period is perf's advice on sampling, which evlist_set_rate() gives better.
 */
static int alias_terms(struct parser *p, const struct pmu *pmu, struct evsel *e)
{
	for (;; p->at++) {
		struct term term;
		int known;

		if (parse_term(p, &term) < 0)
			return -1;
		if (!token_is(term.name, "period") && !token_is(term.value, "?")) {
			known = field_term(p, pmu, &term, e);
			if (known < 0)
				return -1;
			if (!known)
				return parse_error(p, term.name, _("%s has no such field"),
						   pmu->name);
		}
		if (*p->at != ',')
			break;
	}
	return 0;
}

static void read_unit(struct parser *p, const struct pmu *pmu, const char *name, struct evsel *e)
{
	char *scale = mem_printf("%s.scale", name), *unit = mem_printf("%s.unit", name);
	char text[PMU_TEXT_MAX];

	if (pmu_read(p->env, pmu->name, "events/", scale, text) > 0 && strtod(text, NULL) > 0)
		e->scale = strtod(text, NULL);
	if (pmu_read(p->env, pmu->name, "events/", unit, text) > 0) {
		free(e->unit);
		e->unit = mem_strdup(text);
	}
	free(scale);
	free(unit);
}

/* An event that the PMU has a name for.  1 when TERM was one, 0 when not, -1 on error. */
static int alias_term(struct parser *p, const struct pmu *pmu, const struct term *term,
		      struct evsel *e)
{
	char text[PMU_TEXT_MAX], *name, *path;
	struct parser file = { .env = p->env, .err = p->err };
	int status;

	if (term->has_value)
		return 0;
	name = token_dup(term->name);
	status = pmu_event_is_attribute(name) ? -1
					      : pmu_read(p->env, pmu->name, "events/", name, text);
	if (status < 0) {
		free(name);
		return 0;
	}
	path = pmu_path(p->env, pmu->name, "events/", name);
	file.text = file.at = text;
	file.file = path;
	status = alias_terms(&file, pmu, e);
	read_unit(p, pmu, name, e);
	free(path);
	free(name);
	return status < 0 ? -1 : 1;
}

/*
 * cpu_atom/cycles/: a generalized event on that PMU alone, for which its type goes into the upper
 * half of config; and cpu/r1a8/.  1 when TERM was one, 0 when not.
 */
static int generalized_term(const struct pmu *pmu, const struct term *term, struct evsel *e)
{
	struct evsel *named = term->has_value ? NULL : parse_named(term->name);
	int known = 0;

	if (named && named->type == PERF_TYPE_RAW) {
		e->config = named->config;
		known = 1;
	} else if (named && named->type != PERF_TYPE_SOFTWARE && pmu->core) {
		e->type = named->type;
		e->config = named->config;
		if (strcmp(pmu->name, "cpu"))
			e->config |= (uint64_t)pmu->type << EXTENDED_TYPE_SHIFT;
		known = 1;
	}
	evsel_free(named);
	return known;
}

/* Tries the names and frees them. */
static void nearest_try_names(struct nearest *nearest, char **names, int count)
{
	for (int i = 0; i < count; i++)
		nearest_try(nearest, names[i]);
	sysfile_names_free(names, count);
}

static int unknown_term(struct parser *p, const struct pmu *pmu, struct token name)
{
	char *formats = pmu_path(p->env, pmu->name, "format", ""), **names;
	int count = sysfile_names(formats, "*", &names);
	struct nearest nearest;

	free(formats);
	nearest_init(&nearest, name.at, name.size);
	nearest_try_names(&nearest, names, count);
	count = pmu_events(p->env, pmu->name, &names);
	nearest_try_names(&nearest, names, count);
	if (nearest.best[0])
		return parse_error(p, name, _("%s has no such field or event; did you mean %s?"),
				   pmu->name, nearest.best);
	return parse_error(p, name,
			   _("%s has no such field or event; --list-events '%s/*' shows "
			     "its events"),
			   pmu->name, pmu->name);
}

static int pmu_term(struct parser *p, const struct pmu *pmu, const struct term *term,
		    struct evsel *e)
{
	int known = alias_term(p, pmu, term, e);

	known = known ? known : field_term(p, pmu, term, e);
	known = known ? known : generalized_term(pmu, term, e);
	if (known < 0)
		return -1;
	return known ? 0 : unknown_term(p, pmu, term->name);
}

/* The terms between the slashes, into E; those that say what is counted also into BASE. */
static int pmu_terms(struct parser *p, const struct pmu *pmu, struct evsel *e, struct buf *base)
{
	size_t kept = base->size;

	do {
		const char *start = ++p->at;
		struct term term;
		int own;

		if (*p->at == '/' && base->size == kept)
			break; /* "pmu//": all zero */
		if (parse_term(p, &term) < 0)
			return -1;
		own = parse_own_term(p, &term, e);
		if (own < 0 || (!own && pmu_term(p, pmu, &term, e) < 0))
			return -1;
		if (own)
			continue;
		if (base->size > kept)
			buf_add_char(base, ',');
		buf_add(base, start, (size_t)(p->at - start));
	} while (*p->at == ',');
	if (*p->at != '/')
		return parse_error(p, (struct token){ p->at, 0 }, _("a closing '/' is missing"));
	p->at++;
	buf_add_char(base, '/');
	return 0;
}

static int parse_one_pmu(struct parser *p, const char *name)
{
	struct buf base = { 0 };
	struct pmu pmu;
	struct evsel *e;
	int status;

	if (pmu_init(&pmu, p->env, name) < 0)
		return parse_error(p, (struct token){ p->at, 0 }, _("PMU %s has no type"), name);
	e = pmu_evsel(&pmu);
	buf_printf(&base, "%s/", name);
	status = pmu_terms(p, &pmu, e, &base);
	note_slots(p, &pmu, e);
	pmu_fini(&pmu);
	free(e->base);
	e->base = base.bytes;
	if (!status)
		return parse_add(p, e);
	evsel_free(e);
	return -1;
}

static int unknown_pmu(struct parser *p, struct token word)
{
	struct nearest nearest;
	char **names;
	int count = pmu_names(p->env, "*", &names);

	nearest_init(&nearest, word.at, word.size);
	nearest_try_names(&nearest, names, count);
	if (nearest.best[0])
		return parse_error(p, word, _("this machine has no such PMU; did you mean %s?"),
				   nearest.best);
	return parse_error(p, word,
			   _("this machine has no such PMU; see "
			     "/sys/bus/event_source/devices"));
}

int parse_pmu(struct parser *p, struct token word)
{
	const char *slash = p->at;
	char **names;
	int count = matching_pmus(p, word, &names), status = 0;

	if (!count)
		return unknown_pmu(p, word);
	for (int i = 0; i < count && !status; i++) {
		p->at = slash;
		status = parse_one_pmu(p, names[i]);
	}
	sysfile_names_free(names, count);
	return status;
}

/* Adds event WORD of the PMU called NAME, when that has it. */
static int add_if_event(struct parser *p, const char *name, struct token word, bool *found)
{
	const struct term term = { .name = word };
	struct pmu pmu;
	struct evsel *e;
	int known;

	if (pmu_init(&pmu, p->env, name) < 0)
		return 0;
	e = pmu_evsel(&pmu);
	known = alias_term(p, &pmu, &term, e);
	note_slots(p, &pmu, e);
	pmu_fini(&pmu);
	if (known <= 0) {
		evsel_free(e);
		return known;
	}
	free(e->base);
	e->base = mem_printf("%s/%.*s/", name, (int)word.size, word.at);
	*found = true;
	return parse_add(p, e);
}

int parse_pmu_event(struct parser *p, struct token word, bool *found)
{
	char **names;
	int count = pmu_names(p->env, "*", &names), status = 0;

	*found = false;
	for (int i = 0; i < count && !status; i++)
		status = add_if_event(p, names[i], word, found);
	sysfile_names_free(names, count);
	return status;
}
