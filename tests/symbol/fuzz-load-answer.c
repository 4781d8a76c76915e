/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "symbol/jitlist.h"
#include "symbol/load-worker.h"
#include "worker/channel.h"
#include "worker/zygote.h"

/*
 * Input: what a worker that somebody has taken over says to ptop, message by message.  A message is a byte
 * of flags, its size in two bytes, and its bytes; with DESCRIPTOR a file comes with it, whose size and
 * bytes follow.  The worker is a real one, and reads the input from memory that it shares with ptop.
 */
#define INPUT_MAX 65536
enum { DESCRIPTOR = 1, SEALED = 2, WAITS = 4, TWICE = 8 };

const struct fuzz_bound fuzz_bound = { 1000000, 20000, 4096, 256 };

static struct {
	struct zygote *zygote;
	struct shared {
		size_t size;
		uint8_t bytes[INPUT_MAX];
	} * input;
} world;

static int make_file(struct bytes *in, bool sealed)
{
	uint16_t size = bytes_u16(in);
	const void *content = bytes_take(in, size < in->left ? size : in->left);
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && content && write(fd, content, size) < 0)
		_exit(0);
	if (fd >= 0 && sealed)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	return fd;
}

static void say(int socket, struct bytes *in)
{
	struct channel_fds fds = { .count = 0 };
	char heard[16384];
	uint8_t flags = bytes_u8(in);
	uint16_t size = bytes_u16(in);
	const void *message = bytes_take(in, size);

	if (!message)
		return;
	if (flags & DESCRIPTOR)
		fds.fds[fds.count++] = make_file(in, flags & SEALED);
	if (fds.count && flags & TWICE)
		fds.fds[fds.count++] = fds.fds[0];
	channel_send(socket, message, size, &fds);
	channel_close_fds(&fds);
	if (flags & WAITS)
		channel_receive(socket, heard, sizeof(heard), NULL, 0);
}

static void evil_job(int socket)
{
	struct bytes in = bytes_of(world.input->bytes, world.input->size);
	char order[4096];

	channel_receive(socket, order, sizeof(order), NULL, 0);
	while (in.left && !in.failed)
		say(socket, &in);
}

static void cleanup(void)
{
	zygote_free(world.zygote);
}

static void setup(void)
{
	static worker_main *const jobs[READER_JOBS] = {
		[READER_LOAD] = evil_job, [READER_MAPS] = evil_job
	};

	if (world.zygote)
		return;
	world.input = mmap(NULL, sizeof(*world.input), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (world.input == MAP_FAILED)
		abort();
	world.zygote = zygote_start(jobs, sizeof(jobs) / sizeof(*jobs));
	if (!world.zygote)
		abort();
	atexit(cleanup);
}

/* A table that was believed can be asked for anything. */
static void walk(const struct symtab *t)
{
	for (uint32_t i = 0; i < symtab_count(t); i++) {
		struct symbol s = symtab_at(t, i);

		if (s.end < s.start || !s.name)
			abort();
	}
}

static void expect_texts(const struct load *l)
{
	if (strnlen(l->missing, sizeof(l->missing)) == sizeof(l->missing) ||
	    strnlen(l->source, sizeof(l->source)) == sizeof(l->source))
		abort();
}

static void read_object(void)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/proc/self/exe" },
			  .proc_root = "/nonexistent",
			  .debug_root = "/nonexistent",
			  .kallsyms = "" };
	struct reader_pool *readers;
	struct symtab *t;
	bool refused;

	readers = reader_pool_new(world.zygote, READER_LOAD);
	t = load_run_in_worker(&l, readers, &refused);
	reader_pool_free(readers);
	if (!l.has_file)
		abort(); /* nothing was tried */
	if (t)
		walk(t);
	if (t && refused)
		abort();
	expect_texts(&l);
	symtab_free(t);
	load_fini(&l);
}

static void walk_list(enum jit_kind kind, const struct jit_entries *entries)
{
	struct jitlist *list = jitlist_new(kind);
	struct symtab *t;

	jitlist_take(list, entries);
	t = jitlist_make(list);
	walk(t);
	symtab_free(t);
	jitlist_free(list);
}

static void read_list(enum jit_kind kind)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/proc/self/exe" },
			  .proc_root = "/nonexistent" };
	const struct jit_reading how = { .pool = reader_pool_new(world.zygote, READER_MAPS) };
	const struct jit_order order = { .kind = kind, .to = 5000, .at = { .offset = 1000 } };
	struct jit_tail tail;
	enum worker_end end;

	load_open_file(&l);
	if (!l.has_file)
		abort();
	end = jit_tail_read(&tail, &l, &how, &order);
	reader_pool_free(how.pool);
	if ((tail.entries.block != NULL) != (end == WORKER_DONE) || tail.at.offset < 1000 ||
	    tail.at.offset > 5000)
		abort();
	walk_list(kind, &tail.entries);
	expect_texts(&l);
	jit_entries_fini(&tail.entries);
	load_fini(&l);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	setup();
	if (size > INPUT_MAX)
		return 0;
	memcpy(world.input->bytes, data, size);
	world.input->size = size;
	read_object();
	read_list(JIT_MAP);
	read_list(JIT_DUMP);
	return 0;
}
