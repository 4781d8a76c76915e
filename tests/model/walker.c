/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/walker.h"

#include "ui/plain-curses.h"
#include <linux/perf_event.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "perf/event/event.h"
#include "ui/key.h"
#include "ui/ui-state.h"
#include "ui/ui.h"
#include "view/list/calls.h"
#include "view/kind.h"
#include "view/list/object-list.h"
#include "view/list/rows.h"

#define VISIBLE 64
#define SHARE_ERROR 0.01 /* of sums of doubles, in percent */

struct walker {
	struct rig rig;
	struct world world;
	struct view *view;
	struct ui ui;
	bool wants_snapshot, zero_mode;
};

const char *const step_names[STEP_KINDS] = {
	[STEP_KEY] = "key",       [STEP_TEXT] = "text",   [STEP_RUN] = "run",
	[STEP_SIZE] = "size",     [STEP_CLICK] = "click", [STEP_LOST] = "lost",
	[STEP_BUDGET] = "budget", [STEP_JUMP] = "jump",   [STEP_TIME] = "time",
	[STEP_TYPED] = "typed",
};

static const char *const texts[] = {
	"",
	"c",
	"cc1",
	"one",
	"k",
	"[",
	"50",
	"50-60,71",
	"root",
	"0",
	"cpu-migrations",
	"off-cpu",
	"page-faults",
	"period=1",
	"99",
	"0.2",
	"nothing-of-that-name",
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

/* Steps. */

static uint32_t some_view_key(struct dice *d)
{
	size_t views = 0;
	char key;

	while (view_kinds[views].name)
		views++;
	do
		key = view_kinds[dice_below(d, views)].key;
	while (!key);
	return (unsigned char)key;
}

static uint32_t some_key(struct dice *d)
{
	size_t rows = 0, key = 0;
	const struct key_row *row;

	while (key_table[rows].act)
		rows++;
	/* Views have keys, too, and time has four rows. */
	if (!dice_below(d, 4))
		return some_view_key(d);
	if (!dice_below(d, 6))
		return (uint32_t) "[]{}"[dice_below(d, 4)];
	row = &key_table[dice_below(d, rows)];
	while (key + 1 < KEYS_OF_ROW && row->keys[key + 1])
		key++;
	return row->keys[0] ? row->keys[dice_below(d, key + 1)] : 'y';
}

struct step step_roll(struct dice *d)
{
	static const struct {
		unsigned weight;
		enum step_kind kind;
	} kinds[] = {
		{ 48, STEP_KEY },   { 8, STEP_TEXT },  { 26, STEP_RUN },
		{ 4, STEP_SIZE },   { 6, STEP_CLICK }, { 3, STEP_LOST },
		{ 2, STEP_BUDGET }, { 2, STEP_JUMP },  { 1, STEP_TIME },
	};
	uint64_t at = dice_below(d, 100);
	struct step s = { .a = dice_next(d), .b = dice_next(d) };
	size_t i = 0;

	while (at >= kinds[i].weight)
		at -= kinds[i++].weight;
	s.kind = kinds[i].kind;
	switch (s.kind) {
	case STEP_KEY:
		s.a = some_key(d);
		break;
	case STEP_TEXT:
		s.a %= TEXTS;
		s.b %= 2;
		break;
	case STEP_RUN:
		s.a = NS_PER_S / 10 + s.a % (s.a % 8 ? NS_PER_S / 2 : 4 * NS_PER_S);
		break;
	case STEP_SIZE:
		s.a = UI_ROWS_MIN + s.a % 60;
		s.b = UI_COLUMNS_MIN + s.b % 200;
		break;
	case STEP_CLICK:
		s.a %= 50;
		s.b %= 160;
		break;
	case STEP_LOST:
		s.b %= 200;
		break;
	case STEP_BUDGET:
		s.a %= 2;
		break;
	case STEP_JUMP:
		s.a >>= s.b % 60;
		break;
	default:
		break;
	}
	return s;
}

void step_describe(const struct step *s, struct buf *out)
{
	char label[16];

	buf_printf(out, "%s", step_names[s->kind]);
	if (s->kind == STEP_KEY) {
		key_label((uint32_t)s->a, label);
		buf_printf(out, " %s", label);
	} else if (s->kind == STEP_TEXT) {
		buf_printf(out, " '%s' and %s", texts[s->a], s->b ? "Enter" : "Esc");
	} else if (s->kind == STEP_RUN) {
		buf_printf(out, " %.3f s", (double)s->a / NS_PER_S);
	} else {
		buf_printf(out, " %llu %llu", (unsigned long long)s->a, (unsigned long long)s->b);
	}
}

/* The steps of a session. */

static void request(struct walker *w)
{
	struct engine_look look = { .hide_kernel = view_hides_kernel(w->view),
				    .hide_user = view_hides_user(w->view) };
	struct engine *e = w->rig.engine;
	uint32_t pids[VISIBLE];
	struct engine_request request = { .source = w->rig.source,
					  .visible = pids,
					  .budget_percent = 2 };
	struct snapshot *s;

	engine_set_commands(e, view_wants_commands(w->view));
	engine_set_threads(e, view_wants_threads(w->view));
	engine_set_extras(e, view_extras(w->view) & ~(unsigned)EXTRA_SOURCES);
	look.frame = view_function(w->view, &look.hottest);
	if (w->ui.paused && view_snapshot(w->view))
		look.held = view_snapshot(w->view)->addresses;
	engine_look(e, &look);
	request.visible_count = view_visible_pids(w->view, pids, VISIBLE);
	engine_stacks_sampled(e, w->rig.source->stack_period > 1);
	s = engine_snapshot(e, &request);
	if (w->ui.paused) {
		view_take_function(w->view, s);
		snapshot_free(s);
	} else {
		view_set_snapshot(w->view, s);
	}
}

static void on_enable_event(void *context, size_t event, bool enabled)
{
	struct walker *w = context;
	struct record gap = fake_lost(0, w->rig.now_ns, 0);

	w->rig.source->ops->set_enabled(w->rig.source, event, enabled);
	for (gap.cpu = 0; gap.cpu < w->world.cpu_count; gap.cpu++)
		engine_receive(w->rig.engine, &gap);
}

static int on_take_stacks(void *context, struct error *err)
{
	const struct stack_choice choice = { STACK_AUTO, 0 };
	struct rig *rig = &((struct walker *)context)->rig;

	(void)err;
	if (!rig->options.target.callchains)
		engine_take_stacks(rig->engine, &choice, &rig->options.layout);
	rig->options.target.callchains = true;
	return 0;
}

static int on_ask_java(void *context, struct error *err)
{
	(void)err;
	engine_ask_java(((struct walker *)context)->rig.engine);
	return 0;
}

static int on_add_events(void *context, const char *text, struct error *err)
{
	struct walker *w = context;
	struct evlist *l = w->rig.evlist;
	size_t had = l->count;

	if (had + 4 > WORLD_EVENTS)
		return error_set(err, "too many events");
	if (evlist_parse(l, text, err))
		return -1;
	for (size_t i = had; i < l->count; i++) {
		l->items[i]->role = EVSEL_SAMPLE;
		l->items[i]->enabled = true;
	}
	if (evlist_has_time(l))
		on_take_stacks(w, err);
	engine_grow(w->rig.engine);
	return 0;
}

static int on_add_event(void *context, enum event_id id, struct error *err)
{
	return on_add_events(context, event_at(id)->name, err);
}

static void on_remove_event(void *context, size_t event)
{
	struct evsel *e = ((struct walker *)context)->rig.evlist->items[event];

	e->removed = true;
	e->enabled = false;
	e->open_error = ECANCELED;
}

static void on_retune_event(void *context, size_t event, uint64_t freq_hz, uint64_t period)
{
	struct evsel *e = ((struct walker *)context)->rig.evlist->items[event];

	e->freq_hz = freq_hz;
	e->period = period;
}

static void on_set_delay(void *context, double seconds)
{
	(void)context;
	(void)seconds;
}

static void on_toggle_zero_mode(void *context)
{
	struct walker *w = context;

	w->zero_mode = !w->zero_mode;
	engine_set_mode(w->rig.engine, w->zero_mode ? HISTOGRAM_ZERO : HISTOGRAM_DECAY, 0);
}

static void on_zero(void *context)
{
	engine_zero(((struct walker *)context)->rig.engine);
}

static void on_set_threads(void *context, bool threads)
{
	(void)context;
	(void)threads;
}

static void on_refresh(void *context)
{
	((struct walker *)context)->wants_snapshot = true;
}

/* There are no options here to remember or to bring back. */
static void on_options(void *context)
{
	(void)context;
}

static void on_set_window(void *context, uint64_t from_ns, uint64_t to_ns)
{
	engine_set_window(((struct walker *)context)->rig.engine, from_ns, to_ns);
	on_refresh(context);
}

static int on_write(void *context, const char *path, struct error *err)
{
	(void)context;
	return error_set(err, "cannot write '%s'", path);
}

/* Processes of the model are only asked. */

static int act_number(const struct ui_task *t, int number, struct error *err)
{
	return t->pid % 3 ? 0 : error_set(err, "%u takes no %d", t->pid, number);
}

static int act_nice_by(const struct ui_task *t, int by, int *now, struct error *err)
{
	*now = by;
	return act_number(t, by, err);
}

static int act_text(const struct ui_task *t, const char *text, struct error *err)
{
	return *text ? act_number(t, 0, err) : error_set(err, "nothing for %u", t->pid);
}

static int act_tell(const struct ui_task *t, struct buf *out, struct error *err)
{
	buf_add_str(out, "0-3");
	return act_number(t, 0, err);
}

static const struct ui_acts acts = {
	act_number, act_nice_by, act_text, act_text, act_tell, act_tell,
};

/* As ui_handle_keys() does. */
static void press(struct walker *w, uint32_t key)
{
	struct ui *u = &w->ui;
	const struct key_binding *b = ui_binding(u, key);
	bool shared = b && ui_is_shared(b->row);

	if (key == KEY_CTRL('L') || key == KEY_CTRL('Z'))
		return; /* what a terminal does */
	u->key = key;
	ui_message(u, NULL);
	if (shared && !u->mode->typing)
		b->row->act(u, b->row);
	else
		u->mode->key(u, key);
	u->leaving = false;
}

/* Where nothing asks for a text, the next filter does. */
static void type_text(struct walker *w, const char *text, bool enter)
{
	if (w->ui.mode == &ui_table_mode)
		press(w, '\\');
	if (w->ui.mode == &ui_prompt_mode)
		press(w, KEY_CTRL('U'));
	for (; *text && w->ui.mode == &ui_prompt_mode; text++)
		press(w, (unsigned char)*text);
	press(w, enter ? KEY_RETURN : KEY_ESC);
}

static void set_budget(struct walker *w, bool on)
{
	w->world.few_switches = on;
	w->rig.source->reduced.sampled_counters = on;
	if (evlist_has_time(w->rig.evlist))
		w->rig.source->stack_period = on ? 16 : 1;
}

static void take(struct walker *w, const struct step *s)
{
	switch (s->kind) {
	case STEP_KEY:
		press(w, (uint32_t)s->a);
		break;
	case STEP_TEXT:
		type_text(w, texts[s->a], s->b);
		break;
	case STEP_RUN:
		world_run(&w->world, s->a, s->b);
		on_refresh(w);
		break;
	case STEP_SIZE:
		grid_resize(w->ui.grid, (int)s->a, (int)s->b);
		break;
	case STEP_CLICK:
		for (int i = 0; i < 2; i++)
			if (w->ui.mode->click)
				w->ui.mode->click(&w->ui, (int)s->a, (int)s->b, i);
		w->ui.leaving = false;
		break;
	case STEP_LOST:
		world_drop(&w->world, (unsigned)s->a, (unsigned)s->b);
		break;
	case STEP_BUDGET:
		set_budget(w, s->a);
		break;
	case STEP_JUMP:
		world_jump(&w->world, s->a);
		break;
	case STEP_TIME:
		world_tell_time(&w->world, (unsigned)s->a);
		break;
	case STEP_TYPED:
		do
			w->ui.leaving = false;
		while (!ui_handle_keys(&w->ui));
		break;
	default:
		break;
	}
}

/* The checks behind every step. */

static int check_invariants(const struct snapshot *s, struct error *err)
{
	for (size_t i = 0; i < s->violation_count; i++)
		return error_set(err, "%s: not so: %s", s->violations[i].name,
				 s->violations[i].text);
	return 0;
}

/* The columns that are shares of one whole: their rows have no more than that. */
static const struct {
	const struct list_kind *pane;
	const char *column;
	bool sums; /* rows have nothing in common */
} shares[] = {
	{ &list_processes, "samples%", true }, { &list_threads, "samples%", true },
	{ &list_symbols, "overhead%", true },  { &list_objects, "overhead%", true },
	{ &list_calltree, "total%", false },   { &list_calltree, "self%", false },
	{ &list_bottomup, "total%", false },   { &list_callers, "total%", false },
	{ &list_callees, "total%", false },    { &list_code, "overhead%", false },
};

static const struct column *find_column(const struct walker *w, const struct list_kind *pane,
					const char *name)
{
	const struct column *c = view_column_table(w->view, pane);

	while (c->name && strcmp(c->name, name))
		c++;
	return c->name ? c : NULL;
}

static int check_shares(const struct walker *w, const struct list_kind *pane,
			const struct column *c, bool sums, struct error *err)
{
	double sum = 0;

	for (size_t i = 0; i < view_list_count(w->view, pane); i++) {
		struct column_row row = view_list_row(w->view, pane, i);
		double percent = column_number(c, &row);

		if (isnan(percent))
			continue;
		if (!(percent >= 0 && percent <= 100 + SHARE_ERROR))
			return error_set(err, "%s of row %zu is %g", c->title, i, percent);
		sum += percent;
	}
	if (sums && sum > 100 + SHARE_ERROR)
		return error_set(err, "%s of all %zu rows is %g", c->title,
				 view_list_count(w->view, pane), sum);
	return 0;
}

static bool is_shown(const struct walker *w, const struct list_kind *pane)
{
	const struct view_kind *k = view_kind(w->view);

	for (size_t i = 0; i < k->pane_count; i++) {
		if (k->panes[i] == pane)
			return true;
	}
	return false;
}

static int check_view(const struct walker *w, struct error *err)
{
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		const struct column *c;

		if (!is_shown(w, shares[i].pane))
			continue;
		c = find_column(w, shares[i].pane, shares[i].column);
		if (c && check_shares(w, shares[i].pane, c, shares[i].sums, err))
			return -1;
	}
	return 0;
}

