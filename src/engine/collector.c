/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/collector.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "base/io.h"
#include "base/sync.h"
#include "engine/budget.h"
#include "engine/engine.h"
#include "profile/addresses.h"

#define DRAIN_MS 200                  /* the longest time between two drains */
#define DRAIN_SOON_MS 10              /* likewise, while records age */
#define BUDGET_NS NS_PER_S            /* between two looks at what it costs */
#define BUDGET_SOON_NS (NS_PER_S / 5) /* the shortest */

/* The arguments of a command; RUN knows which member is used. */
struct command {
	void (*run)(struct collector *c, const struct command *command);
	void (*drop)(const struct command *command); /* frees what it owns; NULL: nothing */
	union {
		bool on;
		unsigned extras;
		struct evlist *more;     /* owned */
		struct engine_look look; /* what it holds is a reference */
		struct {
			size_t number;
			bool on;
			uint64_t freq_hz, period;
		} event;
		struct {
			enum histogram_mode mode;
			double half_life_s;
		} decay;
		struct {
			uint64_t from_ns, to_ns;
		} window;
		struct {
			const struct frame_key *keys; /* borrowed until it is done */
			size_t count;
			uint32_t *numbers; /* likewise */
		} frames;
		struct {
			uint32_t *pids; /* owned */
			size_t count;
			bool mappings;
		} memory;
		struct {
			uint32_t *shown; /* owned */
			size_t count;
			bool all;
		} groups;
	};
};

/*
 * The mailbox between the two threads.  LOCK guards it, and is never held while something takes
 * time.
 */
struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t answered; /* a snapshot, a new state, or commands are done */
	struct command *commands;
	size_t command_count, command_capacity;
	uint64_t given, done; /* commands */
	uint32_t *visible;    /* of the request */
	size_t visible_count, visible_capacity;
	uint64_t requested, answer; /* requests: made, and the newest that has its snapshot */
	bool stop;
	struct snapshot *snapshot; /* owned until it is taken */
	int state;                 /* see collector_state() */
	bool state_told;
	bool news;       /* see collector_news() */
	double progress; /* see collector_progress() */
	struct error error;
};

struct collector {
	pthread_t thread;
	int wake_fd;  /* eventfd: to the collector */
	int ready_fd; /* eventfd: to the main thread */
	int wait_fd;  /* epoll on WAKE_FD, the symbol loader and what reads lines */
	struct mailbox box;

	/* The collector thread's own. */
	struct source *source;
	struct engine *engine;
	int state;
	struct command *batch; /* commands that are being carried out */
	size_t batch_count, batch_capacity;
	uint64_t serving, served; /* the newest request taken, and answered */
	uint64_t names_ns;        /* how long an answer may wait for symbols */
	uint64_t serving_since_ns;
	uint64_t mark;             /* between the samples before and after it was taken */
	int code_fd;               /* in WAIT_FD, too; -1: not yet */
	bool ends;                 /* with the next answer */
	const struct clock *clock; /* borrowed */
	struct budget budget;
	uint32_t budget_cpus;
	uint64_t budget_ns, budget_own_ns, budget_spare_ns; /* clocks when it was last looked at */
	uint64_t budget_maps_ns;          /* likewise: of the spare time for reading mappings */
	uint64_t budget_record_ns;        /* CPU time that records took since then, with that */
	bool stacks;                      /* samples bring them */
	struct source_stats budget_stats; /* and the statistics */
	struct tap *tap;                  /* borrowed, or NULL */
	bool once;                        /* of the options */
	bool watches_lines;               /* they are in WAIT_FD */
	uint32_t *visible;
	size_t visible_count, visible_capacity;
};

/* The collector thread. */

static void enable_event(struct collector *c, const struct command *command)
{
	/* A refusal shows in the snapshot: the source leaves the event as it was. */
	if (c->source->ops->set_enabled)
		c->source->ops->set_enabled(c->source, command->event.number, command->event.on);
}

