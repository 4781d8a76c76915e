/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/push.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/own-file.h"
#include "app/push-sender.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/i18n.h"
#include "base/io.h"
#include "worker/channel.h"
#include "worker/helper.h"

#define TOKEN_VARIABLE "PTOP_PUSH_TOKEN"
#define HOST_BYTES 256
#define LABELS_BYTES 1024
#define CLOSE_MS (PUSH_END_MS + 100) /* the other process ends by itself before that */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS "0123456789"

struct push {
	struct helper helper; /* socket -1: it has ended */
	struct push_news news;
	uint64_t samples;        /* of all profiles that were made */
	uint64_t before_samples; /* that ptop had counted at the end of the newest interval */
	bool failing;            /* that was told */
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

/* RFC 3986, 2.3: all other bytes are written as %XX. */
static void add_encoded(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr(LETTERS DIGITS "-.~", *text))
			buf_add_char(out, *text);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
	}
}

/* "http://HOST/ingest?name=ptop%7Bhost%3Dweb1%7D&", owned by the caller. */
static char *make_url(const struct options *o)
{
	char host[HOST_BYTES] = "";
	struct buf url = { 0 };
	size_t size = strlen(o->push);

	gethostname(host, sizeof(host) - 1);
	while (size && o->push[size - 1] == '/')
		size--;
	buf_add(&url, o->push, size);
	buf_add_str(&url, "/ingest?name=ptop%7Bhost%3D");
	add_encoded(&url, host);
	if (o->push_labels) {
		add_encoded(&url, ",");
		add_encoded(&url, o->push_labels);
	}
	buf_add_str(&url, "%7D&");
	return url.bytes;
}

/* From the file or the environment, without what stands around it.  0, or -1 with ERR set. */
static int read_token(const struct options *o, struct buf *token, struct error *err)
{
	const char *value = secure_getenv(TOKEN_VARIABLE);
	int result = 0;

	if (o->push_token_file)
		result = own_file_read(o->push_token_file, token, err);
	else if (value)
		buf_add_str(token, value);
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
	if (o->verbose)
		buf_printf(notes, _("profiles go to %s each %g s\n"), o->push, o->push_interval_s);
}

/* Its first news say whether it can send at all. */
static int start(struct push *p, struct push_target *target, struct error *err)
{
	static const struct helper_kind kind = { .name = "ptop-push",
						 .kept = STDERR_FILENO + 1,
						 .run = push_send };

	target->parent = getpid();
	if (helper_start(&p->helper, &kind, target)) {
		p->helper.socket = -1;
		return error_set(err, _("cannot start a process for --push: %s"), strerror(errno));
	}
	if (channel_receive(p->helper.socket, &p->news, sizeof(p->news), NULL, 0) !=
	    sizeof(p->news))
		return error_set(err, _("the process of --push did not start"));
	return p->news.text[0] ? error_set(err, "--push: %s", p->news.text) : 0;
}

struct push *push_open(const struct options *o, struct buf *notes, struct error *err)
{
	struct push *p = mem_alloc(sizeof(*p));
	struct push_target target = { .url = make_url(o) };
	int failed = !output_format_find("pprof")
			     ? error_set(err, _("--push: ptop was built without protobuf-c"))
			     : read_token(o, &target.token, err);

	p->helper.socket = -1;
	if (!failed)
		failed = start(p, &target, err);
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

/* Returns a memory file with the bytes of B, or -1. */
static int file_of(const struct buf *b)
{
	int fd = memfd_create("ptop-push", MFD_CLOEXEC);

	if (fd >= 0 && io_write_at(fd, 0, b->bytes, b->size) == b->size)
		return fd;
	io_close(&fd);
	return -1;
}

/* The samples of each interval go once: cells begin at zero with each. */
static void hand_over(struct push *p, const struct snapshot *now, const struct buf *profile)
{
	struct channel_fds fds = { .fds = { file_of(profile) }, .count = 1 };
	const double length_s = now->cells_s > 0 ? now->cells_s : 0;
	struct push_job job = {
		.until_s = now->time_ns / NS_PER_S,
		.rate_hz = now->sampling.frequency_hz,
		.samples = now->sampling.total_samples - p->before_samples,
		.size = profile->size,
	};

	job.from_s = job.until_s - (uint64_t)ceil(length_s);
	p->samples += job.samples;
	p->before_samples = now->sampling.total_samples;
	if (fds.fds[0] < 0)
		return; /* describe() counts what nothing was told of */
	channel_send(p->helper.socket, &job, sizeof(job), &fds);
	channel_close_fds(&fds);
}

static bool take_news(struct push *p)
{
	struct push_news next;
	bool any = false;

	while (channel_receive(p->helper.socket, &next, sizeof(next), NULL, MSG_DONTWAIT) ==
	       sizeof(next)) {
		p->news = next;
		any = true;
	}
	return any;
}

bool push_interval(struct push *p, const struct output_request *request, struct buf *told)
{
	const struct snapshot *now = view_snapshot(request->view);
	struct buf profile = { 0 };
	struct error err;
	bool failing;

	if (now->sampling.total_samples > p->before_samples &&
	    !output_format_find("pprof")->write(&profile, request, &err))
		hand_over(p, now, &profile);
	buf_fini(&profile);
	take_news(p);
	failing = p->news.text[0];
	if (failing == p->failing)
		return false;
	p->failing = failing;
	if (failing)
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

static void describe(const struct push *p, bool verbose, struct buf *notes)
{
	const struct push_sums *s = &p->news.samples;
	const uint64_t known = s->sent + s->dropped + s->refused + s->unanswered;
	const uint64_t lost = p->samples - known + s->dropped; /* none can be known twice */

	if (verbose)
		buf_printf(notes,
			   _("pushed: %" PRIu64 " profiles, %" PRIu64 " bytes, %" PRIu64
			     " of %" PRIu64 " samples\n"),
			   p->news.profiles, p->news.bytes, s->sent, p->samples);
	if (lost + s->refused + s->unanswered)
		buf_printf(notes,
			   _("samples that were not pushed: %" PRIu64 " dropped, %" PRIu64
			     " refused by the server, %" PRIu64 " not answered\n"),
			   lost, s->refused, s->unanswered);
}

void push_close(struct push *p, bool verbose, struct buf *notes)
{
	if (!p)
		return;
	if (p->helper.socket >= 0) {
		wait_for_end(p);
		close(p->helper.socket);
	}
	describe(p, verbose, notes);
	free(p);
}
