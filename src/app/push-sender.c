/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/push-sender.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/i18n.h"
#include "worker/channel.h"

#ifdef HAVE_LIBCURL
#include <curl/curl.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "app/confine.h"
#include "app/push-spool.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "worker/sandbox.h"

#define AGAIN_MIN_MS 500 /* before a profile is sent again; twice as long after each failure */
#define AGAIN_MAX_MS 30000
#define CONNECT_MS 5000L
#define ATTEMPT_MS 20000L
#define WAITING_MAX 100000u /* intervals: what is known of one takes memory, too */
#define YOUNG_NS NS_PER_S
#define ANSWER_BYTES 65536 /* a longer answer is not read */
#define PLAIN_TIMES 4      /* so much larger an interval may be before it is compressed */
#define NS_PER_MS (NS_PER_S / 1000)

/* The functions of the library that are used. */
struct library {
	__typeof__(&curl_easy_init) easy_init;
	__typeof__(&curl_easy_setopt) easy_setopt;
	__typeof__(&curl_easy_getinfo) easy_getinfo;
	__typeof__(&curl_easy_strerror) easy_strerror;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_multi_init) multi_init;
	__typeof__(&curl_multi_add_handle) multi_add;
	__typeof__(&curl_multi_remove_handle) multi_remove;
	__typeof__(&curl_multi_perform) multi_perform;
	__typeof__(&curl_multi_poll) multi_poll;
	__typeof__(&curl_multi_info_read) multi_info_read;
};

struct waiting {
	struct push_job job;
	char *bytes;      /* owned; NULL: in the spool */
	uint64_t at;      /* in the spool; 0: it is not there */
	uint64_t came_ns; /* CLOCK_MONOTONIC; 0: in an earlier run */
	bool marked;      /* the spool says that it is being sent */
	struct waiting *next;
};

struct sender {
	struct library curl;
	const struct push_target *target;
	CURLM *multi;
	CURL *easy;
	struct waiting *first, **last; /* the first one is sent */
	struct spool spool;
	char *body; /* of the first one if that is in the spool and under way; owned */
	size_t body_at;
	int ca_fd;         /* -1: none */
	struct buf answer; /* at most ANSWER_BYTES; what is longer is no answer */
	size_t waiting_bytes, waiting_count;
	size_t memory_bytes; /* of those that are not in the spool */
	bool under_way, ended;
	uint64_t again_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t again_ms;
	struct push_news news;
};

static uint64_t now_ns(void)
{
	return clock_monotonic_ns(&clock_system);
}

/* Both flavours have the same interface; Debian's packages have different names for them. */
static bool library_open(struct library *l)
{
	void *handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return false;
#define FUNCTION(member, name) (l->member = (__typeof__(l->member))dlsym(handle, name))
	return FUNCTION(easy_init, "curl_easy_init") && FUNCTION(easy_setopt, "curl_easy_setopt") &&
	       FUNCTION(easy_getinfo, "curl_easy_getinfo") &&
	       FUNCTION(easy_strerror, "curl_easy_strerror") &&
	       FUNCTION(slist_append, "curl_slist_append") &&
	       FUNCTION(multi_init, "curl_multi_init") &&
	       FUNCTION(multi_add, "curl_multi_add_handle") &&
	       FUNCTION(multi_remove, "curl_multi_remove_handle") &&
	       FUNCTION(multi_perform, "curl_multi_perform") &&
	       FUNCTION(multi_poll, "curl_multi_poll") &&
	       FUNCTION(multi_info_read, "curl_multi_info_read");
#undef FUNCTION
}

static void tell(struct sender *s)
{
	channel_send(STDIN_FILENO, &s->news, sizeof(s->news), NULL);
}

static void count(struct sender *s, const struct push_job *job, enum push_fate fate)
{
	s->news.sums.intervals[fate]++;
	s->news.sums.samples[fate] += job->samples;
}

