/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts about one process: over a /proc of the test's own, and of this process as the kernel tells it. */
#include "unit.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/facts.h"
#include "base/alloc.h"
#include "proc/tree.h"
#include "view/golden.h"
#include "view/widget/page.h"

#define PID 7
#define START_TICKS 4711

static const struct ui_task task = { .pid = PID, .start_ticks = START_TICKS, .comm = "postgres" };

static void tree_link(struct tree *t, const char *name, const char *target)
{
	char *path = mem_printf("%s/%s", t->root, name);

	assert_int_equal(symlink(target, path), 0);
	free(path);
}

/* What the kernel writes into these files, of a server in a container. */
static void fill(struct tree *t)
{
	static const char *const kinds[] = { "ipc", "mnt", "pid" };
	char *own_folder = mem_printf("%d/ns/x", getpid());

	tree_task(t, &(struct tree_task){
			     .pid = PID, .comm = "postgres", .start_ticks = START_TICKS });
	tree_write(t, "7/cmdline", "postgres\0-D\0/srv/my data", 25);
	tree_printf(
		t, "7/status",
		"Name:\tpostgres\nTgid:\t7\nUid:\t70\t70\t70\t70\nGid:\t70\t70\t70\t70\nGroups:"
		"\t70 103 \n"
		"CapInh:\t0000000000000000\nCapPrm:\t0000000000003000\nCapEff:\t0000000000001000\n"
		"CapBnd:\t000001fffeffffff\nCapAmb:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:"
		"\t2\n"
		"Seccomp_filters:\t3\n");
	tree_printf(t, "sys/kernel/cap_last_cap", "40\n");
	tree_printf(t, "7/cgroup", "4:cpu,cpuacct:/docker/web\n0::/system.slice/docker.service\n");
	tree_printf(
		t, "7/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              unlimited            unlimited            seconds   \n"
		"Max open files            1024                 524288               files     \n"
		"Max nice priority         0                    0                    \n");
	tree_printf(t, "7/oom_score", "667\n");
	tree_printf(t, "7/oom_score_adj", "-900\n");
	tree_printf(t, "7/numa_maps",
		    "55d0c0000000 default file=/usr/bin/postgres mapped=3 N0=2 N1=1 "
		    "kernelpagesize_kB=4\n"
		    "7f0000000000 default anon=2 dirty=2 N1=2 kernelpagesize_kB=2048\n"
		    "7fff00000000 default file=/N0=9 stack anon=1 N0=1\n");
	tree_printf(t, "7/environ", "PGPASSWORD=secret");
	tree_link(t, "7/exe", "/usr/bin/postgres");
	tree_link(t, "7/cwd", "/srv/my data");
	tree_link(t, "7/root", "/");
	tree_printf(t, "7/ns/user_for_children", "-");
	tree_printf(t, own_folder, "-");
	mem_free(own_folder);
	for (size_t i = 0; i < 3; i++) {
		char *name = mem_printf("7/ns/%s", kinds[i]),
		     *own = mem_printf("%d/ns/%s", getpid(), kinds[i]);
		char *target = mem_printf("%s:[402653184%zu]", kinds[i], i);

		tree_link(t, name, target);
		tree_link(t, own, i == 1 ? "mnt:[9]" : target);
		mem_free(name, own, target);
	}
}

static void open_files(struct tree *t)
{
	tree_printf(t, "7/fd/x", "-");
	tree_link(t, "7/fd/0", "/dev/null");
	tree_link(t, "7/fd/1", "pipe:[55]");
	tree_link(t, "7/fd/3", "socket:[100]");
	tree_link(t, "7/fd/4", "socket:[101]");
	tree_link(t, "7/fd/5", "socket:[102]");
	tree_link(t, "7/fd/6", "socket:[103]");
	tree_link(t, "7/fd/7", "/srv/my data/base");
	tree_link(t, "7/fd/8", "anon_inode:[eventpoll]");
	tree_printf(t, "7/net/tcp",
		    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   "
		    "uid  timeout inode\n"
		    "   0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000   "
		    " 70        0 100 1\n"
		    "   1: 0100007F:1538 0200007F:A000 01 00000000:00000000 02:000000A7 00000000   "
		    " 70        0 101 2\n"
		    "   2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000   "
		    "  0        0 999 1\n");
	tree_printf(t, "7/net/tcp6",
		    "   0: 00000000000000000000000001000000:1538 "
		    "00000000000000000000000000000000:0000 0A "
		    "00000000:00000000 00:00000000 00000000    70        0 102 1 0000000000000000 "
		    "100 0 0 10 0\n");
	tree_printf(t, "7/net/unix",
		    "Num       RefCount Protocol Flags    Type St Inode Path\n"
		    "0000000000000000: 00000002 00000000 00010000 0001 01   103 "
		    "/run/postgres/.s.PGSQL.5432\n");
}

