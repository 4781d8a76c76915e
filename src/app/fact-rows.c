/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/fact-rows.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>
#ifdef HAVE_LIBCAP
#include <sys/capability.h>
#endif

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/scanner.h"
#include "view/widget/text.h"

#define STATUS_MAX 65536
#define TEXT_FILE_MAX \
	(256 * 1024) /* of a command line or an environment: others choose their size */
#define VARIABLES_MAX 1024
#define NUMA_FILE_MAX (8 * 1024 * 1024)
#define NODES_MAX 1024
#define LINK_MAX 4096

static const char *why(int64_t error)
{
	if (error == -EACCES || error == -EPERM)
		return _("only its user and root may see this");
	if (error == -ENOENT ||
	    error == -EINVAL) /* the latter: attr/current without a security module */
		return _("none");
	if (error == -ESRCH)
		return _("it has ended");
	return strerror((int)-error);
}

/* Appends SIZE bytes of TEXT, cut. */
static void add_text(struct fact_reading *r, const char *key, const char *text, size_t size)
{
	size_t shown = MIN(size, (size_t)FACT_TEXT_MAX);
	char *cut = mem_strndup(text, shown), *whole = NULL;

	if (shown < size)
		whole = mem_printf(
			ngettext("%s… (%zu byte more)", "%s… (%zu bytes more)", size - shown), cut,
			size - shown);
	r->add(r->context, key, whole ? whole : cut);
	mem_free(cut, whole);
}

