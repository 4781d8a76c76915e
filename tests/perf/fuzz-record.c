/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "perf/record/record.h"
#include "touch.h"

/*
 * Input: five words of the layout (sample_type, read_format, branch_sample_type, sample_regs_user,
 * sample_regs_intr), a byte of flags, and then records one behind the other.
 */
#define FLAG_SAMPLE_ID_ALL 1
#define FLAG_SWAP 2

static struct record_layout layout_take(struct bytes *b)
{
	struct record_layout layout = {
		.sample_type = bytes_u64(b),
		.read_format = bytes_u64(b),
		.branch_sample_type = bytes_u64(b),
		.sample_regs_user = bytes_u64(b),
		.sample_regs_intr = bytes_u64(b),
	};
	uint8_t flags = bytes_u8(b);

	layout.sample_id_all = flags & FLAG_SAMPLE_ID_ALL;
	layout.swap = flags & FLAG_SWAP;
	return layout;
}

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

int fuzz_input(const uint8_t *data, size_t size)
{
	static struct record r;
	struct bytes b = bytes_of(data, size);
	struct record_layout layout = layout_take(&b);

	if (b.failed)
		return 0;
	while (b.left) {
		int status = record_decode(&layout, b.at, b.left, &r);

		if (status && status != -EBADMSG)
			abort();
		if (status)
			break;
		if (r.size < 8 || r.size > b.left)
			abort();
		record_touch(&r);
		bytes_take(&b, r.size);
	}
	return 0;
}
