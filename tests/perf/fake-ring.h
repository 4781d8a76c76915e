/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_FAKE_RING_H
#define PTOP_TESTS_FAKE_RING_H

#include "perf/live/ring.h"

/*
 * A kernel ring in plain memory, and the kernel's side of it.
 */
#define FAKE_RING_SIZE 4096u

struct fake_ring {
	struct perf_event_mmap_page page;
	unsigned char data[FAKE_RING_SIZE] __attribute__((aligned(8)));
	unsigned char bounce[RING_RECORD_MAX];
	struct ring ring;
};

/* An empty ring whose positions are both at POSITION. */
void fake_ring_start(struct fake_ring *f, uint64_t position);

/* Writes bytes at the head, as the kernel would, whatever they mean. */
void fake_ring_write(struct fake_ring *f, const void *bytes, size_t size);

/* A sample of SIZE bytes, whose payload counts up from SEED. */
void fake_ring_add(struct fake_ring *f, uint16_t size, unsigned char seed);

/* The number of bytes that the kernel could still write. */
size_t fake_ring_room(const struct fake_ring *f);

#endif
