/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random walks on the screen over a world that a seed makes: what ptop says of what can happen is possible.
 *
 *	scripted [--runs N] [--seed S] [--steps N] [--without KIND,...] [--only I,J,...] [--verbose]
 *
 * Run number I has the seed S + I; without S the runs that once failed come first.  A run that fails is run again with fewer and fewer steps, until
 * each of those that are left is needed; they are printed, with the command that repeats them.
 */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/decimal.h"
#include "base/number-list.h"
#include "model/walker.h"

#define STEPS 60
/* Under a sanitizer a run takes ten times as long, and finds other things. */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 20
#else
#define RUNS 200
#endif
#define HANG_S 60
#define REASON_SIZE 512

struct walk {
	uint64_t seed;
	struct step *steps;
	bool *taken; /* one a step */
	size_t count;
	char reason[REASON_SIZE]; /* why it failed */
};

/* Walks that once showed a figure that could not be true. */
static const uint64_t failed_once[] = { 20262, 23136, 24667, 25124, 27849 };

struct settings {
	uint64_t runs, seed, steps; /* seed 0: none was given */
	const char *without, *only;
	bool verbose;
};

static bool is_left_out(const struct settings *o, enum step_kind kind)
{
	const char *at = o->without ? strstr(o->without, step_names[kind]) : NULL;

	return at != NULL;
}

static void roll(struct walk *w, const struct settings *o, uint64_t seed)
{
	struct dice d = { seed };

	w->seed = seed;
	w->count = o->steps;
	w->steps = mem_array(w->count, sizeof(*w->steps));
	w->taken = mem_array(w->count, sizeof(*w->taken));
	for (size_t i = 0; i < w->count; i++) {
		w->steps[i] = step_roll(&d);
		w->taken[i] = !is_left_out(o, w->steps[i].kind);
	}
}

/* The child: its exit status is 1 when a step failed, and OUT has why. */
static void run_here(const struct walk *w, int out)
{
	struct walker *walker = walker_new(w->seed);
	struct error err = { "" };

	for (size_t i = 0; i < w->count; i++) {
		if (!w->taken[i] || !walker_step(walker, &w->steps[i], &err))
			continue;
		if (write(out, err.text, strlen(err.text)) < 0)
			_exit(2);
		walker_free(walker);
		_exit(1);
	}
	walker_free(walker);
	_exit(0);
}

static void read_reason(struct walk *w, int in, int status)
{
	ssize_t n = read(in, w->reason, sizeof(w->reason) - 1);

	w->reason[n > 0 ? n : 0] = '\0';
	if (WIFSIGNALED(status))
		snprintf(w->reason, sizeof(w->reason), "signal %d (%s)", WTERMSIG(status),
			 WTERMSIG(status) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(status)));
}

/* Walks W in a process of its own.  Returns true if that fails. */
static bool fails(struct walk *w)
{
	int ends[2], status;
	pid_t pid;

	if (pipe(ends))
		abort();
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid) {
		close(ends[0]);
		alarm(HANG_S);
		run_here(w, ends[1]);
	}
	close(ends[1]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	read_reason(w, ends[0], status);
	close(ends[0]);
	return status != 0;
}

static bool same_kind(const char *a, const char *b)
{
	return strcspn(a, ":0123456789") == strcspn(b, ":0123456789") &&
	       !strncmp(a, b, strcspn(a, ":0123456789"));
}

/* Leaves out CHUNK steps from FROM on when it fails without them, in the same way. */
static bool leave_out(struct walk *w, size_t from, size_t chunk, const char *reason)
{
	bool *had = mem_array(w->count, sizeof(*had));
	bool any = false;

	memcpy(had, w->taken, w->count * sizeof(*had));
	for (size_t i = from; i < from + chunk && i < w->count; i++) {
		any |= w->taken[i];
		w->taken[i] = false;
	}
	if (any && !(fails(w) && same_kind(w->reason, reason))) {
		memcpy(w->taken, had, w->count * sizeof(*had));
		any = false;
	}
	free(had);
	return any;
}

