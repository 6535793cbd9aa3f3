/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_BENCH_BESIDE_H
#define GREBE_BENCH_BESIDE_H

#include "trust.h"

/* Appends times and distances of each method here to FOLDER/beside-grebe.tsv. Returns false on error. */
bool trust_time(const char *folder, const trust_job *job, uint64_t seed);

/* Appends the standard deviations of a mean field, and those by linear response, to FOLDER/response.tsv. */
bool trust_respond(const char *folder, const trust_job *job, uint64_t seed);

#endif
