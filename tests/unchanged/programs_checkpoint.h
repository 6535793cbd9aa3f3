/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trainings by gb_fit that are stopped half-way, and resumed from a checkpoint. An earlier build wrote the
 * checkpoints (checkpoints/NAME-double.grebe and NAME-float.grebe), with the baseline kernels. */
#ifndef GREBE_TESTS_PROGRAMS_CHECKPOINT_H
#define GREBE_TESTS_PROGRAMS_CHECKPOINT_H

#include "probe.h"

#include <sys/stat.h>
#include <unistd.h>

#include "model.h"
#include "models/scratch.h"

typedef struct stopped_training {
    const char *name;
    int64_t stop, end; /* after so many steps */
    gb_elbo *(*make)(probe *p, gb_fit_options *options);
} stopped_training;

/* Score estimator with a moving average, Adam with a schedule, averages of iterates; all rows in every
 * step. */
static gb_elbo *train_by_adam(probe *p, gb_fit_options *options)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 3}, REALS);
    m->w = gb_latent(m->e, "w", gb_mean_field(gb_shape(COLUMNS), .spread = 0.5, .scale = 0.5),
                     standard_normal(p), gb_score(.baseline = gb_moving_average()));
    observe_line(p, m);
    gb_feed(m->x, m->xs, ROWS);
    gb_feed(m->y, m->ys, ROWS);
    *options = (gb_fit_options){.optimiser = gb_adam(.lr = 0.125, .schedule = gb_cosine(60, .end = 0.125)),
                                .window = 7,
                                .clip_norm = 8,
                                .average = true,
                                .average_after = 10};
    return m->e;
}

/* RMSprop with shuffled batches, of which the last one is short, and a search for the plateau. */
static gb_elbo *train_by_rmsprop(probe *p, gb_fit_options *options)
{
    model *const m = begin(p, (gb_elbo_options){.samples = 2}, COINS);
    const gb_dist prior = standard_normal(p);
    m->w = gb_latent(m->e, "w", gb_full_rank(gb_shape(COLUMNS), .scale = 0.25), prior, gb_pathwise());
    gb_observe(m->e, "y", gb_bernoulli_logits(gb_dot(m->x, m->w)), m->y);
    *options = (gb_fit_options){.optimiser = gb_rmsprop(.lr = 0.0625, .momentum = 0.5, .centred = true),
                                .data = m->data,
                                .window = 9,
                                .plateau = true,
                                .improvement = 0.125};
    return m->e;
}

/* L-BFGS, which is in the middle of a line search when it stops. */
static gb_elbo *train_by_lbfgs(probe *p, gb_fit_options *options)
{
    gb_elbo *const e = gb_elbo_new(p->t, .data_size = 1);
    const gb_node x = gb_latent(e, "x", gb_point(gb_shape(2), .location = -1.25), gb_no_prior, gb_pathwise());
    const gb_node a = gb_slice(x, 0, 0, 1), b = gb_slice(x, 0, 1, 2);
    const gb_node across = gb_scale(gb_square(gb_sub(b, gb_square(a))), 100);
    const gb_node valley = gb_add(across, gb_square(gb_shift(gb_neg(a), 1)));
    gb_factor(e, "valley", gb_neg(gb_sum(valley)));
    *options = (gb_fit_options){.optimiser = gb_lbfgs(), .window = 5};
    return e;
}

static const stopped_training TRAININGS[] = {{"adam", 23, 50, train_by_adam},
                                             {"rmsprop", 31, 60, train_by_rmsprop},
                                             {"lbfgs", 12, 30, train_by_lbfgs}};
enum { TRAINING_COUNT = sizeof TRAININGS / sizeof *TRAININGS };

/* Trains until `steps` steps are taken. Resumes from the checkpoint if there is such a file; path NULL: no
 * checkpoint. */
static inline gb_fit_result train_until(probe *p, const stopped_training *training, const char *path,
                                        int64_t steps)
{
    gb_fit_options options;
    gb_elbo *const e = training->make(p, &options);
    options.size = sizeof options;
    options.steps = steps;
    options.checkpoint = path;
    options.resume = path != NULL;
    const gb_fit_result r = gb_fit_with(e, &options);
    assert_good(p);
    assert_int_equal(r.before + r.steps, steps);
    return r;
}

/* What is the same of a training that was interrupted and one that was not. */
static inline void hash_training(probe *p, const gb_fit_result *r)
{
    double last[] = {(double)r->last.step, (double)r->last.epoch, r->last.elbo, r->last.error};
    hash_numbers(p, "last", last, 4);
    look_at_variables(p);
}

/* FOLDER/adam-float.grebe */
static inline void file_of(const stopped_training *training, gb_real real, const char *folder,
                           char path[4096])
{
    snprintf(path, 4096, "%s/%s-%s.grebe", folder, training->name, real == GB_FLOAT ? "float" : "double");
}

static inline void copy_file(const char *from, const char *to)
{
    size_t length;
    unsigned char *const bytes = file_get(from, &length);
    file_put(to, bytes, length);
    free(bytes);
}

/* Resumes from a copy of the checkpoint in the tree, as gb_fit writes to the file at the end. */
static void resume_named(probe *p)
{
    const char *const name = strchr(p->program, '/') + 1;
    const stopped_training *training = TRAININGS;
    char path[4096];
    while (strcmp(training->name, name) != 0)
        training++;
    const scratch at = scratch_new();
    file_of(training, p->real, GB_TESTS "/unchanged/checkpoints", path);
    copy_file(path, at.path);
    const gb_fit_result r = train_until(p, training, at.path, training->end);
    assert_int_equal(r.before, training->stop);
    hash_training(p, &r);
    scratch_end(&at);
}

/* clang-format off */
#define CHECKPOINT_PROGRAMS                                                                                  \
    PROGRAM("checkpoint/adam", resume_named),                                                                \
    PROGRAM("checkpoint/rmsprop", resume_named),                                                             \
    PROGRAM("checkpoint/lbfgs", resume_named)
/* clang-format on */

#endif
