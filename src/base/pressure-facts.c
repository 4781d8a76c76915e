/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/pressure-facts.h"

#include <math.h>

const struct pressure pressure_unknown = { NAN, NAN, NAN, NAN, NAN };
