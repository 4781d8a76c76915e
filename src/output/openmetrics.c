/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/i18n.h"
#include "output/metric-walk.h"

/*
 * OpenMetrics 1.0, for a scrape by Prometheus or node_exporter's textfile collector:
 *
 *	# HELP ptop_process_cpu_ratio CPU time over time, in the last interval; 1 is one CPU.
 *	# TYPE ptop_process_cpu_ratio gauge
 *	# UNIT ptop_process_cpu_ratio ratio
 *	ptop_process_cpu_ratio{pid="4123",comm="load",user="root"} 0.997
 *
 * The bytes are also valid in Prometheus' older text format, which node_exporter and promtool read.
 */
static void print_family(void *context, const struct metric_family *f, const char *type)
{
	struct buf *out = context;

	buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, type);
	if (f->unit)
		buf_printf(out, "# UNIT %s %s\n", f->name, f->unit);
}

static void print_value(void *context, const char *name, const char *labels, double value)
{
	buf_printf(context, "%s%s %.15g\n", name, labels, value);
}

static int openmetrics_write(struct buf *out, const struct output_request *request,
			     struct error *err)
{
	static const struct metric_sink sink = { .family = print_family, .value = print_value };

	(void)err;
	metrics_walk(request, &sink, out);
	buf_add_str(out, "# EOF\n");
	return 0;
}

/* clang-format off */
const struct output_format format_openmetrics = {
	.name = "openmetrics", .extensions = ".om .prom", .help = N_("metrics for Prometheus"),
	.series = SERIES_REPLACE, .write = openmetrics_write,
};
/* clang-format on */
