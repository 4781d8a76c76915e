/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The open files of a process.  A descriptor is a link in /proc/PID/fd (proc_pid_fd(5)).  A socket has only its inode
 * there; the tables of its network namespace say what it is (proc_pid_net(5)).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/fact-rows.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/i18n.h"
#include "base/scanner.h"

#define TARGET_MAX 4096
#define NET_FILE_MAX (4 * 1024 * 1024) /* some 25 000 sockets */
#define WORDS_MAX 10

static const struct {
	const char *begin, *name; /* N_() */
} kinds[] = {
	{ "socket:", N_("sockets") },
	{ "pipe:", N_("pipes") },
	{ "anon_inode:", N_("of the kernel") },
	{ "/memfd:", N_("memory (memfd)") },
	{ "/dev/", N_("devices") },
	{ "/", N_("files and folders") },
	{ "", N_("others") },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct open_file {
	uint32_t number;
	char *text; /* owned */
};

struct open_files {
	struct fact_reading *reading;
	struct open_file *items; /* FACT_FILES_LISTED */
	size_t count, counted, of_kind[KINDS];
	struct map sockets; /* inode to its struct open_file */
};

static size_t kind_of(const char *target)
{
	size_t i = 0;

	while (strncmp(target, kinds[i].begin, strlen(kinds[i].begin)) != 0)
		i++;
	return i;
}

static void list(struct open_files *f, uint32_t number, const char *target)
{
	struct open_file *file = &f->items[f->count++];
	unsigned long long inode;

	*file = (struct open_file){ number, mem_strdup(target) };
	if (sscanf(target, "socket:[%20llu]", &inode) == 1)
		map_put(&f->sockets, inode, file);
}

static int visit(void *context, uint32_t number)
{
	struct open_files *f = context;
	char name[16], target[TARGET_MAX];

	snprintf(name, sizeof(name), "fd/%u", number);
	if (procfs_read_link(f->reading->proc, f->reading->pid, 0, name, target, sizeof(target)) <
	    0)
		return 0; /* closed meanwhile */
	f->counted++;
	f->of_kind[kind_of(target)]++;
	if (f->count < FACT_FILES_LISTED)
		list(f, number, target);
	return f->counted == FACT_FILES_COUNTED || !f->reading->goes_on(f->reading->context);
}

/* Splits LINE at its blanks.  Returns the number of words, at most WORDS_MAX; the last one has the rest. */
static size_t split(struct scanner line, struct scanner words[WORDS_MAX])
{
	size_t count = 0;

	for (scanner_blanks(&line); scanner_left(&line) && count < WORDS_MAX;
	     scanner_blanks(&line)) {
		words[count].at = line.at;
		while (line.at < line.end && *line.at != ' ')
			line.at++;
		words[count++].end = line.at;
	}
	return count;
}

/* Eight digits for each 32 bits of an address, as the CPU has them: "0100007F:1F90" is 127.0.0.1:8080. */
static void add_address(struct buf *out, const struct scanner *word)
{
	size_t digits = (size_t)(strchrnul(word->at, ':') - word->at);
	char text[INET6_ADDRSTRLEN], piece[9] = "";
	uint32_t address[4] = { 0 };

	for (size_t i = 0; i < 4 && (i + 1) * 8 <= digits; i++) {
		memcpy(piece, word->at + i * 8, 8);
		address[i] = (uint32_t)strtoul(piece, NULL, 16);
	}
	if (!inet_ntop(digits == 32 ? AF_INET6 : AF_INET, address, text, sizeof(text)))
		return;
	buf_printf(out, digits == 32 ? "[%s]:%lu" : "%s:%lu", text,
		   word->at[digits] ? strtoul(word->at + digits + 1, NULL, 16) : 0);
}

/* include/net/tcp_states.h. */
static const char *const tcp_states[] = {
	"",          "ESTABLISHED", "SYN_SENT",   "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2",
	"TIME_WAIT", "CLOSE",       "CLOSE_WAIT", "LAST_ACK", "LISTEN",    "CLOSING",
};

/* "0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 12345" */
static void add_internet(struct buf *out, const struct scanner *words, size_t count)
{
	unsigned long state = strtoul(words[3].at, NULL, 16);

	(void)count;
	buf_add_char(out, ' ');
	add_address(out, &words[1]);
	if (strspn(words[2].at, "0") < strcspn(words[2].at, ":")) {
		buf_add_str(out, " - ");
		add_address(out, &words[2]);
	}
	if (state < sizeof(tcp_states) / sizeof(*tcp_states))
		buf_printf(out, " %s", tcp_states[state]);
}

/* "ffff9c2a: 00000002 00000000 00010000 0001 01 12345 /run/dbus/socket"; the last word may be absent */
static void add_local(struct buf *out, const struct scanner *words, size_t count)
{
	if (count > 7)
		buf_printf(out, " %.*s", (int)strcspn(words[7].at, "\n"), words[7].at);
}

static const struct net_table {
	const char *name; /* of the file, and of the protocol */
	size_t inode;     /* the word with it; words before it are there */
	void (*add)(struct buf *out, const struct scanner *words, size_t count);
} net_tables[] = {
	{ "net/tcp", 9, add_internet }, { "net/tcp6", 9, add_internet },
	{ "net/udp", 9, add_internet }, { "net/udp6", 9, add_internet },
	{ "net/unix", 6, add_local },
};

static void name_socket(struct open_files *f, const struct net_table *table, struct scanner line)
{
	struct scanner words[WORDS_MAX];
	size_t count = split(line, words);
	struct open_file *file;
	struct buf out = { 0 };

	if (count <= table->inode)
		return;
	file = map_find(&f->sockets, strtoull(words[table->inode].at, NULL, 10));
	if (!file)
		return;
	buf_add_str(&out, table->name + strlen("net/"));
	table->add(&out, words, count);
	free(file->text);
	file->text = out.bytes;
}

static void name_sockets(struct open_files *f)
{
	struct fact_reading *r = f->reading;

	for (size_t i = 0; i < sizeof(net_tables) / sizeof(*net_tables) && f->sockets.count; i++) {
		int64_t size = fact_file(r, net_tables[i].name, NET_FILE_MAX);
		struct scanner s = scanner_of(r->text.bytes, size > 0 ? (size_t)size : 0), line;

		while (scanner_line(&s, &line) && r->goes_on(r->context))
			name_socket(f, &net_tables[i], line);
		if (size == NET_FILE_MAX)
			fact_add(r, net_tables[i].name, _("only the first %d bytes were read"),
				 NET_FILE_MAX);
	}
}

static void add_counts(struct open_files *f)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (f->of_kind[i])
			fact_add(f->reading, _(kinds[i].name), "%zu", f->of_kind[i]);
	}
}

