/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of the fault that sources with planted faults have in this process; 0: none. */
#ifndef GREBE_TESTS_FAULTS_CHOOSE_IMPL_H
#define GREBE_TESTS_FAULTS_CHOOSE_IMPL_H

/* It comes before the source, which may need these of the system's headers. */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wredundant-decls"

/* Faulty expressions may call what their source does not include. */
#include "ops/array.h"
#include "ops/control.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

extern int gb_fault_chosen;

#endif
