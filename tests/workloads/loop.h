/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_TESTS_LOOP_H
#define PTOP_TESTS_LOOP_H

#include <stdint.h>

/* A loop that counts its argument down. */
#if defined(__x86_64__)
static const unsigned char loop[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
static const uint32_t loop[] = { 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#else
static const unsigned char loop[1];
#endif

#endif