int walker_step(struct walker *w, const struct step *s, struct error *err)
{
	take(w, s);
	if (w->wants_snapshot)
		request(w);
	w->wants_snapshot = false;
	grid_clear(w->ui.grid);
	w->ui.mode->draw(&w->ui);
	if (!view_snapshot(w->view))
		return 0;
	return check_invariants(view_snapshot(w->view), err) || check_view(w, err) ? -1 : 0;
}

/* The setup has no options here, but the meters of the header. */
static int on_set_option(void *context, const char *name, const char *value, const char **said,
			 struct error *err)
{
	struct walker *w = context;

	(void)said;
	if (!strcmp(name, "meters") && !view_set_meters(w->view, value, err))
		return -1;
	return 0;
}

/* A seed decides what is measured, too. */
static void open_rig(struct walker *w, struct dice *d)
{
	bool stacks = dice_below(d, 2), times = stacks && dice_below(d, 2);
	bool faults = dice_below(d, 2);
	struct rig *rig = &w->rig;

	rig_init(rig,
		 times ? "cpu-clock,page-faults,task-clock,context-switches,off-cpu,wall-clock"
		       : "cpu-clock,page-faults,task-clock,context-switches",
		 TIER_CPU_GROUP);
	rig->evlist->items[1]->role = faults ? EVSEL_SAMPLE : EVSEL_COUNT;
	for (size_t i = 4; i < rig->evlist->count; i++)
		rig->evlist->items[i]->role = EVSEL_SAMPLE;
	rig->options.mode = HISTOGRAM_DECAY;
	rig->options.past = rig->options.addresses = true;
	rig->options.target.callchains = stacks;
	rig->options.cell_limit = dice_below(d, 4) ? 0 : HISTOGRAM_CELLS_MIN;
	rig->now_ns = 1000 * NS_PER_S + dice_below(d, NS_PER_S);
}

