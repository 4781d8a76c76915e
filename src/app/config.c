/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/config.h"

#include <stdlib.h>
#include <string.h>

#include "app/named-file.h"
#include "app/own-file.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "base/settings.h"

#define NOTES_LIMIT 10 /* a file that is none at all deserves no thousand lines */

int config_path(struct buf *out, struct error *err)
{
	if (own_folder(out, err))
		return -1;
	buf_add_str(out, "/config");
	return 0;
}

#define BIND "bind"

/* "bind F5 tree"; "bind = F5 tree" is as other lines are. */
static bool is_binding(const char *line)
{
	size_t word = strcspn(line, " \t");

	return word == strlen(BIND) && !strncmp(line, BIND, word) && line[word] &&
	       line[word + strspn(line + word, " \t")] != '=';
}

/* The option that LINE names, which is cut, and its value, NULL without one.  Returns NULL if there is none. */
static const struct option_row *row_of_line(char *line, char **value)
{
	if (is_binding(line)) {
		*value = line + strlen(BIND);
		*value += strspn(*value, " \t");
		return option_find(BIND);
	}
	*value = settings_split(line);
	return option_find(line);
}

/* Where lines go. */
struct target {
	struct options *o;
	bool profile; /* the lines are those of a profile */
	int (*take)(void *context, const struct option_row *row, const char *value,
		    struct error *err);
	void *context;
};

static int take_line(void *context, char *line, struct error *err)
{
	const struct target *t = context;
	char *value;
	const struct option_row *row = row_of_line(line, &value);

	if (!value)
		return error_set(err, _("'%.40s' is no 'option = value'"), line);
	if (!row)
		return error_set(err, _("unknown option '%.40s'"), line);
	if (!row->keep && !(t->profile && row->profile))
		return error_set(err, _("option '%s' is for the command line only"), line);
	if (row->check && !strcmp(value, "help")) /* each start would fail */
		return error_set(err, _("option '%s' is for the command line only"), "help");
	return t->take(t->context, row, value, err);
}

static int keep(void *context, const struct option_row *row, const char *value, struct error *err)
{
	return options_set_kept(context, row, value, err);
}

void config_parse(struct options *o, const char *path, const struct buf *text, struct buf *notes)
{
	struct target t = { o, false, keep, o };

	settings_read(path, text, take_line, &t, NOTES_LIMIT, notes);
}

/* It goes first: what it sets is set when the configuration comes. */
static void load_profile(struct options *o, struct buf *notes)
{
	struct target t = { o, true, keep, o };
	struct named_file f;
	struct error err;

	if (named_file_open(&f, NAMED_PROFILE, o->profile, &err))
		buf_printf(notes, "%s\n", err.text);
	else
		settings_read(f.path.bytes, &f.text, take_line, &t, NOTES_LIMIT, notes);
	named_file_fini(&f);
}

int config_profile(const char *name,
		   int (*take)(void *context, const struct option_row *row, const char *value,
			       struct error *err),
		   void *context, struct error *err)
{
	struct target t = { NULL, true, take, context };
	struct buf notes = { 0 };
	struct named_file f;
	int failed = named_file_open(&f, NAMED_PROFILE, name, err);

	if (!failed) {
		settings_read(f.path.bytes, &f.text, take_line, &t, 1, &notes);
		failed = settings_first_note(&notes, err);
	}
	named_file_fini(&f);
	buf_fini(&notes);
	return failed;
}

void config_load(struct options *o, struct buf *notes)
{
	struct buf path = { 0 }, text = { 0 };
	struct error err;
	int result;

	if (o->profile)
		load_profile(o, notes);
	if (config_path(&path, NULL))
		return;
	result = own_file_read(path.bytes, &text, &err);
	if (result < 0)
		buf_printf(notes, _("%s: not read: %s\n"), path.bytes, err.text);
	else if (!result)
		config_parse(o, path.bytes, &text, notes);
	buf_fini(&path);
	buf_fini(&text);
}

static void add_option(struct buf *out, const struct options *o, const struct option_row *row)
{
	buf_printf(out, "%s = ", row->name);
	row->format(out, o, row);
	buf_add_char(out, '\n');
}

/* The row that a line of the file sets, if it has changed since; else NULL. */
static const struct option_row *changed_row(const struct settings *s, const struct options *o)
{
	char *line = mem_strdup(s->line), *value;
	const struct option_row *row = *line && !s->binary ? row_of_line(line, &value) : NULL;

	free(line);
	return row && row->keep && o->changed[row - option_table] ? row : NULL;
}

void config_format(struct buf *out, const struct buf *old, const struct options *o)
{
	bool written[OPTION_LIMIT] = { false };
	struct settings s;

	if (!old->size)
		buf_add_str(out,
			    "# Written by ptop (key W).  Lines are option = value; see ptop(1).\n");
	settings_init(&s, old->bytes, old->size);
	while (settings_next(&s)) {
		const struct option_row *row = changed_row(&s, o);
		size_t i = row ? (size_t)(row - option_table) : 0;

		if (!row)
			buf_add(out, s.raw, s.raw_size);
		else if (!written[i] && o->given[i])
			add_option(out, o, row);
		if (row)
			written[i] = true;
	}
	if (out->size && out->bytes[out->size - 1] != '\n')
		buf_add_char(out, '\n');
	for (const struct option_row *row = option_table; row->name; row++) {
		size_t i = (size_t)(row - option_table);

		if (row->keep && o->changed[i] && o->given[i] && !written[i])
			add_option(out, o, row);
	}
}

static void change_file(void *context, const struct buf *old, struct buf *out)
{
	const struct options *const *o = context;

	config_format(out, old, *o);
}

int config_write(const struct options *o, struct error *err)
{
	struct buf path = { 0 };
	int failed = config_path(&path, err) || own_file_write(path.bytes, change_file, &o, err);

	buf_fini(&path);
	return failed ? -1 : 0;
}
