/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/parse.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/nearest.h"
#include "perf/event/sysfile.h"
#include "perf/event/tracefs.h"

struct matches {
	const char *events; /* tracefs_events() */
	struct token subsystem, name;
	bool glob;
	size_t count;
};

static int add_tracepoint(struct parser *p, const struct matches *m, const char *subsystem,
			  const char *name)
{
	char *base = mem_printf("%s:%s", subsystem, name);
	struct evsel *e = parse_every(base, PERF_TYPE_TRACEPOINT);
	int status = tracefs_id(m->events, subsystem, name, &e->config);

	free(base);
	/* A directory also has control files, and ftrace's own entries that perf cannot open. */
	if (status == -ENOENT || status == -ENOTDIR) {
		evsel_free(e);
		return 0;
	}
	if (status < 0) {
		evsel_free(e);
		return parse_error(p, m->name, _("cannot read its id: %s"), strerror(-status));
	}
	e->takes_filter = true;
	e->glob = m->glob ? p->globs : 0;
	return parse_add(p, e);
}

static int add_matches_of(struct parser *p, struct matches *m, const char *subsystem)
{
	char *path = mem_printf("%s/%s", m->events, subsystem), *pattern = token_dup(m->name);
	size_t before = p->list->count;
	char **names;
	int count = sysfile_names(path, pattern, &names), status = 0;

	for (int i = 0; i < count && !status; i++)
		status = add_tracepoint(p, m, subsystem, names[i]);
	sysfile_names_free(names, count);
	free(pattern);
	free(path);
	m->count += p->list->count - before;
	return status;
}

/* Suggests a subsystem, or when that is right a tracepoint of it. */
static int unknown_tracepoint(struct parser *p, const struct matches *m, char **subsystems,
			      int count)
{
	struct token wrong = count ? m->name : m->subsystem;
	char *path = count ? mem_printf("%s/%s", m->events, subsystems[0]) : mem_strdup(m->events);
	struct nearest nearest;
	char **names;
	int candidates = sysfile_names(path, "*", &names);

	nearest_init(&nearest, wrong.at, wrong.size);
	for (int i = 0; i < candidates; i++)
		nearest_try(&nearest, names[i]);
	sysfile_names_free(names, candidates);
	free(path);
	if (nearest.best[0])
		return parse_error(p, wrong, _("no such tracepoint; did you mean %s?"),
				   nearest.best);
	return parse_error(p, wrong,
			   _("no such tracepoint; --list-events '%.*s:*' shows what there is"),
			   (int)m->subsystem.size, m->subsystem.at);
}

static int add_matches(struct parser *p, struct matches *m)
{
	char *pattern = token_dup(m->subsystem), **names;
	int count = sysfile_names(m->events, pattern, &names), status = 0;

	for (int i = 0; i < count && !status; i++)
		status = add_matches_of(p, m, names[i]);
	if (!status && !m->count)
		status = unknown_tracepoint(p, m, names, count);
	sysfile_names_free(names, count < 0 ? 0 : count);
	free(pattern);
	return status;
}

static bool has_glob(struct token token)
{
	return memchr(token.at, '*', token.size) || memchr(token.at, '?', token.size);
}

int parse_tracepoint(struct parser *p, struct token word)
{
	struct matches m = { .subsystem = word };
	struct error why;
	char *events;
	int status;

	p->at++;
	m.name = parse_run(p, is_word);
	if (!m.name.size)
		return parse_error(p, m.name, _("a tracepoint's name is missing behind '%.*s:'"),
				   (int)word.size, word.at);
	m.glob = has_glob(word) || has_glob(m.name);
	p->globs += m.glob;
	events = tracefs_events(p->env, &why);
	if (!events)
		return parse_error(p, word, "%s", why.text);
	m.events = events;
	status = add_matches(p, &m);
	free(events);
	return status;
}
