/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/parse.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "base/nearest.h"

/* A message shows at most so much of a text or token. */
#define SHOWN_TEXT 100
#define SHOWN_TOKEN 60
#define NAME_MAX_SIZE 255 /* bytes in name= */

int parse_error(struct parser *p, struct token token, const char *format, ...)
{
	int shown = token.size < SHOWN_TOKEN ? (int)token.size : SHOWN_TOKEN;
	size_t column = (size_t)(token.at - p->text) + 1;
	char message[300];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (!shown)
		return error_set(p->err, _("%s '%.*s', column %zu: %s"),
				 p->file ? p->file : _("event"), SHOWN_TEXT, p->text, column,
				 message);
	return error_set(p->err, _("%s '%.*s', column %zu, '%.*s': %s"),
			 p->file ? p->file : _("event"), SHOWN_TEXT, p->text, column, shown,
			 token.at, message);
}

/* The next byte, or the end, as what an error is about. */
static struct token here(const struct parser *p)
{
	return (struct token){ p->at, *p->at != '\0' };
}

struct token parse_run(struct parser *p, bool (*is_part)(char c))
{
	struct token token = { .at = p->at };

	while (*p->at && is_part(*p->at))
		p->at++;
	token.size = (size_t)(p->at - token.at);
	return token;
}

bool token_is(struct token token, const char *text)
{
	return strlen(text) == token.size && !memcmp(token.at, text, token.size);
}

char *token_dup(struct token token)
{
	return mem_strndup(token.at, token.size);
}

/* Not isalpha(): an event's name does not depend on the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || (c && strchr("_-.*?", c));
}

static int digit_value(char c, unsigned int radix)
{
	const char *digits = "0123456789abcdef", *found;

	if (c >= 'A' && c <= 'F')
		c = (char)(c - 'A' + 'a');
	found = c ? strchr(digits, c) : NULL;
	return found && found - digits < (int)radix ? (int)(found - digits) : -1;
}

static bool digits_number(struct token token, unsigned int radix, uint64_t *value)
{
	uint64_t v = 0;

	for (size_t i = 0; i < token.size; i++) {
		int digit = digit_value(token.at[i], radix);

		if (digit < 0 || v > (UINT64_MAX - (uint64_t)digit) / radix)
			return false;
		v = v * radix + (uint64_t)digit;
	}
	*value = v;
	return token.size > 0;
}

bool token_number(struct token token, uint64_t *value)
{
	if (token.size > 2 && token.at[0] == '0' && (token.at[1] | 0x20) == 'x')
		return digits_number((struct token){ token.at + 2, token.size - 2 }, 16, value);
	return digits_number(token, 10, value);
}

int parse_add(struct parser *p, struct evsel *e)
{
	if (p->list->count == PARSE_EVENTS_MAX) {
		evsel_free(e);
		return parse_error(p, here(p), _("more than %d events; ask for fewer"),
				   PARSE_EVENTS_MAX);
	}
	e->group = p->group;
	evlist_add(p->list, e);
	return 0;
}

struct evsel *parse_every(const char *base, uint32_t type)
{
	struct evsel *e = evsel_new(base, strlen(base));

	e->type = type;
	e->freq_hz = 0;
	e->period = 1;
	e->rate = RATE_EVERY;
	return e;
}

/* Modifiers: one row a letter; evsel.modifiers has the bit of its row. */
enum modifier_id {
	MOD_USER,
	MOD_KERNEL,
	MOD_HYPERVISOR,
	MOD_GUEST,
	MOD_HOST,
	MOD_IDLE,
	MOD_PRECISE,
	MOD_PRECISE_MAX,
	MOD_GROUP_READ,
	MOD_PINNED,
	MOD_EXCLUSIVE,
};

#define BIT(id) (1u << (id))

struct modifier {
	char letter;
	unsigned int excludes; /* bits that make no sense beside it */
};