/* A refusal shows in the snapshot: it has ends of stacks, or has none. */
static void take_stacks(struct collector *c, const struct command *command)
{
	const struct stack_choice choice = { command->on ? STACK_AUTO : STACK_NONE, 0 };

	if (c->stacks == command->on || !c->source->ops->take_stacks ||
	    c->source->ops->take_stacks(c->source, &choice))
		return;
	c->stacks = command->on;
	engine_take_stacks(c->engine, &choice, &c->source->layout);
}

static void ask_java(struct collector *c, const struct command *command)
{
	(void)command;
	engine_ask_java(c->engine);
}

/* Groups of the new events are others than those that are there. */
static void add_events(struct collector *c, const struct command *command)
{
	struct evlist *all = c->source->evlist, *more = command->more;
	int groups = all->groups;

	for (size_t i = 0; i < more->count; i++) {
		struct evsel *e = more->items[i];

		more->items[i] = NULL;
		if (e->group >= 0)
			e->group += groups;
		if (c->source->ops->add)
			c->source->ops->add(c->source, e);
		else
			evsel_free(e);
	}
	all->groups += more->groups;
	engine_grow(c->engine);
}

static void drop_events(const struct command *command)
{
	evlist_free(command->more);
}

static void remove_event(struct collector *c, const struct command *command)
{
	if (c->source->ops->remove)
		c->source->ops->remove(c->source, command->event.number);
}

static void retune_event(struct collector *c, const struct command *command)
{
	if (c->source->ops->retune)
		c->source->ops->retune(c->source, command->event.number, command->event.freq_hz,
				       command->event.period);
}

static void make_frames(struct collector *c, const struct command *command)
{
	engine_make_frames(c->engine, command->frames.keys, command->frames.count,
			   command->frames.numbers);
}

static void set_window(struct collector *c, const struct command *command)
{
	engine_set_window(c->engine, command->window.from_ns, command->window.to_ns);
}

static void set_mode(struct collector *c, const struct command *command)
{
	engine_set_mode(c->engine, command->decay.mode, command->decay.half_life_s);
}

static void zero(struct collector *c, const struct command *command)
{
	(void)command;
	engine_zero(c->engine);
}

static void set_threads(struct collector *c, const struct command *command)
{
	engine_set_threads(c->engine, command->on);
}

static void set_owners(struct collector *c, const struct command *command)
{
	engine_set_owners(c->engine, command->on ? OWNERS_ALL : OWNERS_NEW);
}

static void set_commands(struct collector *c, const struct command *command)
{
	engine_set_commands(c->engine, command->on);
}

/* Without it answers are taken all the same, when there is something else to do. */
static void watch_lines(struct collector *c)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = engine_lines_fd(c->engine);

	if (fd >= 0 && !c->watches_lines)
		c->watches_lines = !epoll_ctl(c->wait_fd, EPOLL_CTL_ADD, fd, &event);
}

static void set_extras(struct collector *c, const struct command *command)
{
	engine_set_extras(c->engine, command->extras);
	watch_lines(c);
}

static void set_memory(struct collector *c, const struct command *command)
{
	engine_set_memory(c->engine, command->memory.pids, command->memory.count,
			  command->memory.mappings);
}

static void drop_pids(const struct command *command)
{
	free(command->memory.pids);
}

static void set_groups(struct collector *c, const struct command *command)
{
	engine_set_groups(c->engine, command->groups.shown, command->groups.count,
			  command->groups.all);
}

static void drop_groups(const struct command *command)
{
	free(command->groups.shown);
}

static void look(struct collector *c, const struct command *command)
{
	engine_look(c->engine, &command->look);
}

static void drop_look(const struct command *command)
{
	address_sums_put(command->look.held);
}

static void end(struct collector *c, const struct command *command)
{
	(void)command;
	c->ends = true;
}

