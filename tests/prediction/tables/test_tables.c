/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predictions written out: for people, as JSON, CSV and NPY; and predicted in another process. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "support/close.h"

#include <sys/wait.h>
#include <unistd.h>

#include "fitting/fit.h"
#include "models/checkpoint.h"
#include "models/scratch.h"
#include "prediction/predicted.h"
#include "support/json.h"

static char *text_of(const gb_prediction *p, gb_status (*write)(const gb_prediction *, FILE *))
{
    enum { MOST = 1 << 16 };
    FILE *const file = tmpfile();
    char *const text = calloc(MOST, 1);
    assert_non_null(file);
    assert_non_null(text);
    assert_int_equal(write(p, file), GB_OK);
    rewind(file);
    assert_true(fread(text, 1, MOST - 1, file) > 0);
    fclose(file);
    return text;
}

static gb_prediction *line_prediction(gb_tape *t)
{
    const line m = line_model(t, gb_pathwise());
    return predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 50, .keep_draws = true), t);
}

TEST(people_see_rows_and_scores)
{
    gb_prediction *p = line_prediction(t);
    char *const text = text_of(p, gb_prediction_print);
    assert_non_null(strstr(text, "y: 5 rows, 50 draws (q)"));
    assert_non_null(strstr(text, "epistemic     noise        5 %       50 %       95 %    outcome"));
    assert_non_null(strstr(text, "log density"));
    assert_non_null(strstr(text, "coverage 90 %"));
    free(text);
    gb_prediction_free(p);
}

TEST(json_has_all_numbers)
{
    gb_prediction *p = line_prediction(t);
    char *const text = text_of(p, gb_prediction_json);
    assert_true(json_is_valid(text));
    assert_non_null(strstr(text, "\"scores\": [{\"name\": \"log density\", \"value\": "));
    assert_non_null(strstr(text, "{\"row\": 4, \"element\": 0, \"mean\": "));
    assert_non_null(strstr(text, "\"q5\": "));
    free(text);
    gb_prediction_free(p);
}

TEST(csv_has_a_line_for_each_row)
{
    gb_prediction *p = line_prediction(t);
    char *const text = text_of(p, gb_prediction_csv);
    const char *at = text;
    assert_int_equal(strncmp(text,
                             "row,element,mean,sd,epistemic,noise,q5,q50,q95,outcome,log_density,"
                             "log_density_error,below,up_to,crps\n",
                             97),
                     0);
    for (int i = 0; i <= LINE_ROWS; i++)
        at = strchr(at, '\n') + 1;
    assert_int_equal(*at, 0);
    double mean;
    assert_int_equal(sscanf(strchr(text, '\n') + 1, "0,0,%lf,", &mean), 1);
    assert_near(mean, p->mean[0], 0);
    free(text);
    gb_prediction_free(p);
}

TEST(draws_are_saved_for_numpy)
{
    const scratch at = scratch_new();
    char path[300];
    gb_prediction *p = line_prediction(t);
    snprintf(path, sizeof path, "%s/draws.npy", at.folder);
    assert_int_equal(gb_prediction_save(p, path), GB_OK);
    size_t length;
    unsigned char *const bytes = file_get(path, &length);
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_non_null(strstr((const char *)bytes + 10, "'shape': (50, 5, 1), }"));
    assert_int_equal(length, 128 + 50 * 5 * 8);
    assert_memory_equal(bytes + 128, p->draw, 50 * 5 * 8);
    free(bytes);
    snprintf(path, sizeof path, "%s/rows.csv", at.folder);
    assert_int_equal(gb_prediction_save(p, path), GB_OK);
    assert_int_equal(scratch_files(&at, false), 2);
    scratch_end(&at);
    gb_prediction_free(p);
}

