/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One linear regression, whose optimum is known for each of four posteriors: every estimator that fits
 * reaches it, within the error that the noise of its own gradients leaves.
 *
 * Training is x ← x − aₜ H⁻¹ g with aₜ = (1000 + t)^−0.6, H the Hessian at the optimum, by differences of an
 * exact gradient. The mean of T iterates then has the covariance of H⁻¹ g divided by T, to first order
 * (Polyak and Juditsky 1992), whatever the estimator. So many of these standard errors are allowed that
 * chance exceeds them less than once in 10⁹ times. */
#include "support/close.h"

#include <gsl/gsl_linalg.h>
#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/visit.h"
#include "models/elbo.h"
#include "models/optimiser.h"
#include "ops/array.h"
#include "ops/matmul.h"
#include "ops/matrix.h"
#include "ops/reduce.h"
#include "support/regression.h"

enum { N = REGRESSION_ROWS, D = REGRESSION_COLUMNS, STEPS = 6000, AFTER = 2000, LAST = 1000 };
enum { MOST_VARIABLES = 3, MOST = 2 * D + D * D };
static const double STANDARD_ERRORS = 7, ROUNDING = 1e-8;
/* In units in which the loss is z² / 2 along the axis of a number: no error may be
 * so large that a bias could hide in it. */
static const double LARGEST_ERROR = 0.15;

/* ---- the posteriors ---- */

typedef struct problem {
    const char *name;
    gb_family (*family)(gb_tape *t);
    gb_dist (*prior)(gb_tape *t);
    double noise;
    gb_estimator (*exact)(void);                      /* without noise */
    gb_estimator (*by)(gb_estimator estimator);       /* what takes draws of it by another one */
    gb_dist (*drawn)(gb_tape *t);                     /* like what that one draws of */
    void (*optimum)(gb_tape *t, const regression *r); /* sets the variables; NULL: it is looked for */
} problem;

static gb_family mean_field(gb_tape *t)
{
    (void)t;
    return gb_mean_field(gb_shape(D), .location = 0.2, .scale = 0.4);
}

static gb_family full_rank(gb_tape *t)
{
    (void)t;
    return gb_full_rank(gb_shape(D), .location = 0.2, .scale = 0.4);
}

static gb_family learned_dropout(gb_tape *t)
{
    (void)t;
    return gb_dropout_posterior(gb_shape(D), .location = 0.5, .keep = 0.7, .is_learned = true);
}

/* Of one column among the D. The first logit is 0, since a number that is added to all changes nothing. */
static gb_family choice(gb_tape *t)
{
    const gb_node rest = gb_variable(t, "w.logits", gb_shape(D - 1), gb_fill(0.2));
    const gb_node logits = gb_concat(2, (const gb_node[]){gb_zeros(t, gb_shape(1)), rest}, 0);
    return gb_posterior_of(gb_one_hot_categorical_logits(logits));
}

static gb_dist normal_prior(gb_tape *t)
{
    return gb_normal(gb_num(t, 0), gb_num(t, REGRESSION_PRIOR));
}

static gb_dist even_choice(gb_tape *t)
{
    return gb_one_hot_categorical(gb_constant(t, gb_shape(D), gb_fill(1.0 / D)));
}

static gb_estimator quadrature(void)
{
    return gb_quadrature(.nodes = 3);
}

static gb_estimator enumerated_mask(void)
{
    return gb_dropout_draws(.mask = gb_enumerated());
}

static gb_estimator enumerated(void)
{
    return gb_enumerated();
}

static gb_estimator itself(gb_estimator estimator)
{
    return estimator;
}

static gb_estimator of_mask(gb_estimator estimator)
{
    return gb_dropout_draws(.mask = estimator);
}

static gb_dist normals(gb_tape *t)
{
    return gb_normal(gb_zeros(t, gb_shape(D)), gb_num(t, 1));
}

static gb_dist one_normal(gb_tape *t)
{
    return gb_multivariate_normal(gb_zeros(t, gb_shape(D)), gb_diag(gb_ones(t, gb_shape(D))));
}

static gb_dist mask(gb_tape *t)
{
    return gb_bernoulli(gb_constant(t, gb_shape(D), gb_fill(0.5)));
}

