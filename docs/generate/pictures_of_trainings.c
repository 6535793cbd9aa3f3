/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws docs/pictures/along-a-training.svg and race.svg: estimators of a logistic regression on two half
 * circles, along one training, and each in its own. Its argument is the folder. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { ROWS = 200, BATCH = 20, STEPS = 1000 };

static gb_elbo *record(void *user, gb_tape *t, gb_fit_options *o)
{
    gb_table *const moons = gb_table_of_set(t, "moons");
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = ROWS, .samples = 2);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), gb_num(t, 3)), gb_pathwise());
    gb_observe(e, "y", gb_bernoulli_logits(gb_dot(x, w)), y);
    o->optimiser = gb_adam(.lr = 0.02);
    o->steps = STEPS;
    o->data = gb_batches_new(
        t, .batch = BATCH,
        .columns = GB_COLUMNS({x, gb_table_numbers(moons, "a,b")}, {y, gb_table_numbers(moons, "class")}));
    *(gb_table **)user = moons;
    return e;
}

static FILE *open(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "w");
}

static gb_status along(const char *folder, gb_estimator_list estimators)
{
    gb_table *moons;
    gb_fit_options o = {.size = sizeof o};
    gb_tape *t = gb_tape_new(.seed = 1, .threads = 1);
    gb_elbo *e = record(&moons, t, &o);
    gb_watching *w = gb_watch(e, .every = 50, .share = HUGE_VAL, .draws = 400, .estimators = estimators);
    gb_fit_with(e, &o);
    gb_watching_print(w, stdout);
    FILE *file = open(folder, "along-a-training.svg");
    const gb_status drawn = gb_watching_svg(w, file), status = gb_complain(t, stderr);
    if (file)
        fclose(file);
    gb_table_free(moons);
    gb_tape_free(t);
    return status != GB_OK ? status : drawn;
}

static gb_status race(const char *folder, gb_estimator_list estimators)
{
    gb_table *moons;
    gb_racing *r = gb_race(.make = record, .user = &moons, .estimators = estimators, .steps = STEPS / 2,
                           .tape = &(gb_tape_options){.size = sizeof(gb_tape_options), .threads = 1});
    gb_racing_print(r, stdout);
    FILE *file = open(folder, "race.svg");
    const gb_status drawn = gb_racing_svg(r, file), status = r->status;
    if (file)
        fclose(file);
    gb_racing_free(r);
    return status != GB_OK ? status : drawn;
}

int main(int argc, char **argv)
{
    const gb_estimator_list estimators = GB_ESTIMATORS(
        gb_pathwise(), gb_score(), gb_score(.baseline = gb_leave_one_out()), gb_measure_valued());
    if (argc != 2)
        return 1;
    return along(argv[1], estimators) != GB_OK || race(argv[1], estimators) != GB_OK;
}
