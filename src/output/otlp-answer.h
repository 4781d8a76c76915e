/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PTOP_OUTPUT_OTLP_ANSWER_H
#define PTOP_OUTPUT_OTLP_ANSWER_H

#include <stddef.h>
#include <stdint.h>

/*
 * A receiver of OTLP may take only a part of a request and answer with a status of success
 * (https://opentelemetry.io/docs/specs/otlp/#partial-success-1).
 */

/*
 * Returns how many data points, or profiles, were refused by the answer BYTES, which are the server's.  TEXT gets the reason as raw
 * bytes, cut to ROOM with its NUL.  A reason without a number is a warning: 0 with a text.  Damaged bytes, and a build without
 * protobuf-c, tell nothing: 0 and "".
 */
uint64_t otlp_answer_refused(const char *bytes, size_t size, char *text, size_t room);

#endif
