/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made by doc/make-python-offsets from the headers of each version: change that, not this. */
#include "runtime/python.h"

/* clang-format off */
const struct python_offsets python_offsets[] = {
	{
		.version = 0x030b, /* 3.11 */
		.interpreters = 40, .interpreter_next = 0, .threads = 16, .thread_next = 8,
		.thread_id = 160, .thread_entry = 56, .has_cframes = true, .cframe_frame = 8,
		.cframe_previous = 16, .frame_code = 32, .frame_previous = 48, .frame_mark = 68,
		.mark = 1, .code_words = 16, .code_line = 72, .code_file = 112, .code_name = 128,
		.code_start = 184, .text_length = 16, .text_state = 32, .text_ascii = 48,
		.text_wide = 72, .state_kind = 0x1c, .state_compact = 0x20, .state_ascii = 0x40,
	},
	{
		.version = 0x030c, /* 3.12 */
		.interpreters = 40, .interpreter_next = 0, .threads = 72, .thread_next = 8,
		.thread_id = 144, .thread_entry = 56, .has_cframes = true, .cframe_frame = 0,
		.cframe_previous = 8, .frame_code = 0, .frame_previous = 8, .frame_mark = 70,
		.mark = 3, .has_shims = true, .code_words = 16, .code_line = 68, .code_file = 112,
		.code_name = 128, .code_start = 192, .text_length = 16, .text_state = 32,
		.text_ascii = 40, .text_wide = 56, .state_kind = 0x1c, .state_compact = 0x20,
		.state_ascii = 0x40,
	},
	{
		.version = 0x030d, /* 3.13 */
		.interpreters = 632, .interpreter_next = 7264, .threads = 7344, .thread_next = 8,
		.thread_id = 160, .thread_entry = 72, .free_threaded = 16, .frame_code = 0,
		.frame_previous = 8, .frame_mark = 70, .mark = 3, .has_shims = true,
		.code_words = 16, .code_line = 68, .code_file = 112, .code_name = 128,
		.code_start = 200, .text_length = 16, .text_state = 32, .text_ascii = 40,
		.text_wide = 56, .state_kind = 0x1c, .state_compact = 0x20, .state_ascii = 0x40,
	},
};
/* clang-format on */

const size_t python_offset_count = sizeof(python_offsets) / sizeof(*python_offsets);
