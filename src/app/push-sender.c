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
#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "worker/sandbox.h"

#define AGAIN_MIN_MS 500 /* before a profile is sent again; twice as long after each failure */
#define AGAIN_MAX_MS 30000
#define CONNECT_MS 5000L
#define ATTEMPT_MS 20000L
#define ANSWER_BYTES 65536 /* a longer answer is not read */
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
	char *bytes; /* owned */
	struct waiting *next;
};

struct sender {
	struct library curl;
	const struct push_target *target;
	CURLM *multi;
	CURL *easy;
	struct waiting *first, **last; /* the first one is sent */
	size_t waiting_bytes, answer_bytes;
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

/* Takes the first one from the queue: SUM has its samples from now on. */
static void settle(struct sender *s, uint64_t *sum)
{
	struct waiting *w = s->first;

	*sum += w->job.samples;
	s->first = w->next;
	if (!s->first)
		s->last = &s->first;
	s->waiting_bytes -= w->job.size;
	s->news.waiting--;
	free(w->bytes);
	free(w);
}

static void stop_transfer(struct sender *s)
{
	if (s->under_way)
		s->curl.multi_remove(s->multi, s->easy);
	s->under_way = false;
}

/* The oldest ones make room. */
static void make_room(struct sender *s)
{
	while (s->first && s->waiting_bytes > PUSH_WAITING_BYTES) {
		stop_transfer(s);
		settle(s, &s->news.samples.dropped);
	}
}

/* An interval, or the end of ptop. */
static void take(struct sender *s)
{
	struct channel_fds fds = { .count = 0 };
	struct push_job job;
	ssize_t size = channel_receive(STDIN_FILENO, &job, sizeof(job), &fds, MSG_DONTWAIT);
	struct waiting *w;

	if (!size) {
		s->ended = true;
		s->end_ns = now_ns() + PUSH_END_MS * NS_PER_MS;
		s->again_ns = 0;
	}
	if (size == sizeof(job) && fds.count == 1 && job.size <= PUSH_WAITING_BYTES) {
		w = mem_alloc(sizeof(*w));
		w->job = job;
		w->bytes = mem_array(job.size + 1, 1);
		io_read_at(fds.fds[0], 0, w->bytes, job.size);
		*s->last = w;
		s->last = &w->next;
		s->waiting_bytes += job.size;
		s->news.waiting++;
		make_room(s);
	} else if (size == sizeof(job)) {
		s->news.samples.dropped += job.samples;
	}
	channel_close_fds(&fds);
}

static size_t skip_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct sender *s = context;

	(void)bytes;
	s->answer_bytes += size * count;
	return s->answer_bytes > ANSWER_BYTES ? 0 : size * count;
}

static void begin(struct sender *s)
{
	const struct push_job *job = &s->first->job;
	char *url = mem_printf("%sfrom=%" PRIu64 "&until=%" PRIu64 "&format=pprof&spyName=ptop"
			       "&sampleRate=%" PRIu64,
			       s->target->url, job->from_s, job->until_s, job->rate_hz);

	s->answer_bytes = 0;
	s->curl.easy_setopt(s->easy, CURLOPT_URL, url); /* copied */
	s->curl.easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->size);
	s->curl.easy_setopt(s->easy, CURLOPT_POSTFIELDS, s->first->bytes);
	s->under_way = !s->curl.multi_add(s->multi, s->easy);
	free(url);
}

static bool is_temporary(long status)
{
	return status == 408 || status == 429 || status >= 500;
}

static void wait_longer(struct sender *s)
{
	s->again_ns = now_ns() + s->again_ms * NS_PER_MS;
	s->again_ms = s->again_ms < AGAIN_MAX_MS / 2 ? 2 * s->again_ms : AGAIN_MAX_MS;
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
		s->news.profiles++;
		s->news.bytes += size;
		settle(s, &s->news.samples.sent);
		return;
	}
	if (status)
		snprintf(s->news.text, sizeof(s->news.text), _("the server answers %ld"), status);
	else
		snprintf(s->news.text, sizeof(s->news.text), "%s", s->curl.easy_strerror(result));
	if (status && !is_temporary(status))
		settle(s, &s->news.samples.refused);
	else if (!status && (uint64_t)uploaded >= size)
		settle(s, &s->news.samples.unanswered);
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

static void step(struct sender *s)
{
	struct curl_waitfd ptop = { .fd = STDIN_FILENO, .events = CURL_WAIT_POLLIN };
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
}

/* Redirections are not followed, and no file is sent. */
static bool open_transfer(struct sender *s)
{
	struct curl_slist *headers = NULL;
	char *line;

	s->easy = s->curl.easy_init();
	s->multi = s->curl.multi_init();
	if (!s->easy || !s->multi)
		return false;
	headers = s->curl.slist_append(headers, "Content-Type: application/octet-stream");
	headers = s->curl.slist_append(headers, "Expect:");
	if (s->target->token.size) {
		line = mem_printf("Authorization: Bearer %s", s->target->token.bytes);
		headers = s->curl.slist_append(headers, line);
		free(line);
	}
	return !s->curl.easy_setopt(s->easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_HTTPHEADER, headers) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_USERAGENT, "ptop/" PACKAGE_VERSION) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_NOSIGNAL, 1L) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_POST, 1L) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_TIMEOUT_MS, ATTEMPT_MS) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_WRITEDATA, s) &&
	       !s->curl.easy_setopt(s->easy, CURLOPT_WRITEFUNCTION, skip_answer);
}

/* Nothing is released at the end: a thread that asks for the server's address may hang. */
void push_send(void *context)
{
	static const struct privilege_needs needs = { .sends = true };
	struct sender s = { .target = context, .again_ms = AGAIN_MIN_MS };

	s.last = &s.first;
	if (sandbox_drop_privileges(s.target->parent))
		return;
	confine(&needs);
	if (!library_open(&s.curl) || !open_transfer(&s))
		snprintf(s.news.text, sizeof(s.news.text), "%s", _("libcurl cannot be used"));
	tell(&s);
	while (s.easy && s.multi && !is_over(&s))
		step(&s);
	while (s.first)
		settle(&s, &s.news.samples.dropped);
	tell(&s);
}
#else
void push_send(void *context)
{
	struct push_news news = { .profiles = 0 };

	(void)context;
	snprintf(news.text, sizeof(news.text), "%s", _("ptop was built without libcurl"));
	channel_send(STDIN_FILENO, &news, sizeof(news), NULL);
}
#endif
