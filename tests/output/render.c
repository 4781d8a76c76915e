/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * render FORMAT [hardware|software|stacks|user|trouble|hostile [TABLE [LIMIT [COUNT]]]]: what the format makes of the sample
 * snapshot COUNT times (2), each as the next of the same output.  "user" has stacks, and no kernel symbols; "trouble" has findings, "hostile" as many, with long names.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/output.h"
#include "profile/sample-snapshot.h"

static const uint32_t pids[] = { 4123, 4180 };

/* A machine that waits, and processes that wait for its CPUs. */
static void make_trouble(struct snapshot *s, bool hostile)
{
	static char name[4000];

	memset(name, '"', sizeof(name) - 1);
	s->host.pressure = (struct pressure){ 71.5, 23.25, 4.5, 40, 12 };
	s->host.steal_percent = 12;
	s->sampling.lost = 512;
	s->sampling.asked_hz = 2 * s->sampling.frequency_hz;
	for (size_t i = 0; i < s->process_count; i++) {
		struct snapshot_process *p = &s->processes[i];

		p->delay_ns = 300000000 + (int64_t)i * 50000000;
		if (hostile)
			p->comm = name;
	}
	if (hostile)
		s->sampling.tier_reason = name;
	for (size_t i = 0; hostile && i < s->process_count; i++)
		s->processes[i].sampled = false;
}

static struct snapshot *snapshot_of(const char *kind)
{
	bool stacks = !strcmp(kind, "stacks") || !strcmp(kind, "user");
	struct snapshot *s =
		stacks ? sample_snapshot_stacks(true) : sample_snapshot(!strcmp(kind, "hardware"));

	if (!strcmp(kind, "trouble") || !strcmp(kind, "hostile"))
		make_trouble(s, !strcmp(kind, "hostile"));
	s->target.mode = "system";
	s->target.pids = pids;
	s->target.pid_count = 2;
	return s;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[2] : "hardware";
	const struct output_format *format = argc > 1 ? output_format_find(argv[1]) : NULL;
	size_t limit = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
	unsigned long count = argc > 5 ? strtoul(argv[5], NULL, 10) : 2;
	struct view_options options = { .limit_processes = limit,
					.limit_symbols = limit,
					.hide_kernel = !strcmp(kind, "user") };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);
	const struct output_trigger triggers[] = {
		{ "cpu% of \"load\" > 90", true, 3, 1, 0 },
		{ "psi.io.full > 20 for 5s", false, 0, 0, 0 },
		{ "cpu% of \"load\" > 90", true, 3, 2, 4 },
	};
	const struct output_push push = { 12, 1, 2, 3, 4, 56789, 7 };
	struct output_request request = {
		v,      argc > 3 ? argv[3] : NULL, true, triggers, 3, &push, NULL,
		"web1", "env=test,zone=a b"
	};
	struct buf out = { 0 };
	int failed = 0;

	setlocale(LC_CTYPE, "");
	if (!format || !v)
		return 77;
	for (int i = 0; i < (int)count && !failed; i++) {
		view_set_snapshot(v, snapshot_of(kind));
		failed = format->write(&out, &request, &err) ||
			 output_write(STDOUT_FILENO, "standard output", &out, &err);
		buf_clear(&out);
		request.first = false;
	}
	if (failed)
		fprintf(stderr, "%s\n", err.text);
	buf_fini(&out);
	view_free(v);
	return failed != 0;
}
