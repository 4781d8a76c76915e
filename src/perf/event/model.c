/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/model.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_LIBPFM4
/* It has its own <linux/perf_event.h>, and both cannot be had. */
#include <perfmon/pfmlib_perf_event.h>

#define NAME_MAX_BYTES 256

/* Returns true for a PMU of a CPU: neither the kernel's own events, which the library knows, too, nor a socket's. */
static bool is_model(pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	return pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && info.is_present &&
	       info.type == PFM_PMU_TYPE_CORE;
}

static bool has_model_event(int idx)
{
	pfm_event_info_t info = { .size = sizeof(info) };

	return pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info) == PFM_SUCCESS &&
	       is_model(info.pmu);
}

int model_find(const char *text, struct model_event *event, const char **why)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int status;

	if (pfm_initialize() != PFM_SUCCESS)
		return 0;
	status = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (status == PFM_ERR_NOTFOUND || (status == PFM_SUCCESS && !has_model_event(arg.idx)))
		return 0;
	*why = pfm_strerror(status);
	if (status != PFM_SUCCESS)
		return -1;
	*event = (struct model_event){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.exclude_user = attr.exclude_user,
		.exclude_kernel = attr.exclude_kernel,
		.exclude_hv = attr.exclude_hv,
	};
	return 1;
}

/* Each unit mask of the event; true when it has any. */
static bool each_mask(const char *pmu, const pfm_event_info_t *event, model_receiver *receive,
		      void *context)
{
	bool any = false;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t mask = { .size = sizeof(mask) };
		char name[NAME_MAX_BYTES];

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &mask) !=
			    PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s::%s:%s", pmu, event->name, mask.name);
		receive(context, name, mask.desc ? mask.desc : "");
		any = true;
	}
	return any;
}

static void each_event(const pfm_pmu_info_t *pmu, model_receiver *receive, void *context)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };
		char name[NAME_MAX_BYTES];

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS ||
		    each_mask(pmu->name, &event, receive, context))
			continue;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, event.name);
		receive(context, name, event.desc ? event.desc : "");
	}
}

void model_each(model_receiver *receive, void *context)
{
	int pmu;

	if (pfm_initialize() != PFM_SUCCESS)
		return;
	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (is_model((pfm_pmu_t)pmu) &&
		    pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS)
			each_event(&info, receive, context);
	}
}

#else

int model_find(const char *text, struct model_event *event, const char **why)
{
	(void)text;
	(void)event;
	(void)why;
	return 0;
}

void model_each(model_receiver *receive, void *context)
{
	(void)receive;
	(void)context;
}

#endif