/* Intervals wait in the order of the spool.  0: it has none of them. */
static uint64_t first_in_spool(const struct sender *s)
{
	const struct waiting *w = s->first;

	while (w && !w->at)
		w = w->next;
	return w ? w->at : 0;
}

/* Takes the first one from the queue. */
static void settle(struct sender *s, enum push_fate fate)
{
	struct waiting *w = s->first;

	count(s, &w->job, fate);
	s->first = w->next;
	if (!s->first)
		s->last = &s->first;
	s->waiting_bytes -= spool_room(&w->job);
	s->waiting_count--;
	if (w->at)
		spool_settle(&s->spool, w->at, first_in_spool(s));
	else
		s->memory_bytes -= w->job.size;
	free(w->bytes);
	free(w);
}

static void stop_transfer(struct sender *s)
{
	if (s->under_way)
		s->curl.multi_remove(s->multi, s->easy);
	s->under_way = false;
	free(s->body);
	s->body = NULL;
}

/* Stops sending the first one.  Returns true if the server may have all of it. */
static bool stop_sending(struct sender *s)
{
	curl_off_t uploaded = 0;

	if (!s->under_way)
		return false;
	s->curl.easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
	stop_transfer(s);
	return (uint64_t)uploaded >= s->first->job.size;
}

/* The oldest ones make room. */
static void make_room(struct sender *s)
{
	const uint64_t limit = s->target->spool_bytes ? s->target->spool_bytes : PUSH_WAITING_BYTES;

	while (s->first && (s->waiting_bytes > limit || s->waiting_count > WAITING_MAX))
		settle(s, stop_sending(s) ? PUSH_UNANSWERED : PUSH_DROPPED);
}

/* The bytes of JOB in FD, as they go: owned by the caller, and JOB's size is theirs.  NULL if that cannot be done. */
static char *encode(const struct sender *s, struct push_job *job, int fd)
{
	const struct push_format *f = s->target->format;
	struct buf plain = { 0 }, encoded = { 0 };

	plain.bytes = mem_array(job->size + 1, 1);
	plain.size = io_read_at(fd, 0, plain.bytes, job->size);
	if (!f->encode)
		return plain.bytes;
	if (f->encode(&plain, &encoded))
		buf_fini(&encoded);
	free(plain.bytes);
	job->size = encoded.size;
	return encoded.bytes;
}

/* Puts an interval behind all others. */
static struct waiting *append(struct sender *s, const struct push_job *job)
{
	struct waiting *w = mem_alloc(sizeof(*w));

	w->job = *job;
	*s->last = w;
	s->last = &w->next;
	s->waiting_bytes += spool_room(job);
	s->waiting_count++;
	return w;
}

/* In memory.  Without a spool the oldest ones make room; with one they are there, and would free no memory. */
static bool has_room(const struct sender *s, const struct push_job *job)
{
	const size_t others = s->target->spool_bytes ? s->memory_bytes : 0;

	return others + job->size <= PUSH_WAITING_BYTES;
}

/* The bytes of the interval JOB are in FD. */
static void enter(struct sender *s, struct push_job *job, int fd)
{
	char *bytes = encode(s, job, fd);
	struct waiting *w;
	uint64_t at;

	if (!bytes) {
		count(s, job, PUSH_DROPPED);
		return;
	}
	at = job->size <= PUSH_WAITING_BYTES ? spool_put(&s->spool, job, bytes, SPOOL_PENDING) : 0;
	if (!at && !has_room(s, job)) {
		free(bytes);
		count(s, job, PUSH_DROPPED);
		return;
	}
	w = append(s, job);
	w->came_ns = now_ns();
	w->at = at;
	if (at) {
		free(bytes);
	} else {
		w->bytes = bytes;
		s->memory_bytes += job->size;
	}
	make_room(s);
}

