/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of docs/compare.md: along the training of a regression, and a race. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <grebe/grebe.h>

/* gb_fit, or the race, trains what it returns. */
static gb_elbo *record(void *user, gb_tape *t, gb_fit_options *o)
{
    gb_table *moons = user;
    gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *e = gb_elbo_new(t, .data_size = 200, .samples = 2);
    gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_dot(x, w)), y);
    o->optimiser = gb_adam(.lr = 0.02);
    o->steps = 1000;
    o->data = gb_batches_new(
        t, .batch = 20,
        .columns = GB_COLUMNS({x, gb_table_numbers(moons, "a,b")}, {y, gb_table_numbers(moons, "class")}));
    return e;
}

static void print(const gb_watching *along)
{
    for (size_t p = 0; p < along->points; p++)
        for (size_t i = 0; i < along->estimators; i++) {
            const gb_watched_estimator *one = &along->point[p].estimator[i];
            if (!one->parameter)
                continue; /* it was not measured here, and along->error says why */
            const gb_watched *all = &one->parameter[along->parameters];
            printf("step %4d, %-28s %9.4g ± %.3g\n", (int)along->point[p].step, along->name[i],
                   all->variance.value, all->variance.error);
        }
}

static gb_status along(gb_table *moons)
{
    gb_fit_options o = {.size = sizeof o};
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_elbo *e = record(moons, t, &o);
    gb_watching *along =
        gb_watch(e, .every = 500, .draws = 400, .share = HUGE_VAL,
                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score(),
                                             gb_score(.baseline = gb_leave_one_out()), gb_measure_valued()));
    gb_fit_with(e, &o);
    print(along);
    gb_status status = gb_complain(t, stderr);
    gb_tape_free(t);
    return status;
}

static gb_status race(gb_table *moons, FILE *picture)
{
    gb_racing *r = gb_race(.make = record, .user = moons, .steps = 100, .seeds = 2,
                           .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score()));
    gb_racing_svg(r, picture);
    gb_status status = r->status;
    gb_racing_free(r);
    return status;
}

int main(void)
{
    FILE *picture = tmpfile();
    gb_tape *t = gb_tape_new(.seed = 1);
    gb_table *moons = gb_table_of_set(t, "moons");
    bool good = picture && moons && along(moons) == GB_OK && race(moons, picture) == GB_OK;
    gb_table_free(moons);
    gb_tape_free(t);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
