/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/exporter.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#endif

#include "base/alloc.h"
#include "base/i18n.h"

#define LOOPBACK "127.0.0.1"
#define ADDRESS_BYTES 64 /* an IPv6 address with its scope, or a port */

/* "9464", "0.0.0.0:9464" or "[::1]:9464" in two. */
struct address {
	char host[ADDRESS_BYTES], port[ADDRESS_BYTES];
};

static int address_bad(const char *text, struct error *err)
{
	return error_set(err,
			 _("listen '%s' is not [ADDR:]PORT, such as 9464, 0.0.0.0:9464 or "
			   "[::1]:9464"),
			 text);
}

static int copy_part(char out[ADDRESS_BYTES], const char *from, size_t size)
{
	if (!size || size >= ADDRESS_BYTES)
		return -1;
	memcpy(out, from, size);
	out[size] = '\0';
	return 0;
}

static int address_split(struct address *a, const char *text)
{
	const char *colon = strrchr(text, ':'), *host = text;
	size_t size = colon ? (size_t)(colon - text) : 0;

	if (!colon) {
		strcpy(a->host, LOOPBACK);
		return copy_part(a->port, text, strlen(text));
	}
	if (*text == '[') {
		if (size < 2 || colon[-1] != ']')
			return -1;
		host++;
		size -= 2;
	} else if (memchr(text, ':', size)) {
		return -1; /* which of the colons? */
	}
	return copy_part(a->host, host, size) || copy_part(a->port, colon + 1, strlen(colon + 1));
}

/* A list of one, to be freed by freeaddrinfo(); no name is looked up.  NULL with ERR set. */
static struct addrinfo *address_parse(const char *text, struct error *err)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	struct address a;

	if (address_split(&a, text) || strspn(a.port, "0123456789") != strlen(a.port) ||
	    strlen(a.port) > 5 || atoi(a.port) > 65535 ||
	    getaddrinfo(a.host, a.port, &hints, &found)) {
		address_bad(text, err);
		return NULL;
	}
	return found;
}

int exporter_check(const char *text, struct error *err)
{
	struct addrinfo *found = address_parse(text, err);

	if (!found)
		return -1;
	freeaddrinfo(found);
	return 0;
}

#ifndef HAVE_MICROHTTPD

/* There is never one. */
struct exporter *exporter_open(const char *text, struct buf *notes, struct error *err)
{
	(void)notes;
	error_set(err, _("cannot listen on %s: this ptop was built without libmicrohttpd"), text);
	return NULL;
}

int exporter_start(struct exporter *e, struct error *err)
{
	(void)e;
	(void)err;
	return -1;
}

void exporter_publish(struct exporter *e, const struct buf *page)
{
	(void)e;
	(void)page;
}

void exporter_close(struct exporter *e)
{
	(void)e;
}

#else

#define PATH "/metrics"
#define OPENMETRICS "application/openmetrics-text"
#define BACKLOG 16
#define CONNECTIONS 64u
#define PATIENCE_S 10u                   /* with a client that says nothing */
#define CONNECTION_BYTES ((size_t)16384) /* for its request */

/* The bytes are right as both; a client gets the one that it asks for. */
enum { PAGE_TEXT, PAGE_OPENMETRICS, PAGES };

static const char *const content_types[PAGES] = {
	[PAGE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[PAGE_OPENMETRICS] = OPENMETRICS "; version=1.0.0; charset=utf-8",
};

/* One that is there, in the order in which they came. */
struct client {
	struct MHD_Connection *connection;
	int fd;
};

struct exporter {
	int fd;                             /* listens; the daemon's once that runs */
	bool loopback;                      /* only this machine can reach it */
	struct client clients[CONNECTIONS]; /* of the daemon's thread */
	size_t client_count;
	struct MHD_Daemon *daemon;
	pthread_mutex_t lock;              /* of `pages` */
	struct MHD_Response *pages[PAGES]; /* count their references; NULL before the first */
};

static int bind_socket(const struct addrinfo *at, const char *text, struct error *err)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) &&
	    !bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	error_set(err, _("cannot listen on %s: %s"), text, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void note_address(int fd, struct buf *notes)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(fd, (struct sockaddr *)&at, &size) ||
	    getnameinfo((struct sockaddr *)&at, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	buf_printf(notes,
		   at.ss_family == AF_INET6 ? _("metrics at http://[%s]:%s%s\n")
					    : _("metrics at http://%s:%s%s\n"),
		   host, port, PATH);
}

static bool is_loopback(const struct sockaddr *at)
{
	if (at->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)at)->sin6_addr);
	return ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

struct exporter *exporter_open(const char *text, struct buf *notes, struct error *err)
{
	struct addrinfo *at = address_parse(text, err);
	struct exporter *e;
	bool loopback;
	int fd;

	if (!at)
		return NULL;
	fd = bind_socket(at, text, err);
	loopback = is_loopback(at->ai_addr);
	freeaddrinfo(at);
	if (fd < 0)
		return NULL;
	note_address(fd, notes);
	e = mem_alloc(sizeof(*e));
	e->fd = fd;
	e->loopback = loopback;
	pthread_mutex_init(&e->lock, NULL);
	return e;
}

