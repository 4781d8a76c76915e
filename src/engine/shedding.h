/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_ENGINE_SHEDDING_H
#define PTOP_ENGINE_SHEDDING_H

#include <stdint.h>

#include "base/account.h"

/*
 * Keeps the engine's tables within the memory that there is for them (base/account.h).  About once a second
 * each is asked for its size, and the kernel for what all processes of ptop have in memory.  Where that is
 * too much, tables shed in the order of their rows.  Free memory then goes back to the kernel, and otherwise every ten
 * seconds.  The next worker gets a part of what is left of the limit.
 *
 * Nothing of it happens for a recording: what a file holds does not come again.
 */
struct engine;

/* Call often; does nothing before it is time. */
void account_keep(struct engine *e);

#endif
