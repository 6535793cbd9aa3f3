/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All conformance kits: they check that a plug-in keeps its promises. They form a library of their own,
 * grebe-kit, which links grebe:
 *
 *     gb_report report = {.size = sizeof report, .file = stderr};
 *     gb_check_op(&my_op, .report = &report);
 *     return report.failures > 0; */
#ifndef GREBE_KIT_KIT_H
#define GREBE_KIT_KIT_H

#include "check_baseline.h"
#include "check_bound.h"
#include "check_distribution.h"
#include "check_estimator.h"
#include "check_family.h"
#include "check_model.h"
#include "check_op.h"
#include "check_optimiser.h"
#include "check_problem.h"
#include "check_schedule.h"
#include "check_transform.h"
#include "report.h"

#endif