static const struct modifier modifiers[] = {
	/* in the canonical order */
	[MOD_USER] = { 'u', 0 },
	[MOD_KERNEL] = { 'k', 0 },
	[MOD_HYPERVISOR] = { 'h', 0 },
	[MOD_GUEST] = { 'G', 0 },
	[MOD_HOST] = { 'H', 0 },
	[MOD_IDLE] = { 'I', 0 },
	[MOD_PRECISE] = { 'p', BIT(MOD_PRECISE_MAX) },
	[MOD_PRECISE_MAX] = { 'P', BIT(MOD_PRECISE) },
	[MOD_GROUP_READ] = { 'S', 0 },
	[MOD_PINNED] = { 'D', 0 },
	[MOD_EXCLUSIVE] = { 'e', 0 },
};

#define MODIFIERS (sizeof(modifiers) / sizeof(modifiers[0]))
#define PRECISE_MAX 3

struct modifier_set {
	unsigned int bits;
	uint8_t precise;
};

static int modifier_take(struct parser *p, struct token letter, struct modifier_set *set)
{
	size_t i = 0;

	while (i < MODIFIERS && modifiers[i].letter != *letter.at)
		i++;
	if (i == MODIFIERS)
		return parse_error(p, letter,
				   _("is no modifier; there are u k h G H I p pp ppp P S D e"));
	if (set->bits & modifiers[i].excludes)
		return parse_error(p, letter, _("p and P exclude each other"));
	if (i == MOD_PRECISE && ++set->precise > PRECISE_MAX)
		return parse_error(p, letter, _("at most three p"));
	set->bits |= BIT(i);
	return 0;
}

static int parse_letters(struct parser *p, struct modifier_set *set)
{
	struct token letters = parse_run(p, is_letter);

	if (!letters.size)
		return parse_error(p, here(p),
				   _("a modifier is missing; there are u k h G H I p pp "
				     "ppp P S D e"));
	for (size_t i = 0; i < letters.size; i++) {
		if (modifier_take(p, (struct token){ letters.at + i, 1 }, set) < 0)
			return -1;
	}
	return 0;
}

static void modifiers_apply(struct evsel *e, const struct modifier_set *set)
{
	unsigned int bits = e->modifiers |= set->bits;

	if (bits & (BIT(MOD_USER) | BIT(MOD_KERNEL) | BIT(MOD_HYPERVISOR))) {
		e->exclude_user = !(bits & BIT(MOD_USER));
		e->exclude_kernel = !(bits & BIT(MOD_KERNEL));
		e->exclude_hv = !(bits & BIT(MOD_HYPERVISOR));
	}
	if (bits & (BIT(MOD_GUEST) | BIT(MOD_HOST))) {
		e->exclude_guest = !(bits & BIT(MOD_GUEST));
		e->exclude_host = !(bits & BIT(MOD_HOST));
	}
	e->exclude_idle = bits & BIT(MOD_IDLE);
	if (bits & BIT(MOD_PRECISE_MAX))
		e->modifiers &= ~BIT(MOD_PRECISE); /* a group's p beside an event's P */
	e->precise_max = bits & BIT(MOD_PRECISE_MAX);
	if (set->precise > e->precise_ip)
		e->precise_ip = set->precise;
	if (e->precise_max)
		e->precise_ip = PRECISE_MAX;
	e->group_read = bits & BIT(MOD_GROUP_READ);
	e->pinned = bits & BIT(MOD_PINNED);
	e->exclusive = bits & BIT(MOD_EXCLUSIVE);
}

static bool is_term_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool is_term_value(char c)
{
	return c != ',' && c != '/' && (unsigned char)c > ' ' && c != 0x7f;
}

static bool is_quoted(char c)
{
	return c != '\'' && (unsigned char)c >= ' ' && c != 0x7f;
}