static void shrink(struct walk *w)
{
	char *reason = mem_strdup(w->reason);
	bool less = true;

	for (size_t chunk = w->count / 2; chunk; chunk = chunk > 1 ? chunk / 2 : less) {
		less = false;
		for (size_t from = 0; from < w->count; from += chunk)
			less |= leave_out(w, from, chunk, reason);
	}
	fails(w);
	free(reason);
}

static void tell(const struct walk *w, const struct settings *o)
{
	const char *comma = "";

	printf("seed %llu: %s\n", (unsigned long long)w->seed, w->reason);
	for (size_t i = 0; i < w->count; i++) {
		struct buf text = { 0 };

		if (!w->taken[i])
			continue;
		step_describe(&w->steps[i], &text);
		printf("\t%s\n", text.bytes);
		buf_fini(&text);
	}
	printf("again: tests/model/scripted --runs 1 --steps %llu --seed %llu --only ",
	       (unsigned long long)o->steps, (unsigned long long)w->seed);
	for (size_t i = 0; i < w->count; i++) {
		if (!w->taken[i])
			continue;
		printf("%s%zu", comma, i);
		comma = ",";
	}
	putchar('\n');
}

static void keep_only(struct walk *w, const char *list)
{
	struct error err = { "" };
	struct number_list numbers;

	memset(w->taken, 0, w->count * sizeof(*w->taken));
	if (number_list_parse(&numbers, list, "step", 0, INT32_MAX, &err)) {
		fprintf(stderr, "%s\n", err.text);
		exit(2);
	}
	for (size_t i = 0; i < numbers.count; i++) {
		if (numbers.items[i] < w->count)
			w->taken[numbers.items[i]] = true;
	}
	number_list_fini(&numbers);
}

/* Returns true if the run of SEED went well. */
static bool walk(const struct settings *o, uint64_t seed)
{
	struct walk w = { 0 };
	bool failed;

	roll(&w, o, seed);
	if (o->only)
		keep_only(&w, o->only);
	failed = fails(&w);
	if (failed && !o->only)
		shrink(&w);
	if (failed || o->verbose)
		tell(&w, o);
	free(w.steps);
	free(w.taken);
	return !failed;
}

static void parse(struct settings *o, int argc, char **argv)
{
	struct {
		const char *name;
		uint64_t *number;
		const char **text;
	} options[] = {
		{ "--runs", &o->runs, NULL },   { "--seed", &o->seed, NULL },
		{ "--steps", &o->steps, NULL }, { "--without", NULL, &o->without },
		{ "--only", NULL, &o->only },
	};

	for (int i = 1; i < argc; i++) {
		size_t at = 0;

		if (!strcmp(argv[i], "--verbose")) {
			o->verbose = true;
			continue;
		}
		while (at < 5 && strcmp(options[at].name, argv[i]))
			at++;
		if (at == 5 || i + 1 == argc ||
		    (options[at].number &&
		     decimal_parse_u64(argv[i + 1], 0, UINT64_MAX, options[at].number))) {
			fprintf(stderr, "%s: not an option of scripted\n", argv[i]);
			exit(2);
		}
		if (options[at].text)
			*options[at].text = argv[i + 1];
		i++;
	}
}

/* Runs that crash leave their files in FOLDER, which goes in the end. */
static void enter_folder(char *folder)
{
	if (access("/dev/shm", W_OK))
		memcpy(folder, "/var/tmp", 8);
	if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1))
		abort();
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *f)
{
	(void)s;
	(void)type;
	(void)f;
	return remove(path);
}

int main(int argc, char **argv)
{
	struct settings o = { .runs = RUNS, .steps = STEPS };
	char folder[] = "/dev/shm/ptop-model-XXXXXX"; /* no disk waits for files of a moment */
	uint64_t failed = 0, runs = 0;

	parse(&o, argc, argv);
	enter_folder(folder);
	for (; !o.seed && runs < sizeof(failed_once) / sizeof(*failed_once); runs++)
		failed += !walk(&o, failed_once[runs]);
	for (uint64_t i = 0; i < o.runs; i++, runs++)
		failed += !walk(&o, (o.seed ? o.seed : 1) + i);
	nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	printf("%llu of %llu runs failed\n", (unsigned long long)failed, (unsigned long long)runs);
	return failed != 0;
}