/* The most bytes of an interval before it is encoded. */
static uint64_t limit_of_plain(const struct push_format *f)
{
	return f->encode ? PLAIN_TIMES * (uint64_t)PUSH_WAITING_BYTES : PUSH_WAITING_BYTES;
}

/* An interval, or the end of ptop. */
static void take(struct sender *s)
{
	struct channel_fds fds = { .count = 0 };
	struct push_job job;
	ssize_t size = channel_receive(STDIN_FILENO, &job, sizeof(job), &fds, MSG_DONTWAIT);

	if (!size) {
		s->ended = true;
		s->end_ns = now_ns() + PUSH_END_MS * NS_PER_MS;
		s->again_ns = 0;
	}
	if (size == sizeof(job) && fds.count == 1 && job.size <= limit_of_plain(s->target->format))
		enter(s, &job, fds.fds[0]);
	else if (size == sizeof(job))
		count(s, &job, PUSH_DROPPED);
	channel_close_fds(&fds);
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct sender *s = context;

	if (size * count > ANSWER_BYTES - s->answer.size)
		return 0;
	buf_add(&s->answer, bytes, size * count);
	return size * count;
}

/* It was not sent as a whole. */
static void unmark(struct sender *s, struct waiting *w)
{
	if (w->marked)
		spool_mark(&s->spool, w->at, SPOOL_PENDING, false);
	w->marked = false;
}

/* The bytes of the first one.  NULL: they are damaged. */
static const char *take_body(struct sender *s)
{
	const struct waiting *w = s->first;

	s->body_at = 0;
	if (!w->at)
		return w->bytes;
	s->body = spool_get(&s->spool, w->at, w->job.size);
	return s->body;
}

/*
 * The library wants more of the body: the server is there.  From now on it may have all.  A young interval has
 * not reached the disk, and the mark goes there with it.
 */
static size_t give_body(char *to, size_t size, size_t count, void *context)
{
	struct sender *s = context;
	struct waiting *w = s->first;
	const size_t left = w->job.size - s->body_at;
	const bool old = !w->came_ns || now_ns() - w->came_ns > YOUNG_NS;

	if (w->at && !w->marked)
		w->marked = spool_mark(&s->spool, w->at, SPOOL_SENDING, old);
	if (w->at && !w->marked) {
		/* Nothing went, and the mark may be there although it is not on the disk. */
		spool_mark(&s->spool, w->at, SPOOL_PENDING, false);
		return CURL_READFUNC_ABORT;
	}
	count *= size;
	if (count > left)
		count = left;
	memcpy(to, (w->at ? s->body : w->bytes) + s->body_at, count);
	s->body_at += count;
	return count;
}

/* Only for a request that the server refused unread, as HTTP/2 can tell: it begins anew. */
static int seek_body(void *context, curl_off_t to, int from)
{
	struct sender *s = context;

	if (from != SEEK_SET || to < 0 || (uint64_t)to > s->first->job.size)
		return CURL_SEEKFUNC_CANTSEEK;
	s->body_at = (size_t)to;
	return CURL_SEEKFUNC_OK;
}

static void wait_longer(struct sender *s)
{
	s->again_ns = now_ns() + s->again_ms * NS_PER_MS;
	s->again_ms = s->again_ms < AGAIN_MAX_MS / 2 ? 2 * s->again_ms : AGAIN_MAX_MS;
}

static void begin(struct sender *s)
{
	const struct push_job *job = &s->first->job;
	const char *bytes = take_body(s);
	struct buf url = { 0 };

	if (!bytes) {
		settle(s, PUSH_DROPPED);
		return;
	}
	buf_add_str(&url, s->target->url);
	if (s->target->format->interval)
		s->target->format->interval(&url, job);
	buf_clear(&s->answer);
	s->curl.easy_setopt(s->easy, CURLOPT_URL, url.bytes); /* copied */
	s->curl.easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->size);
	s->under_way = !s->curl.multi_add(s->multi, s->easy);
	buf_fini(&url);
	if (!s->under_way) {
		stop_transfer(s);
		wait_longer(s);
	}
}

