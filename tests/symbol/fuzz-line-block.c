/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "line-walk.h"
#include "symbol/line-block.h"

/*
 * Input: a byte, how a block was asked for (its low bit: with instructions), and what a worker that
 * somebody has taken over gave as the block.
 */
#define PLACES 3u

const struct fuzz_bound fuzz_bound = { 200000, 20000, 4096, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[PLACES] = { 1, 2, 3 };
	const bool instructions = size && data[0] & 1;
	const struct lines_request request = { .addresses = addresses,
					       .address_count = instructions ? 0 : PLACES,
					       .code_start = 4096,
					       .code_size = 64,
					       .instructions = instructions };
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct line_answer *a;

	if (fd < 0 || !size)
		return 0;
	if (write(fd, data + 1, size - 1) != (ssize_t)(size - 1) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0)
		abort();
	a = line_answer_new(1);
	line_answer_set_places(a, request.address_count);
	line_block_read(fd, &request, a, 0);
	line_answer_finish(a);
	line_walk(a);
	line_answer_free(a);
	close(fd);
	return 0;
}
