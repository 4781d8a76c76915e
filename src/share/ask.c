/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/ask.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/i18n.h"

#define ASK_MAGIC 0x346b736170746f70ull    /* "potpask4" of a little-endian writer */
#define ANSWER_MAGIC 0x34736e6170746f70ull /* both change with the numbers of ask.h */

bool ask_write(struct ask_message *m, enum ask_kind kind, const char *text)
{
	*m = (struct ask_message){ ASK_MAGIC, { .kind = kind } };
	if (strlen(text) >= sizeof(m->ask.text))
		return false;
	strcpy(m->ask.text, text);
	return true;
}

void ask_answer_write(struct ask_answer_message *m, enum ask_result result, const char *text)
{
	*m = (struct ask_answer_message){ ANSWER_MAGIC, { .result = result } };
	snprintf(m->answer.text, sizeof(m->answer.text), "%s", text);
}

static bool is_printable(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

bool ask_read(const void *bytes, size_t size, struct ask *a)
{
	struct bytes in = bytes_of(bytes, size);
	uint64_t magic = bytes_u64(&in), kind = bytes_u64(&in);
	const char *text = bytes_text(&in, ASK_TEXT_MAX);

	if (in.failed || in.left || magic != ASK_MAGIC || kind >= ASKS || !*text ||
	    !is_printable(text))
		return false;
	*a = (struct ask){ .kind = kind };
	strcpy(a->text, text);
	return true;
}

bool ask_answer_read(const void *bytes, size_t size, struct ask_answer *a)
{
	struct bytes in = bytes_of(bytes, size);
	uint64_t magic = bytes_u64(&in), result = bytes_u64(&in);
	const char *text = bytes_text(&in, ASK_TEXT_MAX);

	if (in.failed || in.left || magic != ANSWER_MAGIC || result >= ASK_RESULTS)
		return false;
	*a = (struct ask_answer){ .result = result };
	strcpy(a->text, text);
	return true;
}

/* clang-format off */
static const char *const refusals[ASK_RESULTS] = {
	[ASK_MANY_USERS] = N_("the server has viewers of as many users as it may have: its --serve-size "
			      "says how many"),
	[ASK_MANY_VIEWERS] = N_("the server has as many viewers as it may have: end another one"),
	[ASK_STRANGER] = N_("the server does not know which user this is: it runs in a container"),
	[ASK_NO_MEMORY] = N_("the server has no memory for another user"),
	[ASK_NOT_ALLOWED] = N_("the server may not add events for this user: --allow=events lets it"),
	[ASK_NOT_NAMED] = N_("the server adds events with a name of their own, such as page-faults, and no others for "
			     "this user"),
	[ASK_NOT_ASKED] = N_("this viewer did not ask for it: the server measures it all the same"),
	[ASK_TOO_MANY] = N_("the server measures as many events as one user may ask for: remove another"),
	[ASK_FULL] = N_("the server measures as many events as it may"),
	[ASK_TOO_OFTEN] = N_("too many events in too short a time: ask again in some seconds"),
	[ASK_WITHOUT_STACKS] = N_("it is nothing without stacks: start the server with -g or --allow=stacks"),
	[ASK_STACKS_NOT_ALLOWED] = N_("the server may not take them for this user: -g or --allow=stacks lets it"),
	[ASK_NEVER_STACKS] = N_("the server cannot take them while it runs: start it with -g"),
	[ASK_CODE_NOT_ALLOWED] = N_("the server may not read code for this user: --allow=code lets it"),
	[ASK_CODE_NOT_SHOWN] = N_("the server shows code to those who may see all functions: --serve-group lets a group"),
};
/* clang-format on */

const char *ask_refusal(enum ask_result result)
{
	return refusals[result] ? _(refusals[result]) : NULL;
}
