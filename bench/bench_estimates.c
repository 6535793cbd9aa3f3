/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hundred thousand gradient estimates of the square of one draw, as `grebe compare` makes and tallies
 * them. */
#include <grebe/compare/compare.h>
#include <grebe/estimators/list.h>
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { ESTIMATORS = 4, ESTIMATES = 100000 };
static const double TARGET = 30e-3;

static gb_comparison *made(gb_estimator estimator)
{
    gb_comparison *c = gb_compare(.problem = gb_problem_find("gauss-square"), .estimators = 1,
                                  .estimator = &estimator, .draws = ESTIMATES, .threads = 1);
    gb_bench_need(c && c->status == GB_OK, NULL, c ? c->error : "memory");
    return c;
}

static void compare(void *estimator)
{
    gb_comparison_free(made(*(gb_estimator *)estimator));
}

/* Both gradients are 2. */
static void hold_to_the_exact_gradient(const char *name, gb_estimator estimator)
{
    gb_comparison *c = made(estimator);
    for (size_t i = 0; i < c->parameters; i++)
        gb_bench_need(fabs(c->estimator[0].parameter[i].z) < 6, NULL, name);
    gb_comparison_free(c);
}

int main(void)
{
    static const char *const name[ESTIMATORS] = {"pathwise", "score", "score, moving average",
                                                 "measure-valued"};
    gb_estimator estimator[ESTIMATORS] = {gb_pathwise(), gb_score(),
                                          gb_score(.baseline = gb_moving_average()), gb_measure_valued()};
    gb_bench_job job[ESTIMATORS];
    gb_bench_time time[ESTIMATORS];
    for (size_t i = 0; i < ESTIMATORS; i++) {
        hold_to_the_exact_gradient(name[i], estimator[i]);
        job[i] = (gb_bench_job){compare, &estimator[i]};
    }
    gb_bench_begin("1e5 gradient estimates of E (x - k)^2, recorded, planned, run and tallied (double)");
    gb_bench_measure(ESTIMATORS, job, time);
    for (size_t i = 0; i < ESTIMATORS; i++)
        gb_bench_row(name[i], "≤ 30 ms", gb_bench_passes(time[i].seconds <= TARGET), "%.1f ms",
                     1e3 * time[i].seconds);
}