static int by_number(const void *a, const void *b)
{
	const struct open_file *left = a, *right = b;

	return (left->number > right->number) - (left->number < right->number);
}

/* Moves the items, to which the map of sockets points. */
static void add_list(struct open_files *f)
{
	qsort(f->items, f->count, sizeof(*f->items), by_number);
	for (size_t i = 0; i < f->count; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%u", f->items[i].number);
		fact_add(f->reading, key, "%s", f->items[i].text);
		free(f->items[i].text);
	}
	if (f->counted == FACT_FILES_COUNTED)
		fact_add(f->reading, "-", _("more than %d are open, which were not counted"),
			 FACT_FILES_COUNTED);
	else if (f->counted > f->count)
		fact_add(f->reading, "-",
			 ngettext("%zu more is open", "%zu more are open", f->counted - f->count),
			 f->counted - f->count);
}

void read_open_files(struct fact_reading *r, const struct fact_row *row)
{
	struct open_files f = { .reading = r };
	int64_t visited;

	(void)row;
	f.items = mem_array(FACT_FILES_LISTED, sizeof(*f.items));
	f.sockets.seed = hash_seed();
	visited = procfs_each_descriptor(r->proc, r->pid, visit, &f);
	if (visited < 0)
		fact_add_missing(r, "-", visited);
	add_counts(&f);
	name_sockets(&f);
	add_list(&f);
	map_fini(&f.sockets);
	free(f.items);
}