static void set_suspended(struct collector *c, const struct command *command)
{
	if (c->source->ops->suspend)
		c->source->ops->suspend(c->source, command->on);
	if (!command->on)
		engine_resumed(c->engine);
}

static void set_state(struct collector *c, int state, const struct error *err)
{
	c->state = state;
	pthread_mutex_lock(&c->box.lock);
	c->box.state = state;
	if (err)
		c->box.error = *err;
	pthread_cond_broadcast(&c->box.answered);
	pthread_mutex_unlock(&c->box.lock);
	io_signal(c->ready_fd);
}

static void source_failed(struct collector *c, int error)
{
	struct error err;

	if (c->source->failure)
		error_set(&err, "%s", c->source->failure);
	else
		error_set(&err, _("cannot read samples any more (%s): %s"),
			  source_tier_name(c->source->tier), strerror(-error));
	set_state(c, -1, &err);
}

/* Returns true if an answer now would leave rows without the names that are being loaded. */
static bool waits_for_names(const struct collector *c)
{
	if (c->state && c->source->tier == TIER_FILE &&
	    (engine_waits_for_lines(c->engine) || engine_waits_for_sources(c->engine)))
		return true;
	if (!c->names_ns || clock_monotonic_ns(c->clock) - c->serving_since_ns >= c->names_ns)
		return false;
	return engine_waits_for_symbols(c->engine, c->mark) ||
	       engine_waits_for_sources(c->engine) || engine_waits_for_code(c->engine);
}

/* Waits for records, a message, or symbols.  After the end there are no records. */
static void wait_for_work(struct collector *c)
{
	struct pollfd fd = { .fd = c->wait_fd, .events = POLLIN };
	int error;

	if (c->state || engine_is_behind(c->engine)) {
		poll(&fd, 1, waits_for_names(c) ? DRAIN_MS : -1);
		return;
	}
	error = c->source->ops->wait(
		c->source, engine_wants_records_soon(c->engine) ? DRAIN_SOON_MS : DRAIN_MS,
		c->wait_fd);
	if (error)
		source_failed(c, error);
}

static void tell_progress(struct collector *c)
{
	const struct source_stats *stats = &c->source->stats;

	if (c->source->tier != TIER_FILE || !stats->size)
		return;
	pthread_mutex_lock(&c->box.lock);
	c->box.progress = (double)stats->bytes / (double)stats->size;
	pthread_mutex_unlock(&c->box.lock);
}

static void drain(struct collector *c)
{
	uint64_t began_ns = clock_monotonic_ns(c->clock), cpu_ns = clock_thread_cpu_ns();
	int64_t count;

	if (c->state || engine_is_behind(c->engine))
		return;
	engine_waits_summed(c->engine, c->source->sums_waits, c->source->summed_ns);
	count = c->source->ops->drain(c->source, engine_receive, c->engine);
	if (c->tap)
		tap_publish(c->tap);
	engine_stacks_sampled(c->engine, c->source->stack_period > 1);
	engine_drained(c->engine, began_ns);
	c->budget_record_ns += clock_thread_cpu_ns() - cpu_ns;
	if (count < 0)
		source_failed(c, (int)count);
	tell_progress(c);
	if (count == 0 && c->source->tier == TIER_FILE)
		set_state(c, 1, NULL);
}

static struct budget_event describe_event(const struct collector *c, size_t event)
{
	const struct source_stats *now = &c->source->stats, *then = &c->budget_stats;
	uint64_t sum = now->event_periods[event] - then->event_periods[event];
	uint64_t period = c->source->evlist->items[event]->period;

	return (struct budget_event){
		.samples = now->event_samples[event] - then->event_samples[event],
		.requested = period ? (double)sum / (double)period : 0,
		.thins = c->source->ops->thins && c->source->ops->thins(c->source, event),
		.plain = evsel_is_network(c->source->evlist->items[event]),
	};
}

