/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "share/ask.h"

/*
 * Input: a byte whose lowest bit chooses a request (0) or an answer (1).  The next bit chooses what the rest is: the
 * message itself (0), or changes of a good one (1), two bytes with the place and what is there, each.  The further bits
 * choose what the good one asks for.
 */
const struct fuzz_bound fuzz_bound = { 2000, 1000, 64, 16 };

static void change(void *message, size_t size, struct bytes *in)
{
	while (in->left >= 2) {
		uint8_t place = bytes_u8(in);

		((unsigned char *)message)[place % size] = bytes_u8(in);
	}
}

/* What was read must be as its reader promises. */
static void check_request(const void *bytes, size_t size)
{
	struct ask a;

	if (!ask_read(bytes, size, &a))
		return;
	if (a.kind >= ASKS || !*a.text || strnlen(a.text, ASK_TEXT_MAX) == ASK_TEXT_MAX)
		abort();
	for (const char *c = a.text; *c; c++) {
		if (*c < ' ' || *c > '~')
			abort();
	}
}

static void check_answer(const void *bytes, size_t size)
{
	struct ask_answer a;

	if (ask_answer_read(bytes, size, &a) &&
	    (a.result >= ASK_RESULTS || strnlen(a.text, ASK_TEXT_MAX) == ASK_TEXT_MAX))
		abort();
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of(data, size);
	unsigned kind = bytes_u8(&in);
	struct ask_answer_message answer;
	struct ask_message request;

	if (!ask_write(&request, (kind >> 2) % ASKS, "page-faults"))
		abort();
	ask_answer_write(&answer, ASK_FULL, "page-faults");
	if (kind & 2) {
		change(&request, sizeof(request), &(struct bytes){ in.at, in.left, false, false });
		change(&answer, sizeof(answer), &in);
	}
	if (kind & 1)
		check_answer(kind & 2 ? (void *)&answer : (void *)in.at,
			     kind & 2 ? sizeof(answer) : in.left);
	else
		check_request(kind & 2 ? (void *)&request : (void *)in.at,
			      kind & 2 ? sizeof(request) : in.left);
	return 0;
}