void fact_add(struct fact_reading *r, const char *key, const char *format, ...)
{
	char text[FACT_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	r->add(r->context, key, text);
}

void fact_add_missing(struct fact_reading *r, const char *key, int64_t error)
{
	fact_add(r, key, "%s", why(error));
}

static int64_t read_into(const struct fact_reading *r, struct buf *out, const char *name,
			 size_t limit)
{
	char path[64];
	int64_t size;

	if (r->tid)
		snprintf(path, sizeof(path), "%u/task/%u/%s", r->pid, r->tid, name);
	else
		snprintf(path, sizeof(path), "%u/%s", r->pid, name);
	size = procfs_read_whole(r->proc, path, out, limit);
	buf_add_str(out, ""); /* it has bytes, also of an empty file */
	return size;
}

int64_t fact_file(struct fact_reading *r, const char *name, size_t limit)
{
	return read_into(r, &r->text, name, limit);
}

static void read_link(struct fact_reading *r, const struct fact_row *row)
{
	char target[LINK_MAX];
	ssize_t size = procfs_read_link(r->proc, r->pid, r->tid, row->name, target, sizeof(target));

	if (size < 0)
		fact_add_missing(r, _(row->key), size);
	else
		add_text(r, _(row->key), target, (size_t)size);
}

/* The whole of a small file, without its newline. */
static void read_line(struct fact_reading *r, const struct fact_row *row)
{
	int64_t size = fact_file(r, row->name, STATUS_MAX);

	if (size < 0)
		fact_add_missing(r, _(row->key), size);
	else
		add_text(r, _(row->key), r->text.bytes, strcspn(r->text.bytes, "\n"));
}

/* "a\0b c\0": the arguments, those with blanks in quotes. */
static void read_command(struct fact_reading *r, const struct fact_row *row)
{
	int64_t size = fact_file(r, row->name, TEXT_FILE_MAX);
	struct scanner s, argument;
	struct buf out = { 0 };

	if (size < 0) {
		fact_add_missing(r, _(row->key), size);
		return;
	}
	buf_add(&r->text, "", 1); /* a cut one has no NUL at its end */
	s = scanner_of(r->text.bytes, r->text.size - (size && !r->text.bytes[size - 1]));
	while (scanner_part(&s, '\0', &argument)) {
		bool quoted = !scanner_left(&argument) ||
			      memchr(argument.at, ' ', scanner_left(&argument));

		buf_add_str(&out, out.size ? quoted ? " '" : " " : quoted ? "'" : "");
		buf_add(&out, argument.at, scanner_left(&argument));
		buf_add_str(&out, quoted ? "'" : "");
	}
	if (size)
		add_text(r, _(row->key), out.bytes, out.size);
	else
		fact_add(r, _(row->key), "%s", _("none"));
	buf_fini(&out);
}

static void add_variable(struct fact_reading *r, struct scanner variable)
{
	struct scanner name = { 0 };
	char *key = NULL;

	if (scanner_part(&variable, '=', &name))
		key = mem_strndup(name.at, MIN(scanner_left(&name), 256u));
	add_text(r, key ? key : "-", variable.at, scanner_left(&variable));
	free(key);
}

/* "PATH=/usr/bin\0HOME=/root\0" */
static void read_environment(struct fact_reading *r, const struct fact_row *row)
{
	int64_t size = fact_file(r, row->name, TEXT_FILE_MAX);
	struct scanner s, variable;
	size_t count = 0;

	if (size < 0) {
		fact_add_missing(r, "-", size);
		return;
	}
	buf_add(&r->text, "", 1); /* a cut one has no NUL at its end */
	s = scanner_of(r->text.bytes, r->text.size);
	while (scanner_part(&s, '\0', &variable)) {
		if (scanner_left(&variable) && count++ < VARIABLES_MAX)
			add_variable(r, variable);
	}
	if (count > VARIABLES_MAX)
		fact_add(r, "-",
			 ngettext("%zu variable more", "%zu variables more", count - VARIABLES_MAX),
			 count - VARIABLES_MAX);
	if (size == TEXT_FILE_MAX)
		fact_add(r, "-", _("only the first %d bytes were read"), TEXT_FILE_MAX);
}

static void read_status(struct fact_reading *r)
{
	r->status_size = read_into(r, &r->status, "status", STATUS_MAX);
	for (char *at = r->status.bytes; (at = strchr(at, '\n')); at++)
		*at = '\0';
}

/* The line of status that begins with the row's name, without that; NUL-terminated.  Tells its absence. */
static const char *status_line(struct fact_reading *r, const struct fact_row *row)
{
	struct scanner s, line;

	if (!r->status.bytes)
		read_status(r);
	s = scanner_of(r->status.bytes, r->status_size > 0 ? (size_t)r->status_size : 0);
	while (scanner_part(&s, '\0', &line)) {
		if (!scanner_word(&line, row->name))
			continue;
		scanner_blanks(&line);
		return line.at;
	}
	fact_add_missing(r, _(row->key), r->status_size < 0 ? r->status_size : -ENOENT);
	return NULL;
}

static void read_field(struct fact_reading *r, const struct fact_row *row)
{
	const char *line = status_line(r, row);

	if (line)
		add_text(r, _(row->key), *line ? line : _("none"),
			 strlen(*line ? line : _("none")));
}

/* "Uid:	1000	0	0	0": real, effective, saved, for files. */
static void read_ids(struct fact_reading *r, const struct fact_row *row)
{
	const char *line = status_line(r, row);
	struct scanner s = scanner_of(line, line ? strlen(line) : 0);
	uint64_t ids[4] = { 0 };
	size_t count = 0;

	while (count < 4 && scanner_u64(&s, &ids[count]))
		count++;
	if (line)
		fact_add(r, _(row->key), _("real %llu, effective %llu, saved %llu, for files %llu"),
			 (unsigned long long)ids[0], (unsigned long long)ids[1],
			 (unsigned long long)ids[2], (unsigned long long)ids[3]);
}

static void read_flag(struct fact_reading *r, const struct fact_row *row)
{
	const char *line = status_line(r, row);

	if (line)
		fact_add(r, _(row->key), "%s", *line == '0' ? _("no") : _("yes"));
}

/* prctl(2), PR_GET_SECCOMP. */
static void read_seccomp(struct fact_reading *r, const struct fact_row *row)
{
	static const char *const modes[] = { N_("none"), N_("strict: read, write and exit"),
					     N_("filtered system calls") };
	const char *line = status_line(r, row);
	unsigned mode = line ? (unsigned)(*line - '0') : 0;

	if (line)
		fact_add(r, _(row->key), "%s", mode < 3 ? _(modes[mode]) : line);
}

static uint64_t all_capabilities(struct fact_reading *r)
{
	char text[32];
	uint64_t last = 63;

	if (r->capabilities)
		return r->capabilities;
	if (procfs_read(r->proc, "sys/kernel/cap_last_cap", text, sizeof(text)) > 0)
		last = strtoull(text, NULL, 10);
	r->capabilities = last < 63 ? (1ull << (last + 1)) - 1 : UINT64_MAX;
	return r->capabilities;
}

static void add_capability(struct buf *out, unsigned number)
{
	char *name = NULL;

#ifdef HAVE_LIBCAP
	name = cap_to_name((cap_value_t)number);
#endif
	if (name)
		buf_printf(out, "%s%s", out->size ? " " : "",
			   strncmp(name, "cap_", 4) ? name : name + 4);
	else
		buf_printf(out, "%s%u", out->size ? " " : "", number);
#ifdef HAVE_LIBCAP
	cap_free(name);
#endif
}

static void add_capabilities(struct buf *out, uint64_t set)
{
	for (unsigned i = 0; i < 64; i++) {
		if (set >> i & 1)
			add_capability(out, i);
	}
}

/* "CapEff:	00000000a80425fb" */
static void read_capabilities(struct fact_reading *r, const struct fact_row *row)
{
	uint64_t all = all_capabilities(r), set;
	const char *line = status_line(r, row);
	struct buf out = { 0 };
	bool most;

	if (!line)
		return;
	set = strtoull(line, NULL, 16) & all;
	most = __builtin_popcountll(set) > __builtin_popcountll(all) / 2;
	add_capabilities(&out, most ? all & ~set : set);
	if (!out.size)
		fact_add(r, _(row->key), "%s", most ? _("all") : _("none"));
	else
		fact_add(r, _(row->key), most ? _("all but %s") : "%s", out.bytes);
	buf_fini(&out);
}

/* "4:memory,cpu:/docker/4f1c", "0::/system.slice/nginx.service" */
static void read_groups(struct fact_reading *r, const struct fact_row *row)
{
	int64_t size = fact_file(r, row->name, STATUS_MAX);
	struct scanner s = scanner_of(r->text.bytes, size > 0 ? (size_t)size : 0), line;
	struct scanner number, controllers;

	if (size < 0)
		fact_add_missing(r, "-", size);
	while (scanner_line(&s, &line) && scanner_part(&line, ':', &number) &&
	       scanner_part(&line, ':', &controllers)) {
		char *key = mem_strndup(controllers.at, scanner_left(&controllers));

		add_text(r, *key ? key : "cgroup2", line.at, scanner_left(&line));
		free(key);
	}
}

/* "pid:[4026531836]" */
static void read_namespace(struct fact_reading *r, const struct fact_row *row)
{
	char target[64], own[64];
	ssize_t size = procfs_read_link(r->proc, r->pid, r->tid, row->name, target, sizeof(target));
	const char *key = row->name + strlen("ns/"), *number = strchr(target, '[');
	bool known =
		procfs_read_link(r->proc, (uint32_t)getpid(), 0, row->name, own, sizeof(own)) > 0;

	if (size < 0 || !number) {
		if (size != -ENOENT) /* an older kernel has fewer kinds */
			fact_add_missing(r, key, size < 0 ? size : -EBADMSG);
		return;
	}
	number++;
	if (!known)
		fact_add(r, key, "%.*s", (int)strcspn(number, "]"), number);
	else if (!strcmp(target, own))
		fact_add(r, key, _("%.*s, the one of ptop"), (int)strcspn(number, "]"), number);
	else
		fact_add(r, key, _("%.*s, another than that of ptop"), (int)strcspn(number, "]"),
			 number);
}

/* Appends the words from FROM to TO of LINE to OUT, or as many as there are. */
static void add_column(struct buf *out, const struct scanner *line, size_t from, size_t to)
{
	size_t size = scanner_left(line);

	to = to < size ? to : size;
	while (from < to && line->at[to - 1] == ' ')
		to--;
	if (from < to)
		buf_add(out, line->at + from, to - from);
}

/*
 * Max open files            1024                 1048576              files
 *
 * Columns of 26, 21 and 21 characters: "%-25s %-20s %-20s %-10s" in fs/proc/base.c.
 */
static void read_limits(struct fact_reading *r, const struct fact_row *row)
{
	int64_t size = fact_file(r, row->name, STATUS_MAX);
	struct scanner s = scanner_of(r->text.bytes, size > 0 ? (size_t)size : 0), line;

	if (size < 0)
		fact_add_missing(r, "-", size);
	while (scanner_line(&s, &line)) {
		struct buf key = { 0 }, soft = { 0 }, hard = { 0 }, unit = { 0 };

		if (!scanner_word(&line, "Max "))
			continue;
		add_column(&key, &line, 0, 22);
		add_column(&soft, &line, 22, 43);
		add_column(&hard, &line, 43, 64);
		add_column(&unit, &line, 64, SIZE_MAX);
		if (key.size && soft.size && hard.size)
			fact_add(r, key.bytes, _("%s, may be raised to %s; %s"), soft.bytes,
				 hard.bytes, unit.size ? unit.bytes : _("a number"));
		buf_fini(&key);
		buf_fini(&soft);
		buf_fini(&hard);
		buf_fini(&unit);
	}
}

/* Adds the pages of a line of numa_maps to BYTES by node: "7f2c4a000000 default file=/a mapped=3 N0=2 N1=1 kernelpagesize_kB=4" */
static void add_nodes(struct scanner *line, double bytes[NODES_MAX])
{
	struct scanner s = *line, word = *line;
	uint64_t node, pages, kib = 4;

	for (const char *at = line->at; at < line->end; at++) {
		word.at = at;
		if (*at == ' ' && scanner_word(&word, " kernelpagesize_kB="))
			scanner_u64(&word, &kib);
	}
	for (; s.at < s.end; s.at++) {
		word.at = s.at;
		if (*s.at == ' ' && scanner_word(&word, " N") && scanner_at_digit(&word) &&
		    scanner_u64(&word, &node) && scanner_char(&word, '=') &&
		    scanner_u64(&word, &pages) && node < NODES_MAX)
			bytes[node] += (double)pages * (double)kib * 1024;
	}
}

static void read_nodes(struct fact_reading *r, const struct fact_row *row)
{
	double *bytes = mem_array(NODES_MAX, sizeof(*bytes));
	int64_t size = fact_file(r, row->name, NUMA_FILE_MAX);
	struct scanner s = scanner_of(r->text.bytes, size > 0 ? (size_t)size : 0), line;

	if (size < 0)
		fact_add_missing(r, "-", size);
	while (scanner_line(&s, &line))
		add_nodes(&line, bytes);
	for (size_t i = 0; i < NODES_MAX; i++) {
		char key[32], text[16];

		snprintf(key, sizeof(key), _("node %zu"), i);
		text_bytes(text, (int64_t)bytes[i]);
		if (bytes[i] > 0)
			fact_add(r, key, "%s", text);
	}
	if (size == NUMA_FILE_MAX)
		fact_add(r, "-", _("only the first %d bytes were read"), NUMA_FILE_MAX);
	free(bytes);
}

/* clang-format off */
static const struct fact_row rows[] = {
	{ N_("Environment"), NULL, "environ", read_environment, FACT_SECRET },
	{ N_("Program"), N_("command"), "cmdline", read_command, FACT_OPEN },
	{ NULL, N_("executable"), "exe", read_link, FACT_TRACED },
	{ NULL, N_("working directory"), "cwd", read_link, FACT_TRACED },
	{ NULL, N_("root directory"), "root", read_link, FACT_TRACED },
	{ N_("Rights"), N_("users"), "Uid:", read_ids, FACT_OPEN },
	{ NULL, N_("groups"), "Gid:", read_ids, FACT_OPEN },
	{ NULL, N_("further groups"), "Groups:", read_field, FACT_OPEN },
	{ NULL, N_("no new privileges"), "NoNewPrivs:", read_flag, FACT_OPEN },
	{ NULL, N_("seccomp"), "Seccomp:", read_seccomp, FACT_OPEN },
	{ NULL, N_("seccomp filters"), "Seccomp_filters:", read_field, FACT_OPEN },
	{ NULL, N_("effective capabilities"), "CapEff:", read_capabilities, FACT_OPEN },
	{ NULL, N_("permitted capabilities"), "CapPrm:", read_capabilities, FACT_OPEN },
	{ NULL, N_("inheritable"), "CapInh:", read_capabilities, FACT_OPEN },
	{ NULL, N_("ambient"), "CapAmb:", read_capabilities, FACT_OPEN },
	{ NULL, N_("bounding set"), "CapBnd:", read_capabilities, FACT_OPEN },
	{ NULL, N_("security label"), "attr/current", read_line, FACT_TRACED },
	{ N_("Control groups"), NULL, "cgroup", read_groups, FACT_OPEN },
	{ N_("Namespaces"), NULL, "ns/cgroup", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/ipc", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/mnt", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/net", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/pid", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/time", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/user", read_namespace, FACT_TRACED },
	{ NULL, NULL, "ns/uts", read_namespace, FACT_TRACED },
	{ N_("Limits"), NULL, "limits", read_limits, FACT_OPEN },
	{ N_("When memory runs out"), N_("oom score"), "oom_score", read_line, FACT_OPEN },
	{ NULL, N_("oom score adjustment"), "oom_score_adj", read_line, FACT_OPEN },
	{ N_("Open files and sockets"), NULL, "fd", read_open_files, FACT_TRACED },
	{ N_("Memory by NUMA node"), NULL, "numa_maps", read_nodes, FACT_TRACED },
};
/* clang-format on */

/*
 * A program file that lends ptop the right to trace lends it for measuring.  The owner of this file is root, where
 * the process may not be dumped.
 */
static bool may_read(const struct fact_reading *r, const struct fact_row *row)
{
	uint32_t user;

	if (!r->own_only || row->who == FACT_OPEN)
		return true;
	return !procfs_owner_of(r->proc, r->pid, "environ", &user) && user == getuid();
}

void facts_read(struct fact_reading *r)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && r->goes_on(r->context); i++) {
		const struct fact_row *row = &rows[i];

		if (row->who == FACT_SECRET && !r->environment)
			continue;
		if (row->heading)
			r->add(r->context, _(row->heading), NULL);
		if (may_read(r, row))
			row->read(r, row);
		else
			fact_add_missing(r, row->key ? _(row->key) : row->name, -EACCES);
	}
	buf_fini(&r->text);
	buf_fini(&r->status);
}