static int parse_value(struct parser *p, struct token *value)
{
	if (*p->at != '\'') {
		*value = parse_run(p, is_term_value);
		if (!value->size)
			return parse_error(p, here(p), _("a value is missing"));
		return 0;
	}
	p->at++;
	*value = parse_run(p, is_quoted);
	if (*p->at != '\'')
		return parse_error(p, here(p), _("a closing ' is missing"));
	p->at++;
	return 0;
}

int parse_term(struct parser *p, struct term *term)
{
	memset(term, 0, sizeof(*term));
	term->name = parse_run(p, is_term_name);
	if (!term->name.size)
		return parse_error(p, here(p), _("a term such as name=value is missing"));
	if (*p->at == '=') {
		p->at++;
		term->has_value = true;
		if (parse_value(p, &term->value) < 0)
			return -1;
	}
	if (*p->at && *p->at != ',' && *p->at != '/')
		return parse_error(p, here(p), _("a term ends with ',' or '/'"));
	return 0;
}

static int set_rate(struct parser *p, const struct term *term, struct evsel *e, bool freq)
{
	uint64_t value;

	if (!term->has_value || !token_number(term->value, &value) || !value)
		return parse_error(p, term->has_value ? term->value : term->name,
				   _("needs a number from 1 up, such as %s"),
				   freq ? "freq=999" : "period=100000");
	if (e->rate == RATE_OWN)
		return parse_error(p, term->name, _("one freq= or one period= is enough"));
	e->freq_hz = freq ? value : 0;
	e->period = freq ? 0 : value;
	e->rate = RATE_OWN;
	return 1;
}

static int set_freq(struct parser *p, const struct term *term, struct evsel *e)
{
	return set_rate(p, term, e, true);
}

static int set_period(struct parser *p, const struct term *term, struct evsel *e)
{
	return set_rate(p, term, e, false);
}

static int set_name(struct parser *p, const struct term *term, struct evsel *e)
{
	if (!term->value.size || term->value.size > NAME_MAX_SIZE)
		return parse_error(p, term->name, _("needs a text of at most %d bytes"),
				   NAME_MAX_SIZE);
	free(e->name);
	e->name = token_dup(term->value);
	e->own_name = true;
	return 1;
}

static const struct own_term {
	const char *name;
	int (*set)(struct parser *p, const struct term *term, struct evsel *e);
} own_terms[] = {
	{ "freq", set_freq },
	{ "period", set_period },
	{ "name", set_name },
};

int parse_own_term(struct parser *p, const struct term *term, struct evsel *e)
{
	for (size_t i = 0; i < sizeof(own_terms) / sizeof(own_terms[0]); i++) {
		if (token_is(term->name, own_terms[i].name))
			return own_terms[i].set(p, term, e);
	}
	return 0;
}

/* "/freq=999,name=x/" behind an event that is not of a PMU, for the events from FIRST on. */
static int parse_own_terms(struct parser *p, size_t first)
{
	do {
		struct term term;

		p->at++;
		if (parse_term(p, &term) < 0)
			return -1;
		for (size_t i = first; i < p->list->count; i++) {
			int known = parse_own_term(p, &term, p->list->items[i]);

			if (known < 0)
				return -1;
			if (!known)
				return parse_error(p, term.name,
						   _("here go only freq=, period= and name="));
		}
	} while (*p->at == ',');
	if (*p->at != '/')
		return parse_error(p, here(p), _("a closing '/' is missing"));
	p->at++;
	return 0;
}

/* "rNNN": all of WORD, hexadecimal. */
static bool raw_config(struct token word, uint64_t *config)
{
	if (word.size < 2 || word.at[0] != 'r')
		return false;
	return digits_number((struct token){ word.at + 1, word.size - 1 }, 16, config);
}

/*
 * Page faults, switches and the like are few and come in bursts.  By frequency the kernel misses
 * most of them, because it raises the period in a burst.  Inside a group it does not lower the
 * period again at its ticks.  It adjusts only group leaders (perf_adjust_freq_unthr_events() in
 * kernel/events/core.c).
 */
