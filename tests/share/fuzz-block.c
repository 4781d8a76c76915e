/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "output/output.h"
#include "profile/sample-code.h"
#include "profile/sample-snapshot.h"
#include "share/block.h"
#include "share/layout.h"
#include "view/kind.h"
#include "view/view.h"
#include "view/widget/grid.h"

/*
 * Input: a byte that chooses a block, and changes of it: four bytes with the place and one for what is there, each.
 * So seeds stay of use when the format changes.  A block that was believed is shown in all views.
 */
#define ROWS 24
#define COLUMNS 80

const struct fuzz_bound fuzz_bound = { 500000, 20000, 16384, 4096 };

static struct snapshot *base_of(unsigned kind)
{
	struct snapshot *s =
		kind & 1 ? sample_snapshot_stacks(true) : sample_snapshot_threads(kind & 2);

	if (kind & 4)
		sample_cpus(s, 4, 1);
	if (kind & 8)
		sample_groups(s, 3);
	if (kind & 16)
		sample_code(s, kind & 32);
	return s;
}

static void show(struct snapshot *s)
{
	const struct view_options options = { .threads = true };
	struct error err = { "" };
	struct view *v = view_new(&options, &err);
	struct output_request request = { .view = v, .first = true };
	struct buf out = { 0 };
	struct grid *g = grid_new(ROWS, COLUMNS);

	view_set_snapshot(v, s);
	for (const struct view_kind *k = view_kinds; k->name; k++) {
		view_show(v, k);
		view_draw(v, g);
	}
	if (output_format_find("json"))
		output_format_find("json")->write(&out, &request, &err);
	buf_fini(&out);
	grid_free(g);
	view_free(v);
}

static void change(struct buf *block, struct bytes *in)
{
	while (in->left >= 5) {
		uint32_t place = bytes_u32(in);
		uint8_t value = bytes_u8(in);

		/* The format is kept: any other is refused at once. */
		place = (uint32_t)(sizeof(uint64_t) + place % (block->size - sizeof(uint64_t)));
		block->bytes[place] = (char)value;
	}
}

int fuzz_input(const uint8_t *data, size_t size)
{
	struct block_reader *r = block_reader_new(NULL, 0);
	struct bytes in = bytes_of(data, size);
	struct snapshot *s = base_of(bytes_u8(&in));
	struct buf block = { 0 };
	enum block_error why;

	if (block_write(s, BLOCK_BYTES_MIN * 4, &block) < 0)
		abort();
	snapshot_free(s);
	change(&block, &in);
	s = block_read(r, block.bytes, block.size, &why);
	if (!s != (why != BLOCK_GOOD))
		abort();
	if (s)
		show(s);
	block_reader_free(r);
	return 0;
}
