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
#include "distributions/distribution.h"
#include "distributions/domain.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "estimators/baseline.h"
#include "estimators/estimator.h"
#include "estimators/expect.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo.h"
#include "models/family.h"
#include "models/optimiser.h"
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/list.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/special.h"

#endif
