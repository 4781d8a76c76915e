/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/push.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/own-file.h"
#include "app/push-format.h"
#include "app/push-sender.h"
#include "app/push-spool.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "worker/channel.h"
#include "worker/helper.h"

#define HOST_BYTES 256
#define LABELS_BYTES 1024
#define CA_BYTES (4 << 20)
#define CLOSE_MS (PUSH_END_MS + 100) /* the other process ends by itself before that */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

struct push {
	const struct push_format *format;
	char host[HOST_BYTES];
	const char *labels; /* borrowed, NULL: none */
	struct output_memory *memory;
	uint64_t interval_ns; /* of metrics: */
	uint64_t newest_ns;   /* CLOCK_REALTIME, when they were sent; 0: not yet */
	struct helper helper; /* socket -1: it has ended */
	struct push_news news;
	uint64_t intervals, samples; /* that were handed over */
	struct push_sums lost;       /* likewise, but the other process did not get them */
	uint64_t before_samples;     /* that ptop had counted at the end of the newest interval */
	bool failing;                /* that was told */
};

int push_check_url(const char *url, struct error *err)
{
	const char *host = !strncmp(url, "http://", 7)    ? url + 7
			   : !strncmp(url, "https://", 8) ? url + 8
							  : "";

	if (!*host || strchr("/:?#", *host) || strpbrk(url, "?#@ \t\r\n"))
		return error_set(err,
				 _("bad URL '%s': write http://HOST[:PORT] or https://HOST[:PORT], "
				   "without a password; PTOP_PUSH_TOKEN may have a token"),
				 url);
	return 0;
}

/* Returns the size of NAME=VALUE at the begin of TEXT, or 0 if that is none. */
static size_t label_size(const char *text)
{
	size_t name = strspn(text, LETTERS), value;

	if (name)
		name += strspn(text + name, LETTERS DIGITS);
	if (!name || text[name] != '=')
		return 0;
	value = strcspn(text + name + 1, ",{}=\"");
	return value ? name + 1 + value : 0;
}

int push_check_labels(const char *labels, struct error *err)
{
	const char *at = labels;
	size_t size = strlen(labels) < LABELS_BYTES ? label_size(at) : 0;

	for (; size && at[size] == ','; size = label_size(at))
		at += size + 1;
	if (size && !at[size])
		return 0;
	return error_set(err, _("bad labels '%s': write NAME=VALUE[,NAME=VALUE...]"), labels);
}

/* URL and the format's path. */
static void add_place(struct buf *url, const char *text, const struct push_format *format)
{
	size_t size = strlen(text);

	while (size && text[size - 1] == '/')
		size--;
	buf_add(url, text, size);
	if (!format->path_alone || !strchr(strstr(url->bytes, "://") + 3, '/'))
		buf_add_str(url, format->path);
}

/* Owned by the caller. */
static char *make_url(const struct push *p, const char *text)
{
	struct buf url = { 0 };

	add_place(&url, text, p->format);
	if (p->format->series)
		p->format->series(&url, p->host, p->labels);
	return url.bytes;
}

/* From the file or the environment, without what stands around it.  0, or -1 with ERR set. */
static int read_token(const struct options *o, struct buf *token, struct error *err)
{
	int result = 0;

	if (o->push_token_file)
		result = own_file_read(o->push_token_file, token, err);
	else if (o->push_token)
		buf_add_str(token, o->push_token);
	if (result > 0)
		return error_set(err, _("cannot read '%s': %s"), o->push_token_file,
				 strerror(ENOENT));
	while (token->size && strchr(" \t\r\n", token->bytes[token->size - 1]))
		token->bytes[--token->size] = '\0';
	for (size_t i = 0; !result && i < token->size; i++) {
		if (token->bytes[i] <= ' ' || token->bytes[i] > '~')
			return error_set(err, _("the token of --push is not one word of ASCII"));
	}
	return result;
}

static void note_place(const struct options *o, struct buf *notes)
{
	if (!o->verbose)
		return;
	buf_printf(notes,
		   push_format_find(o->push_format)->samples ? _("profiles go to %s each %g s\n")
							     : _("metrics go to %s each %g s\n"),
		   o->push, o->push_interval_s);
}