static bool is_occurrence(const struct event_info *info)
{
	if (event_type_is_made(info->type))
		return true;
	return info->type == PERF_TYPE_SOFTWARE && info->config != PERF_COUNT_SW_CPU_CLOCK &&
	       info->config != PERF_COUNT_SW_TASK_CLOCK;
}

struct evsel *parse_named(struct token word)
{
	const struct event_info *info = event_find(word.at, word.size);
	char name[EVENT_CACHE_NAME_MAX];
	struct evsel *e;
	uint64_t config;

	if (info) {
		e = is_occurrence(info) ? parse_every(info->name, info->type)
					: evsel_new(info->name, strlen(info->name));
		e->type = info->type;
		e->config = info->config;
		return e;
	}
	if (!event_cache_parse(word.at, word.size, &config)) {
		event_cache_format(config, name);
		e = evsel_new(name, strlen(name));
		e->type = PERF_TYPE_HW_CACHE;
	} else if (raw_config(word, &config)) {
		snprintf(name, sizeof(name), "r%llx", (unsigned long long)config);
		e = evsel_new(name, strlen(name));
		e->type = PERF_TYPE_RAW;
	} else {
		return NULL;
	}
	e->config = config;
	return e;
}

static int unknown_event(struct parser *p, struct token word)
{
	char name[EVENT_CACHE_NAME_MAX];
	struct nearest nearest;
	size_t cursor = 0;
	uint64_t config;

	nearest_init(&nearest, word.at, word.size);
	for (enum event_id id = EVENT_OTHER + 1; id < EVENT_IDS; id++) {
		nearest_try(&nearest, event_at(id)->name);
		if (event_at(id)->alias)
			nearest_try(&nearest, event_at(id)->alias);
	}
	while (!event_cache_next(&cursor, &config, name))
		nearest_try(&nearest, name);
	if (nearest.best[0])
		return parse_error(p, word,
				   _("no such event; did you mean %s?  --list-events shows all"),
				   nearest.best);
	return parse_error(p, word, _("no such event; --list-events shows all"));
}

/*
 * "sched:sched_switch", "L1D:REPLACEMENT", "skl::L1D:REPLACEMENT".  Any other text is most likely a
 * tracepoint, so the error of that lookup is reported.
 */
static int parse_qualified(struct parser *p, struct token word)
{
	const char *colon = p->at;
	struct error why;
	bool found;

	if (!parse_tracepoint(p, word))
		return 0;
	why = *p->err;
	p->at = colon;
	if (parse_model(p, word, &found) < 0)
		return -1;
	if (found)
		return 0;
	*p->err = why;
	return -1;
}

/* "L1D:REPLACEMENT" of the CPU's model is in the list then; "L1D:u" is the cache event. */
static bool is_model_too(struct parser *p, struct token word)
{
	const char *behind = p->at;
	bool found;

	if (*behind != ':' || !is_word(behind[1 + strspn(behind + 1, MODIFIER_LETTERS)]))
		return false;
	if (!parse_model(p, word, &found) && found)
		return true;
	p->at = behind;
	return false;
}

/* An event that begins with a plain word. */
static int parse_word(struct parser *p)
{
	struct token word = parse_run(p, is_word);
	struct evsel *e;
	bool found;

	if (!word.size)
		return parse_error(p, here(p),
				   _("an event is missing, such as cycles or "
				     "sched:sched_switch"));
	if (*p->at == '/' && parse_pmu_exists(p, word))
		return parse_pmu(p, word);
	e = parse_named(word);
	if (e && is_model_too(p, word)) {
		evsel_free(e);
		return 0;
	}
	if (e && evsel_is_syscalls(e) && *p->at == ':') { /* the tracepoints of that system */
		evsel_free(e);
		return parse_qualified(p, word);
	}
	if (e)
		return parse_add(p, e);
	if (*p->at == ':')
		return parse_qualified(p, word);
	if (*p->at == '/')
		return parse_pmu(p, word);
	if (parse_pmu_event(p, word, &found) < 0)
		return -1;
	if (!found && parse_model(p, word, &found) < 0)
		return -1;
	return found ? 0 : unknown_event(p, word);
}

