/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/doctor.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/events.h"
#include "app/help.h"
#include "base/i18n.h"
#include "perf/event/event.h"
#include "perf/live/catalog.h"
#include "perf/live/live.h"
#include "symbol/fetch.h"
#include "symbol/kernel.h"
#include "view/widget/text.h"

#define STATE_COLUMNS 9 /* of the first column, */
#define TEXT_COLUMN 30  /* and where the third one starts */
#define DEBUG_FILES "/usr/lib/debug/.build-id"

enum state { STATE_OK, STATE_LIMITED, STATE_MISSING };

struct finding {
	const struct options *options;
	const struct evlist *events; /* what a run would measure; NULL: nothing, */
	const struct source *source; /* by this; NULL: WHY says why not */
	const struct error *why;
	enum state state;
	struct buf has;  /* what there is, or is missing */
	struct buf help; /* what would work; empty: nothing is to be done */
};

/* ---- Events. */

struct trial {
	int error; /* -1: no such event */
	char why[512];
};

static void note_trial(void *context, const struct catalog_event *e)
{
	struct trial *t = context;

	t->error = e->error;
	snprintf(t->why, sizeof(t->why), "%s", e->why);
}

/* Opens the event NAME for a moment, as --list-events does. */
static struct trial try_event(const char *name)
{
	struct trial t = { .error = -1 };
	const struct event_env env = { .sysfs = NULL };
	struct error err = { "" };

	catalog_list(name, &env, note_trial, &t, &err);
	if (t.error < 0)
		snprintf(t.why, sizeof(t.why), "%s", err.text);
	return t;
}

static void examine_measuring(struct finding *f)
{
	static const struct {
		enum state state;
		const char *text;
	} tiers[] = {
		[TIER_CPU_GROUP] = { STATE_OK, N_("the whole machine: exact counters of every "
						  "process, samples of all") },
		[TIER_PER_TASK] = { STATE_LIMITED,
				    N_("own processes: their counters and samples") },
		[TIER_PROC] = { STATE_MISSING, N_("no events: the process table alone") },
	};

	if (!f->source) {
		f->state = STATE_MISSING;
		buf_add_str(&f->has, f->why->text);
		return;
	}
	f->state = tiers[f->source->tier].state;
	buf_add_str(&f->has, _(tiers[f->source->tier].text));
	if (f->state != STATE_OK && f->source->tier_reason)
		buf_add_str(&f->help, f->source->tier_reason);
}

/* Adds the counters that could not be opened, and why; returns how many there are of either kind. */
static unsigned add_missing_counters(struct finding *f, unsigned *missing)
{
	unsigned count = 0;

	*missing = 0;
	for (size_t i = 0; f->events && i < f->events->count; i++) {
		const struct evsel *e = f->events->items[i];

		if (e->type != event_at(EVENT_CYCLES)->type)
			continue;
		count++;
		if (!e->open_error)
			continue;
		buf_printf(&f->has, "%s%s", (*missing)++ ? ", " : "", e->name);
		buf_clear(&f->help);
		buf_add_str(&f->help, e->why ? e->why : strerror(e->open_error));
	}
	return count;
}

static void examine_counters(struct finding *f)
{
	unsigned missing, count = add_missing_counters(f, &missing);

	f->state = count && !missing ? STATE_OK : missing < count ? STATE_LIMITED : STATE_MISSING;
	if (f->state == STATE_OK)
		/* xgettext:no-c-format */
		buf_add_str(&f->has, _("hardware counters: IPC, MISS% and their kind"));
	else
		buf_add_str(&f->has, count ? _(" cannot be counted") : _("none is measured"));
	if (f->state != STATE_MISSING || !f->source || f->source->tier == TIER_PROC)
		return;
	buf_add_str(&f->has, _("; time is sampled instead of cycles"));
	buf_printf(&f->help, "%s%s", f->help.size ? "; " : "",
		   _("in a virtual machine its host must give it a PMU (QEMU: -cpu host,pmu=on)"));
}

static void examine_tracepoints(struct finding *f)
{
	struct trial t = try_event("sched:sched_switch");

	f->state = t.error ? STATE_MISSING : STATE_OK;
	buf_add_str(&f->has, t.error ? _("no tracepoints as events")
				     : _("tracepoints as events (-e sched:*)"));
	if (t.error)
		buf_add_str(&f->help, t.why);
}

/* ---- The kernel's settings. */

/* The number in FILE, or -1. */
static long number_of(const char *path)
{
	FILE *f = fopen(path, "re");
	long number = -1;

	if (f && fscanf(f, "%ld", &number) != 1)
		number = -1;
	if (f)
		fclose(f);
	return number;
}

