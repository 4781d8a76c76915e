/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "evil-worker.h"
#include "symbol/jitlist.h"
#include "symbol/load-worker.h"
#include "unwind/unwind-worker.h"

/* Input: what a worker that somebody has taken over says when it is asked for symbols, callers, or JIT code. */
const struct fuzz_bound fuzz_bound = { 1000000, 20000, 4096, 256 };

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

	readers = reader_pool_new(evil.zygote, READER_LOAD);
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

/* fuzz-rules.c asks for more. */
static void read_callers(void)
{
	struct load l = { .key = { .kind = DSO_FILE, .path = "/proc/self/exe" },
			  .proc_root = "/nonexistent" };
	struct reader_pool *readers = reader_pool_new(evil.zygote, READER_FRAMES);
	struct unwind_object *o;

	load_open_file(&l);
	o = unwind_object_in_worker(&l, readers);
	reader_pool_free(readers);
	if (o && (unwind_object_fp_percent(o) > 100 || !unwind_object_bytes(o)))
		abort();
	expect_texts(&l);
	unwind_object_free(o);
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
	const struct jit_reading how = { .pool = reader_pool_new(evil.zygote, READER_MAPS) };
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
	if (!evil_prepare(data, size))
		return 0;
	read_object();
	read_callers();
	read_list(JIT_MAP);
	read_list(JIT_DUMP);
	evil_check();
	return 0;
}
