/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/remote-words.h"

#include <stdlib.h>
#include <string.h>

#include "app/allow.h"
#include "app/remote-url.h"
#include "base/alloc.h"
#include "base/buf.h"

/* Appends a word that any shell takes as it is. */
static void add_quoted(struct buf *out, const char *text)
{
	buf_add_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_add_str(out, "'\\''");
		else
			buf_add_char(out, *text);
	}
	buf_add_char(out, '\'');
}

static void add_option(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " --%s=", name);
	add_quoted(out, value);
}

static bool is_passed_on(const struct option_row *row)
{
	static const char *const here[] = { "attach", "input", "time" };

	for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++) {
		if (!strcmp(row->name, here[i]))
			return false;
	}
	return row->group == GROUP_TARGET || row->group == GROUP_SAMPLING ||
	       !strcmp(row->name, "delay");
}

/* Those whose value is one field. */
static void add_fields(struct buf *out, const struct options *o)
{
	for (const struct option_row *row = option_table; row->name; row++) {
		struct buf value = { 0 };

		if (!is_passed_on(row) || !row->format || !option_given(o, row->name))
			continue;
		row->format(&value, o, row);
		add_option(out, row->name, value.bytes ? value.bytes : "");
		buf_fini(&value);
	}
}

static void add_events(struct buf *out, const struct options *o)
{
	for (size_t i = 0; i < o->event_count; i++) {
		add_option(out, "event", o->events[i].text);
		if (o->events[i].filter)
			add_option(out, "filter", o->events[i].filter);
	}
	if (o->period)
		buf_printf(out, " --count=%llu", (unsigned long long)o->period);
}

/* The line for the shell there; owned by the caller. */
static char *command_of(const struct options *o, struct remote_part program)
{
	struct buf out = { 0 };

	if (program.size > 1)
		buf_add(&out, program.at, program.size);
	else
		buf_add_str(&out, "ptop");
	buf_add_str(&out, " --serve=- --allow=");
	allow_list(&out, ",");
	add_fields(&out, o);
	add_events(&out, o);
	return out.bytes;
}

void remote_words_make(struct remote_words *w, const struct options *o)
{
	struct remote_url u = remote_split(o->attach);
	char **word = w->argv;

	memset(w, 0, sizeof(*w));
	/* No terminal there; a connection that has died is noticed. */
	*word++ = mem_strdup("-T");
	*word++ = mem_strdup("-oServerAliveInterval=5");
	*word++ = mem_strdup("-oServerAliveCountMax=3");
	if (u.port.at)
		*word++ = mem_printf("-p%.*s", (int)u.port.size, u.port.at);
	if (u.user.at)
		*word++ = mem_printf("-l%.*s", (int)u.user.size, u.user.at);
	*word++ = mem_strdup("--");
	*word++ = mem_strndup(u.host.at, u.host.size);
	*word++ = command_of(o, u.program);
	w->host = mem_strndup(o->attach + strlen(REMOTE_SCHEME),
			      strcspn(o->attach + strlen(REMOTE_SCHEME), "/"));
}

void remote_words_fini(struct remote_words *w)
{
	for (size_t i = 0; i < REMOTE_WORDS; i++)
		free(w->argv[i]);
	free(w->host);
}
