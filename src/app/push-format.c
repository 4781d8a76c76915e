/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/push-format.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/gzip.h"
#include "output/otlp-answer.h"

#ifdef HAVE_SNAPPY
#include <dlfcn.h>
#include <snappy-c.h>

/* The functions of the library that are used. */
struct snappy {
	__typeof__(&snappy_compress) compress;
	__typeof__(&snappy_max_compressed_length) bound;
};

/* It stays open.  Returns false if it is not there. */
static bool snappy_open(struct snappy *l)
{
	void *handle = dlopen("libsnappy.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return false;
	l->compress = (__typeof__(l->compress))dlsym(handle, "snappy_compress");
	l->bound = (__typeof__(l->bound))dlsym(handle, "snappy_max_compressed_length");
	return l->compress && l->bound;
}

static int can_snappy(struct error *err)
{
	struct snappy l;

	return snappy_open(&l) ? 0 : error_set(err, "%s", _("libsnappy cannot be used"));
}

static int encode_snappy(const struct buf *plain, struct buf *out)
{
	struct snappy l;
	size_t size;
	char *bytes;

	if (!snappy_open(&l))
		return -1;
	size = l.bound(plain->size);
	bytes = mem_array(size, 1);
	if (l.compress(plain->bytes, plain->size, bytes, &size) == SNAPPY_OK)
		buf_add(out, bytes, size);
	free(bytes);
	return out->size ? 0 : -1;
}
#else
static int can_snappy(struct error *err)
{
	return error_set(err, "%s", _("ptop was built without libsnappy"));
}

static int encode_snappy(const struct buf *plain, struct buf *out)
{
	(void)plain;
	(void)out;
	return -1;
}
#endif

static int encode_gzip(const struct buf *plain, struct buf *out)
{
#ifdef HAVE_PPROF
	struct gzip *g = gzip_open(out);

	if (!g)
		return -1;
	gzip_write(g, plain->bytes, plain->size);
	gzip_close(g);
	return 0;
#else
	(void)plain;
	(void)out;
	return -1;
#endif
}

#ifdef HAVE_PPROF
#define OTLP_REFUSED otlp_answer_refused
#else
#define OTLP_REFUSED NULL
#endif

/* RFC 3986, 2.3: all other bytes are written as %XX. */
static void add_encoded(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (isascii(*text) && (isalnum((unsigned char)*text) || strchr("_-.~", *text)))
			buf_add_char(out, *text);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
	}
}

/* "?name=ptop%7Bhost%3Dweb1%7D&" */
static void add_name(struct buf *url, const char *host, const char *labels)
{
	buf_add_str(url, "?name=ptop%7Bhost%3D");
	add_encoded(url, host);
	if (labels) {
		add_encoded(url, ",");
		add_encoded(url, labels);
	}
	buf_add_str(url, "%7D&");
}

static void add_time(struct buf *url, const struct push_job *job)
{
	buf_printf(url,
		   "from=%" PRIu64 "&until=%" PRIu64
		   "&format=pprof&spyName=ptop&sampleRate=%" PRIu64,
		   job->from_s, job->until_s, job->rate_hz);
}

/* clang-format off */
const struct push_format push_formats[] = {
	/* https://grafana.com/docs/pyroscope/latest/reference-server-api/: a pprof is compressed itself */
	{ .name = "pyroscope", .output = "pprof", .path = "/ingest", .samples = true,
	  .series = add_name, .interval = add_time,
	  .headers = { "Content-Type: application/octet-stream" } },
	/* https://prometheus.io/docs/specs/prw/remote_write_spec/ */
	{ .name = "remote-write", .output = "remote-write", .path = "/api/v1/write", .path_alone = true,
	  .headers = { "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
		       "X-Prometheus-Remote-Write-Version: 0.1.0" },
	  .encode = encode_snappy, .can = can_snappy },
	/* https://opentelemetry.io/docs/specs/otlp/#otlphttp */
	{ .name = "otlp", .output = "otlp", .path = "/v1/metrics", .path_alone = true,
	  .headers = { "Content-Type: application/x-protobuf", "Content-Encoding: gzip" },
	  .encode = encode_gzip, .refused = OTLP_REFUSED },
	/* proto/parca/profilestore/v1alpha1/profilestore.proto: the server's own gateway makes a WriteRaw of it */
	{ .name = "parca", .output = "parca", .path = "/api/profiles/writeraw", .samples = true,
	  .headers = { "Content-Type: application/json" } },
	/* The same as otlp; the specification has this path for profiles as long as they are in development. */
	{ .name = "otlp-profiles", .output = "otlp-profiles", .path = "/v1development/profiles", .path_alone = true,
	  .samples = true, .headers = { "Content-Type: application/x-protobuf", "Content-Encoding: gzip" },
	  .encode = encode_gzip, .refused = OTLP_REFUSED },
	{ .name = NULL },
};
/* clang-format on */

const struct push_format *push_format_find(const char *name)
{
	const struct push_format *f = push_formats;

	while (name && f->name && strcmp(f->name, name) != 0)
		f++;
	return f->name ? f : NULL;
}
