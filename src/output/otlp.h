/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_OTLP_H
#define PTOP_OUTPUT_OTLP_H

#include "output/format.h"
#include "output/otlp.pb-c.h"
#include "profile/snapshot.h"

/*
 * The parts that OTLP's metrics (otlp.c) and profiles (otlp-profiles.c) share: whose they are, and how a message is written in parts.
 */
#define OTLP_ATTRIBUTES_MAX 32

/* Zeroed at first.  `list` and `count` are for a message. */
struct otlp_attributes {
	Otlp__KeyValue pairs[OTLP_ATTRIBUTES_MAX], *list[OTLP_ATTRIBUTES_MAX];
	Otlp__AnyValue values[OTLP_ATTRIBUTES_MAX];
	size_t count;
};

/*
 * Adds LABELS, of metrics_origin() or a metric_sink.  The first of a name stays, because keys must be unique.  An empty value is absent, as
 * for Prometheus.
 */
void otlp_attributes_add(struct otlp_attributes *a, const char *labels);

/* The attributes of the resource: ptop, its version, the host and the labels of --push-label. */
void otlp_attributes_add_origin(struct otlp_attributes *a, const struct output_request *request);
void otlp_attributes_fini(struct otlp_attributes *a);

/* ptop with S's version, both borrowed. */
Otlp__InstrumentationScope otlp_scope(const struct snapshot *s);

/* A message as bytes: the concatenation of its parts.  Zeroed at first; ends with buf_fini(). */
struct otlp_buffer {
	ProtobufCBuffer base;
	struct buf bytes;
};

void otlp_put(struct otlp_buffer *b, const ProtobufCMessage *part);

/* For a field of another message; borrowed. */
ProtobufCBinaryData otlp_bytes(const struct otlp_buffer *b);

#endif