/* The kernel lowers it by itself when its interrupts take long. */
static void examine_rate(struct finding *f)
{
	const long most = number_of("/proc/sys/kernel/perf_event_max_sample_rate");
	const long wanted = f->options->freq_hz ? (long)f->options->freq_hz : 1;

	if (most < 0) {
		f->state = STATE_MISSING;
		buf_add_str(&f->has, _("this kernel was built without performance events"));
		buf_add_str(&f->help, _("a kernel with CONFIG_PERF_EVENTS"));
		return;
	}
	f->state = most < wanted ? STATE_LIMITED : STATE_OK;
	buf_printf(&f->has, _("up to %ld samples a second on each CPU"), most);
	if (most < wanted)
		buf_printf(&f->help, "`sudo sysctl kernel.perf_event_max_sample_rate=%ld`",
			   4 * wanted);
}

static void examine_kernel_names(struct finding *f)
{
	struct kernel_place place;

	f->state = kernel_find("/proc/kallsyms", &place) ? STATE_OK : STATE_MISSING;
	buf_add_str(&f->has, f->state == STATE_OK ? _("functions of the kernel have names")
						  : _("functions of the kernel have no names"));
	if (f->state != STATE_OK)
		buf_printf(&f->help,
			   _("kernel.kptr_restrict is %ld: run as root where it is at most 1, or "
			     "`sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1`"),
			   number_of("/proc/sys/kernel/kptr_restrict"));
}

/* The first process is root's, and everybody sees it unless /proc hides others' (hidepid). */
static void examine_processes(struct finding *f)
{
	f->state = access("/proc/1/stat", R_OK) ? STATE_LIMITED : STATE_OK;
	buf_add_str(&f->has, f->state == STATE_OK ? _("the processes of all users")
						  : _("own processes alone"));
	if (f->state != STATE_OK)
		buf_add_str(&f->help, _("/proc hides those of others (hidepid): run as root"));
}

static void examine_waits(struct finding *f)
{
	const bool delays = !access("/proc/self/schedstat", R_OK);
	const bool io = !access("/proc/self/io", R_OK);

	f->state = delays && io ? STATE_OK : delays || io ? STATE_LIMITED : STATE_MISSING;
	buf_add_str(&f->has, delays && io ? _("waits for a CPU (QUEUE%), reads and writes (IO/S)")
			     : delays     ? _("waits for a CPU (QUEUE%), no reads and writes")
			     : io         ? _("reads and writes (IO/S), no waits for a CPU")
					  : _("neither waits for a CPU nor reads and writes"));
	if (f->state != STATE_OK)
		buf_add_str(&f->help, _("a kernel with CONFIG_SCHED_INFO and "
					"CONFIG_TASK_IO_ACCOUNTING"));
}

/* CAN is told if TRY returns 0: a program of the kernel does it.  Otherwise ptop does, as CANNOT says. */
static void examine_program(struct finding *f, int (*try)(struct error *err), const char *can,
			    const char *cannot)
{
	struct error err = { "" };

	f->state = try(&err) ? STATE_LIMITED : STATE_OK;
	buf_add_str(&f->has, f->state == STATE_OK ? can : cannot);
	if (f->state != STATE_OK)
		buf_add_str(&f->help, err.text);
}

static void examine_sums(struct finding *f)
{
	examine_program(f, live_sums_try, _("the kernel can sum waits (--engine bpf)"),
			_("ptop sums waits from each switch"));
}

static void examine_walks(struct finding *f)
{
	examine_program(f, live_walks_try, _("the kernel walks Python's frames at each sample"),
			_("ptop reads Python's frames after the sample"));
}

/* ---- Names. */

static void examine_debug_information(struct finding *f)
{
	const bool here = !access(DEBUG_FILES, R_OK | X_OK), server = fetch_is_wanted();

	f->state = here || server ? STATE_OK : STATE_LIMITED;
	if (server)
		buf_add_str(&f->has, _("debug files come from a server"));
	else if (here)
		buf_printf(&f->has, _("debug files are in %s"), DEBUG_FILES);
	else
		buf_add_str(&f->has, _("stripped programs have functions without names and no "
				       "source lines"));
	if (f->state != STATE_OK)
		buf_add_str(&f->help,
			    _("set DEBUGINFOD_URLS to your distribution's server, or install "
			      "packages with -dbg, -dbgsym or -debuginfo in their names"));
}

/* ---- The build and the terminal. */