static bool is_temporary(long status)
{
	return status == 408 || status == 429 || status >= 500;
}

/* A server that took an interval may have refused a part of it. */
static void look_at_answer(struct sender *s)
{
	char reason[sizeof(s->news.reason)] = "";
	uint64_t refused = 0;

	if (s->target->format->refused)
		refused = s->target->format->refused(s->answer.bytes, s->answer.size, reason,
						     sizeof(reason));
	if (!refused)
		return;
	s->news.refused_parts += refused;
	memcpy(s->news.reason, reason, sizeof(reason));
}

/* The status of the answer, or RESULT, decides about the profile. */
static void judge(struct sender *s, CURLcode result)
{
	const uint64_t size = s->first->job.size;
	curl_off_t uploaded = 0;
	long status = 0;

	s->curl.easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	s->curl.easy_getinfo(s->easy, CURLINFO_SIZE_UPLOAD_T, &uploaded);
	stop_transfer(s);
	s->news.text[0] = '\0';
	if (status / 100 == 2) {
		s->again_ms = AGAIN_MIN_MS;
		s->news.bytes += size;
		look_at_answer(s);
		settle(s, PUSH_SENT);
		return;
	}
	if (status)
		snprintf(s->news.text, sizeof(s->news.text), _("the server answers %ld"), status);
	else
		snprintf(s->news.text, sizeof(s->news.text), "%s", s->curl.easy_strerror(result));
	if (status && !is_temporary(status))
		settle(s, PUSH_REFUSED);
	else if (!status && (uint64_t)uploaded >= size)
		settle(s, PUSH_UNANSWERED);
	else
		unmark(s, s->first);
	wait_longer(s);
}

static void look_for_end(struct sender *s)
{
	const CURLMsg *m;
	int left;

	while ((m = s->curl.multi_info_read(s->multi, &left))) {
		if (m->msg != CURLMSG_DONE)
			continue;
		judge(s, m->data.result);
		tell(s);
		return;
	}
}

static bool is_over(const struct sender *s)
{
	return s->ended && (!s->first || now_ns() >= s->end_ns);
}

static int patience_ms(const struct sender *s)
{
	if (s->ended)
		return 20;
	if (!s->first || s->under_way)
		return 1000; /* the library knows its own times */
	return s->again_ns <= now_ns() ? 0 : (int)((s->again_ns - now_ns()) / NS_PER_MS + 1);
}

/* Intervals that nobody will send any more, without an answer of the server. */
static uint64_t lost_intervals(const struct sender *s)
{
	return s->news.sums.intervals[PUSH_DROPPED] + s->news.sums.intervals[PUSH_UNANSWERED];
}

static void step(struct sender *s)
{
	struct curl_waitfd ptop = { .fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN };
	const uint64_t lost = lost_intervals(s);
	int running;

	if (s->first && !s->under_way && now_ns() >= s->again_ns)
		begin(s);
	s->curl.multi_perform(s->multi, &running);
	look_for_end(s);
	if (is_over(s))
		return;
	s->curl.multi_poll(s->multi, &ptop, s->ended ? 0 : 1, patience_ms(s), NULL);
	if (ptop.revents)
		take(s);
	if (lost_intervals(s) > lost)
		tell(s);
}

/* GnuTLS takes no bytes, only the name of a file (CURLOPT_CAINFO_BLOB(3)). */
static bool use_ca(const struct sender *s)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", s->ca_fd);
	return !s->curl.easy_setopt(s->easy, CURLOPT_CAINFO, name) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_CAPATH, NULL);
}

/*
 * Redirections are not followed, and no file is sent.  Each interval has a connection of its own: on one that was used before, the
 * library sends again by itself what may have come.
 */