/* Events that a prefix announces. */
static const struct event_kind {
	const char *prefix;
	int (*parse)(struct parser *p); /* behind the prefix */
} event_kinds[] = {
	{ "mem:", parse_breakpoint },      { "uprobe:", parse_uprobe },
	{ "uretprobe:", parse_uretprobe }, { "kprobe:", parse_kprobe },
	{ "kretprobe:", parse_kretprobe },
};

static int parse_base(struct parser *p)
{
	for (size_t i = 0; i < sizeof(event_kinds) / sizeof(event_kinds[0]); i++) {
		size_t size = strlen(event_kinds[i].prefix);

		if (strncmp(p->at, event_kinds[i].prefix, size))
			continue;
		p->at += size;
		return event_kinds[i].parse(p);
	}
	return parse_word(p);
}

static int parse_event(struct parser *p)
{
	size_t first = p->list->count;
	struct modifier_set set = { 0 };

	if (parse_base(p) < 0)
		return -1;
	if (*p->at == '/' && parse_own_terms(p, first) < 0)
		return -1;
	/* As in perf the ':' may be left out behind a '/'. */
	if (*p->at == ':' || (p->at[-1] == '/' && is_letter(*p->at))) {
		p->at += *p->at == ':';
		if (parse_letters(p, &set) < 0)
			return -1;
	}
	for (size_t i = first; i < p->list->count; i++)
		modifiers_apply(p->list->items[i], &set);
	return 0;
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n')
		p->at++;
}

/*
 * The kernel pins whole groups only, by their first event; and one :S means the whole group, of
 * which the first event then samples alone.
 */
static void group_finish(struct evlist *l, size_t first, const struct modifier_set *set)
{
	const unsigned int whole = BIT(MOD_GROUP_READ) | BIT(MOD_PINNED) | BIT(MOD_EXCLUSIVE);
	struct modifier_set leader = { 0 }, others = *set;

	others.bits &= ~whole;
	leader.bits = set->bits & whole;
	for (size_t i = first; i < l->count; i++) {
		leader.bits |= l->items[i]->modifiers & whole;
		l->items[i]->modifiers &= ~whole;
		modifiers_apply(l->items[i], &others);
	}
	modifiers_apply(l->items[first], &leader);
	for (size_t i = first + 1; i < l->count && l->items[first]->group_read; i++)
		l->items[i]->role = EVSEL_COUNT;
}

static int parse_group(struct parser *p)
{
	size_t first = p->list->count;
	struct token open = { p->at, 1 };
	struct modifier_set set = { 0 };

	p->group = p->list->groups++;
	do {
		p->at++;
		skip_blanks(p);
		if (parse_event(p) < 0)
			return -1;
		skip_blanks(p);
	} while (*p->at == ',');
	if (*p->at != '}')
		return parse_error(p, *p->at ? here(p) : open,
				   _("a group ends with '}', and cannot hold another"));
	p->at++;
	p->group = -1;
	if (*p->at == ':') {
		p->at++;
		if (parse_letters(p, &set) < 0)
			return -1;
	}
	group_finish(p->list, first, &set);
	return 0;
}

static int parse_events(struct parser *p)
{
	for (;;) {
		skip_blanks(p);
		if ((*p->at == '{' ? parse_group(p) : parse_event(p)) < 0)
			return -1;
		skip_blanks(p);
		if (!*p->at)
			return 0;
		if (*p->at != ',')
			return parse_error(p, here(p),
					   _("after an event comes ',' or ':' and its "
					     "modifiers"));
		p->at++;
	}
}