struct shown {
	struct facts *facts;
	struct page *page;
	struct grid *grid;
	struct buf text;
};

/* Reads all facts of T into a page of 120 columns. */
static void show(struct shown *s, const char *root, const struct ui_task *t, bool environment,
		 bool own_only)
{
	struct error err = { "" };

	memset(s, 0, sizeof(*s));
	s->facts = facts_new(root, own_only, &err);
	assert_non_null(s->facts);
	if (facts_begin(s->facts, t, environment, &err))
		fail_msg("%s", err.text);
	s->page = page_new("7 postgres", "keys");
	while (!facts_add_to(s->facts, s->page))
		usleep(1000);
	s->grid = grid_new(3000, 120);
	page_draw(s->page, s->grid);
	grid_dump(s->grid, &s->text);
}

static void unshow(struct shown *s)
{
	facts_free(s->facts);
	page_free(s->page);
	grid_free(s->grid);
	buf_fini(&s->text);
}

static void must_show(const struct shown *s, const char *text)
{
	if (!strstr(s->text.bytes, text))
		fail_msg("'%s' is missing in\n%s", text, s->text.bytes);
}

/* The line of KEY has TEXT. */
static void must_tell(const struct shown *s, const char *key, const char *text)
{
	char *begin = mem_printf("\n %s ", key), *line = strstr(s->text.bytes, begin), *end;
	bool told = false;

	if (line) {
		end = strchrnul(line + 1, '\n');
		line = mem_strndup(line, (size_t)(end - line));
		told = strstr(line, text);
		free(line);
	}
	free(begin);
	if (!told)
		fail_msg("'%s' is not of %s in\n%s", text, key, s->text.bytes);
}

UNIT_TEST(a_page_has_all_facts)
{
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	open_files(&t);
	show(&s, t.root, &task, false, false);
	grid_resize(s.grid, 74, 80);
	page_draw(s.page, s.grid);
	golden_check(s.grid, "facts-80x74");
	must_show(&s, "tcp 127.0.0.1:5432 - 127.0.0.2:40960 ESTABLISHED");
	must_show(&s, "tcp6 [::1]:5432 LISTEN");
	must_show(&s, "unix /run/postgres/.s.PGSQL.5432");
	assert_null(strstr(s.text.bytes, "secret"));
	unshow(&s);
	tree_fini(&t);
}

UNIT_TEST(the_environment_is_shown_on_request)
{
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	show(&s, t.root, &task, true, false);
	must_tell(&s, "PGPASSWORD", "secret");
	unshow(&s);
	tree_fini(&t);
}

/* A program file lent the right; here the owner of environ is not known, so it is somebody else's. */
UNIT_TEST(lent_rights_tell_nothing_of_others)
{
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	show(&s, t.root, &task, true, true);
	must_show(&s, "secret"); /* a process of ours */
	unshow(&s);
	tree_remove(&t, "7/environ");
	show(&s, t.root, &task, true, true);
	must_tell(&s, "working directory", "only its user and root may see this");
	must_tell(&s, "oom score", "667");
	assert_null(strstr(s.text.bytes, "/srv/my data/base"));
	unshow(&s);
	tree_fini(&t);
}

UNIT_TEST(who_got_the_pid_later_is_not_read)
{
	struct ui_task other = task;
	struct error err = { "" };
	struct facts *f;
	struct tree t;

	tree_init(&t);
	fill(&t);
	f = facts_new(t.root, false, &err);
	other.start_ticks++;
	assert_int_equal(facts_begin(f, &other, false, &err), -1);
	assert_string_equal(err.text, "cannot tell facts of 7 (postgres): it has ended");
	facts_free(f);
	tree_fini(&t);
}

UNIT_TEST(foreign_texts_are_harmless_and_bounded)
{
	size_t size = 300 * 1024;
	char *many = mem_alloc(size);
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	memset(many, 'x', size);
	memcpy(many, "A\033[2J=\033]0;b", 11);
	tree_write(&t, "7/environ", many, size);
	tree_printf(&t, "7/cmdline", "a\033[2Jb");
	show(&s, t.root, &task, true, false);
	assert_null(strchr(s.text.bytes, '\033'));
	must_show(&s, "a\xef\xbf\xbd[2Jb");
	must_show(&s, "bytes more)");
	must_show(&s, "only the first 262144 bytes were read");
	unshow(&s);
	free(many);
	tree_fini(&t);
}

