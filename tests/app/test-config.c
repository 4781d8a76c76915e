/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file: what it may say, what it may not, and how it is written. */
#include "unit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config.h"
#include "app/named-file.h"

#define CONFIG(text) config(&o, text, sizeof(text) - 1, &notes)

static void config(struct options *o, const char *text, size_t size, struct buf *notes)
{
	struct buf bytes = { 0 };

	memset(notes, 0, sizeof(*notes));
	buf_add(notes, "", 0);
	buf_add(&bytes, text, size);
	options_init(o);
	config_parse(o, "f", &bytes, notes);
	buf_fini(&bytes);
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
	struct buf notes = { 0 }, text = { 0 };
	struct options o;
	struct error err;

	options_init(&o);
	assert_int_equal(options_parse(&o, 6, argv, &err), 0);
	buf_add_str(&text, "delay = 2\nzero = yes\nascii = yes\nfreq = 50\n");
	config_parse(&o, "f", &text, &notes);
	buf_fini(&text);
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
		struct buf exact = { .bytes = malloc(size ? size : 1), .size = size };
		struct buf notes = { 0 };
		struct options o;

		memcpy(exact.bytes, text, size);
		options_init(&o);
		config_parse(&o, "f", &exact, &notes);
		finish(&o, &notes);
		free(exact.bytes);
	}
}

/* TEXT as config_format() makes it anew with the options of O that have changed. */
static struct buf formatted(const char *text, const struct options *o)
{
	struct buf old = { 0 }, out = { 0 };

	buf_add_str(&old, text);
	config_format(&out, &old, o);
	buf_fini(&old);
	return out;
}

/* Sets the option NAME as a key does. */
static void change(struct options *o, const char *name, const char *value)
{
	struct error err = { "" };

	if (options_replace(o, option_find(name), value, &err))
		fail_msg("%s", err.text);
}

UNIT_TEST(a_file_without_changes_stays_as_it_is)
{
	static const char text[] =
		"# mine\n\n  delay=2 \nnew-one = 3\nbind F5 tree\nrubbish\nzero = maybe\n";
	struct buf notes, out;
	struct options o;

	CONFIG("# mine\n\n  delay=2 \nnew-one = 3\nbind F5 tree\nrubbish\nzero = maybe\n");
	out = formatted(text, &o);
	assert_string_equal(out.bytes, text);
	buf_fini(&out);
	out = formatted("delay = 1", &o);
	assert_string_equal(out.bytes, "delay = 1\n");
	buf_fini(&out);
	finish(&o, &notes);
}

UNIT_TEST(changes_take_the_place_of_their_lines)
{
	struct buf notes, out;
	struct options o;

	CONFIG("delay = 2\n");
	change(&o, "delay", "3");
	change(&o, "ascii", "yes");
	change(&o, "bind", "F5 help");
	out = formatted(
		"# slow\ndelay = 2\n# keys\nbind F6 tree\nfuture = 1\nbind = F7 help\ndelay = 5\n",
		&o);
	assert_string_equal(out.bytes,
			    "# slow\ndelay = 3\n# keys\nbind = F5 help\nfuture = 1\nascii = yes\n");
	buf_fini(&out);
	finish(&o, &notes);
}

/* As when all columns are the usual ones again. */
UNIT_TEST(an_option_that_is_given_no_longer_goes)
{
	struct buf notes, out;
	struct options o;

	CONFIG("delay = 2\n");
	o.given[option_find("columns") - option_table] = false;
	o.changed[option_find("columns") - option_table] = true;
	out = formatted("columns = pid\ndelay = 2\n", &o);
	assert_string_equal(out.bytes, "delay = 2\n");
	buf_fini(&out);
	finish(&o, &notes);
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
	static const char *const made[] = { "profiles/mine", "profiles/java", "profiles" };
	struct folder *f = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		snprintf(path, sizeof(path), "%s/ptop/%s", f->path, made[i]);
		remove(path);
	}

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
	options_replace(&o, option_find("delay"), "0.5", &err);
	options_replace(&o, option_find("threads"), "yes", &err);
	options_replace(&o, option_find("sort"), "pid", &err);
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