/* Describes the events for the budget: samples, the highest frequency, the values of a record. */
static void describe_events(const struct collector *c, struct budget_input *in)
{
	const struct evlist *l = c->source->evlist;

	for (size_t i = 0; i < l->count; i++) {
		const struct evsel *e = l->items[i];

		if (e->open_error || !e->enabled)
			continue;
		if (i < SOURCE_EVENTS_MAX)
			in->events[i] = describe_event(c, i);
		in->counters += !evsel_is_network(e); /* that is in no record of others */
		if (e->role == EVSEL_SAMPLE && e->freq_hz > in->asked_hz)
			in->asked_hz = e->freq_hz;
	}
}

/* After a second; sooner where samples are lost, or two seconds' budgets are spent. */
static bool must_watch(const struct collector *c, const struct budget_input *in)
{
	double second_ns = c->budget.limit_percent / 100 * in->cpus * BUDGET_NS;

	return in->elapsed_ns >= BUDGET_NS || in->lost || (double)in->own_ns > 2 * second_ns;
}

static void tell_spare(struct collector *c)
{
	engine_set_spare_rate(c->engine, c->budget.spare_percent / 100 * c->budget_cpus);
}

static void thin(struct collector *c, const struct budget_input *in)
{
	const double percent_ns = (double)in->elapsed_ns * in->cpus / 100;

	if (c->budget.limit_percent > 0)
		engine_thin(c->engine, c->budget.fixed_percent * percent_ns,
			    c->budget.fixed_limit * percent_ns);
}

