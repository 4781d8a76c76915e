/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "output/output.h"

UNIT_TEST(finds_a_format_by_name_and_by_extension)
{
	assert_string_equal(output_format_find("csv")->name, "csv");
	assert_null(output_format_find("nosuch"));
	assert_null(output_format_find(""));
	assert_string_equal(output_format_of_file("a.b/out.csv")->name, "csv");
	assert_string_equal(output_format_of_file("x.folded")->name, "folded");
	assert_string_equal(output_format_of_file("x.log")->name, "text");
#ifdef HAVE_JANSSON
	assert_string_equal(output_format_of_file("x.json")->name, "json");
	assert_string_equal(output_format_of_file("x.speedscope.json")->name, "speedscope");
	assert_string_equal(output_format_of_file("firefox.json")->name, "json");
#endif
#ifdef HAVE_PPROF
	assert_string_equal(output_format_of_file("x.pb.gz")->name, "pprof");
#endif
	assert_null(output_format_of_file("x.gz"));
	assert_string_equal(output_format_of_file("ptop.prom")->name, "openmetrics");
	assert_null(output_format_of_file("dir.csv/out"));
	assert_null(output_format_of_file("out.cs"));
	assert_null(output_format_of_file("out"));
	assert_null(output_format_of_file("out."));
}

UNIT_TEST(every_format_has_a_help_line_and_a_writer)
{
	for (size_t i = 0; output_formats[i]; i++) {
		const struct output_format *f = output_formats[i];

		assert_true((f->write != NULL) != (f->sample != NULL));
		assert_true(strlen(f->help) > 0);
		assert_ptr_equal(output_format_find(f->name), f);
	}
}

static const char *printed(double value)
{
	static struct buf b;

	buf_clear(&b);
	buf_add_char(&b, '=');
	value_print(&b, value);
	return b.bytes;
}

UNIT_TEST(numbers_are_plain)
{
	assert_string_equal(printed(0), "=0");
	assert_string_equal(printed(-0.0001), "=0");
	assert_string_equal(printed(1998), "=1998");
	assert_string_equal(printed(99.6), "=99.6");
	assert_string_equal(printed(100), "=100");
	assert_string_equal(printed(2.3455), "=2.346"); /* as JSON has it */
	assert_string_equal(printed(-1.05), "=-1.05");
	assert_string_equal(printed(0.007), "=0.007");
	assert_string_equal(printed(-8999999999999.5), "=-8999999999999.5");
	assert_string_equal(printed(-0.125), "=-0.125");
	assert_string_equal(printed(9007199254740993.0), "=9007199254740992");
	assert_string_equal(printed(1e300), "=1000000000000000019884624838656");
	assert_string_equal(printed(NAN), "=");
	assert_string_equal(printed(INFINITY), "=");
	assert_true(value_round(99.59999999) == 99.6);
	assert_true(value_round(1e18 + 4096) == 1e18 + 4096);
	assert_true(isnan(value_round(NAN)));
}

UNIT_TEST(time_is_utc_with_milliseconds)
{
	char text[TIME_TEXT_SIZE];

	time_format(text, 1767182400250999999u);
	assert_string_equal(text, "2025-12-31T12:00:00.250Z");
	time_format(text, 0);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
	time_format(text, UINT64_MAX);
	assert_string_equal(text, "2554-07-21T23:34:33.709Z");
}

#define PIPED_SIZE (3u << 20)

static void *read_all(void *fd)
{
	static char bytes[65536];
	size_t total = 0;
	ssize_t n;

	while ((n = read(*(int *)fd, bytes, sizeof(bytes))) > 0)
		total += (size_t)n;
	return (void *)total;
}

static struct buf filled(void)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < PIPED_SIZE / 16; i++)
		buf_add(&b, "0123456789abcdef", 16);
	return b;
}

/* A reader slower than the writer: a pipe that does not block is full most of the time. */
UNIT_TEST(writes_all_of_it_to_a_pipe_that_does_not_block)
{
	struct error err = { "" };
	struct buf b = filled();
	pthread_t reader;
	void *total;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(pthread_create(&reader, NULL, read_all, &fds[0]), 0);
	assert_int_equal(output_write(fds[1], "the pipe", &b, &err), 0);
	close(fds[1]);
	pthread_join(reader, &total);
	assert_int_equal((size_t)total, PIPED_SIZE);
	close(fds[0]);
	buf_fini(&b);
}

UNIT_TEST(a_reader_that_has_gone_is_no_error)
{
	struct error err = { "" };
	struct buf b = { 0 };
	int fds[2];

	buf_add_str(&b, "x");
	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(output_write(fds[1], "the pipe", &b, &err), 1);
	assert_string_equal(err.text, "");
	close(fds[1]);
	buf_fini(&b);
}

UNIT_TEST(a_full_disk_is_named)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct error err = { "" };
	struct buf b = { 0 };

	buf_add_str(&b, "x");
	if (fd >= 0) {
		assert_int_equal(output_write(fd, "/dev/full", &b, &err), -1);
		assert_string_equal(err.text, "cannot write to /dev/full: No space left on device");
		close(fd);
	}
	assert_int_equal(output_write(-1, "nothing", &b, &err), -1);
	assert_string_equal(err.text, "cannot write to nothing: Bad file descriptor");
	buf_fini(&b);
	assert_int_equal(output_write(-1, "nothing", &b, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_format_by_name_and_by_extension),
		cmocka_unit_test(every_format_has_a_help_line_and_a_writer),
		cmocka_unit_test(numbers_are_plain),
		cmocka_unit_test(time_is_utc_with_milliseconds),
		cmocka_unit_test(writes_all_of_it_to_a_pipe_that_does_not_block),
		cmocka_unit_test(a_reader_that_has_gone_is_no_error),
		cmocka_unit_test(a_full_disk_is_named),
	};

	return unit_run(tests);
}