/*
 * Clients that say nothing must not keep others out: where the last place is taken, the oldest client
 * goes.  A scrape takes milliseconds, so it is hardly ever that one.
 */
static void client_came(struct exporter *e, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (!info || e->client_count == CONNECTIONS)
		return;
	e->clients[e->client_count++] = (struct client){ c, info->connect_fd };
	if (e->client_count == CONNECTIONS)
		shutdown(e->clients[0].fd, SHUT_RDWR);
}

static void client_left(struct exporter *e, const struct MHD_Connection *c)
{
	size_t i = 0;

	while (i < e->client_count && e->clients[i].connection != c)
		i++;
	if (i == e->client_count)
		return;
	e->client_count--;
	memmove(e->clients + i, e->clients + i + 1, (e->client_count - i) * sizeof(*e->clients));
}

/* In the daemon's thread. */
static void client_changed(void *context, struct MHD_Connection *c, void **socket_context,
			   enum MHD_ConnectionNotificationCode code)
{
	(void)socket_context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		client_came(context, c);
	else
		client_left(context, c);
}

/* An address, with a port or without, or "localhost"; each client has one, but those of HTTP/1.0. */
static bool host_is_here(const char *host)
{
	const char *ends = *host == '[' ? "]" : ":";
	struct in6_addr in;
	char name[ADDRESS_BYTES];

	host += *host == '[';
	return !copy_part(name, host, strcspn(host, ends)) &&
	       (!strcmp(name, "localhost") || inet_pton(AF_INET, name, &in) == 1 ||
		inet_pton(AF_INET6, name, &in) == 1);
}

/*
 * A web page in a browser of this machine could give its own name our address (DNS rebinding) and read what
 * only this machine may read.  Then that name is in the request.
 */
static bool may_answer(const struct exporter *e, struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return !e->loopback || !host || host_is_here(host);
}

/* An answer that is not the page. */
static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, MHD_HTTP_METHOD_GET);
	result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result send_page(struct exporter *e, struct MHD_Connection *c)
{
	const char *accept =
		MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
	int kind = accept && strstr(accept, OPENMETRICS) ? PAGE_OPENMETRICS : PAGE_TEXT;
	enum MHD_Result result = MHD_NO;
	bool any;

	pthread_mutex_lock(&e->lock);
	any = e->pages[kind] != NULL;
	if (any)
		result = MHD_queue_response(c, MHD_HTTP_OK, e->pages[kind]);
	pthread_mutex_unlock(&e->lock);
	return any ? result : refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "nothing measured yet\n");
}

/*
 * In the daemon's thread; called with the head of a request, with each part of a body, which nobody
 * wants, and at its end.  An answer before the end closes the connection.
 */
static enum MHD_Result answer(void *context, struct MHD_Connection *c, const char *path,
			      const char *method, const char *version, const char *body,
			      size_t *body_size, void **request)
{
	bool head = !*request;

	(void)version;
	(void)body;
	*request = context;
	if (!may_answer(context, c))
		return refuse(c, MHD_HTTP_FORBIDDEN, "only for localhost, or an address\n");
	if (strcmp(method, MHD_HTTP_METHOD_GET))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(path, PATH))
		return refuse(c, MHD_HTTP_NOT_FOUND, "there is " PATH "\n");
	if (head || *body_size) {
		*body_size = 0;
		return MHD_YES;
	}
	return send_page(context, c);
}

int exporter_start(struct exporter *e, struct error *err)
{
	e->daemon = MHD_start_daemon(
		MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, answer, e,
		MHD_OPTION_LISTEN_SOCKET, e->fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE_S, MHD_OPTION_NOTIFY_CONNECTION,
		client_changed, e, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
		MHD_OPTION_END);
	if (!e->daemon)
		return error_set(err, _("cannot serve metrics: %s"), strerror(errno));
	return 0;
}

static void put_page(struct exporter *e, int kind, struct MHD_Response *page)
{
	struct MHD_Response *old;

	pthread_mutex_lock(&e->lock);
	old = e->pages[kind];
	e->pages[kind] = page;
	pthread_mutex_unlock(&e->lock);
	if (old)
		MHD_destroy_response(old);
}

void exporter_publish(struct exporter *e, const struct buf *page)
{
	for (int kind = 0; kind < PAGES; kind++) {
		struct MHD_Response *r = MHD_create_response_from_buffer(page->size, page->bytes,
									 MHD_RESPMEM_MUST_COPY);

		if (!r)
			continue; /* out of memory: the old page stays */
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, content_types[kind]);
		put_page(e, kind, r);
	}
}

void exporter_close(struct exporter *e)
{
	if (!e)
		return;
	if (e->daemon)
		MHD_stop_daemon(e->daemon); /* closes the socket */
	else
		close(e->fd);
	for (int kind = 0; kind < PAGES; kind++)
		if (e->pages[kind])
			MHD_destroy_response(e->pages[kind]);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

#endif
