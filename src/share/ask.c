/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "share/ask.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

#define ASK_MAGIC 0x336b736170746f70ull    /* "potpask3" of a little-endian writer */
#define ANSWER_MAGIC 0x33736e6170746f70ull /* both change with the numbers of ask.h */

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
