/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/live-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"

void live_mark_given(struct session *s, const char *option)
{
	s->options->given[option_find(option) - option_table] = true;
}

void live_show_mode(struct session *s)
{
	const struct options *o = s->options;
	char *text;

	if (o->file)
		return; /* nothing is forgotten */
	text = o->zero ? mem_strdup(_("zero mode"))
		       : mem_printf(_("half-life %g s"), o->half_life_s);
	view_set_mode_text(s->view, text);
	free(text);
}

/* How options take effect at once. */

static int apply_delay(struct session *s, struct error *err)
{
	(void)err;
	s->next_ns = session_now_ns() + (uint64_t)(s->options->delay_s * (double)NS_PER_S);
	return 0;
}

static int apply_mode(struct session *s, struct error *err)
{
	const struct options *o = s->options;

	if (o->file)
		return error_set(err, "%s", _("a recording is shown as a whole"));
	if (s->viewer)
		return error_set(err, "%s", _("a server measures: start that with other options"));
	collector_set_mode(s->collector, o->zero ? HISTOGRAM_ZERO : HISTOGRAM_DECAY,
			   o->half_life_s);
	live_show_mode(s);
	return 0;
}

/* The switches of the view, which keys turn over, too. */
static int apply_switches(struct session *s, struct error *err)
{
	const struct options *o = s->options;

	(void)err;
	if (view_hides_kernel(s->view) != o->hide_kernel)
		view_toggle_kernel(s->view);
	if (view_hides_user(s->view) != o->hide_user)
		view_toggle_user_symbols(s->view);
	if (view_of_all(s->view) != o->of_all)
		view_toggle_of_all(s->view);
	if (view_threads(s->view) != o->threads)
		view_toggle_threads(s->view);
	return 0;
}

static int apply_columns(struct session *s, struct error *err)
{
	err->text[0] = '\0';
	return !view_set_columns(s->view, s->options->columns, err) && err->text[0] ? -1 : 0;
}

static int apply_sort(struct session *s, struct error *err)
{
	err->text[0] = '\0';
	return !view_set_sort(s->view, s->options->sort, err) && err->text[0] ? -1 : 0;
}

static int apply_reverse(struct session *s, struct error *err)
{
	(void)err;
	view_reverse(s->view);
	return 0;
}

static int apply_keys(struct session *s, struct error *err)
{
	(void)err;
	ui_set_keys(s->ui, s->options->keys, s->options->bindings);
	return 0;
}

static int apply_theme(struct session *s, struct error *err)
{
	(void)err;
	ui_set_theme(s->ui, s->options->theme, !s->options->no_color);
	return 0;
}

static const struct {
	const char *option;
	int (*apply)(struct session *s, struct error *err);
} applied[] = {
	{ "delay", apply_delay },        { "zero", apply_mode },
	{ "half-life", apply_mode },     { "hide-kernel", apply_switches },
	{ "hide-user", apply_switches }, { "of-all", apply_switches },
	{ "threads", apply_switches },   { "columns", apply_columns },
	{ "sort", apply_sort },          { "reverse", apply_reverse },
	{ "keys", apply_keys },          { "bind", apply_keys },
	{ "theme", apply_theme },        { "no-color", apply_theme },
};

static int apply(struct session *s, const char *option, const char **said, struct error *err)
{
	for (size_t i = 0; i < sizeof(applied) / sizeof(*applied); i++) {
		if (!strcmp(applied[i].option, option))
			return applied[i].apply(s, err);
	}
	*said = _("from the next start on, if W writes the configuration");
	return 0;
}

bool live_option(void *session, size_t i, struct ui_option *out)
{
	struct session *s = session;
	struct buf value = { 0 };

	live_options_keep(s, NULL);
	for (const struct option_row *row = option_table; row->name; row++) {
		if (!row->keep || i--)
			continue;
		*out = (struct ui_option){ .name = row->name,
					   .help = _(row->help),
					   .argument = row->argument ? _(row->argument) : NULL };
		buf_add_str(&value, "");
		row->format(&value, s->options, row);
		if (value.size < sizeof(out->value))
			memcpy(out->value, value.bytes, value.size);
		buf_fini(&value);
		return true;
	}
	return false;
}

int live_set_option(void *session, const char *name, const char *value, const char **said,
		    struct error *err)
{
	struct session *s = session;

	live_options_keep(s, NULL);
	return options_replace(s->options, option_find(name), value, err) ||
			       apply(s, name, said, err)
		       ? -1
		       : 0;
}

static void keep_switch(struct session *s, const char *option, bool *field, bool now)
{
	if (*field == now)
		return;
	*field = now;
	live_mark_given(s, option);
}

/* Keeps TEXT, what the view has, as OPTION if keys changed it: FIRST is what it was. */
static int keep_text(struct session *s, const char *option, const struct buf *text,
		     const struct buf *first, struct error *err)
{
	struct options *o = s->options;
	const struct option_row *row = option_find(option);

	if (!strcmp(text->bytes, first->bytes))
		return 0;
	o->given[row - option_table] = false;
	return text->size ? options_replace(o, row, text->bytes, err) : 0; /* "" are the defaults */
}

int live_options_keep(struct session *s, struct error *err)
{
	struct options *o = s->options;
	struct buf sort = { 0 }, columns = { 0 }, meter = { 0 }, first_meter = { 0 };
	int failed;

	keep_switch(s, "hide-kernel", &o->hide_kernel, view_hides_kernel(s->view));
	keep_switch(s, "hide-user", &o->hide_user, view_hides_user(s->view));
	keep_switch(s, "of-all", &o->of_all, view_of_all(s->view));
	view_format_sort(s->view, &sort);
	view_format_columns(s->view, &columns);
	if (strcmp(sort.bytes, s->first_sort.bytes))
		keep_switch(s, "reverse", &o->reverse, false); /* it is in the signs */
	buf_add_str(&meter, view_meter(s->view));
	buf_add_str(&first_meter, o->cpu_meter);
	failed = keep_text(s, "cpu-meter", &meter, &first_meter, err) ||
		 keep_text(s, "sort", &sort, &s->first_sort, err) ||
		 keep_text(s, "columns", &columns, &s->first_columns, err);
	buf_fini(&sort);
	buf_fini(&columns);
	buf_fini(&meter);
	buf_fini(&first_meter);
	return failed ? -1 : 0;
}
