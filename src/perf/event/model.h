/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_PERF_EVENT_MODEL_H
#define PTOP_PERF_EVENT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Events that only this model of CPU has, by the names of its manual: those of libpfm4, of which this
 * is the home.  Without the library there are none.
 *
 *   L1D:REPLACEMENT             an event and its unit mask
 *   skl::L1D:REPLACEMENT:c=1    with the model's name in front and an attribute behind it
 *
 * libpfm(3), and for each model libpfm_intel_skl(3) and the like.
 */
struct model_event {
	uint32_t type; /* as in perf_event_attr */
	uint64_t config, config1, config2;
	bool exclude_user, exclude_kernel, exclude_hv;
};

/*
 * Looks up the meaning of TEXT.  Returns 1; 0 if the model has no event of that name; -1 if it has
 * one but the rest is wrong, with the library's words for that in WHY.
 */
int model_find(const char *text, struct model_event *event, const char **why);

/*
 * Calls RECEIVE for each event of the models that this machine has, with each of its unit masks.
 * Both texts die on return; HELP is in English.
 */
typedef void model_receiver(void *context, const char *name, const char *help);
void model_each(model_receiver *receive, void *context);

#endif