UNIT_TEST(many_variables_are_bounded)
{
	struct buf all = { 0 };
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	for (int i = 0; i < 5000; i++)
		buf_add(&all, "a", 2);
	tree_write(&t, "7/environ", all.bytes, all.size);
	show(&s, t.root, &task, true, false);
	must_show(&s, "3976 variables more");
	unshow(&s);
	buf_fini(&all);
	tree_fini(&t);
}

/* 256 targets of nearly 4 KiB, of bytes that are no UTF-8: U+FFFD has three for each. */
UNIT_TEST(all_texts_together_are_bounded)
{
	char *target = mem_alloc(4096);
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	tree_printf(&t, "7/fd/x", "-");
	memset(target, 0x80, 4000);
	for (int i = 0; i < 256; i++) {
		char *name = mem_printf("7/fd/%d", i);

		tree_link(&t, name, target);
		free(name);
	}
	show(&s, t.root, &task, false, false);
	page_move(s.page, LONG_MAX);
	page_draw(s.page, s.grid);
	buf_clear(&s.text);
	grid_dump(s.grid, &s.text);
	must_show(&s, "there is more than a page takes; the rest is left out");
	unshow(&s);
	free(target);
	tree_fini(&t);
}

UNIT_TEST(what_is_left_out_of_many_files_is_told)
{
	struct tree t;
	struct shown s;

	tree_init(&t);
	fill(&t);
	tree_printf(&t, "7/fd/x", "-");
	for (int i = 0; i < 300; i++) {
		char *name = mem_printf("7/fd/%d", i);

		tree_link(&t, name, "/tmp/a");
		free(name);
	}
	show(&s, t.root, &task, false, false);
	must_tell(&s, "files and folders", "300");
	must_show(&s, "44 more are open");
	unshow(&s);
	tree_fini(&t);
}

UNIT_TEST(what_is_missing_is_told)
{
	struct tree t;
	struct shown s;

	tree_init(&t);
	tree_task(&t, &(struct tree_task){ .pid = PID, .start_ticks = START_TICKS });
	show(&s, t.root, &task, true, false);
	must_tell(&s, "working directory", "none");
	unshow(&s);
	tree_fini(&t);
}

/* The oracles are the system calls of this process. */
UNIT_TEST(this_process_is_told_as_the_kernel_does)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);
	struct ui_task self = { .pid = (uint32_t)getpid() };
	char line[512], *fields, cwd[4096];
	struct rlimit signals;
	struct shown s;
	FILE *f;

	assert_int_equal(bind(fd, (struct sockaddr *)&at, size) || listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	f = fopen("/proc/self/stat", "r");
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	fields = strrchr(line, ')');
	for (int field = 2; field < 22; field++)
		fields = strchr(fields + 1, ' ');
	self.start_ticks = strtoull(fields, NULL, 10);
	show(&s, "/proc", &self, false, false);
	snprintf(line, sizeof(line), "tcp 127.0.0.1:%u LISTEN", ntohs(at.sin_port));
	must_show(&s, line);
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	must_show(&s, strrchr(cwd, '/'));
	/* Not the limit of files: valgrind keeps some for itself and tells what is left. */
	assert_int_equal(getrlimit(RLIMIT_SIGPENDING, &signals), 0);
	snprintf(line, sizeof(line), "%llu, may be raised to %llu; signals",
		 (unsigned long long)signals.rlim_cur, (unsigned long long)signals.rlim_max);
	must_show(&s, line);
	must_show(&s, ", the one of ptop");
	assert_null(strstr(s.text.bytes, "another than that of ptop"));
	unshow(&s);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_all_facts),
		cmocka_unit_test(the_environment_is_shown_on_request),
		cmocka_unit_test(lent_rights_tell_nothing_of_others),
		cmocka_unit_test(who_got_the_pid_later_is_not_read),
		cmocka_unit_test(foreign_texts_are_harmless_and_bounded),
		cmocka_unit_test(many_variables_are_bounded),
		cmocka_unit_test(all_texts_together_are_bounded),
		cmocka_unit_test(what_is_left_out_of_many_files_is_told),
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(this_process_is_told_as_the_kernel_does),
	};

	if (!golden_locale()) {
		puts("no UTF-8 locale");
		return UNIT_SKIP;
	}
	return unit_run(tests);
}
