/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"

/* Cuts the blanks off both ends, in place. */
static char *trimmed(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return s;
}

void settings_init(struct settings *s, const char *text, size_t size)
{
	*s = (struct settings){ .at = text, .end = size ? text + size : text };
}

void settings_fini(struct settings *s)
{
	free(s->line);
	s->line = NULL;
}

bool settings_next(struct settings *s)
{
	const char *newline;
	char *line, *text;

	settings_fini(s);
	if (s->at == s->end)
		return false;
	newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
	s->raw = s->at;
	s->at = newline ? newline + 1 : s->end;
	s->raw_size = (size_t)(s->at - s->raw);
	s->number++;
	line = mem_strndup(s->raw, s->raw_size);
	s->binary = strlen(line) < s->raw_size;
	text = trimmed(line);
	s->line = mem_strdup(*text == '#' && !s->binary ? "" : text);
	free(line);
	return true;
}

char *settings_split(char *line)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return NULL;
	*equals = '\0';
	trimmed(line); /* the front has no blanks */
	return trimmed(equals + 1);
}

size_t settings_read(const char *path, const struct buf *text, settings_take *take, void *context,
		     size_t max, struct buf *notes)
{
	size_t noted = 0, used = 0;
	struct settings s;

	settings_init(&s, text->bytes, text->size);
	while (settings_next(&s)) {
		struct error err = { "" };

		if (s.binary)
			error_set(&err, _("a NUL byte: this is no text"));
		else if (*s.line && !take(context, s.line, &err))
			used++;
		if (err.text[0] && noted++ < max)
			buf_printf(notes, "%s:%zu: %s\n", path, s.number, err.text);
	}
	if (noted > max)
		buf_printf(notes,
			   ngettext("%s: %zu more line that cannot be used\n",
				    "%s: %zu more lines that cannot be used\n", noted - max),
			   path, noted - max);
	return used;
}

int settings_first_note(const struct buf *notes, struct error *err)
{
	if (!notes->size)
		return 0;
	return error_set(err, "%.*s", (int)strcspn(notes->bytes, "\n"), notes->bytes);
}