/* Makes a file of a person; its folders, too. */
static void make_file(const struct folder *f, const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/ptop", f->path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/ptop/profiles", f->path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/ptop/%s", f->path, name);
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static void what_another_one_wrote_stays(void **state)
{
	struct buf notes = { 0 };
	struct options first, second, again;
	struct error err;

	(void)state;
	options_init(&first);
	options_init(&second);
	change(&first, "delay", "0.5");
	change(&second, "threads", "yes");
	assert_int_equal(config_write(&first, &err), 0);
	assert_int_equal(config_write(&second, &err), 0);
	change(&first, "sort", "pid");
	assert_int_equal(config_write(&first, &err), 0);
	options_init(&again);
	config_load(&again, &notes);
	assert_null(notes.bytes);
	assert_true(again.delay_s == 0.5 && again.threads);
	assert_string_equal(again.sort, "pid");
	options_fini(&first);
	options_fini(&second);
	options_fini(&again);
}

static void a_writer_that_stands_still_holds_nobody_up(void **state)
{
	struct folder *f = *state;
	struct error err = { "" };
	struct options o;
	char path[128];
	int lock;

	make_file(f, "config", "delay = 2\n");
	snprintf(path, sizeof(path), "%s/ptop", f->path);
	lock = open(path, O_RDONLY | O_DIRECTORY);
	assert_int_equal(flock(lock, LOCK_EX), 0);
	options_init(&o);
	change(&o, "delay", "3");
	assert_int_equal(config_write(&o, &err), -1);
	assert_non_null(strstr(err.text, "another ptop writes it"));
	close(lock);
	assert_int_equal(config_write(&o, &err), 0);
	options_fini(&o);
}

/* Loads the profile NAME over what the words of ARGV say. */
static void load(struct options *o, int argc, char **argv, struct buf *notes)
{
	struct error err = { "" };

	memset(notes, 0, sizeof(*notes));
	options_init(o);
	if (options_parse(o, argc, argv, &err))
		fail_msg("%s", err.text);
	config_load(o, notes);
}

static void profile_stands_between_the_words_and_the_file(void **state)
{
	static char *argv[] = { (char *)"ptop", (char *)"--profile=mine", (char *)"-d4", NULL };
	struct folder *f = *state;
	struct buf notes, out;
	struct options o;

	make_file(f, "config", "delay = 2\nzero = yes\nhalf-life = 9\n");
	make_file(
		f, "profiles/mine",
		"delay = 3\nhalf-life = 8\nview = tree\nevent = off-cpu,cycles\ncall-graph = fp\n");
	load(&o, 3, argv, &notes);
	assert_null(notes.bytes);
	assert_true(o.delay_s == 4 && o.half_life_s == 8 && o.zero);
	assert_string_equal(o.view, "tree");
	assert_string_equal(o.call_graph, "fp");
	assert_int_equal(o.event_count, 1);
	assert_string_equal(o.events[0].text, "off-cpu,cycles");
	out = formatted("half-life = 9\n", &o);
	assert_string_equal(out.bytes, "half-life = 9\ndelay = 4\n"); /* nothing of the profile */
	buf_fini(&out);
	finish(&o, &notes);
}

static void profile_of_ones_own_takes_the_place(void **state)
{
	static char *argv[] = { (char *)"ptop", (char *)"--profile=java", NULL };
	struct folder *f = *state;
	struct buf notes;
	struct options o;

	load(&o, 2, argv, &notes);
	assert_null(notes.bytes);
	assert_true(o.java_names && o.threads);
	finish(&o, &notes);
	make_file(f, "profiles/java", "delay = 7\npid = 1\nprofile = io\n\x01\n");
	load(&o, 2, argv, &notes);
	assert_true(o.delay_s == 7 && !o.java_names);
	assert_non_null(strstr(notes.bytes,
			       "profiles/java:2: option 'pid' is for the command line only\n"));
	assert_non_null(strstr(notes.bytes,
			       "profiles/java:3: option 'profile' is for the command line only\n"));
	assert_non_null(strstr(notes.bytes, "profiles/java:4: '?' is no 'option = value'\n"));
	finish(&o, &notes);
}

/* Each that comes with ptop is right from its first to its last line. */
static void profiles_of_ptop_can_be_used(void **state)
{
	const char *name;

	(void)state;
	for (size_t i = 0; (name = named_built_in(NAMED_PROFILE, i)); i++) {
		char option[64];
		char *argv[] = { (char *)"ptop", option, NULL };
		struct buf notes;
		struct options o;
		size_t given = 0;

		snprintf(option, sizeof(option), "--profile=%s", name);
		load(&o, 2, argv, &notes);
		assert_null(notes.bytes);
		for (size_t row = 0; row < OPTION_LIMIT; row++)
			given += o.given[row];
		assert_in_range(given, 3, OPTION_LIMIT); /* the profile itself, and what it says */
		finish(&o, &notes);
	}
}

static void names_of_files_are_listed(void **state)
{
	struct folder *f = *state;
	struct named_names n;

	make_file(f, "profiles/mine", "delay = 3\n");
	named_names_init(&n, NAMED_PROFILE);
	assert_string_equal(n.items[0].name, "java");
	assert_string_equal(n.items[n.count - 1].name, "mine");
	assert_string_equal(n.items[n.count - 1].help, "");
	named_names_fini(&n);
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
	options_replace(&o, option_find("delay"), "2", &err);
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
	options_replace(&o, option_find("delay"), "2", &err);
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
		cmocka_unit_test(a_file_without_changes_stays_as_it_is),
		cmocka_unit_test(changes_take_the_place_of_their_lines),
		cmocka_unit_test(an_option_that_is_given_no_longer_goes),
		cmocka_unit_test_setup_teardown(what_another_one_wrote_stays, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(a_writer_that_stands_still_holds_nobody_up,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(profile_stands_between_the_words_and_the_file,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(profile_of_ones_own_takes_the_place, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(profiles_of_ptop_can_be_used, make_folder,
						remove_folder),
		cmocka_unit_test_setup_teardown(names_of_files_are_listed, make_folder,
						remove_folder),
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
