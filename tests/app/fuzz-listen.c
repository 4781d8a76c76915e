/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/fuzz.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "app/exporter.h"
#include "base/buf.h"

/*
 * Input: what a client of --listen sends.  Whatever that is, the answer is
 * HTTP, or the connection ends; and the page goes to nobody who was led here by a foreign name.  The
 * first line is tried as an address to listen on, too.
 */
#define PAGE "ptop_fuzz 1\n# EOF\n"
#define FOREIGN "GET /metrics HTTP/1.1\r\nHost: evil.example\r\n" /* one request has no page */
#define ANSWER_MAX (1u << 20)
#ifdef HAVE_MICROHTTPD
#define LISTENS true
#else
#define LISTENS false /* only the address is tried */
#endif
#define PATIENCE_MS 20 /* then the client leaves: who says half a request gets no answer */

static struct {
	struct exporter *exporter;
	uint16_t port;
	uint32_t clients;
} server;

const struct fuzz_bound fuzz_bound = { 200000, 20000, 1024, 256 };

static void cleanup(void)
{
	exporter_close(server.exporter);
}

/* "metrics at http://127.0.0.1:40213/metrics" */
static void setup(void)
{
	struct error err = { "" };
	struct buf notes = { 0 }, page = { 0 };

	if (server.exporter)
		return;
	server.exporter = exporter_open("0", &notes, &err);
	if (!server.exporter || exporter_start(server.exporter, &err))
		abort();
	server.port = (uint16_t)atoi(strrchr(notes.bytes, ':') + 1);
	buf_add_str(&page, PAGE);
	exporter_publish(server.exporter, &page);
	buf_fini(&page);
	buf_fini(&notes);
	atexit(cleanup);
}

/* From another address of this machine each time: a closed connection occupies its two for a minute. */
static int connect_client(void)
{
	struct sockaddr_in from = { .sin_family = AF_INET }, to = from;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	struct timeval patience = { .tv_usec = PATIENCE_MS * 1000 };

	from.sin_addr.s_addr = htonl(0x7f010001u + server.clients++ % 0xff0000u);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(server.port);
	if (fd < 0 || setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) ||
	    bind(fd, (const struct sockaddr *)&from, sizeof(from)) ||
	    connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		abort();
	return fd;
}

/* The whole answer, with a NUL behind it. */
static struct buf converse(const uint8_t *data, size_t size)
{
	int fd = connect_client();
	struct buf answer = { 0 };
	char piece[4096];
	ssize_t n;

	/* The server may end the connection before it has all; its answer is there then. */
	n = send(fd, data, size, MSG_NOSIGNAL);
	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0) {
		buf_add(&answer, piece, (size_t)n);
		if (answer.size > ANSWER_MAX)
			abort();
	}
	close(fd);
	return answer;
}

static void check_answer(const char *request, const struct buf *answer)
{
	if (!answer->size)
		return;
	if (strncmp(answer->bytes, "HTTP/1.", 7))
		abort();
	if (!strncmp(request, FOREIGN, strlen(FOREIGN)) &&
	    !strstr(request + strlen(FOREIGN), "HTTP/1") && strstr(answer->bytes, PAGE))
		abort();
}

static void check_address(const char *text)
{
	struct error err = { "" };
	char *line = strndup(text, strcspn(text, "\r\n"));

	if (!exporter_check(line, &err) != !err.text[0])
		abort();
	free(line);
}

static void try_request(const uint8_t *data, size_t size, const char *text)
{
	struct buf answer;

	setup();
	answer = converse(data, size);
	check_answer(text, &answer);
	buf_fini(&answer);
}

int fuzz_input(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	check_address(text);
	if (LISTENS)
		try_request(data, size, text);
	free(text);
	return 0;
}