static void best_mean_field(gb_tape *t, const regression *r)
{
    double raw[D];
    for (int d = 0; d < D; d++)
        raw[d] = inverse_softplus(1 / sqrt(r->precision[d]));
    set_variable(t, "w.location", r->mean, D);
    set_variable(t, "w.raw_scale", raw, D);
}

static void the_posterior(gb_tape *t, const regression *r)
{
    double raw[D], lower[D * D] = {0};
    for (int i = 0; i < D; i++) {
        raw[i] = inverse_softplus(r->root[i * D + i]);
        for (int j = 0; j < i; j++)
            lower[i * D + j] = r->root[i * D + j];
    }
    set_variable(t, "w.location", r->mean, D);
    set_variable(t, "w.raw_scale", raw, D);
    set_variable(t, "w.lower", lower, D * D);
}

static const problem problems[] = {
    {"mean field", mean_field, normal_prior, REGRESSION_NOISE, quadrature, itself, normals, best_mean_field},
    {"full rank", full_rank, normal_prior, REGRESSION_NOISE, quadrature, itself, one_normal, the_posterior},
    {"dropout", learned_dropout, normal_prior, REGRESSION_NOISE, enumerated_mask, of_mask, mask, NULL},
    /* With so much noise that the data leave the column open. */
    {"choice", choice, even_choice, 3, enumerated, itself, even_choice, NULL},
};
enum { DROPOUT = 2, PROBLEMS = sizeof problems / sizeof *problems };

/* ---- a model, whose variables are numbers in a row ---- */

typedef struct model {
    gb_tape *t;
    gb_node loss;
    size_t variables, count;
    gb_node variable[MOST_VARIABLES], gradient[MOST_VARIABLES];
} model;

static model model_of(const problem *of, const regression *r, gb_tape *t, gb_estimator estimator)
{
    model m = {.t = t};
    const gb_node x = gb_input_rows(t, "x", gb_shape(D)), y = gb_input_rows(t, "y", gb_shape());
    gb_elbo *const e = gb_elbo_new(t, .data_size = N);
    const gb_node w = gb_latent(e, "w", of->family(t), of->prior(t), estimator);
    gb_observe(e, "y", gb_normal(gb_dot(x, w), gb_num(t, of->noise)), y);
    m.loss = gb_elbo_loss(e);
    gb_feed(x, r->x, N);
    gb_feed(y, r->y, N);
    return m;
}

/* Its variables are those that are named as those of `like`, or all. */
static void find_variables(model *m, const model *like)
{
    m->variables = like ? like->variables : gb_node_variables(m->loss, m->variable, MOST_VARIABLES);
    assert_true(m->variables <= MOST_VARIABLES);
    for (size_t i = 0; i < m->variables; i++) {
        if (like)
            m->variable[i] = gb_variable_named(m->t, gb_node_name(like->variable[i]));
        m->count += gb_shape_count(gb_node_shape(m->variable[i]));
    }
    assert_true(m->count <= MOST);
    gb_grads(m->loss, m->variable, m->variables, m->gradient);
    if (gb_error(m->t) != GB_OK)
        fail_msg("%s", gb_error_text(m->t));
}

static void read(const model *m, const gb_node *nodes, double *values)
{
    for (size_t i = 0; i < m->variables; i++) {
        const size_t n = gb_shape_count(gb_node_shape(nodes[i]));
        assert_int_equal(gb_read(nodes[i], values, n), GB_OK);
        values += n;
    }
}

static void move_to(const model *m, const double *values)
{
    for (size_t i = 0; i < m->variables; i++) {
        const size_t n = gb_shape_count(gb_node_shape(m->variable[i]));
        gb_set(m->variable[i], gb_values_of(values, n));
        values += n;
    }
}

static gb_node_list gradients(const model *m)
{
    return (gb_node_list){.count = m->variables, .node = m->gradient};
}

/* ---- the optimum, and the Hessian there ---- */

typedef struct optimum {
    model exact;
    double at[MOST], inverse[MOST * MOST]; /* of the Hessian */
} optimum;

