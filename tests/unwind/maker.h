/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_UNWIND_MAKER_H
#define PTOP_TESTS_UNWIND_MAKER_H

#include <stddef.h>
#include <stdint.h>

/*
 * A section of call frame information that a test makes by hand, of x86-64: CIEs at 0; descriptions with plain
 * addresses.  It starts zeroed.  Too many bytes end the test.
 */
struct maker {
	uint8_t bytes[4096];
	size_t size;
};

void maker_put(struct maker *m, const void *bytes, size_t size);
void maker_put_u32(struct maker *m, uint32_t value);

/* rsp + 8, the return address below; addresses as plain 8 bytes. */
void maker_put_cie(struct maker *m);
void maker_put_fde(struct maker *m, uint64_t start, uint64_t range, const void *code, size_t size);

#endif