/* Two clocks that are read one after the other. */
static uint64_t above(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* Finds out if measuring costs too much, or may be better again. */
static void watch_budget(struct collector *c)
{
	const struct source_stats *now = &c->source->stats, *then = &c->budget_stats;
	uint64_t now_ns = clock_monotonic_ns(c->clock), own_ns, maps_ns, spare_ns;
	struct budget_input in = { .elapsed_ns = now_ns - c->budget_ns,
				   .cpus = c->budget_cpus,
				   .lost = now->lost - then->lost };

	if (!c->source->ops->reduce || in.elapsed_ns < BUDGET_SOON_NS)
		return;
	own_ns = engine_own_cpu_ns(c->engine);
	maps_ns = engine_maps_cpu_ns(c->engine);
	spare_ns = engine_spare_cpu_ns(c->engine);
	in.spare_ns = spare_ns - c->budget_spare_ns;
	in.own_ns = above(own_ns - c->budget_own_ns, in.spare_ns);
	if (!must_watch(c, &in))
		return;
	in.record_ns = above(c->budget_record_ns, maps_ns - c->budget_maps_ns);
	in.samples = now->samples - then->samples;
	in.switch_records = now->switch_records - then->switch_records;
	in.switches = now->switches - then->switches;
	in.calls = now->calls - then->calls;
	in.call_stacks = now->call_stacks - then->call_stacks;
	in.sum_stacks = now->sum_stacks - then->sum_stacks;
	in.tight = now->tight - then->tight;
	in.throttled = now->throttled - then->throttled;
	in.sample_stacks = c->stacks;
	in.stacks = c->source->stack_period > 0;
	in.exact_only = c->source->exact_only || c->source->tier != TIER_CPU_GROUP;
	describe_events(c, &in);
	c->budget_ns = now_ns;
	c->budget_own_ns = own_ns;
	c->budget_spare_ns = spare_ns;
	c->budget_record_ns = 0;
	c->budget_maps_ns = maps_ns;
	c->budget_stats = *now;
	if (budget_step(&c->budget, &in))
		c->source->ops->reduce(c->source, &c->budget.level);
	tell_spare(c);
	thin(c, &in);
}

static void take_commands(struct collector *c)
{
	struct mailbox *box = &c->box;

	mem_grow((void **)&c->batch, &c->batch_capacity, box->command_count, sizeof(*c->batch));
	if (box->command_count)
		memcpy(c->batch, box->commands, box->command_count * sizeof(*c->batch));
	c->batch_count = box->command_count;
	box->command_count = 0;
}

static void take_request(struct collector *c)
{
	struct mailbox *box = &c->box;

	mem_grow((void **)&c->visible, &c->visible_capacity, box->visible_count,
		 sizeof(*c->visible));
	if (box->visible_count)
		memcpy(c->visible, box->visible, box->visible_count * sizeof(*c->visible));
	c->visible_count = box->visible_count;
	if (c->serving == c->served && box->requested != c->served) {
		c->serving_since_ns = clock_monotonic_ns(c->clock);
		c->mark = engine_mark(c->engine);
	}
	c->serving = box->requested;
}

/*
 * Takes all commands and the request at one moment, so a command that was given before a request is
 * not carried out after it.  The lock is not held while they are carried out.
 */
static void take_mail(struct collector *c)
{
	pthread_mutex_lock(&c->box.lock);
	take_commands(c);
	take_request(c);
	pthread_mutex_unlock(&c->box.lock);
}

static void drop(const struct command *command)
{
	if (command->drop)
		command->drop(command);
}

static void run_commands(struct collector *c)
{
	if (!c->batch_count)
		return;
	for (size_t i = 0; i < c->batch_count; i++) {
		c->batch[i].run(c, &c->batch[i]);
		drop(&c->batch[i]);
	}
	pthread_mutex_lock(&c->box.lock);
	c->box.done += c->batch_count;
	pthread_cond_broadcast(&c->box.answered);
	pthread_mutex_unlock(&c->box.lock);
}

/* A file is shown when all of it was read; on a screen one that grows is shown as far as it goes. */
static bool must_answer(const struct collector *c)
{
	if (c->serving == c->served || waits_for_names(c))
		return false;
	return c->source->tier != TIER_FILE || c->state || (c->source->grows && !c->once);
}

/* Counts in the interval that ends now, what the source has summed. */
static void settle(struct collector *c)
{
	uint64_t cpu_ns = clock_thread_cpu_ns();

	if (c->state || !c->source->ops->settle)
		return;
	engine_waits_summed(c->engine, c->source->sums_waits, c->source->summed_ns);
	c->source->ops->settle(c->source, engine_receive, c->engine, c->ends);
	c->budget_record_ns += clock_thread_cpu_ns() - cpu_ns;
}

static void drain_meanwhile(void *context, bool end)
{
	struct collector *c = context;

	drain(c);
	if (end)
		settle(c);
}

static void answer(struct collector *c)
{
	const struct engine_request request = { .source = c->source,
						.visible = c->visible,
						.visible_count = c->visible_count,
						.budget_percent = c->budget.limit_percent,
						.cost_percent = c->budget.cost_percent,
						.over_budget = c->budget.exceeded,
						.last = c->once,
						.drain = c->ends ? NULL : drain_meanwhile,
						.context = c };
	struct snapshot *s;

	if (!must_answer(c))
		return;
	drain(c); /* where the interval ends; naming and commands may have taken long since the last one */
	settle(c);
	s = engine_snapshot(c->engine, &request);
	if (c->ends)
		engine_end_recording(c->engine);
	c->served = c->serving;
	pthread_mutex_lock(&c->box.lock);
	snapshot_free(c->box.snapshot);
	c->box.snapshot = s;
	c->box.answer = c->served;
	pthread_cond_broadcast(&c->box.answered);
	pthread_mutex_unlock(&c->box.lock);
	io_signal(c->ready_fd);
}

static bool must_stop(struct collector *c)
{
	bool stop;

	pthread_mutex_lock(&c->box.lock);
	stop = c->box.stop;
	pthread_mutex_unlock(&c->box.lock);
	return stop;
}

/* The thread that reads code comes into being with the first question. */
static void take_code(struct collector *c)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (c->code_fd < 0) {
		c->code_fd = engine_code_fd(c->engine);
		if (c->code_fd >= 0)
			epoll_ctl(c->wait_fd, EPOLL_CTL_ADD, c->code_fd, &event);
	}
	if (!engine_take_code(c->engine))
		return;
	pthread_mutex_lock(&c->box.lock);
	c->box.news = true;
	pthread_mutex_unlock(&c->box.lock);
	io_signal(c->ready_fd);
}