/* Moves the events of FROM to the end of L, and numbers their groups and globs behind L's. */
static void evlist_append(struct evlist *l, struct evlist *from)
{
	int globs = 0;

	for (size_t i = 0; i < l->count; i++)
		globs = l->items[i]->glob > globs ? l->items[i]->glob : globs;
	for (size_t i = 0; i < from->count; i++) {
		struct evsel *e = from->items[i];

		e->group += e->group >= 0 ? l->groups : 0;
		e->glob += e->glob ? globs : 0;
		evlist_add(l, e);
	}
	l->groups += from->groups;
	from->count = 0;
}

/* Events without a name= are called what they are. */
static void evlist_name(struct evlist *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct buf b = { 0 };

		if (l->items[i]->own_name)
			continue;
		evsel_format(l->items[i], &b);
		free(l->items[i]->name);
		l->items[i]->name = b.bytes;
	}
}

int evlist_parse_in(struct evlist *l, const char *text, const struct event_env *env,
		    struct error *err)
{
	struct parser p = { .text = text, .at = text, .env = env, .group = -1, .err = err };
	int status;

	p.list = evlist_new();
	status = parse_events(&p);
	if (!status) {
		evlist_name(p.list);
		evlist_append(l, p.list);
	}
	evlist_free(p.list);
	return status;
}

int evlist_parse(struct evlist *l, const char *text, struct error *err)
{
	const struct event_env here_now = { 0 };

	return evlist_parse_in(l, text, &here_now, err);
}

static void format_value(struct buf *b, const char *value)
{
	bool plain = true;

	for (const char *c = value; *c; c++)
		plain = plain && is_term_value(*c);
	buf_printf(b, plain ? "%s" : "'%s'", value);
}

/* freq=, period= and name=, in "/…/", or before the closing '/' of a PMU's terms. */
static void format_own_terms(const struct evsel *e, struct buf *b)
{
	bool pmu = b->bytes[b->size - 1] == '/';
	const char *separator = pmu && b->bytes[b->size - 2] != '/' ? "," : "";

	if (e->rate != RATE_OWN && !e->own_name)
		return;
	if (pmu)
		b->bytes[--b->size] = '\0';
	else
		buf_add_char(b, '/');
	if (e->rate == RATE_OWN) {
		buf_printf(b, "%s%s=%llu", separator, e->freq_hz ? "freq" : "period",
			   (unsigned long long)(e->freq_hz ? e->freq_hz : e->period));
		separator = ",";
	}
	if (e->own_name) {
		buf_printf(b, "%sname=", separator);
		format_value(b, e->name);
	}
	buf_add_char(b, '/');
}

static void format_letters(unsigned int bits, unsigned int precise, struct buf *b)
{
	for (size_t i = 0; i < MODIFIERS; i++) {
		unsigned int times = i == MOD_PRECISE ? precise : 1;

		while (bits & BIT(i) && times--)
			buf_add_char(b, modifiers[i].letter);
	}
}

void evsel_format(const struct evsel *e, struct buf *b)
{
	buf_add_str(b, e->base);
	format_own_terms(e, b);
	if (!e->modifiers)
		return;
	if (b->bytes[b->size - 1] != '/')
		buf_add_char(b, ':');
	format_letters(e->modifiers, e->precise_ip, b);
}

void evlist_format(const struct evlist *l, struct buf *b)
{
	for (size_t i = 0; i < l->count; i++) {
		int group = l->items[i]->group;
		bool first = !i || l->items[i - 1]->group != group;
		bool last = i + 1 == l->count || l->items[i + 1]->group != group;

		if (i)
			buf_add_char(b, ',');
		if (group >= 0 && first)
			buf_add_char(b, '{');
		evsel_format(l->items[i], b);
		if (group >= 0 && last)
			buf_add_char(b, '}');
	}
}