/* Numbers that the loss does not move with are left alone. */
static void invert(double *hessian, size_t n, double *inverse)
{
    for (size_t i = 0; i < n; i++)
        if (hessian[i * n + i] == 0)
            hessian[i * n + i] = 1;
    gsl_matrix_view from = gsl_matrix_view_array(hessian, n, n), to = gsl_matrix_view_array(inverse, n, n);
    gsl_matrix_memcpy(&to.matrix, &from.matrix);
    gsl_linalg_cholesky_decomp1(&to.matrix);
    gsl_linalg_cholesky_invert(&to.matrix);
}

static void differentiate(optimum *o, gb_program *look)
{
    const size_t n = o->exact.count;
    const double step = 1e-4;
    double hessian[MOST * MOST], moved[MOST], above[MOST], below[MOST];
    for (size_t i = 0; i < n; i++) {
        memcpy(moved, o->at, sizeof moved);
        moved[i] = o->at[i] + step;
        move_to(&o->exact, moved);
        assert_int_equal(gb_run(look), GB_OK);
        read(&o->exact, o->exact.gradient, above);
        moved[i] = o->at[i] - step;
        move_to(&o->exact, moved);
        assert_int_equal(gb_run(look), GB_OK);
        read(&o->exact, o->exact.gradient, below);
        for (size_t j = 0; j < n; j++)
            hessian[i * n + j] = (above[j] - below[j]) / (2 * step);
    }
    invert(hessian, n, o->inverse);
}

/* Its exact gradient is 0. To be freed by its tape. */
static optimum optimum_of(const problem *of, const regression *r)
{
    gb_tape *const t = gb_tape_new(.seed = 8, .threads = 1);
    optimum o = {.exact = model_of(of, r, t, of->exact())};
    double gradient[MOST];
    find_variables(&o.exact, NULL);
    gb_program *const look = gb_compile(t, gradients(&o.exact), gb_no_update);
    if (of->optimum)
        of->optimum(t, r);
    else {
        gb_program *const train =
            gb_compile(t, gb_roots(o.exact.loss), gb_minimise(o.exact.loss, gb_lbfgs()));
        for (int i = 0; i < 200; i++)
            assert_int_equal(gb_run(train), GB_OK);
    }
    read(&o.exact, o.exact.variable, o.at);
    assert_int_equal(gb_run(look), GB_OK);
    read(&o.exact, o.exact.gradient, gradient);
    for (size_t i = 0; i < o.exact.count; i++)
        if (!(fabs(gradient[i]) < ROUNDING))
            fail_msg("%s: derivative %zu at the optimum is %g", of->name, i, gradient[i]);
    differentiate(&o, look);
    return o;
}

/* ---- training ---- */

static gb_node in_a_row(size_t count, const gb_node *nodes)
{
    gb_node parts[MOST_VARIABLES];
    for (size_t i = 0; i < count; i++)
        parts[i] = gb_reshape(nodes[i], gb_shape((int64_t)gb_shape_count(gb_node_shape(nodes[i]))));
    return gb_concat(count, parts, 0);
}

/* H⁻¹ g: the part of it for one variable. None for what an estimator learns. */
static gb_node newton(const gb_update_step *to, const void *user)
{
    const optimum *const o = user;
    const model *const m = &o->exact;
    const int64_t n = (int64_t)m->count;
    gb_node gradient[MOST_VARIABLES];
    int64_t begin = 0, end = 0, place = 0;
    size_t found = 0;
    for (size_t i = 0; i < m->variables; i++) {
        const int64_t before = place;
        place += (int64_t)gb_shape_count(gb_node_shape(m->variable[i]));
        if (strcmp(gb_node_name(m->variable[i]), to->name) == 0)
            begin = before, end = place;
        for (size_t j = 0; j < to->count; j++)
            if (strcmp(gb_node_name(m->variable[i]), gb_node_name(to->variables[j])) == 0)
                gradient[i] = to->gradients[j], found++;
    }
    if (found < m->variables || end == 0)
        return (gb_node){0};
    const gb_node inverse =
        gb_constant(to->variable.tape, gb_shape(n, n), gb_values_of(o->inverse, m->count * m->count));
    const gb_node all = gb_matmul(inverse, in_a_row(m->variables, gradient));
    return gb_reshape(gb_slice(all, 0, begin, end), gb_node_shape(to->variable));
}