struct walker *walker_new(uint64_t seed)
{
	struct view_options options = { .full_command = true };
	struct walker *w = mem_alloc(sizeof(*w));
	struct dice d = { seed };
	struct error err = { "" };

	open_rig(w, &d);
	world_init(&w->world, &w->rig, dice_next(&d));
	w->rig.options.layout.sample_type = PERF_SAMPLE_CPU;
	rig_open(&w->rig);
	w->view = view_new(&options, &err);
	w->ui = (struct ui){
		.view = w->view,
		.mode = &ui_table_mode,
		.grid = grid_new(24, 80),
		.cursor = -1,
		.options = { .delay_s = 1 },
		.actions = { .context = w,
			     .enable_event = on_enable_event,
			     .add_events = on_add_events,
			     .add_event = on_add_event,
			     .take_stacks = on_take_stacks,
			     .ask_java = on_ask_java,
			     .remove_event = on_remove_event,
			     .retune_event = on_retune_event,
			     .set_delay = on_set_delay,
			     .toggle_zero_mode = on_toggle_zero_mode,
			     .zero = on_zero,
			     .set_threads = on_set_threads,
			     .set_window = on_set_window,
			     .refresh = on_refresh,
			     .remember_options = on_options,
			     .restore_options = on_options,
			     .set_option = on_set_option,
			     .write_snapshot = on_write,
			     .acts = seed % 4 ? &acts : NULL },
	};
	keymap_init(&w->ui.keys, key_schemes[seed % 3].name, NULL);
	return w;
}

struct terminal *walker_terminal(struct walker *w)
{
	return &w->ui.terminal;
}

void walker_free(struct walker *w)
{
	ui_leave_mode(&w->ui);
	grid_free(w->ui.grid);
	free(w->ui.message);
	free(w->ui.search);
	free(w->ui.filter);
	free(w->ui.wanted);
	free(w->ui.tasks);
	view_free(w->view);
	world_fini(&w->world);
	rig_fini(&w->rig);
	free(w);
}
