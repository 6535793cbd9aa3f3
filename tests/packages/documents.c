/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the JSON documents that only the library makes, of a small regression: documents FOLDER. schemas.py
 * holds them to their schemas. */
#include <math.h>
#include <stdio.h>

#include <grebe/grebe.h>

enum { N = 8 };
static const double xs[2 * N] = {1, 0, 2, -1, 0.5, 3, -2, 1, 0, 1, 2, 2, -1, 0, 1, 1},
                           ys[N] = {0.4, 1.1, 2.5, -0.5, 1, 2, -0.3, 1.2};

static gb_elbo *record(void *user, gb_tape *t, gb_fit_options *options)
{
    (void)user;
    const gb_node x = gb_input_rows(t, "x", gb_shape(2)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_node w =
        gb_latent(e, "w", gb_mean_field(gb_shape(2)), gb_normal(gb_num(t, 0), gb_num(t, 1)), gb_pathwise());
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, 0.5)), y);
    options->optimiser = gb_adam();
    options->steps = 20;
    options->data =
        gb_batches_new(t, .rows = N, .columns = GB_COLUMNS({x, gb_doubles(xs)}, {y, gb_doubles(ys)}));
    return e;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    return fopen(path, "w");
}

/* A watch of two estimators, of which one does not fit; a summary and predictions of the same model. */
static bool write_of_fit(const char *folder, const char *names[3])
{
    gb_fit_options o = {.size = sizeof o};
    gb_tape *const t = gb_tape_new(.seed = 1, .threads = 1);
    gb_elbo *const e = record(NULL, t, &o);
    gb_watching *const w = gb_watch(e, .every = 10, .draws = 40, .share = HUGE_VAL, .by_draw = true,
                                    .estimators = GB_ESTIMATORS(gb_pathwise(), gb_score(), gb_arm()));
    gb_fit_with(e, &o);
    gb_summary_table *const s = gb_summary(e, .data = o.data);
    gb_prediction *const p = gb_predictive(e, "y", .data = o.data, .draws = 100);
    FILE *const file[3] = {open_in(folder, names[0]), open_in(folder, names[1]), open_in(folder, names[2])};
    bool good = file[0] && file[1] && file[2] && gb_watching_json(w, file[0]) == GB_OK &&
                gb_summary_json(s, file[1]) == GB_OK && gb_prediction_json(p, file[2]) == GB_OK;
    for (size_t i = 0; i < 3; i++)
        good = file[i] && fclose(file[i]) == 0 && good;
    gb_summary_free(s);
    gb_prediction_free(p);
    good = gb_complain(t, stderr) == GB_OK && good;
    gb_tape_free(t);
    return good;
}

static bool write_race(const char *folder, const char *name)
{
    gb_racing *const r = gb_race(.make = record, .steps = 10, .points = 2, .seeds = 2, .draws = 20,
                                 .estimators = GB_ESTIMATORS(gb_pathwise(), gb_arm()));
    FILE *const file = open_in(folder, name);
    const bool written = file && gb_racing_json(r, file) == GB_OK;
    gb_racing_free(r);
    return file && fclose(file) == 0 && written;
}

int main(int count, char **argument)
{
    if (count != 2)
        return 2;
    return !write_of_fit(argument[1], (const char *[]){"watch", "summary", "prediction"}) ||
           !write_race(argument[1], "race of a model");
}