/* Returns a memory file with the bytes of B, or -1. */
static int file_of(const struct buf *b)
{
	int fd = memfd_create("ptop-push", MFD_CLOEXEC);

	if (fd >= 0 && io_write_at(fd, 0, b->bytes, b->size) == b->size)
		return fd;
	io_close(&fd);
	return -1;
}

/* A memory file with the certificates of NAME, which ptop may read and the other process may not; or -1 with ERR set. */
static int open_ca(const char *name, struct error *err)
{
	int from = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC), to = -1;
	struct stat st;
	struct buf text = { 0 };

	if (from < 0 || fstat(from, &st)) {
		error_set(err, _("cannot read '%s': %s"), name, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size > CA_BYTES) {
		error_set(err, _("--push-ca '%s': this is no file of certificates"), name);
	} else {
		text.bytes = mem_array((size_t)st.st_size + 1, 1);
		text.size = io_read_at(from, 0, text.bytes, (size_t)st.st_size);
		to = file_of(&text);
		if (to < 0)
			error_set(err, _("cannot read '%s': %s"), name, strerror(errno));
		buf_fini(&text);
	}
	io_close(&from);
	return to;
}

/* Fills FDS for TARGET.  0, or -1 with ERR set. */
static int open_files(const struct options *o, struct push_target *target, struct channel_fds *fds,
		      struct error *err)
{
	char *of = mem_printf("%s %s", target->format->name, target->url);

	fds->count = 0;
	target->ca = o->push_ca;
	target->spool_bytes = o->push_spool ? o->push_spool_bytes : 0;
	if (o->push_spool)
		fds->fds[fds->count] = spool_open(o->push_spool, of, err);
	free(of);
	if (o->push_spool && fds->fds[fds->count++] < 0)
		return -1;
	if (!o->push_ca)
		return 0;
	fds->fds[fds->count++] = open_ca(o->push_ca, err);
	return fds->fds[fds->count - 1] < 0 ? -1 : 0;
}

/* Its first news say whether it can send at all. */
static int start(struct push *p, struct push_target *target, const struct channel_fds *fds,
		 struct error *err)
{
	const struct push_start files = { .spool = target->spool_bytes, .ca = target->ca };
	static const struct helper_kind kind = { .name = "ptop-push",
						 .kept = STDERR_FILENO + 1,
						 .run = push_send };

	target->parent = getpid();
	if (helper_start(&p->helper, &kind, target)) {
		p->helper.socket = -1;
		return error_set(err, _("cannot start a process for --push: %s"), strerror(errno));
	}
	if (channel_send(p->helper.socket, &files, sizeof(files), fds) ||
	    channel_receive(p->helper.socket, &p->news, sizeof(p->news), NULL, 0) !=
		    sizeof(p->news))
		return error_set(err, _("the process of --push did not start"));
	return p->news.text[0] ? error_set(err, "--push: %s", p->news.text) : 0;
}

struct push *push_open(const struct options *o, struct buf *notes, struct error *err)
{
	struct push *p = mem_alloc(sizeof(*p));
	struct push_target target = { .format = push_format_find(o->push_format) };
	struct channel_fds fds = { .count = 0 };
	int failed;

	p->format = target.format;
	p->labels = o->push_labels;
	p->memory = output_memory_new();
	p->interval_ns = (uint64_t)(o->push_interval_s * NS_PER_S);
	p->helper.socket = -1;
	gethostname(p->host, sizeof(p->host) - 1);
	target.url = make_url(p, o->push);
	failed = !output_format_find(p->format->output)
			 ? error_set(err, _("--push: ptop was built without protobuf-c"))
			 : read_token(o, &target.token, err);
	if (!failed)
		failed = open_files(o, &target, &fds, err);
	if (!failed)
		failed = start(p, &target, &fds, err);
	for (size_t i = 0; i < fds.count; i++)
		io_close(&fds.fds[i]);
	if (target.token.size)
		explicit_bzero(target.token.bytes, target.token.size);
	buf_fini(&target.token);
	free(target.url);
	if (!failed) {
		note_place(o, notes);
		return p;
	}
	push_close(p, false, notes);
	return NULL;
}

/* The samples of each interval go once: cells begin at zero with each. */
static uint64_t samples_of(struct push *p, const struct snapshot *now)
{
	const uint64_t before = p->before_samples;

	p->before_samples = now->sampling.total_samples;
	return p->format->samples ? now->sampling.total_samples - before : 0;
}

