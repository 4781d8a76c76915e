/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/live-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/config.h"
#include "app/named-file.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/settings.h"
#include "perf/record/source.h"
#include "ui/keymap.h"
#include "view/kind.h"

void live_mark_given(struct session *s, const char *option)
{
	size_t i = (size_t)(option_find(option) - option_table);

	s->options->given[i] = s->options->changed[i] = true;
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
	view_set_bars(s->view, o->bars);
	view_set_braille(s->view, o->braille);
	return 0;
}

static bool is_measured(const struct snapshot *shown, const char *name)
{
	for (size_t i = 0; i < shown->event_count; i++) {
		if (!strcmp(shown->events[i].name, name) && !shown->events[i].removed)
			return true;
	}
	return false;
}

/* Counts what the columns with a formula need. */
static void count_for_formulas(struct session *s)
{
	const struct snapshot *shown = view_snapshot(s->view);
	struct evlist *more;
	const char *name;

	if (!shown || s->viewer || s->options->file)
		return;
	more = evlist_new();
	for (size_t i = 0; (name = view_wanted_event(s->view, i)); i++) {
		if (!is_measured(shown, name) &&
		    shown->event_count + more->count < SOURCE_EVENTS_MAX)
			events_count(more, name);
	}
	if (more->count)
		collector_add_events(s->collector, more);
	else
		evlist_free(more);
}