static void examine_build(struct finding *f)
{
	static const struct {
		const char *what; /* what is missing without it */
		bool there;
	} parts[] = {
#ifdef HAVE_CAPSTONE
		{ N_("instructions"), true },
#else
		{ N_("instructions"), false },
#endif
#ifdef HAVE_DEBUGINFOD
		{ N_("debug files from a server"), true },
#else
		{ N_("debug files from a server"), false },
#endif
#ifdef HAVE_LIBCURL
		{ N_("profiles for a server (--push)"), true },
#else
		{ N_("profiles for a server (--push)"), false },
#endif
#ifdef HAVE_LIBCAP
		{ N_("giving up capabilities"), true },
#else
		{ N_("giving up capabilities"), false },
#endif
#ifdef HAVE_LIBSECCOMP
		{ N_("giving up system calls"), true },
#else
		{ N_("giving up system calls"), false },
#endif
	};
	unsigned missing = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].there)
			buf_printf(&f->has, "%s%s", missing++ ? ", " : _("without: "),
				   _(parts[i].what));
	}
	f->state = missing ? STATE_LIMITED : STATE_OK;
	if (!missing)
		buf_add_str(&f->has, _("all optional parts are built in"));
	else
		buf_add_str(&f->help, _("./configure says which library each one needs"));
}

static void examine_terminal(struct finding *f)
{
	const char *name = getenv("TERM");
	const bool screen = name && *name && strcmp(name, "dumb") != 0;
	const bool wide = !strcmp(nl_langinfo(CODESET), "UTF-8");

	f->state = !screen ? STATE_MISSING : wide ? STATE_OK : STATE_LIMITED;
	if (screen)
		buf_printf(&f->has, "%s, %s", name, nl_langinfo(CODESET));
	else
		buf_add_str(&f->has, _("no screen: -b prints snapshots"));
	if (!screen)
		buf_add_str(&f->help, _("set TERM, for example TERM=xterm-256color"));
	else if (!wide)
		buf_add_str(&f->help, _("a locale with UTF-8 draws lines and bars: "
					"LC_ALL=C.UTF-8"));
}

/* ---- All of it. */

/* clang-format off */
static const struct examination {
	const char *name;
	void (*examine)(struct finding *f);
} examinations[] = {
	{ N_("events"),            examine_measuring },
	{ N_("hardware counters"), examine_counters },
	{ N_("tracepoints"),       examine_tracepoints },
	{ N_("sampling rate"),     examine_rate },
	{ N_("processes"),         examine_processes },
	{ N_("waits and storage"), examine_waits },
	{ N_("sums of waits"),     examine_sums },
	{ N_("frames of Python"),  examine_walks },
	{ N_("kernel's names"),    examine_kernel_names },
	{ N_("debug information"), examine_debug_information },
	{ N_("this build"),        examine_build },
	{ N_("terminal"),          examine_terminal },
};

static const char *const state_names[] = {
	[STATE_OK]      = N_("ok"),
	[STATE_LIMITED] = N_("limited"),
	[STATE_MISSING] = N_("missing"),
};
/* clang-format on */

static void add_padded(struct buf *out, const char *text, int used, int column)
{
	buf_add_str(out, text);
	help_add_blanks(out, used + text_width(text), column);
}

static void add_finding(struct buf *out, const struct examination *e, const struct finding *f)
{
	add_padded(out, _(state_names[f->state]), 0, STATE_COLUMNS);
	add_padded(out, _(e->name), STATE_COLUMNS, TEXT_COLUMN);
	help_add_wrapped(out, f->has.bytes ? f->has.bytes : "", TEXT_COLUMN);
	if (!f->help.size)
		return;
	help_add_blanks(out, 0, TEXT_COLUMN - 3);
	buf_add_str(out, "-> ");
	help_add_wrapped(out, f->help.bytes, TEXT_COLUMN);
}

void doctor_examine(struct buf *out, const struct options *o)
{
	const struct source_options machine = { .mode = TARGET_SYSTEM, .uid = -1 };
	struct error err = { "" };
	struct evlist *events = events_of_options(o, &err);
	struct source *source = events ? live_source_open(events, &machine, &err) : NULL;

	for (size_t i = 0; i < sizeof(examinations) / sizeof(*examinations); i++) {
		struct finding f = {
			.options = o, .events = events, .source = source, .why = &err
		};

		examinations[i].examine(&f);
		add_finding(out, &examinations[i], &f);
		buf_fini(&f.has);
		buf_fini(&f.help);
	}
	source_close(source);
	evlist_free(events);
}
