/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "evil-worker.h"
#include "line-walk.h"
#include "symbol/line-kernel.h"
#include "symbol/line-reader.h"

/*
 * Input: a byte, what is asked for; then what a worker that somebody has taken over says when it is asked for lines and
 * code.  Such a worker may ask for many files.
 */
enum { INSTRUCTIONS = 1, KERNEL = 2 };
#define PLACES 3u

const struct fuzz_bound fuzz_bound = { 1000000, 20000, 4096, 256 };

static void ask(struct line_reader *reader, bool instructions)
{
	static const uint64_t addresses[PLACES] = { 1, 2, 3 };
	const struct lines_options options = { .proc_root = "/nonexistent",
					       .debug_root = "/nonexistent" };
	const struct lines_request request = { .addresses = addresses,
					       .address_count = instructions ? 0 : PLACES,
					       .code_start = 4096,
					       .code_size = 64,
					       .instructions = instructions };
	const struct line_question question = { .request = &request, .options = &options };
	struct line_answer *a = line_answer_new(1);

	line_reader_answer(reader, &question, a);
	line_walk(a);
	line_answer_free(a);
}

/* The second question is for a worker that has answered before. */
static void read_lines(unsigned how)
{
	const bool is_kernel = how & KERNEL;
	const struct load l = { .key = { .kind = is_kernel ? DSO_KERNEL : DSO_FILE,
					 .path = "/proc/self/exe" },
				.proc_root = "/nonexistent",
				.debug_root = "/nonexistent" };
	struct line_kernel kernel = { .release = "0.0" };
	struct line_reader *reader;

	kernel.vmlinux.release = kernel.release;
	reader = line_reader_open(&l, evil.zygote, is_kernel ? &kernel : NULL);
	ask(reader, how & INSTRUCTIONS);
	ask(reader, how & INSTRUCTIONS);
	line_reader_close(reader);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	unsetenv("DEBUGINFOD_URLS");
	if (!size || !evil_prepare(data + 1, size - 1))
		return 0;
	read_lines(data[0]);
	evil_check();
	return 0;
}