static int apply_columns(struct session *s, struct error *err)
{
	err->text[0] = '\0';
	if (!view_set_columns(s->view, s->options->columns, err) && err->text[0])
		return -1;
	count_for_formulas(s);
	return 0;
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

/* Returns false, with ERR set, if NAME is no theme; ERR is also set if only a line of it cannot be used. */
static bool read_theme(const char *name, struct theme_colors *t, struct error *err)
{
	struct buf notes = { 0 };
	struct named_file f;
	size_t used = 0;

	err->text[0] = '\0';
	if (!named_file_open(&f, NAMED_THEME, theme_choose(name, getenv("COLORFGBG")), err)) {
		used = theme_parse(t, f.path.bytes, &f.text, &notes);
		if (!settings_first_note(&notes, err) && !used)
			error_set(err, _("%s: this has no colours"), f.path.bytes);
	}
	named_file_fini(&f);
	buf_fini(&notes);
	return used;
}

void live_first_theme(const struct options *o, struct theme_colors *t, struct error *err)
{
	struct error again;

	if (!read_theme(o->theme, t, err) && !read_theme(THEME_AUTO, t, &again))
		theme_plain(t);
}

static int apply_theme(struct session *s, struct error *err)
{
	struct theme_colors theme;

	if (read_theme(s->options->theme, &theme, err))
		ui_set_theme(s->ui, &theme, !s->options->no_color);
	return *err->text ? -1 : 0;
}

static int apply_meter(struct session *s, struct error *err)
{
	(void)err;
	view_set_meter(s->view, s->options->cpu_meter);
	return 0;
}

static int apply_meters(struct session *s, struct error *err)
{
	return view_set_meters(s->view, s->options->meters, err) ? 0 : -1;
}

/* These two are in profiles alone. */

static int apply_view(struct session *s, struct error *err)
{
	(void)err;
	view_show(s->view, view_kind_find(s->options->view));
	return 0;
}

static int apply_call_graph(struct session *s, struct error *err)
{
	return strcmp(s->options->call_graph, "none") != 0 ? live_request_stacks(s, err) : 0;
}

/* clang-format off */
static const struct {
	const char *option;
	int (*apply)(struct session *s, struct error *err);
} applied[] = {
	{ "delay", apply_delay },
	{ "zero", apply_mode },
	{ "half-life", apply_mode },
	{ "hide-kernel", apply_switches },
	{ "hide-user", apply_switches },
	{ "of-all", apply_switches },
	{ "bars", apply_switches },
	{ "braille", apply_switches },
	{ "threads", apply_switches },
	{ "columns", apply_columns },
	{ "sort", apply_sort },
	{ "reverse", apply_reverse },
	{ "keys", apply_keys },
	{ "bind", apply_keys },
	{ "theme", apply_theme },
	{ "no-color", apply_theme },
	{ "cpu-meter", apply_meter },
	{ "meters", apply_meters },
	{ "view", apply_view },
	{ "call-graph", apply_call_graph },
};
/* clang-format on */

static int apply(struct session *s, const char *option, const char **said, struct error *err)
{
	for (size_t i = 0; i < sizeof(applied) / sizeof(*applied); i++) {
		if (!strcmp(applied[i].option, option))
			return applied[i].apply(s, err);
	}
	*said = _("from the next start on, if W writes the configuration");
	return 0;
}

/* A profile is chosen by name, and then forgotten: its lines are what W writes. */
static bool is_live(const struct option_row *row)
{
	return row->keep || row->completion == COMPLETE_PROFILE;
}

bool live_option(void *session, size_t i, struct ui_option *out)
{
	struct session *s = session;
	struct buf value = { 0 };

	live_options_keep(s, NULL);
	for (const struct option_row *row = option_table; row->name; row++) {
		if (!is_live(row) || i--)
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

static size_t choose_named(struct ui_choice *out, enum named_kind kind)
{
	struct named_names names;
	size_t count;

	named_names_init(&names, kind);
	count = names.count < UI_CHOICES_MAX ? names.count : UI_CHOICES_MAX;
	for (size_t i = 0; i < count; i++) {
		snprintf(out[i].name, sizeof(out[i].name), "%s", names.items[i].name);
		out[i].help = names.items[i].help;
	}
	named_names_fini(&names);
	return count;
}

static size_t choose_keys(struct ui_choice *out)
{
	size_t count = 0;

	for (const struct key_scheme *k = key_schemes; k->name; k++, count++) {
		snprintf(out[count].name, sizeof(out[count].name), "%s", k->name);
		out[count].help = _(k->help);
	}
	return count;
}

/* "auto cpu core" */
static size_t choose_words(struct ui_choice *out, const char *words)
{
	size_t count = 0;

	for (; *words && count < UI_CHOICES_MAX; count++) {
		size_t size = strcspn(words, " ");

		snprintf(out[count].name, sizeof(out[count].name), "%.*s", (int)size, words);
		out[count].help = "";
		words += size + strspn(words + size, " ");
	}
	return count;
}

size_t live_choices(void *session, const char *name, struct ui_choice out[UI_CHOICES_MAX])
{
	const struct option_row *row = option_find(name);

	(void)session;
	switch (row->completion) {
	case COMPLETE_THEME:
		return choose_named(out, NAMED_THEME);
	case COMPLETE_PROFILE:
		return choose_named(out, NAMED_PROFILE);
	case COMPLETE_KEYS:
		return choose_keys(out);
	default: /* words that nothing checks are examples */
		return row->words && row->check ? choose_words(out, row->words) : 0;
	}
}

struct profile_target {
	struct session *s;
	const char **said;
};

static int take_profile_line(void *context, const struct option_row *row, const char *value,
			     struct error *err)
{
	struct profile_target *t = context;

	if (row->completion == COMPLETE_EVENT)
		return live_request_events(t->s, value, err);
	return options_replace(t->s->options, row, value, err) ||
			       apply(t->s, row->name, t->said, err)
		       ? -1
		       : 0;
}

int live_set_option(void *session, const char *name, const char *value, const char **said,
		    struct error *err)
{
	struct session *s = session;
	struct profile_target target = { s, said };
	const struct option_row *row = option_find(name);

	live_options_keep(s, NULL);
	if (options_replace(s->options, row, value, err))
		return -1;
	if (row->completion == COMPLETE_PROFILE)
		return config_profile(value, take_profile_line, &target, err);
	return apply(s, name, said, err);
}

void live_remember(void *session)
{
	struct session *s = session;

	live_options_keep(s, NULL);
	s->remembered = *s->options;
	buf_clear(&s->remembered_sort);
	buf_clear(&s->remembered_columns);
	view_format_sort(s->view, &s->remembered_sort);
	view_format_columns(s->view, &s->remembered_columns);
}

/* Both have the same value of ROW. */
static bool is_same(const struct option_row *row, const struct options *a, const struct options *b)
{
	struct buf of_a = { 0 }, of_b = { 0 };
	bool same;

	row->format(&of_a, a, row);
	row->format(&of_b, b, row);
	same = of_a.size == of_b.size && (!of_a.size || !memcmp(of_a.bytes, of_b.bytes, of_a.size));
	buf_fini(&of_a);
	buf_fini(&of_b);
	return same;
}

/* Events that were added meanwhile stay, with their memory.  The view alone knows all of its columns and sort keys. */
void live_restore(void *session)
{
	struct session *s = session;
	struct options *o = s->options, now;
	const char *said;
	struct error err;

	live_options_keep(s, NULL);
	now = *o;
	*o = s->remembered;
	o->events = now.events;
	o->event_count = now.event_count;
	o->event_capacity = now.event_capacity;
	for (const struct option_row *row = option_table; row->name; row++) {
		if (row->keep && !row->late && !is_same(row, &now, o))
			apply(s, row->name, &said, &err);
	}
	view_set_columns(s->view, s->remembered_columns.bytes, NULL); /* "" are the usual ones */
	view_set_sort(s->view, s->remembered_sort.bytes, NULL);
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
	o->changed[row - option_table] = true;
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