static void hand_over(struct push *p, const struct snapshot *now, const struct buf *profile)
{
	struct channel_fds fds = { .fds = { file_of(profile) }, .count = 1 };
	const double length_s = now->cells_s > 0 ? now->cells_s : 0;
	struct push_job job = {
		.until_s = now->time_ns / NS_PER_S,
		.rate_hz = now->sampling.frequency_hz,
		.samples = samples_of(p, now),
		.size = profile->size,
	};

	job.from_s = job.until_s - (uint64_t)ceil(length_s);
	p->intervals++;
	p->samples += job.samples;
	p->newest_ns = now->time_ns;
	if (fds.fds[0] < 0 || channel_send(p->helper.socket, &job, sizeof(job), &fds)) {
		p->lost.intervals[PUSH_DROPPED]++;
		p->lost.samples[PUSH_DROPPED] += job.samples;
	}
	if (fds.fds[0] >= 0)
		channel_close_fds(&fds);
}

static bool take_news(struct push *p)
{
	struct push_news next;
	bool any = false;

	while (channel_receive(p->helper.socket, &next, sizeof(next), NULL, MSG_DONTWAIT) ==
	       sizeof(next)) {
		p->news = next;
		/* A server may have taken it over. */
		p->news.text[sizeof(p->news.text) - 1] = '\0';
		p->news.reason[sizeof(p->news.reason) - 1] = '\0';
		any = true;
	}
	return any;
}

/*
 * Metrics go with the refresh that is nearest to their time; those of the first have no interval.  A clock that was set back does
 * not hold them up.
 */
static bool is_due(const struct push *p, const struct snapshot *now)
{
	const uint64_t late_ns =
		(uint64_t)(now->interval_s > 0 ? now->interval_s * NS_PER_S / 2 : 0);

	if (p->format->samples)
		return now->sampling.total_samples > p->before_samples;
	return now->interval_s > 0 && (now->time_ns < p->newest_ns ||
				       now->time_ns - p->newest_ns + late_ns >= p->interval_ns);
}

static bool is_failing(const struct push *p)
{
	return p->news.text[0];
}

bool push_has_samples(const struct push *p)
{
	return p->format->samples;
}

bool push_interval(struct push *p, const struct output_request *request, struct buf *told)
{
	const struct snapshot *now = view_snapshot(request->view);
	struct output_request whose = *request;
	struct buf bytes = { 0 };
	struct error err;

	whose.host = p->host;
	whose.labels = p->labels;
	whose.memory = p->memory;
	if (is_due(p, now) && !output_format_find(p->format->output)->write(&bytes, &whose, &err))
		hand_over(p, now, &bytes);
	buf_fini(&bytes);
	take_news(p);
	if (is_failing(p) == p->failing)
		return false;
	p->failing = is_failing(p);
	if (p->failing)
		buf_printf(told, "--push: %s", p->news.text);
	else
		buf_add_str(told, _("--push: the server answers again"));
	return true;
}

/* The other process has its own end: see PUSH_END_MS. */
static void wait_for_end(struct push *p)
{
	struct pollfd fd = { .fd = p->helper.socket, .events = POLLIN };
	const uint64_t end_ns =
		clock_monotonic_ns(&clock_system) + CLOSE_MS * (uint64_t)(NS_PER_S / 1000);
	uint64_t now;

	shutdown(p->helper.socket, SHUT_WR);
	while ((now = clock_monotonic_ns(&clock_system)) < end_ns &&
	       poll(&fd, 1, (int)((end_ns - now) / (NS_PER_S / 1000)) + 1) >= 0) {
		if (fd.revents && !take_news(p)) {
			waitpid(p->helper.pid, NULL, 0);
			return;
		}
	}
}

struct output_push push_counts(const struct push *p)
{
	const uint64_t *n = p->news.sums.intervals;
	const uint64_t lost = p->lost.intervals[PUSH_DROPPED];
	struct output_push counts = {
		.sent = n[PUSH_SENT],
		.dropped = n[PUSH_DROPPED] + lost,
		.refused = n[PUSH_REFUSED],
		.unanswered = n[PUSH_UNANSWERED],
		.bytes = p->news.bytes,
		.refused_entries = p->news.refused_parts,
	};

