/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file: what it may say, what it may not, and how it is written. */
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "app/config.h"

#define CONFIG(text) config(&o, text, sizeof(text) - 1, &notes)

static void config(struct options *o, const char *text, size_t size, struct buf *notes)
{
	memset(notes, 0, sizeof(*notes));
	buf_add(notes, "", 0);
	options_init(o);
	config_parse(o, "f", text, size, notes);
}

static void finish(struct options *o, struct buf *notes)
{
	options_fini(o);
	buf_fini(notes);
}

UNIT_TEST(sets_what_it_says)
{
	struct options o;
	struct buf notes;

	CONFIG("# a comment\n\n  delay = 2.5  \nhide-kernel=yes\n\tthreads\t=\ttrue\r\nzero = "
	       "no\nfreq = max");
	assert_string_equal(notes.bytes, "");
	assert_true(o.delay_s == 2.5);
	assert_true(o.hide_kernel && o.threads && !o.zero && o.freq_max);
	finish(&o, &notes);
}

UNIT_TEST(what_cannot_be_used_is_skipped_and_named)
{
	struct options o;
	struct buf notes;

	CONFIG("nosuch = 1\ndelay = 0\nword\npid = 1\n= 3\nsort = nosuch\nfreq = 10\n");
	assert_non_null(strstr(notes.bytes, "f:1: unknown option 'nosuch'\n"));
	assert_non_null(strstr(notes.bytes, "f:2: delay '0' is not a number of seconds"));
	assert_non_null(strstr(notes.bytes, "f:3: 'word' is no 'option = value'\n"));
	assert_non_null(strstr(notes.bytes, "f:4: option 'pid' is for the command line only\n"));
	assert_non_null(strstr(notes.bytes, "f:5: unknown option ''\n"));
	assert_non_null(strstr(notes.bytes, "f:6: "));
	assert_null(strstr(notes.bytes, "f:7"));
	assert_true(o.delay_s == 1);
	assert_null(o.sort);
	assert_int_equal(o.freq_hz, 10);
	finish(&o, &notes);
}

UNIT_TEST(command_line_wins)
{
	static char *argv[] = { (char *)"ptop", (char *)"-d",  (char *)"3", (char *)"--zero=no",
				(char *)"-c",   (char *)"100", NULL };
	static const char text[] = "delay = 2\nzero = yes\nascii = yes\nfreq = 50\n";
	struct buf notes = { 0 };
	struct options o;
	struct error err;

	options_init(&o);
	assert_int_equal(options_parse(&o, 6, argv, &err), 0);
	config_parse(&o, "f", text, sizeof(text) - 1, &notes);
	assert_true(o.delay_s == 3);
	assert_false(o.zero);
	assert_true(o.ascii);
	assert_int_equal(o.period, 100);
	finish(&o, &notes);
}

UNIT_TEST(hostile_bytes_are_reported_harmlessly)
{
	struct options o;
	struct buf notes;

	CONFIG("\033[2J = 1\ndelay\0 = 2\n\xff\xfe = 3\nfreq = 20");
	assert_null(strchr(notes.bytes, '\033'));
	assert_non_null(strstr(notes.bytes, "f:2: a NUL byte"));
	assert_int_equal(o.freq_hz, 20);
	finish(&o, &notes);
}

UNIT_TEST(rubbish_is_not_a_thousand_messages)
{
	static char text[60000];
	struct options o;
	struct buf notes;
	size_t lines = 0;

	memset(text, '\n', sizeof(text));
	for (size_t i = 0; i < sizeof(text); i += 2)
		text[i] = 'x';
	config(&o, text, sizeof(text), &notes);
	for (const char *p = notes.bytes; *p; p++)
		lines += *p == '\n';
	assert_int_equal(lines, 11);
	finish(&o, &notes);
	memset(text, 'x', sizeof(text));
	config(&o, text, sizeof(text), &notes);
	assert_true(notes.size < 200);
	finish(&o, &notes);
}

/* Every prefix of a good file is parsed without reading past its end (a job for ASan). */
UNIT_TEST(every_truncation)
{
	static const char text[] = "# c\ndelay = 2.5\nsort = pid\nhide-kernel = yes\n";

	for (size_t size = 0; size < sizeof(text); size++) {
		char *exact = malloc(size ? size : 1);
		struct options o;
		struct buf notes;

		memcpy(exact, text, size);
		config(&o, exact, size, &notes);
		finish(&o, &notes);
		free(exact);
	}
}

struct folder {
	char path[64];
};

static int make_folder(void **state)
{
	struct folder *f = calloc(1, sizeof(*f));

	strcpy(f->path, "/tmp/ptop-test-XXXXXX");
	if (!mkdtemp(f->path))
		return -1;
	setenv("XDG_CONFIG_HOME", f->path, 1);
	*state = f;
	return 0;
}

static int remove_folder(void **state)
{
	struct folder *f = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/ptop/config", f->path);
	unlink(path);
	snprintf(path, sizeof(path), "%s/ptop", f->path);
	rmdir(path);
	rmdir(f->path);
	free(f);
	return 0;
}

