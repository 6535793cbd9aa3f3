/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All of grebe. */
#ifndef GREBE_GREBE_H
#define GREBE_GREBE_H

#include "core/gradient.h"
#include "core/noise.h"
#include "core/op.h"
#include "core/program.h"
#include "core/shape.h"
#include "core/status.h"
#include "core/tape.h"
#include "core/version.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/matmul.h"
#include "ops/reduce.h"

#endif