static void *collect(void *context)
{
	struct collector *c = context;

	engine_scan(c->engine);
	c->budget_ns = clock_monotonic_ns(c->clock);
	c->budget_own_ns = engine_own_cpu_ns(c->engine);
	c->budget_spare_ns = engine_spare_cpu_ns(c->engine);
	tell_spare(c);
	if (c->source->ops->reduce && c->budget.limit_percent > 0)
		c->source->ops->reduce(c->source, &c->budget.level);
	while (!must_stop(c)) {
		io_clear_signal(c->wake_fd);
		drain(c);
		engine_take_symbols(c->engine);
		watch_budget(c);
		take_mail(c);
		run_commands(c);
		answer(c);
		take_code(c);
		wait_for_work(c);
	}
	return NULL;
}

/* The main thread. */

static void give_command(struct collector *c, const struct command *command)
{
	struct mailbox *box = &c->box;

	pthread_mutex_lock(&box->lock);
	mem_grow((void **)&box->commands, &box->command_capacity, box->command_count + 1,
		 sizeof(*box->commands));
	box->commands[box->command_count++] = *command;
	box->given++;
	pthread_mutex_unlock(&box->lock);
	io_signal(c->wake_fd);
}

void collector_enable_event(struct collector *c, size_t event, bool enabled)
{
	give_command(c, &(struct command){ .run = enable_event,
					   .event = { .number = event, .on = enabled } });
}

void collector_take_stacks(struct collector *c, bool on)
{
	give_command(c, &(struct command){ .run = take_stacks, .on = on });
}

void collector_ask_java(struct collector *c)
{
	give_command(c, &(struct command){ .run = ask_java });
}

void collector_add_events(struct collector *c, struct evlist *more)
{
	give_command(c, &(struct command){ .run = add_events, .drop = drop_events, .more = more });
}

void collector_remove_event(struct collector *c, size_t event)
{
	give_command(c, &(struct command){ .run = remove_event, .event = { .number = event } });
}

void collector_retune_event(struct collector *c, size_t event, uint64_t freq_hz, uint64_t period)
{
	give_command(c,
		     &(struct command){
			     .run = retune_event,
			     .event = { .number = event, .freq_hz = freq_hz, .period = period } });
}

void collector_set_mode(struct collector *c, enum histogram_mode mode, double half_life_s)
{
	give_command(c, &(struct command){ .run = set_mode, .decay = { mode, half_life_s } });
}

void collector_set_window(struct collector *c, uint64_t from_ns, uint64_t to_ns)
{
	give_command(c, &(struct command){ .run = set_window, .window = { from_ns, to_ns } });
}

void collector_zero(struct collector *c)
{
	give_command(c, &(struct command){ .run = zero });
}

void collector_set_extras(struct collector *c, unsigned extras)
{
	give_command(c, &(struct command){ .run = set_extras, .extras = extras });
}

void collector_set_memory(struct collector *c, const uint32_t *pids, size_t count, bool mappings)
{
	struct command command = { .run = set_memory,
				   .drop = drop_pids,
				   .memory = { .count = count,
					       .mappings = mappings,
					       .pids = mem_array(count, sizeof(*pids)) } };

	if (count)
		memcpy(command.memory.pids, pids, count * sizeof(*pids));
	give_command(c, &command);
}

void collector_set_groups(struct collector *c, const uint32_t *shown, size_t count, bool all)
{
	struct command command = {
		.run = set_groups,
		.drop = drop_groups,
		.groups = { .count = count, .all = all, .shown = mem_array(count, sizeof(*shown)) }
	};

	if (count)
		memcpy(command.groups.shown, shown, count * sizeof(*shown));
	give_command(c, &command);
}

