/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "perf/record/trace-format.h"

/* As Linux 6.18 says it. */
static const char waking[] =
	"name: sched_waking\n"
	"ID: 375\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n";

UNIT_TEST(test_fields)
{
	struct trace_field f;
	uint64_t id;

	assert_true(trace_format_field(waking, strlen(waking), "pid", &f));
	assert_true(f.offset == 24 && f.size == 4 && f.is_signed);
	assert_true(trace_format_field(waking, strlen(waking), "common_type", &f));
	assert_true(f.offset == 0 && f.size == 2 && !f.is_signed);
	assert_true(trace_format_id(waking, strlen(waking), &id));
	assert_int_equal(id, 375);
	assert_true(trace_format_is(waking, strlen(waking), "sched_waking"));
	assert_false(trace_format_is(waking, strlen(waking), "sched_wak"));
	assert_false(trace_format_is(waking, strlen(waking), "sched_waking_"));
}

/* A text is no number; a part of a name is no name; what is printed is no field. */
UNIT_TEST(test_no_fields)
{
	struct trace_field f;

	assert_false(trace_format_field(waking, strlen(waking), "comm", &f));
	assert_false(trace_format_field(waking, strlen(waking), "comm[16]", &f));
	assert_false(trace_format_field(waking, strlen(waking), "id", &f));
	assert_false(trace_format_field(waking, strlen(waking), "", &f));
	assert_false(trace_format_field(waking, strlen(waking), "d", &f));
}

/* Whatever is missing, it is not found or found whole. */
UNIT_TEST(test_cut_short)
{
	struct trace_field f;
	uint64_t id;

	for (size_t size = 0; size < strlen(waking); size++) {
		char *copy = malloc(size + 1);

		memcpy(copy + 1, waking, size); /* up to the end of what may be read */
		if (trace_format_field(copy + 1, size, "pid", &f))
			assert_true(f.offset == 24 && f.size == 4);
		trace_format_id(copy + 1, size, &id);
		trace_format_is(copy + 1, size, "sched_waking");
		free(copy);
	}
}

UNIT_TEST(test_nonsense)
{
	static const char *const texts[] = {
		"field:pid_t pid;\toffset:99999999999999999999;\tsize:4;\tsigned:1;\n",
		"field:pid_t pid;\toffset:70000;\tsize:4;\tsigned:1;\n",
		"field:pid_t pid;\toffset:-8;\tsize:4;\tsigned:1;\n",
		"field:pid_t pid;\toffset:8;\tsize:3;\tsigned:1;\n",
		"field:pid_t pid;\tsize:4;\toffset:8;\tsigned:1;\n",
		"field:pid_t pid; offset:8",
		"field:pid",
		"field:",
		";;;;",
		"\n\n\n",
		"",
	};
	struct trace_field f;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(trace_format_field(texts[i], strlen(texts[i]), "pid", &f));
}

UNIT_TEST(test_numbers)
{
	static const unsigned char raw[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2 };
	int64_t value;

	assert_true(trace_field_read(&(struct trace_field){ 0, 4, true }, raw, sizeof(raw), false,
				     &value));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	assert_true(value == -2);
	assert_true(trace_field_read(&(struct trace_field){ 0, 4, false }, raw, sizeof(raw), false,
				     &value));
	assert_true(value == 0xfffffffe);
	assert_true(trace_field_read(&(struct trace_field){ 8, 2, false }, raw, sizeof(raw), true,
				     &value));
	assert_true(value == 0x0102);
#endif
	assert_true(trace_field_read(&(struct trace_field){ 9, 1, true }, raw, sizeof(raw), false,
				     &value));
	assert_true(value == 2);
	assert_false(trace_field_read(&(struct trace_field){ 9, 2, true }, raw, sizeof(raw), false,
				      &value));
	assert_false(trace_field_read(&(struct trace_field){ 60000, 8, true }, raw, sizeof(raw),
				      false, &value));
	assert_false(trace_field_read(&(struct trace_field){ 0 }, raw, sizeof(raw), false, &value));
	assert_false(trace_field_read(&(struct trace_field){ 0, 4, true }, NULL, 0, false, &value));
}

/* The flags are at 2: hardirq is 8, softirq 16, and an interrupt may interrupt a softirq. */
UNIT_TEST(test_context)
{
	static const struct {
		unsigned char flags;
		enum trace_context context;
	} expected[] = {
		{ 0x00, TRACE_IN_TASK },      { 0x01, TRACE_IN_TASK },
		{ 0x04, TRACE_IN_TASK },      { 0x10, TRACE_IN_SOFTIRQ },
		{ 0x15, TRACE_IN_SOFTIRQ },   { 0x08, TRACE_IN_INTERRUPT },
		{ 0x1d, TRACE_IN_INTERRUPT }, { 0xe7, TRACE_IN_TASK },
	};
	unsigned char raw[8] = { 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct trace_field flags;

	assert_true(trace_format_field(waking, strlen(waking), "common_flags", &flags));
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		raw[2] = expected[i].flags;
		assert_int_equal(trace_context_read(&flags, raw, sizeof(raw)), expected[i].context);
	}
	/* Not there, or not in the data: nothing says that it was an interrupt. */
	assert_int_equal(trace_context_read(&flags, raw, 2), TRACE_IN_TASK);
	assert_int_equal(trace_context_read(&(struct trace_field){ 0 }, raw, sizeof(raw)),
			 TRACE_IN_TASK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),    cmocka_unit_test(test_no_fields),
		cmocka_unit_test(test_cut_short), cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_numbers),   cmocka_unit_test(test_context),
	};

	return unit_run(tests);
}
