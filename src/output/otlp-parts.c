/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "output/metric-walk.h"
#include "output/otlp-answer.h"
#include "output/otlp.h"

static void append(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
	buf_add(&((struct otlp_buffer *)base)->bytes, bytes, size);
}

void otlp_put(struct otlp_buffer *b, const ProtobufCMessage *part)
{
	b->base.append = append;
	protobuf_c_message_pack_to_buffer(part, &b->base);
}

ProtobufCBinaryData otlp_bytes(const struct otlp_buffer *b)
{
	return (ProtobufCBinaryData){ .len = b->bytes.size, .data = (uint8_t *)b->bytes.bytes };
}

static void add(struct otlp_attributes *a, const char *key, const char *value)
{
	const size_t i = a->count;

	for (size_t k = 0; k < i; k++) {
		if (!strcmp(a->pairs[k].key, key))
			return;
	}
	if (i == OTLP_ATTRIBUTES_MAX || !*value)
		return;
	otlp__any_value__init(&a->values[i]);
	a->values[i].value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	a->values[i].string_value = mem_strdup(value);
	otlp__key_value__init(&a->pairs[i]);
	a->pairs[i].key = mem_strdup(key);
	a->pairs[i].value = &a->values[i];
	a->list[i] = &a->pairs[i];
	a->count++;
}

void otlp_attributes_add(struct otlp_attributes *a, const char *labels)
{
	struct metric_label l = { .at = labels };

	while (metric_label_next(&l))
		add(a, l.name.bytes, l.value.size ? l.value.bytes : "");
	metric_label_fini(&l);
}

void otlp_attributes_add_origin(struct otlp_attributes *a, const struct output_request *request)
{
	struct buf origin = { 0 };

	add(a, "service.name", "ptop");
	add(a, "service.version", view_snapshot(request->view)->version);
	if (request->host)
		add(a, "service.instance.id", request->host);
	metrics_origin(&origin, request, "host.name");
	otlp_attributes_add(a, origin.bytes);
	buf_fini(&origin);
}

void otlp_attributes_fini(struct otlp_attributes *a)
{
	for (size_t i = 0; i < a->count; i++)
		mem_free(a->pairs[i].key, a->values[i].string_value);
}

Otlp__InstrumentationScope otlp_scope(const struct snapshot *s)
{
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;

	scope.name = (char *)"ptop";
	scope.version = (char *)s->version;
	return scope;
}

uint64_t otlp_answer_refused(const char *bytes, size_t size, char *text, size_t room)
{
	Otlp__ExportResponse *answer =
		otlp__export_response__unpack(NULL, size, (const uint8_t *)bytes);
	const Otlp__PartialSuccess *part = answer ? answer->partial_success : NULL;
	uint64_t refused = part && part->rejected > 0 ? (uint64_t)part->rejected : 0;

	snprintf(text, room, "%s", part ? part->error_message : "");
	otlp__export_response__free_unpacked(answer, NULL);
	return refused;
}