void collector_set_threads(struct collector *c, bool threads)
{
	give_command(c, &(struct command){ .run = set_threads, .on = threads });
}

void collector_set_owners(struct collector *c, bool all)
{
	give_command(c, &(struct command){ .run = set_owners, .on = all });
}

void collector_set_commands(struct collector *c, bool commands)
{
	give_command(c, &(struct command){ .run = set_commands, .on = commands });
}

void collector_look(struct collector *c, const struct engine_look *l)
{
	address_sums_get(l->held);
	give_command(c, &(struct command){ .run = look, .drop = drop_look, .look = *l });
}

void collector_end(struct collector *c)
{
	give_command(c, &(struct command){ .run = end });
}

static void give_and_wait(struct collector *c, const struct command *command)
{
	struct mailbox *box = &c->box;
	uint64_t number;

	give_command(c, command);
	pthread_mutex_lock(&box->lock);
	number = box->given;
	while (box->done < number)
		pthread_cond_wait(&box->answered, &box->lock);
	pthread_mutex_unlock(&box->lock);
}

void collector_suspend(struct collector *c, bool suspended)
{
	give_and_wait(c, &(struct command){ .run = set_suspended, .on = suspended });
}

void collector_make_frames(struct collector *c, const struct frame_key *keys, size_t count,
			   uint32_t *frames)
{
	give_and_wait(c,
		      &(struct command){ .run = make_frames, .frames = { keys, count, frames } });
}

int collector_fd(const struct collector *c)
{
	return c->ready_fd;
}

void collector_request(struct collector *c, const uint32_t *visible, size_t visible_count)
{
	struct mailbox *box = &c->box;

	pthread_mutex_lock(&box->lock);
	mem_grow((void **)&box->visible, &box->visible_capacity, visible_count,
		 sizeof(*box->visible));
	if (visible_count)
		memcpy(box->visible, visible, visible_count * sizeof(*visible));
	box->visible_count = visible_count;
	box->requested++;
	pthread_mutex_unlock(&box->lock);
	io_signal(c->wake_fd);
}

/* Readable as long as there is something to take or to tell.  With the lock held. */
static void update_ready(struct collector *c)
{
	io_clear_signal(c->ready_fd);
	if (c->box.snapshot || c->box.news || (c->box.state && !c->box.state_told))
		io_signal(c->ready_fd);
}

static struct snapshot *take_locked(struct collector *c)
{
	struct snapshot *s = c->box.snapshot;

	c->box.snapshot = NULL;
	update_ready(c);
	return s;
}

struct snapshot *collector_take(struct collector *c)
{
	struct snapshot *s;

	pthread_mutex_lock(&c->box.lock);
	s = take_locked(c);
	pthread_mutex_unlock(&c->box.lock);
	return s;
}

bool collector_news(struct collector *c)
{
	bool news;

	pthread_mutex_lock(&c->box.lock);
	news = c->box.news;
	c->box.news = false;
	update_ready(c);
	pthread_mutex_unlock(&c->box.lock);
	return news;
}

/* One that was made for an earlier request may still lie there. */
static bool is_answered(const struct mailbox *box)
{
	return box->snapshot && box->answer == box->requested;
}

/* No snapshot will come. */
static bool is_hopeless(const struct mailbox *box)
{
	return box->state < 0 && box->answer == box->requested;
}

struct snapshot *collector_wait(struct collector *c, int timeout_ms)
{
	uint64_t timeout_ns = (uint64_t)timeout_ms * (NS_PER_S / 1000);
	uint64_t end_ns =
		timeout_ms < 0 ? UINT64_MAX : clock_monotonic_ns(&clock_system) + timeout_ns;
	struct mailbox *box = &c->box;
	struct snapshot *s;

