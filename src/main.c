/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exit codes, and the only place that prints an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config.h"
#include "app/doctor.h"
#include "app/help.h"
#include "app/jobs.h"
#include "app/options.h"
#include "app/priority.h"
#include "app/privilege.h"
#include "app/run.h"
#include "app/secret.h"
#include "base/alloc.h"
#include "base/i18n.h"
#include "output/output.h"
#include "view/widget/text.h"
#include "worker/zygote.h"

enum exit_code { EXIT_DONE = 0, EXIT_ENDED = 1, EXIT_USAGE = 2 };

/* So that no file of ours becomes standard output: reads and writes there fail as when closed. */
static void occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
	}
}

/*
 * No process that reads files may open one: the translations must be in memory before.  A text that no
 * catalogue has is looked for in all of them.
 */
static void init_locale(void)
{
	static const char in_none[] = " ";

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* numbers are read and written with a point */
	bindtextdomain(PACKAGE, LOCALEDIR);
	textdomain(PACKAGE);
	gettext(in_none);
}

static void init_color(struct options *o)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	o->no_color = (no_color && *no_color) || !term || !strcmp(term, "dumb");
}

/* TEXT may quote what came from outside. */
static void print_line(const char *text, size_t size)
{
	struct buf line = { 0 };

	buf_add_str(&line, "ptop: ");
	text_sanitize(&line, text, size, false);
	fprintf(stderr, "%s\n", line.bytes);
	buf_fini(&line);
}

static void print_notes(const struct buf *notes)
{
	const char *line = notes->bytes;

	while (line && *line) {
		size_t size = strcspn(line, "\n");

		print_line(line, size);
		line += size + (line[size] == '\n');
	}
}

/* Fills OUT when the options ask for a text and not for a run.  0, or -1 with ERR set. */
static int make_text(struct buf *out, const struct options *o, struct error *err)
{
	if (o->action == ACTION_HELP)
		help_options(out);
	else if (o->action == ACTION_VERSION)
		help_version(out);
	else if (o->action == ACTION_DOCTOR)
		doctor_examine(out, o);
	else if (o->columns && !strcmp(o->columns, "help"))
		help_columns(out);
	else if (o->sort && !strcmp(o->sort, "help"))
		help_sort_keys(out);
	else if (options_ask_conditions(o))
		help_conditions(out);
	else if (!strcmp(o->view, "help"))
		help_views(out);
	else if (o->action == ACTION_LIST_EVENTS && !help_events(out, o->list_glob, err))
		return err->text[0] ? -1 : error_set(err, _("no event matches '%s'"), o->list_glob);
	return 0;
}

static int run(struct options *o, struct error *err)
{
	struct session session;
	struct buf notes = { 0 };
	struct error late = { "" };
	int status, failed;

	config_load(o, &notes);
	if (options_are_live(o) && !privilege_is_lent())
		priority_raise(zygote_pid(o->zygote), o->max_overhead > 0);
	failed = run_open(&session, o, &notes, err);
	if (!failed)
		print_notes(&notes);
	if (failed) {
		buf_fini(&notes);
		return EXIT_USAGE;
	}
	buf_clear(&notes);
	status = run_session(&session, err);
	failed = run_close(&session, &notes, &late);
	print_notes(&notes);
	buf_fini(&notes);
	if (!failed)
		return status;
	if (!err->text[0])
		*err = late;
	return status ? status : EXIT_ENDED;
}

static int run_options(struct options *o, struct error *err)
{
	struct buf text = { 0 };
	int status = EXIT_USAGE;

	if (!make_text(&text, o, err)) {
		if (text.size)
			status = output_write(STDOUT_FILENO, _("standard output"), &text, err) < 0;
		else
			status = run(o, err);
	}
	buf_fini(&text);
	return status;
}

/*
 * Called where an allocation failed, in any thread and under any lock: nothing here allocates or waits for
 * one.  The text is not translated, for gettext() may allocate.
 */
static void end_without_memory(void)
{
	static const char text[] =
		"ptop: out of memory: raise the limit (ulimit -v, MemoryMax=), or "
		"measure less (-p, -u, without -g)\n";

	ui_emergency_restore();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_ENDED); /* nobody is left to read it */
	_exit(EXIT_ENDED);
}

int main(int argc, char **argv)
{
	struct options options;
	struct error err = { "" };
	int status = EXIT_USAGE;
	struct zygote *zygote;
	const char *token;

	privilege_begin();
	token = secret_take("PTOP_PUSH_TOKEN");
	occupy_standard_files();
	mem_tune();
	mem_on_failure(end_without_memory);
	init_locale();
	/* Before anything is open, and while there is one thread. */
	zygote = zygote_start(app_jobs, app_job_count);
	signals_catch_crash(ui_emergency_restore);
	options_init(&options);
	options.zygote = zygote;
	options.push_token = token;
	options.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	init_color(&options);
	if (!zygote)
		error_set(&err, _("cannot start a process: %s"), strerror(errno));
	else if (!options_parse(&options, argc, argv, &err))
		status = run_options(&options, &err);
	if (err.text[0])
		print_line(err.text, strlen(err.text));
	options_fini(&options);
	zygote_free(zygote);
	return status;
}
