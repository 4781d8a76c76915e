/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/facts.h"

#include <stdlib.h>
#include <string.h>

#include "app/act.h"
#include "app/fact-rows.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/sync.h"
#include "view/widget/page.h"
#include "view/widget/text.h"

struct fact {
	char *key, *text; /* owned, harmless; text NULL: a heading */
};

struct facts {
	struct procfs proc;
	bool own_only;
	pthread_t thread;
	bool started; /* it is to be joined */

	/* The thread reads them while it runs. */
	struct ui_task task;
	bool environment;

	pthread_mutex_t lock; /* of what follows; not held while something is read */
	pthread_cond_t changed;
	struct fact *items;
	size_t count, capacity, told; /* told: those that pages have */
	size_t bytes;
	bool stop, done;
};

struct facts *facts_new(const char *proc_root, bool own_only, struct error *err)
{
	struct facts *f = mem_alloc(sizeof(*f));

	if (procfs_open(&f->proc, proc_root, err)) {
		free(f);
		return NULL;
	}
	f->own_only = own_only;
	sync_init(&f->lock, &f->changed);
	return f;
}

static void forget(struct facts *f)
{
	for (size_t i = 0; i < f->count; i++)
		mem_free(f->items[i].key, f->items[i].text);
	f->count = f->told = f->bytes = 0;
}

static char *harmless(const char *text)
{
	struct buf out = { 0 };

	text_sanitize(&out, text, strlen(text), false);
	buf_add_str(&out, "");
	return out.bytes;
}

static void add_item(struct facts *f, const char *key, const char *text)
{
	struct fact fact = { harmless(key), text ? harmless(text) : NULL };

	mem_grow((void **)&f->items, &f->capacity, f->count + 1, sizeof(*f->items));
	f->items[f->count++] = fact;
	f->bytes += sizeof(fact) + strlen(fact.key) + (fact.text ? strlen(fact.text) : 0);
}

/* The first that is too much tells so. */
static void add(void *context, const char *key, const char *text)
{
	struct facts *f = context;

	pthread_mutex_lock(&f->lock);
	if (f->bytes < FACTS_BYTES_MAX) {
		add_item(f, key, text);
		if (f->bytes >= FACTS_BYTES_MAX)
			add_item(f, "-",
				 _("there is more than a page takes; the rest is left out"));
	}
	pthread_mutex_unlock(&f->lock);
}

static bool goes_on(void *context)
{
	struct facts *f = context;
	bool stop;

	pthread_mutex_lock(&f->lock);
	stop = f->stop;
	pthread_mutex_unlock(&f->lock);
	return !stop;
}

static void *read_all(void *context)
{
	struct facts *f = context;
	struct fact_reading r = {
		.proc = &f->proc,
		.pid = f->task.pid,
		.tid = f->task.tid,
		.environment = f->environment,
		.own_only = f->own_only,
		.add = add,
		.goes_on = goes_on,
		.context = f,
	};

	facts_read(&r);
	if (act_check_start(&f->proc, &f->task))
		add(f, "-",
		    _("it has ended meanwhile: the last facts may be missing, or another's"));
	pthread_mutex_lock(&f->lock);
	f->done = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

/* Waits for the thread, at most as long as a person bears; returns true if it is done. */
static bool wait_done(struct facts *f)
{
	uint64_t end = clock_monotonic_ns(&clock_system) + FACTS_PATIENCE_MS * 1000000ull;
	bool done;

	pthread_mutex_lock(&f->lock);
	while (!f->done && sync_wait(&f->lock, &f->changed, end))
		;
	done = f->done;
	pthread_mutex_unlock(&f->lock);
	return done;
}

static void stop(struct facts *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_mutex_unlock(&f->lock);
}

static void join(struct facts *f)
{
	if (f->started)
		pthread_join(f->thread, NULL);
	f->started = false;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	stop(f);
	join(f);
	forget(f);
	sync_fini(&f->lock, &f->changed);
	procfs_close(&f->proc);
	mem_free(f->items, f);
}

static int cannot(const struct ui_task *t, const char *why, struct error *err)
{
	return error_set(err, _("cannot tell facts of %u (%s): %s"), t->pid, t->comm, why);
}

int facts_begin(struct facts *f, const struct ui_task *t, bool environment, struct error *err)
{
	int error;

	stop(f);
	if (f->started && !wait_done(f))
		return cannot(t, _("the kernel has not yet answered for the previous one"), err);
	join(f);
	if (act_check_start(&f->proc, t))
		return cannot(t, _("it has ended"), err);
	forget(f);
	f->task = *t;
	f->environment = environment;
	f->stop = f->done = false;
	error = sync_start(&f->thread, read_all, f);
	if (error)
		return cannot(t, strerror(error), err);
	f->started = true;
	wait_done(f);
	return 0;
}

bool facts_add_to(struct facts *f, struct page *p)
{
	bool done;

	pthread_mutex_lock(&f->lock);
	for (; f->told < f->count; f->told++) {
		const struct fact *fact = &f->items[f->told];

		if (fact->text)
			page_add_pair(p, fact->key, fact->text);
		else
			page_add_heading(p, fact->key);
	}
	done = f->done;
	pthread_mutex_unlock(&f->lock);
	return done;
}
