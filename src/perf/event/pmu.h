/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_PMU_H
#define PTOP_PERF_EVENT_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number-list.h"
#include "perf/event/evlist.h"

/*
 * The machine's PMUs as sysfs describes them: ABI/testing/sysfs-bus-event_source-devices* in the
 * kernel's documentation.
 *
 *   DEVICES/cpu/type             4
 *   DEVICES/cpu/format/umask     config:8-15
 *   DEVICES/cpu/events/mem-loads event=0xcd,umask=0x1,ldlat=3
 *   DEVICES/power/events/energy-pkg.scale  2.3283064365386962890625e-10
 *   DEVICES/power/events/energy-pkg.unit   Joules
 *   DEVICES/power/cpumask        0,16     one CPU that reads for its socket
 *   DEVICES/cpu_core/cpus        0-15     the CPUs that have this PMU
 */
struct pmu {
	const char *name;        /* borrowed */
	uint32_t type;           /* perf_event_attr.type */
	bool core;               /* of CPUs themselves: has the generalized events */
	bool socket_wide;        /* cpumask: counts for no process */
	struct number_list cpus; /* empty: all */
};

/* Where a term's value goes: bits of one of the config words. */
struct pmu_format {
	unsigned int word; /* 0 config, 1 config1, 2 config2 */
	uint64_t mask;
};

#define PMU_CONFIG_WORDS 3
#define PMU_TEXT_MAX 1024 /* bytes in one of these files, with the NUL */

/* 0, or a negative errno when there is no PMU of that name.  NAME must outlive P. */
int pmu_init(struct pmu *p, const struct event_env *env, const char *name);
void pmu_fini(struct pmu *p);

/* Path of DEVICES/PMU/SUB NAME, owned by the caller; and its text, read as by sysfile_read(). */
char *pmu_path(const struct event_env *env, const char *pmu, const char *sub, const char *name);
int pmu_read(const struct event_env *env, const char *pmu, const char *sub, const char *name,
	     char text[PMU_TEXT_MAX]);

/* The PMUs that the glob PATTERN matches; and the named events of one.  As sysfile_names(). */
int pmu_names(const struct event_env *env, const char *pattern, char ***names);
int pmu_events(const struct event_env *env, const char *pmu, char ***names);

/* Returns true if the file NAME in events/ is no event but says something about one: energy-pkg.unit. */
bool pmu_event_is_attribute(const char *name);

/* The word that the SIZE bytes at NAME mean: "config", "config1", "config2"; -1 for any other. */
int pmu_config_word(const char *name, size_t size);

/* Parses the text of a format file, "config1:0-7,32-35".  -1 when it is not of that form. */
int pmu_format_parse(const char *text, struct pmu_format *format);

#endif