/* Adds (H⁻¹ g)² of the last run. */
static void add_squares(const optimum *o, const model *m, double *squares)
{
    double gradient[MOST];
    read(m, m->gradient, gradient);
    for (size_t i = 0; i < m->count; i++) {
        double step = 0;
        for (size_t j = 0; j < m->count; j++)
            step += o->inverse[i * m->count + j] * gradient[j];
        squares[i] += step * step;
    }
}

static gb_program *training_of(const optimum *o, const model *m)
{
    const gb_optimiser by_newton = gb_natural(.lr = 1, .schedule = gb_robbins_monro(1000, 0.6),
                                              .metric = newton, .user = o, .others = 0.1);
    return gb_compile(m->t, gradients(m),
                      gb_minimise(m->loss, by_newton, .average = true, .average_after = AFTER));
}

static void read_averages(const model *m, double *values)
{
    gb_node average[MOST_VARIABLES];
    for (size_t i = 0; i < m->variables; i++)
        average[i] = gb_variable_average(m->variable[i]);
    read(m, average, values);
}

static void assert_reaches(const optimum *o, const model *m, const char *posterior, const char *who)
{
    gb_program *const train = training_of(o, m);
    double squares[MOST] = {0}, is[MOST];
    for (int step = 0; step < STEPS; step++) {
        if (gb_run(train) != GB_OK)
            fail_msg("%s, %s: %s", posterior, who, gb_error_text(m->t));
        if (step >= STEPS - LAST)
            add_squares(o, m, squares);
    }
    read_averages(m, is);
    for (size_t i = 0; i < m->count; i++) {
        const double error = sqrt(squares[i] / LAST / (STEPS - AFTER));
        if (!(fabs(is[i] - o->at[i]) <= STANDARD_ERRORS * error + ROUNDING))
            fail_msg("%s, %s: number %zu is %g ± %g, not %g", posterior, who, i, is[i], error, o->at[i]);
        if (!(error <= LARGEST_ERROR * sqrt(o->inverse[i * m->count + i])))
            fail_msg("%s, %s: number %zu is ± %g, which shows nothing", posterior, who, i, error);
    }
}

/* ---- estimators ---- */

typedef struct candidate {
    char name[64];
    gb_estimator estimator;
} candidate;

enum { MOST_CANDIDATES = 64 };

static gb_estimator plain(const gb_estimator_type *type)
{
    return type == &gb_quadrature_estimator_type ? gb_quadrature(.nodes = 4) : gb_estimator_of(type, NULL);
}

/* Costs are near −15. */
static gb_baseline usable(gb_tape *t, const gb_baseline_type *type)
{
    if (type == &gb_learned_baseline_type)
        return gb_learned_baseline(gb_variable(t, "level", gb_shape(), gb_fill(0)));
    if (type == &gb_sum_baseline_type)
        return gb_sum_baseline(gb_constant_baseline(-15), gb_leave_one_out());
    return type == &gb_constant_baseline_type ? gb_constant_baseline(-15) : gb_baseline_of(type, NULL);
}

static void add(candidate *all, size_t *count, const char *name, const char *more, gb_estimator estimator)
{
    assert_true(*count < MOST_CANDIDATES);
    snprintf(all[*count].name, sizeof all->name, "%s%s%s", name, *more ? " " : "", more);
    all[(*count)++].estimator = estimator;
}

/* Each type in its plain form, in the order of gb_estimators; then what can be asked of some. */
static size_t candidates_on(gb_tape *t, candidate all[MOST_CANDIDATES])
{
    size_t count = 0, types, baselines;
    const gb_estimator_type *const *const type = gb_estimators(&types);
    const gb_baseline_type *const *const baseline = gb_baselines(&baselines);
    for (size_t i = 0; i < types; i++)
        add(all, &count, type[i]->name, "", plain(type[i]));
    for (size_t i = 0; i < baselines; i++)
        add(all, &count, "score", baseline[i]->name, gb_score(.baseline = usable(t, baseline[i])));
    add(all, &count, "pathwise", "antithetic", gb_pathwise(.draws = GB_ANTITHETIC));
    add(all, &count, "pathwise", "sobol", gb_pathwise(.draws = GB_SOBOL));
    add(all, &count, "rebar", "learned", gb_rebar(.learn = true));
    return count;
}