TEST(paths_and_files_are_checked)
{
    gb_prediction *p = line_prediction(t);
    assert_int_equal(gb_prediction_save(p, "draws.txt"), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(t), "the path is draws.txt, and must end with .csv or .npy"));
    gb_forgive(t);
    assert_int_equal(gb_prediction_save(p, NULL), GB_EARGUMENT);
    gb_forgive(t);
    assert_int_equal(gb_prediction_save(p, "/nowhere/at/all.csv"), GB_ESYSTEM);
    gb_forgive(t);
    assert_int_equal(gb_prediction_save(NULL, "x.csv"), GB_EARGUMENT);
    assert_int_equal(gb_prediction_print(NULL, stdout), GB_EARGUMENT);
    assert_int_equal(gb_prediction_json(p, NULL), GB_EARGUMENT);
    assert_int_equal(gb_prediction_csv(NULL, NULL), GB_EARGUMENT);
    assert_int_equal(gb_prediction_scores(NULL).count, 0);
    assert_null(gb_scores_find(NULL, "rmse"));
    FILE *const full = fopen("/dev/full", "w");
    if (full) {
        assert_int_equal(gb_prediction_print(p, full), GB_ESYSTEM);
        fclose(full);
    }
    gb_prediction_free(p);
    gb_tape *const u = test_tape();
    const line m = line_model(u, gb_pathwise());
    p = predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 5), u);
    assert_int_equal(gb_prediction_save(p, "draws.npy"), GB_EARGUMENT);
    assert_non_null(strstr(gb_error_text(u), "did not keep them"));
    assert_int_equal(gb_reliability_of_intervals(0, NULL, NULL, 0).score.status, GB_EARGUMENT);
    assert_int_equal(gb_prediction_reliability(p, 0).score.status, GB_OK);
    gb_prediction_free(p);
}

TEST(predictions_may_be_freed_after_their_tape)
{
    gb_tape *const own = gb_tape_new(.seed = 1);
    const line m = line_model(own, gb_pathwise());
    gb_prediction *p = predicted(gb_predictive(m.e, "y", .data = m.data, .draws = 5), own);
    gb_tape_free(own);
    assert_true(isfinite(p->mean[0]));
    gb_prediction_free(p);
}

/* ---- in another process ---- */

/* A training that is saved; another process records the model alone, loads it, and predicts the same. */
TEST(a_model_that_was_trained_predicts_in_another_process, .seed = 1)
{
    const scratch at = scratch_new();
    const line trained = line_model(t, gb_pathwise());
    gb_batches *held_out = line_batches(&trained, 2, true, "held out");
    const gb_fit_result r = gb_fit(trained.e, .optimiser = gb_adam(.lr = 0.05), .data = trained.data,
                                   .steps = 100, .validate = held_out, .patience = 3, .checkpoint = at.path);
    assert_int_equal(r.status, GB_OK);
    gb_prediction *here =
        predicted(gb_predictive(trained.e, "y", .data = trained.data, .draws = 100, .keep_draws = true), t);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        gb_tape *const u = gb_tape_new(.seed = 1, .threads = 1);
        const line m = line_model(u, gb_pathwise());
        const gb_checkpoint c = {.size = sizeof c, .tape = u, .path = at.path, .subset = true};
        gb_prediction *there = NULL;
        if (gb_checkpoint_load(&c) == GB_OK)
            there = gb_predictive(m.e, "y", .data = m.data, .draws = 100, .keep_draws = true);
        const size_t bytes = 100 * LINE_ROWS * sizeof(double);
        const bool good = there && write(ends[1], there->draw, bytes) == (ssize_t)bytes;
        gb_prediction_free(there);
        gb_tape_free(u);
        _exit(good ? 0 : 1);
    }
    double draws[100 * LINE_ROWS];
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(read(ends[0], draws, sizeof draws), sizeof draws);
    assert_memory_equal(draws, here->draw, sizeof draws);
    close(ends[0]);
    close(ends[1]);
    gb_prediction_free(here);
    scratch_end(&at);
}
