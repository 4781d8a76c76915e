/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perf/fake-ring.h"

#include <string.h>

void fake_ring_start(struct fake_ring *f, uint64_t position)
{
	memset(&f->page, 0, sizeof(f->page));
	memset(f->data, 0xee, sizeof(f->data));
	f->page.data_head = f->page.data_tail = position;
	ring_init(&f->ring, &f->page, f->data, FAKE_RING_SIZE, f->bounce);
}

void fake_ring_write(struct fake_ring *f, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		f->data[(f->page.data_head + i) % FAKE_RING_SIZE] =
			((const unsigned char *)bytes)[i];
	f->page.data_head += size;
}

void fake_ring_add(struct fake_ring *f, uint16_t size, unsigned char seed)
{
	unsigned char bytes[FAKE_RING_SIZE];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(seed + i);
	memcpy(bytes, &header, sizeof(header));
	fake_ring_write(f, bytes, size);
}

size_t fake_ring_room(const struct fake_ring *f)
{
	return FAKE_RING_SIZE - (size_t)(f->page.data_head - f->page.data_tail);
}