/* In the documentation: gradients by relaxed draws, or by slopes alone, are biased; the mean over other rows
 * needs draws of rows; some belong to bounds of several draws, which have another optimum. */
static bool is_exempt(const candidate *c)
{
    const gb_estimator_type *const type = c->estimator.type;
    gb_option_block block;
    const gb_score_options *const score = gb_options_unpack(type, &c->estimator.options, &block);
    return type->bias || (type->needs & (GB_NEEDS_BOUND | GB_NEEDS_MODEL)) ||
           (type == &gb_score_estimator_type && score->baseline.type == &gb_leave_one_row_out_baseline_type);
}

/* Marks those that fit, and so reach the optimum. */
static void try_all(const problem *of, bool fits[MOST_CANDIDATES])
{
    const regression r = regression_solved();
    const optimum o = optimum_of(of, &r);
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        static candidate all[MOST_CANDIDATES];
        gb_tape *const t = gb_tape_new(.seed = 17 + i, .threads = 1, .samples = 32);
        count = candidates_on(t, all);
        if (!is_exempt(&all[i]) && !gb_estimator_lacks(all[i].estimator, of->drawn(t))) {
            model m = model_of(of, &r, t, of->by(all[i].estimator));
            find_variables(&m, &o.exact);
            assert_reaches(&o, &m, of->name, all[i].name);
            fits[i] = true;
        }
        gb_tape_free(t);
    }
    gb_tape_free(o.exact.t);
}

TEST(every_estimator_that_fits_reaches_the_optimum)
{
    size_t types;
    bool fits[MOST_CANDIDATES] = {false};
    const gb_estimator_type *const *const type = gb_estimators(&types);
    for (size_t i = 0; i < PROBLEMS; i++)
        try_all(&problems[i], fits);
    for (size_t i = 0; i < types; i++) {
        const bool takes_masks = type[i] == &gb_dropout_estimator_type;       /* by others */
        const bool takes_mixtures = type[i] == &gb_components_estimator_type; /* whose optimum is not known */
        if (!fits[i] && !takes_masks && !takes_mixtures &&
            !is_exempt(&(candidate){.estimator = plain(type[i])}))
            fail_msg("%s was not tried", type[i]->name);
    }
}

/* ---- the optimum of dropout ---- */

/* With keep k, f = x w and s = Σ x² w²: the loss is Σ ((y − k f)² + k (1 − k) s) /
 * 2 noise² + k |w|² / 2 prior² − D H(k). */
TEST(the_best_dropout_is_that_of_its_closed_form)
{
    const regression r = regression_solved();
    const optimum o = optimum_of(&problems[DROPOUT], &r);
    const double *const w = o.at, k = 1 / (1 + exp(-o.at[D]));
    double of_w[D], of_k = D * log(k / (1 - k));
    assert_int_equal(o.exact.count, D + 1);
    assert_string_equal(gb_node_name(o.exact.variable[1]), "w.raw_keep");
    for (int d = 0; d < D; d++) {
        of_w[d] = k * w[d] / (REGRESSION_PRIOR * REGRESSION_PRIOR);
        of_k += w[d] * w[d] / (2 * REGRESSION_PRIOR * REGRESSION_PRIOR);
    }
    for (int i = 0; i < N; i++) {
        const double *const x = r.x + i * D, by = 1 / (REGRESSION_NOISE * REGRESSION_NOISE);
        double f = 0, s = 0;
        for (int d = 0; d < D; d++) {
            f += x[d] * w[d];
            s += x[d] * x[d] * w[d] * w[d];
        }
        for (int d = 0; d < D; d++)
            of_w[d] += by * (k * (1 - k) * x[d] * x[d] * w[d] - k * x[d] * (r.y[i] - k * f));
        of_k += by * (0.5 * (1 - 2 * k) * s - f * (r.y[i] - k * f));
    }
    assert_true(k > 0.1 && k < 0.95 && fabs(of_k) < ROUNDING / (k * (1 - k)));
    for (int d = 0; d < D; d++)
        assert_true(fabs(of_w[d]) < ROUNDING);
    gb_tape_free(o.exact.t);
}
