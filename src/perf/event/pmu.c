/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/pmu.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "perf/event/sysfile.h"

#define DEVICES "bus/event_source/devices"
#define CPU_MAX 65535

static const char *sysfs_root(const struct event_env *env)
{
	return env->sysfs ? env->sysfs : "/sys";
}

char *pmu_path(const struct event_env *env, const char *pmu, const char *sub, const char *name)
{
	return mem_printf("%s/" DEVICES "/%s/%s%s", sysfs_root(env), pmu, sub, name);
}

int pmu_read(const struct event_env *env, const char *pmu, const char *sub, const char *name,
	     char text[PMU_TEXT_MAX])
{
	char *path = pmu_path(env, pmu, sub, name);
	int n = sysfile_read(path, text, PMU_TEXT_MAX);

	free(path);
	return n;
}

static void read_cpus(struct pmu *p, const struct event_env *env)
{
	char text[PMU_TEXT_MAX];

	if (pmu_read(env, p->name, "cpumask", "", text) > 0) {
		p->socket_wide = true;
		number_list_parse(&p->cpus, text, "CPU", 0, CPU_MAX, NULL);
	} else if (pmu_read(env, p->name, "cpus", "", text) > 0) {
		p->core = true;
		number_list_parse(&p->cpus, text, "CPU", 0, CPU_MAX, NULL);
	}
	if (!strcmp(p->name, "cpu"))
		p->core = true;
}

int pmu_init(struct pmu *p, const struct event_env *env, const char *name)
{
	char *path = pmu_path(env, name, "type", "");
	uint64_t type;
	int status = sysfile_number(path, &type);

	free(path);
	memset(p, 0, sizeof(*p));
	if (status < 0)
		return status;
	p->name = name;
	p->type = (uint32_t)type;
	read_cpus(p, env);
	return 0;
}

void pmu_fini(struct pmu *p)
{
	number_list_fini(&p->cpus);
}

int pmu_names(const struct event_env *env, const char *pattern, char ***names)
{
	char *path = mem_printf("%s/" DEVICES, sysfs_root(env));
	int count = sysfile_names(path, pattern, names);

	free(path);
	return count;
}

bool pmu_event_is_attribute(const char *name)
{
	static const char *const suffixes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t n = strlen(name);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t size = strlen(suffixes[i]);

		if (n > size && !strcmp(name + n - size, suffixes[i]))
			return true;
	}
	return false;
}

int pmu_events(const struct event_env *env, const char *pmu, char ***names)
{
	char *path = pmu_path(env, pmu, "events", "");
	int all = sysfile_names(path, "*", names), count = 0;

	free(path);
	for (int i = 0; i < all; i++) {
		if (pmu_event_is_attribute((*names)[i]))
			free((*names)[i]);
		else
			(*names)[count++] = (*names)[i];
	}
	return all < 0 ? all : count;
}

int pmu_config_word(const char *name, size_t size)
{
	static const char *const names[PMU_CONFIG_WORDS] = { "config", "config1", "config2" };

	for (int i = 0; i < PMU_CONFIG_WORDS; i++) {
		if (strlen(names[i]) == size && !memcmp(names[i], name, size))
			return i;
	}
	return -1;
}

int pmu_format_parse(const char *text, struct pmu_format *format)
{
	const char *colon = strchr(text, ':');
	int word = colon ? pmu_config_word(text, (size_t)(colon - text)) : -1;
	struct number_list bits;

	if (word < 0 || number_list_parse(&bits, colon + 1, "bit", 0, 63, NULL) < 0)
		return -1;
	format->word = (unsigned int)word;
	format->mask = 0;
	for (size_t i = 0; i < bits.count; i++)
		format->mask |= UINT64_C(1) << bits.items[i];
	number_list_fini(&bits);
	return 0;
}
