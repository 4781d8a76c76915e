/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/event/parse.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perf/event/model.h"

/* Events of the CPU's model: an event, masks and attributes, with colons between. */
static bool is_part(char c)
{
	return is_word(c) || c == ':' || c == '=';
}

/*
 * "L1D:REPLACEMENT:u" without ":u", which is every event's.  An attribute of the library that looks
 * like that is written with a value: "e=1".
 */
static struct token without_modifiers(struct token token)
{
	const char *end = token.at + token.size, *colon = end;

	while (colon > token.at && colon[-1] != ':' && strchr(MODIFIER_LETTERS, colon[-1]))
		colon--;
	if (colon > token.at + 1 && colon < end && colon[-1] == ':' && colon[-2] != ':')
		token.size = (size_t)(colon - 1 - token.at);
	return token;
}

static struct evsel *model_evsel(struct parser *p, struct token token,
				 const struct model_event *found)
{
	struct evsel *e =
		found->type == PERF_TYPE_RAW ? evsel_new("", 0) : parse_pmu_of_type(p, found->type);

	free(e->base);
	e->base = token_dup(token);
	e->type = found->type;
	e->config = found->config;
	e->config1 = found->config1;
	e->config2 = found->config2;
	e->exclude_user = found->exclude_user;
	e->exclude_kernel = found->exclude_kernel;
	e->exclude_hv = found->exclude_hv;
	return e;
}

/*
 * Names in another /sys than this machine's are not looked up: they do not belong to this machine's
 * CPU.
 */
int parse_model(struct parser *p, struct token word, bool *found)
{
	struct token token = { word.at, 0 };
	struct model_event event;
	const char *why;
	char *text;
	int status;

	*found = false;
	if (p->env->sysfs)
		return 0;
	p->at = word.at;
	token.size = parse_run(p, is_part).size;
	token = without_modifiers(token);
	p->at = word.at + token.size;
	text = token_dup(token);
	status = model_find(text, &event, &why);
	free(text);
	if (status < 0)
		return parse_error(p, token, "libpfm: %s", why);
	if (!status) {
		p->at = word.at + word.size;
		return 0;
	}
	*found = true;
	return parse_add(p, model_evsel(p, token, &event));
}
