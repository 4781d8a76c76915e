/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/metric-walk.h"
#include "output/remote-write.pb-c.h"

/*
 * Prometheus' remote-write 1.0, https://prometheus.io/docs/specs/prw/remote_write_spec/, without its compression: one sample of each
 * series, with the time of the snapshot.  Series have the labels that a scrape adds (job, instance), and those of --push-label.
 */
#define LABELS_MAX 32

struct label {
	char *name, *value; /* owned */
};

struct writer {
	ProtobufCBuffer base;
	struct buf *out;
	struct buf origin;            /* labels of all series */
	struct output_memory *memory; /* NULL: nothing was written before */
	int64_t time_ms;
	struct label labels[LABELS_MAX];
	size_t count;
};

static void append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
	buf_add(((struct writer *)base)->out, bytes, size);
}

/* Messages that follow each other are one, so each series is written as a request of its own. */
static void put(struct writer *w, const RemoteWrite__WriteRequest *part)
{
	protobuf_c_message_pack_to_buffer(&part->base, &w->base);
}

static bool has_label(const struct writer *w, const char *name)
{
	for (size_t i = 0; i < w->count; i++) {
		if (!strcmp(w->labels[i].name, name))
			return true;
	}
	return false;
}

/* The first label of a name stays: no series may have two. */
static void add_label(struct writer *w, const char *name, const char *value)
{
	if (w->count < LABELS_MAX && *value && !has_label(w, name))
		w->labels[w->count++] = (struct label){ mem_strdup(name), mem_strdup(value) };
}

static void add_labels(struct writer *w, const char *labels)
{
	struct metric_label l = { .at = labels };

	while (metric_label_next(&l))
		add_label(w, l.name.bytes, l.value.size ? l.value.bytes : "");
	metric_label_fini(&l);
}

static int compare_labels(const void *a, const void *b)
{
	return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static void put_series(struct writer *w, double value)
{
	RemoteWrite__WriteRequest part = REMOTE_WRITE__WRITE_REQUEST__INIT;
	RemoteWrite__TimeSeries series = REMOTE_WRITE__TIME_SERIES__INIT, *all = &series;
	RemoteWrite__Sample sample = REMOTE_WRITE__SAMPLE__INIT, *samples = &sample;
	RemoteWrite__Label labels[LABELS_MAX], *list[LABELS_MAX];

	for (size_t i = 0; i < w->count; i++) {
		remote_write__label__init(&labels[i]);
		labels[i].name = w->labels[i].name;
		labels[i].value = w->labels[i].value;
		list[i] = &labels[i];
	}
	sample.value = value;
	sample.timestamp = w->time_ms;
	series.labels = list;
	series.n_labels = w->count;
	series.samples = &samples;
	series.n_samples = 1;
	part.timeseries = &all;
	part.n_timeseries = 1;
	put(w, &part);
}

static void write_series(struct writer *w, const char *name, const char *labels, double value)
{
	add_label(w, "__name__", name);
	add_labels(w, labels);
	add_label(w, "job", "ptop");
	add_labels(w, w->origin.bytes);
	qsort(w->labels, w->count, sizeof(*w->labels), compare_labels);
	put_series(w, value);
	while (w->count) {
		w->count--;
		mem_free(w->labels[w->count].name, w->labels[w->count].value);
	}
}

static void write_value(void *context, const char *name, const char *labels, double value)
{
	struct writer *w = context;

	metrics_remember(w->memory, name, labels);
	write_series(w, name, labels, value);
}

/* Else a query would find its last value for five more minutes.  The marker is a NaN of its own. */
static void write_end(void *context, const char *name, const char *labels)
{
	const uint64_t bits = 0x7ff0000000000002;
	double stale;

	memcpy(&stale, &bits, sizeof(stale));
	write_series(context, name, labels, stale);
}

static void write_family(void *context, const struct metric_family *f, const char *type)
{
	RemoteWrite__WriteRequest part = REMOTE_WRITE__WRITE_REQUEST__INIT;
	RemoteWrite__MetricMetadata metadata = REMOTE_WRITE__METRIC_METADATA__INIT,
				    *all = &metadata;

	metadata.type = strcmp(type, "gauge")
				? REMOTE_WRITE__METRIC_METADATA__METRIC_TYPE__GAUGEHISTOGRAM
				: REMOTE_WRITE__METRIC_METADATA__METRIC_TYPE__GAUGE;
	metadata.metric_family_name = (char *)f->name;
	metadata.help = (char *)f->help;
	if (f->unit)
		metadata.unit = (char *)f->unit;
	part.metadata = &all;
	part.n_metadata = 1;
	put(context, &part);
}

static int remote_write_write(struct buf *out, const struct output_request *request,
			      struct error *err)
{
	static const struct metric_sink sink = { .family = write_family, .value = write_value };
	struct writer w = {
		.base.append = append,
		.out = out,
		.memory = request->memory,
		.time_ms = (int64_t)(view_snapshot(request->view)->time_ns / 1000000),
	};

	(void)err;
	metrics_origin(&w.origin, request, "instance");
	metrics_walk(request, &sink, &w);
	metrics_ended(w.memory, write_end, &w);
	buf_fini(&w.origin);
	return 0;
}

/* clang-format off */
const struct output_format format_remote_write = {
	.name = "remote-write", .extensions = "", .help = N_("metrics as Prometheus' remote-write has them"),
	.series = SERIES_LAST, .write = remote_write_write,
};
/* clang-format on */