	/* Those that were found in the spool are in the sums, too. */
	counts.waiting = p->intervals + p->news.found_intervals - counts.sent - counts.dropped -
			 counts.refused - counts.unanswered;
	return counts;
}

bool push_describe(const struct push *p, struct buf *out)
{
	const struct output_push n = push_counts(p);
	const uint64_t missed = n.dropped + n.refused + n.unanswered;

	buf_printf(out, _("pushed %" PRIu64), n.sent);
	if (n.waiting > 1 || (n.waiting && p->failing))
		buf_printf(out, _(", %" PRIu64 " waiting"), n.waiting);
	if (missed)
		buf_printf(out, _(", %" PRIu64 " missed"), missed);
	if (p->news.refused_parts)
		buf_printf(out, _(", %" PRIu64 " entries refused"), p->news.refused_parts);
	return missed || p->failing || p->news.refused_parts;
}

/* The reason is the server's: no byte of it begins a line of its own. */
static void describe_refused_parts(const struct push *p, struct buf *notes)
{
	if (!p->news.refused_parts)
		return;
	buf_printf(notes, _("entries that the server refused of intervals it took: %" PRIu64 ": "),
		   p->news.refused_parts);
	for (const char *c = p->news.reason; *c; c++)
		buf_add_char(notes, *c == '\n' ? ' ' : *c);
	buf_add_char(notes, '\n');
}

static void describe_intervals(const struct push *p, bool verbose, struct buf *notes)
{
	const struct output_push n = push_counts(p);
	/* At the end nothing waits but in the spool. */
	const uint64_t lost = n.dropped + n.waiting - p->news.sums.intervals[PUSH_SPOOLED];

	if (verbose)
		buf_printf(notes,
			   _("pushed: %" PRIu64 " of %" PRIu64 " intervals, %" PRIu64 " bytes\n"),
			   n.sent, p->intervals + p->news.found_intervals, n.bytes);
	if (lost + n.refused + n.unanswered)
		buf_printf(notes,
			   _("intervals that were not pushed: %" PRIu64 " dropped, %" PRIu64
			     " refused by the server, %" PRIu64 " not answered\n"),
			   lost, n.refused, n.unanswered);
}

static void describe(const struct push *p, bool verbose, struct buf *notes)
{
	const uint64_t *s = p->news.sums.samples;
	const uint64_t missed = s[PUSH_REFUSED] + s[PUSH_UNANSWERED];
	const uint64_t all = p->samples + p->news.found_samples;
	const uint64_t lost =
		all - s[PUSH_SENT] - s[PUSH_SPOOLED] - missed; /* none can be known twice */

	if (verbose)
		buf_printf(notes,
			   _("pushed: %" PRIu64 " profiles, %" PRIu64 " bytes, %" PRIu64
			     " of %" PRIu64 " samples\n"),
			   p->news.sums.intervals[PUSH_SENT], p->news.bytes, s[PUSH_SENT], all);
	if (lost + missed)
		buf_printf(notes,
			   _("samples that were not pushed: %" PRIu64 " dropped, %" PRIu64
			     " refused by the server, %" PRIu64 " not answered\n"),
			   lost, s[PUSH_REFUSED], s[PUSH_UNANSWERED]);
}

static void describe_spool(const struct push *p, bool verbose, struct buf *notes)
{
	const uint64_t found = p->news.found_intervals, left = p->news.sums.intervals[PUSH_SPOOLED];

	if (verbose && found)
		buf_printf(notes,
			   ngettext("%" PRIu64 " interval was in the spool\n",
				    "%" PRIu64 " intervals were in the spool\n", found),
			   found);
	if (left)
		buf_printf(notes,
			   ngettext("%" PRIu64 " interval waits in the spool for the next run\n",
				    "%" PRIu64 " intervals wait in the spool for the next run\n",
				    left),
			   left);
}

void push_close(struct push *p, bool verbose, struct buf *notes)
{
	if (!p)
		return;
	if (p->helper.socket >= 0) {
		wait_for_end(p);
		close(p->helper.socket);
	}
	if (p->format->samples)
		describe(p, verbose, notes);
	else
		describe_intervals(p, verbose, notes);
	describe_refused_parts(p, notes);
	describe_spool(p, verbose, notes);
	output_memory_free(p->memory);
	free(p);
}