static void is_read_back_as_it_was_written(void **state)
{
	struct folder *f = *state;
	struct buf notes = { 0 };
	struct options o, again;
	struct error err;
	struct stat st;
	char path[128];

	options_init(&o);
	options_set_kept(&o, option_find("delay"), "0.5", &err);
	options_set_kept(&o, option_find("threads"), "yes", &err);
	options_set_kept(&o, option_find("sort"), "pid", &err);
	assert_int_equal(config_write(&o, &err), 0);
	assert_int_equal(config_write(&o, &err), 0);
	snprintf(path, sizeof(path), "%s/ptop/config", f->path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	options_init(&again);
	config_load(&again, &notes);
	assert_null(notes.bytes);
	assert_true(again.delay_s == 0.5 && again.threads);
	assert_string_equal(again.sort, "pid");
	options_fini(&o);
	options_fini(&again);
}

static void symbolic_link_stays_one(void **state)
{
	struct folder *f = *state;
	char link[128], target[128], folder[128];
	struct options o;
	struct error err;
	struct stat st;

	options_init(&o);
	snprintf(folder, sizeof(folder), "%s/ptop", f->path);
	snprintf(link, sizeof(link), "%s/ptop/config", f->path);
	snprintf(target, sizeof(target), "%s/dotfile", f->path);
	mkdir(folder, 0700);
	fclose(fopen(target, "w"));
	assert_int_equal(symlink(target, link), 0);
	options_set_kept(&o, option_find("delay"), "2", &err);
	assert_int_equal(config_write(&o, &err), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(target, &st), 0);
	assert_true(st.st_size > 0);
	unlink(target);
	options_fini(&o);
}

static void file_of_somebody_else_is_left_alone(void **state)
{
	struct folder *f = *state;
	char folder[128], path[128];
	struct options o;
	struct error err = { "" };
	struct stat st;

	if (geteuid())
		skip(); /* only root can give a file away */
	options_init(&o);
	snprintf(folder, sizeof(folder), "%s/ptop", f->path);
	snprintf(path, sizeof(path), "%s/ptop/config", f->path);
	mkdir(folder, 0700);
	fclose(fopen(path, "w"));
	assert_int_equal(chown(path, 1, 1), 0);
	assert_int_equal(config_write(&o, &err), -1);
	assert_non_null(strstr(err.text, "belongs to user 1"));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	options_fini(&o);
}

/* Whoever owns a folder on the way can put any file of ours in the place of the configuration. */
static void folder_of_somebody_else_is_left_alone(void **state)
{
	struct folder *f = *state;
	char folder[128], path[128], target[128];
	struct buf notes = { 0 };
	struct error err = { "" };
	struct options o;
	struct stat st;

	if (geteuid())
		skip();
	options_init(&o);
	snprintf(folder, sizeof(folder), "%s/ptop", f->path);
	snprintf(path, sizeof(path), "%s/ptop/config", f->path);
	snprintf(target, sizeof(target), "%s/ours", f->path);
	mkdir(folder, 0700);
	fclose(fopen(target, "w"));
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(chown(folder, 1, 1), 0);
	options_set_kept(&o, option_find("delay"), "2", &err);
	assert_int_equal(config_write(&o, &err), -1);
	assert_non_null(strstr(err.text, "/ptop' belongs to user 1"));
	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(st.st_size, 0);
	config_load(&o, &notes);
	assert_non_null(strstr(notes.bytes, "not read: "));
	assert_non_null(strstr(notes.bytes, "/ptop' belongs to user 1"));
	buf_fini(&notes);
	assert_int_equal(chown(folder, 0, 0), 0);
	assert_int_equal(lchown(path, 1, 1), 0);
	assert_int_equal(config_write(&o, &err), -1);
	assert_non_null(strstr(err.text, "/config' belongs to user 1"));
	assert_int_equal(lchown(path, 0, 0), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_int_equal(config_write(&o, &err), -1);
	assert_non_null(strstr(err.text, "written by everybody"));
	unlink(target);
	options_fini(&o);
}

static void what_is_no_file_is_not_read(void **state)
{
	struct folder *f = *state;
	struct buf notes = { 0 };
	char folder[128], path[128];
	struct options o;

	options_init(&o);
	config_load(&o, &notes);
	assert_null(notes.bytes);
	snprintf(folder, sizeof(folder), "%s/ptop", f->path);
	snprintf(path, sizeof(path), "%s/ptop/config", f->path);
	mkdir(folder, 0700);
	assert_int_equal(mkfifo(path, 0600), 0);
	config_load(&o, &notes); /* must not wait for a writer */
	assert_non_null(strstr(notes.bytes, "no regular file"));
	buf_fini(&notes);
	options_fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_what_it_says),
		cmocka_unit_test(what_cannot_be_used_is_skipped_and_named),
		cmocka_unit_test(command_line_wins),
		cmocka_unit_test(hostile_bytes_are_reported_harmlessly),
		cmocka_unit_test(rubbish_is_not_a_thousand_messages),
		cmocka_unit_test(every_truncation),
		cmocka_unit_test_setup_teardown(is_read_back_as_it_was_written, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(symbolic_link_stays_one, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(file_of_somebody_else_is_left_alone, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(folder_of_somebody_else_is_left_alone, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_not_read, make_folder,
						remove_folder),
	};

	return unit_run(tests);
}
