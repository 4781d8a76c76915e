/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/i18n.h"
#include "output/metric-walk.h"
#include "output/otlp.h"

/*
 * OTLP metrics, https://opentelemetry.io/docs/specs/otlp/: one ExportMetricsServiceRequest with a gauge for each name.  The host and the
 * labels of --push-label are attributes of the resource.
 */
struct writer {
	const struct snapshot *snapshot;
	struct metric_family family;
	char *name;               /* of the metric whose points are in `gauge`; NULL: none */
	struct otlp_buffer gauge; /* Gauge */
	struct otlp_buffer scope; /* ScopeMetrics */
};

/* UCUM. */
static const char *unit_of(const struct metric_family *f)
{
	static const struct {
		const char *ours, *theirs;
	} units[] = { { "seconds", "s" }, { "bytes", "By" }, { "ratio", "1" } };

	for (size_t i = 0; f->unit && i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(units[i].ours, f->unit))
			return units[i].theirs;
	}
	return "";
}

static void end_metric(struct writer *w)
{
	Otlp__ScopeMetrics part = OTLP__SCOPE_METRICS__INIT;
	Otlp__Metric metric = OTLP__METRIC__INIT, *all = &metric;

	if (!w->name)
		return;
	metric.name = w->name;
	metric.description = (char *)w->family.help;
	metric.unit = (char *)unit_of(&w->family);
	metric.gauge = otlp_bytes(&w->gauge);
	part.metrics = &all;
	part.n_metrics = 1;
	otlp_put(&w->scope, &part.base);
	buf_clear(&w->gauge.bytes);
	free(w->name);
	w->name = NULL;
}

static void write_family(void *context, const struct metric_family *f, const char *type)
{
	struct writer *w = context;

	(void)type;
	end_metric(w);
	w->family = *f;
}

static void write_value(void *context, const char *name, const char *labels, double value)
{
	Otlp__NumberDataPoint point = OTLP__NUMBER_DATA_POINT__INIT, *all = &point;
	Otlp__Gauge part = OTLP__GAUGE__INIT;
	struct otlp_attributes attributes = { .count = 0 };
	struct writer *w = context;

	if (!w->name)
		w->name = mem_strdup(name);
	otlp_attributes_add(&attributes, labels);
	point.time_unix_nano = w->snapshot->time_ns;
	point.value_case = OTLP__NUMBER_DATA_POINT__VALUE_AS_DOUBLE;
	point.as_double = value;
	point.attributes = attributes.list;
	point.n_attributes = attributes.count;
	part.data_points = &all;
	part.n_data_points = 1;
	otlp_put(&w->gauge, &part.base);
	otlp_attributes_fini(&attributes);
}

static void put_scope(struct writer *w)
{
	Otlp__ScopeMetrics part = OTLP__SCOPE_METRICS__INIT;
	Otlp__InstrumentationScope scope = otlp_scope(w->snapshot);

	part.scope = &scope;
	otlp_put(&w->scope, &part.base);
}

static void put_all(struct writer *w, const struct output_request *request, struct buf *out)
{
	Otlp__ExportMetricsServiceRequest whole = OTLP__EXPORT_METRICS_SERVICE_REQUEST__INIT;
	Otlp__ResourceMetrics of = OTLP__RESOURCE_METRICS__INIT, *all = &of;
	Otlp__Resource resource = OTLP__RESOURCE__INIT;
	ProtobufCBinaryData scope = otlp_bytes(&w->scope);
	struct otlp_attributes attributes = { .count = 0 };
	struct otlp_buffer to = { .bytes = *out };

	otlp_attributes_add_origin(&attributes, request);
	resource.attributes = attributes.list;
	resource.n_attributes = attributes.count;
	of.resource = &resource;
	of.scope_metrics = &scope;
	of.n_scope_metrics = 1;
	whole.resource_metrics = &all;
	whole.n_resource_metrics = 1;
	otlp_put(&to, &whole.base);
	*out = to.bytes;
	otlp_attributes_fini(&attributes);
}

static int otlp_write(struct buf *out, const struct output_request *request, struct error *err)
{
	static const struct metric_sink sink = { .family = write_family, .value = write_value };
	struct writer w = { .snapshot = view_snapshot(request->view) };

	(void)err;
	put_scope(&w);
	metrics_walk(request, &sink, &w);
	end_metric(&w);
	put_all(&w, request, out);
	buf_fini(&w.gauge.bytes);
	buf_fini(&w.scope.bytes);
	return 0;
}

/* clang-format off */
const struct output_format format_otlp = {
	.name = "otlp", .extensions = "", .help = N_("metrics for OpenTelemetry (OTLP)"),
	.series = SERIES_LAST, .write = otlp_write,
};
/* clang-format on */
