/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/launch.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/io.h"

#define SCRIPT_BYTES 256 /* the kernel reads as many of the first line (binfmt_script) */

struct runtime {
	const char *
		pattern; /* fnmatch(3), FNM_EXTMATCH: the last part of the program's path, links followed */
	const char *name;
	const char *variable, *value;
	const char *said; /* a value with this word says it already; NULL: any value does */
	bool joins;       /* the value is added to what the variable has */
	bool for_stacks;  /* nothing is needed without stacks */
	bool java;
	unsigned minor_since; /* of Python 3: earlier ones know no such variable */
	const char *advice;   /* N_(): for one that runs; NULL: none is needed */
};

/* clang-format off */
static const struct runtime runtimes[] = {
	{ .pattern = "@(node|nodejs)", .name = "Node.js", .variable = "NODE_OPTIONS",
	  .value = "--perf-basic-prof --interpreted-frames-native-stack", .said = "--perf-", .joins = true,
	  .advice = N_("NODE_OPTIONS=--perf-basic-prof at its start has Node.js name its code") },
	{ .pattern = "dotnet", .name = ".NET", .variable = "DOTNET_PerfMapEnabled", .value = "1",
	  .advice = N_("DOTNET_PerfMapEnabled=1 at its start has .NET name its code") },
	{ .pattern = "python3*", .name = "Python", .variable = "PYTHONPERFSUPPORT", .value = "1",
	  .minor_since = 12 },
	{ .pattern = "java", .name = "Java", .variable = "JDK_JAVA_OPTIONS",
	  .value = "-XX:+PreserveFramePointer", .said = "PreserveFramePointer", .joins = true,
	  .for_stacks = true, .java = true,
	  .advice = N_("key J, or --java-names, has Java name its code") },
};
/* clang-format on */

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where execvp(3) finds NAME, owned by the caller; NULL: nowhere. */
static char *program_path(const char *name)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return mem_strdup(name);
	while (at && *at) {
		size_t size = strcspn(at, ":");
		char *path = mem_printf("%.*s/%s", (int)size, size ? at : ".", name);

		if (!access(path, X_OK))
			return path;
		free(path);
		at += size + (at[size] == ':');
	}
	return NULL;
}

/* The first words of a script's first line; with env(1) the program that it looks for, else the first. */
static char *interpreter_of(char *line)
{
	char *rest = NULL, *word = strtok_r(line, " \t", &rest);
	bool env = word && !strcmp(last_part(word), "env");

	while (env && word && (word = strtok_r(NULL, " \t", &rest))) {
		if (*word != '-' && !strchr(word, '='))
			break;
	}
	return word ? program_path(word) : NULL;
}

/* The interpreter of the script at PATH, owned by the caller; NULL: it is no script. */
static char *script_interpreter(const char *path)
{
	char line[SCRIPT_BYTES + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t size = fd < 0 ? -1 : (ssize_t)io_read(fd, line, SCRIPT_BYTES);

	if (fd >= 0)
		close(fd);
	if (size < 2 || memcmp(line, "#!", 2) != 0)
		return NULL;
	line[size] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return interpreter_of(line + 2);
}

/* The file behind PATH's links; takes PATH. */
static char *without_links(char *path)
{
	char *real = path ? realpath(path, NULL) : NULL;

	if (!real)
		return path;
	free(path);
	return real;
}

/* The file of ARGV's program, or of what interprets it; owned by the caller, or NULL. */
static char *program_of(char *const argv[])
{
	char *path = program_path(argv[0]);
	char *interpreter = path ? script_interpreter(path) : NULL;

	if (!interpreter)
		return without_links(path);
	free(path);
	return without_links(interpreter);
}

/* A name without a version, as of a program built from source, is taken for a new one. */
static bool is_too_old(const struct runtime *r, const char *name)
{
	unsigned minor;

	return r->minor_since && sscanf(name, "python3.%u", &minor) == 1 && minor < r->minor_since;
}

static const struct runtime *runtime_of(const char *name)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++) {
		if (!fnmatch(runtimes[i].pattern, name, FNM_EXTMATCH))
			return is_too_old(&runtimes[i], name) ? NULL : &runtimes[i];
	}
	return NULL;
}

const char *launch_advice(const char *file)
{
	const struct runtime *r = runtime_of(file);

	return r ? r->advice : NULL;
}

static char *assignment(const struct runtime *r)
{
	const char *now = getenv(r->variable);

	if (!now || !*now)
		return mem_printf("%s=%s", r->variable, r->value);
	if (!r->said || strstr(now, r->said) || !r->joins)
		return NULL;
	return mem_printf("%s=%s %s", r->variable, now, r->value);
}

void launch_find(struct launch *l, char *const argv[], bool stacks)
{
	char *path = program_of(argv);
	const struct runtime *r = path ? runtime_of(last_part(path)) : NULL;

	*l = (struct launch){ 0 };
	free(path);
	if (!r)
		return;
	l->runtime = r->name;
	l->java = r->java;
	if (stacks || !r->for_stacks)
		l->variable = assignment(r);
}

void launch_fini(struct launch *l)
{
	free(l->variable);
	*l = (struct launch){ 0 };
}

void launch_apply(const struct launch *l)
{
	if (l->variable)
		putenv(l->variable);
}