static bool open_transfer(struct sender *s)
{
	struct curl_slist *headers = NULL;
	char *line;

	s->easy = s->curl.easy_init();
	s->multi = s->curl.multi_init();
	if (!s->easy || !s->multi)
		return false;
	for (const char *const *h = s->target->format->headers; *h; h++)
		headers = s->curl.slist_append(headers, *h);
	headers = s->curl.slist_append(headers, "Expect:");
	if (s->target->token.size) {
		line = mem_printf("Authorization: Bearer %s", s->target->token.bytes);
		headers = s->curl.slist_append(headers, line);
		free(line);
	}
	if (s->ca_fd >= 0 && !use_ca(s))
		return false;
	return !s->curl.easy_setopt(s->easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_HTTPHEADER, headers) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_USERAGENT, "ptop/" PACKAGE_VERSION) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_FORBID_REUSE, 1L) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_POST, 1L) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, ATTEMPT_MS) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_READDATA, s) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_READFUNCTION, give_body) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_SEEKDATA, s) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_SEEKFUNCTION, seek_body) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_WRITEDATA, s) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, take_answer);
}

/* At the end.  Another run sends what is in the spool, unless the server may have it. */
static void give_up(struct sender *s)
{
	struct waiting *w;

	if (stop_sending(s))
		settle(s, PUSH_UNANSWERED);
	for (w = s->first; w; w = w->next) {
		unmark(s, w);
		count(s, &w->job, w->at ? PUSH_SPOOLED : PUSH_DROPPED);
	}
}

/* Takes over the intervals of an earlier run.  The server may have one that was being sent. */
static void take_spool(struct sender *s, int fd)
{
	enum spool_state state;
	struct push_job job;
	uint64_t at = 0;
	struct waiting *w;

	spool_init(&s->spool, fd);
	while (spool_next(&s->spool, &at, &job, &state)) {
		s->news.found_intervals++;
		s->news.found_samples += job.samples;
		if (state == SPOOL_SENDING) {
			spool_mark(&s->spool, at, SPOOL_SETTLED, false);
			count(s, &job, PUSH_UNANSWERED);
			continue;
		}
		w = append(s, &job);
		w->at = at;
		while (s->waiting_count > WAITING_MAX)
			settle(s, PUSH_DROPPED);
	}
	make_room(s); /* not in the walk: a spool that is empty is cut */
}

/* The descriptors that this process cannot open itself. */
static void take_start(struct sender *s)
{
	struct channel_fds fds = { .count = 0 };
	struct push_start start;
	size_t i = 0;

	if (channel_receive(STDIN_FILENO, &start, sizeof(start), &fds, 0) != sizeof(start))
		return;
	if (start.spool && i < fds.count)
		take_spool(s, fds.fds[i++]);
	if (start.ca && i < fds.count)
		s->ca_fd = fds.fds[i];
}

/* Nothing is released at the end: a thread that asks for the server's address may hang. */
void push_send(void *context)
{
	static const struct privilege_needs needs = { .sends = true };
	struct sender s = {
		.target = context, .again_ms = AGAIN_MIN_MS, .spool.fd = -1, .ca_fd = -1
	};
	struct error err;
	bool ready = false;

	s.last = &s.first;
	if (sandbox_drop_privileges(s.target->parent))
		return;
	confine(&needs);
	take_start(&s);
	if (s.target->format->can && s.target->format->can(&err))
		snprintf(s.news.text, sizeof(s.news.text), "%s", err.text);
	else if (!(ready = library_open(&s.curl) && open_transfer(&s)))
		snprintf(s.news.text, sizeof(s.news.text), "%s", _("libcurl cannot be used"));
	tell(&s);
	while (ready && !is_over(&s))
		step(&s);
	give_up(&s);
	tell(&s);
}
#else
void push_send(void *context)
{
	struct push_news news = { .bytes = 0 };

	(void)context;
	snprintf(news.text, sizeof(news.text), "%s", _("ptop was built without libcurl"));
	channel_send(STDIN_FILENO, &news, sizeof(news), NULL);
}
#endif
