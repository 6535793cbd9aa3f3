/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_CORE_GRAPH_STREAMS_IMPL_H
#define GREBE_CORE_GRAPH_STREAMS_IMPL_H

#include "core/noise.h"

/* Makes a stream with the draws that the stream of this name has, from its first one on; there is one
 * afterwards. For a graph that is recorded again and is to have the noise of the first recording: common
 * random numbers. */
gb_noise gb_stream_repeated(gb_tape *tape, const char *name);

#endif
