/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of bench_networks.c that are compared with programs by hand. */
#ifndef GREBE_BENCH_LAYERS_H
#define GREBE_BENCH_LAYERS_H

#include "peer.h"

/* Prints them; also against PyTorch, unless `peer` is NULL. */
void gb_bench_layers(gb_bench_peer *peer);

#endif
