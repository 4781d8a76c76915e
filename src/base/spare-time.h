/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_BASE_SPARE_TIME_H
#define PTOP_BASE_SPARE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/*
 * CPU time for work that can wait, such as reading files for names: the part of a budget that nothing else needs.  It
 * comes at a rate and is kept up to SPARE_CREDIT_NS, which is also there at the start, so first names are on time.
 * The cost of work is known afterwards, so what is left may be negative: then it comes back first.
 *
 * Owners share it.  One may begin while he has used no more than is left; half of his use is forgotten in each
 * SPARE_HALF_LIFE_S.  So whoever takes much leaves as much for others, and waits.  Who used less than SPARE_SMALL_NS
 * lately never waits: another's debt does not delay his few files.  Dozens of owners are known at a time: one more waits
 * as long as the one of these with the least use, unless he is trusted.
 *
 * Any thread may call these functions at any time.
 */
struct spare_time;

#define SPARE_CREDIT_NS NS_PER_S
#define SPARE_RATE 0.02 /* where nobody tells another */
#define SPARE_TRUSTED_NS (4 * NS_PER_S)
#define SPARE_SMALL_NS (NS_PER_S / 50)
#define SPARE_HALF_LIFE_S 10u

/* RATE is CPU seconds a second, above 0; so is that below.  CLOCK is borrowed. */
struct spare_time *spare_time_new(const struct clock *clock, double rate);

/* Another reference, and the end of one; NULL is allowed.  A loader that hangs keeps its own for good. */
struct spare_time *spare_time_get(struct spare_time *s);
void spare_time_put(struct spare_time *s);

void spare_time_set_rate(struct spare_time *s, double rate);

/* Work for OWNER, any number, took COST_NS of CPU time. */
void spare_time_charge(struct spare_time *s, uint64_t owner, uint64_t cost_ns);

/*
 * When OWNER may begin, on the clock: 0 at once, otherwise at the latest then, if others use nothing meanwhile.  The use
 * of one who is TRUSTED does not count against him: he waits only while SPARE_TRUSTED_NS more are used than there was.
 */
uint64_t spare_time_due(struct spare_time *s, uint64_t owner, bool trusted);

#endif