	pthread_mutex_lock(&box->lock);
	while (!is_answered(box) && !is_hopeless(box) &&
	       sync_wait(&box->lock, &box->answered, end_ns))
		;
	s = is_answered(box) || is_hopeless(box) ? take_locked(c) : NULL;
	pthread_mutex_unlock(&box->lock);
	return s;
}

double collector_progress(struct collector *c)
{
	double progress;

	pthread_mutex_lock(&c->box.lock);
	progress = c->box.progress;
	pthread_mutex_unlock(&c->box.lock);
	return progress;
}

int collector_state(struct collector *c, struct error *err)
{
	int state;

	pthread_mutex_lock(&c->box.lock);
	state = c->box.state;
	if (state < 0 && err)
		*err = c->box.error;
	c->box.state_told = state != 0;
	update_ready(c);
	pthread_mutex_unlock(&c->box.lock);
	return state;
}

/* Start and end. */

static int open_fds(struct collector *c, struct error *err)
{
	struct epoll_event event = { .events = EPOLLIN };

	c->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->wait_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->wake_fd < 0 || c->ready_fd < 0 || c->wait_fd < 0 ||
	    epoll_ctl(c->wait_fd, EPOLL_CTL_ADD, c->wake_fd, &event) ||
	    epoll_ctl(c->wait_fd, EPOLL_CTL_ADD, engine_symbols_fd(c->engine), &event))
		return error_set(err, _("cannot make an event descriptor: %s"), strerror(errno));
	return 0;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void collector_free(struct collector *c)
{
	close_fd(c->wait_fd);
	close_fd(c->ready_fd);
	close_fd(c->wake_fd);
	snapshot_free(c->box.snapshot);
	for (size_t i = 0; i < c->box.command_count; i++)
		drop(&c->box.commands[i]);
	mem_free(c->box.commands, c->box.visible, c->batch, c->visible);
	sync_fini(&c->box.lock, &c->box.answered);
	engine_free(c->engine);
	source_close(c->source);
	free(c);
}

static struct engine *open_engine(const struct collector_options *o, struct error *err)
{
	const struct source *source = o->source;
	struct engine_options options = o->engine;

	options.tier = source->tier;
	options.synchronous = source->tier == TIER_FILE;
	options.read_code_at_once = o->once;
	options.machine = source->machine;
	options.symbol_counters = source->hardware && source->tier == TIER_CPU_GROUP;
	options.layout = source->layout;
	options.walker = o->source;
	if (o->tap) {
		options.listener = tap_listen;
		options.listener_context = o->tap;
	}
	return engine_new(&options, err);
}

static int start_thread(struct collector *c, struct error *err)
{
	int error = sync_start(&c->thread, collect, c);

	if (error)
		return error_set(err, _("cannot start the collector thread: %s"), strerror(error));
	return 0;
}

struct collector *collector_start(const struct collector_options *options, struct error *err)
{
	struct collector *c = mem_alloc(sizeof(*c));

	c->source = options->source;
	c->wake_fd = c->ready_fd = c->wait_fd = c->code_fd = -1;
	sync_init(&c->box.lock, &c->box.answered);
	c->box.progress = NAN;
	c->clock = options->engine.clock;
	c->budget_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	budget_init(&c->budget, options->max_overhead_percent, c->budget_cpus);
	c->stacks = options->engine.target.callchains;
	c->tap = options->tap;
	c->once = options->once;
	c->names_ns = options->names_ms * (NS_PER_S / 1000);
	c->engine = open_engine(options, err);
	if (!c->engine || open_fds(c, err)) {
		collector_free(c);
		return NULL;
	}
	watch_lines(c);
	if (start_thread(c, err)) {
		collector_free(c);
		return NULL;
	}
	return c;
}

void collector_stop(struct collector *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->box.lock);
	c->box.stop = true;
	pthread_mutex_unlock(&c->box.lock);
	io_signal(c->wake_fd);
	pthread_join(c->thread, NULL);
	collector_free(c);
}
