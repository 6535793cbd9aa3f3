/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Four draws, each of which sets parameters of the next, by estimators picked at random: choices z1, z2 that
 * shift a normal x, whose value is the logit of z3. The cost holds parameters, and log q of three of them.
 * Against sums over all choices and quadrature over x, written out here. */
#include "support/close.h"

#include <stdio.h>

#include "core/gradient.h"
#include "distributions/list.h"
#include "estimators/expect.h"
#include "estimators/hermite.h"
#include "estimators/list.h"
#include "estimators/moments.h"
#include "estimators/trial.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { A0, A1, B, S, TH, MU, PARAMETERS, ROWS = 2, NODES = 40 };

static const double START[PARAMETERS] = {0.3, -0.5, 0.4, 0.7, 0.6, -0.2};
static const double PULL[2] = {0.8, -0.6}, ROW[ROWS] = {0.5, -1};
static const double WEIGHT_1 = 0.7, WEIGHT_X = 0.5, WEIGHT_3 = -0.4;

/* ---- by hand ---- */

/* log q of a choice with that logit. */
static double log_choice(double value, double logit)
{
    return -log1p(exp(value == 1 ? -logit : logit));
}

/* E over x and z3, given the sums of z1 and z2. */
static double given_both(const double *p, double ones_1, double ones_2)
{
    double node[NODES], weight[NODES], sum = 0;
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int i = 0; i < NODES; i++) {
        const double x = p[MU] + 0.5 * ones_2 + p[S] * node[i];
        const double log_q = -0.5 * node[i] * node[i] - log(p[S]) - 0.5 * log(2 * acos(-1));
        double over_3 = WEIGHT_X * log_q + 0.3 * p[B] * ones_2 * ones_1;
        for (int z3 = 0; z3 < 2; z3++) {
            const double log_q3 = log_choice(z3, p[TH] * x), at = x + p[TH];
            over_3 += exp(log_q3) * (at * at * (z3 + ones_1) + x * z3 + WEIGHT_3 * log_q3);
        }
        sum += weight[i] * over_3;
    }
    return sum;
}

/* One choice for each of z1; or, of a row, one of the sum of z1 and the row. */
static double given_first(const double *p, const double z1[2], bool rows)
{
    const double ones = z1[0] + z1[1];
    double sum = 0;
    for (int r = 0; r < ROWS && rows; r++) {
        const double q = sigmoid(2 * p[B] + PULL[0] * z1[0] + PULL[1] * z1[1] + ROW[r]);
        sum += q * given_both(p, ones, 1) + (1 - q) * given_both(p, ones, 0);
    }
    for (int k = 0; k < 4 && !rows; k++) {
        const double first = log_choice(k & 1, p[B] + PULL[0] * z1[0]),
                     second = log_choice(k >> 1, p[B] + PULL[1] * z1[1]);
        sum += exp(first + second) * given_both(p, ones, (k & 1) + (k >> 1));
    }
    return sum;
}

static double expected(const double *p, bool rows)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const double z1[] = {k & 1, k >> 1}, log_q = log_choice(z1[0], p[A0]) + log_choice(z1[1], p[A1]);
        sum += exp(log_q) * (given_first(p, z1, rows) + WEIGHT_1 * log_q);
    }
    return sum;
}

/* Five-point differences. */
static double slope(int parameter, bool rows)
{
    static const double far[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1}, h = 1e-3;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double p[PARAMETERS];
        memcpy(p, START, sizeof p);
        p[parameter] += far[i] * h;
        sum += weight[i] * expected(p, rows);
    }
    return sum / (12 * h);
}

/* ---- by estimators ---- */

typedef struct choice {
    const char *name;
    gb_estimator estimator;
} choice;

enum { DISCRETE = 14, CONTINUOUS = 9, ENUMERATED = 0, QUADRATURE = 0 };

static choice discrete(size_t which)
{
    const choice all[DISCRETE] = {{"enumerate", gb_enumerated()},
                                  {"score", gb_score()},
                                  {"score, loo", gb_score(.baseline = gb_leave_one_out())},
                                  {"score, fitted", gb_score(.baseline = gb_fitted())},
                                  {"score, moving", gb_score(.baseline = gb_moving_average())},
                                  {"vargrad", gb_vargrad()},
                                  {"measure", gb_measure_valued()},
                                  {"arm", gb_arm()},
                                  {"disarm", gb_disarm()},
                                  {"rebar", gb_rebar()},
                                  {"rebar, learning", gb_rebar(.learn = true, .eta = 0.5)},
                                  {"relax", gb_relax()},
                                  {"muprop", gb_muprop()},
                                  {"score, antithetic", gb_score(.draws = GB_ANTITHETIC)}};
    return all[which % DISCRETE];
}

static choice continuous(size_t which)
{
    const choice all[CONTINUOUS] = {{"quadrature", gb_quadrature(.nodes = 24)},
                                    {"pathwise", gb_pathwise()},
                                    {"score", gb_score()},
                                    {"measure", gb_measure_valued()},
                                    {"sticking the landing", gb_sticking_the_landing()},
                                    {"score, delta", gb_score(.baseline = gb_delta())},
                                    {"antithetic", gb_pathwise(.draws = GB_ANTITHETIC)},
                                    {"sobol", gb_pathwise(.draws = GB_SOBOL)},
                                    {"muprop", gb_muprop()}};
    return all[which % CONTINUOUS];
}

enum { SITES = 4, X = 2, VARIABLES = PARAMETERS - 1 };

typedef struct chain {
    gb_tape *t;
    gb_node gradient[VARIABLES]; /* the first has two elements */
    gb_program *program;
} chain;

static gb_node number(gb_tape *t, const char *name, int which)
{
    return gb_variable(t, name, gb_shape(), gb_fill(START[which]));
}

static gb_node cost_of(gb_expect *e, const gb_node *p, const choice by[SITES], bool rows)
{
    gb_tape *const t = p[A0].tape;
    const gb_node pull = gb_constant(t, gb_shape(2), gb_values_of(PULL, 2));
    const gb_node z1 = gb_draw(e, "z1", gb_bernoulli_logits(p[A0]), by[0].estimator);
    gb_node logits = gb_add(p[B], gb_mul(z1, pull));
    if (rows) {
        const gb_node row = gb_input_rows(t, "row", gb_shape());
        gb_feed(row, ROW, ROWS);
        logits = gb_add(gb_sum(logits), row);
    }
    const gb_node z2 = gb_draw(e, "z2", gb_bernoulli_logits(logits), by[1].estimator);
    const gb_node ones_1 = gb_sum(z1), ones_2 = rows ? z2 : gb_sum(z2);
    const gb_node mean = gb_add(p[MU], gb_scale(ones_2, 0.5));
    const gb_node x = gb_draw(e, "x", gb_normal(mean, p[S]), by[X].estimator);
    const gb_node z3 = gb_draw(e, "z3", gb_bernoulli_logits(gb_mul(p[TH], x)), by[3].estimator);
    gb_node cost = gb_add(gb_mul(gb_square(gb_add(x, p[TH])), gb_add(z3, ones_1)), gb_mul(x, z3));
    cost = gb_add(cost, gb_scale(gb_mul(p[B], gb_mul(ones_2, ones_1)), 0.3));
    cost = rows ? gb_sum_over(cost, GB_ROWS) : cost;
    cost = gb_add(cost, gb_draw_log_prob(e, z1, gb_num(t, WEIGHT_1)));
    cost = gb_add(cost, gb_draw_log_prob(e, x, gb_num(t, WEIGHT_X)));
    return gb_add(cost, gb_draw_log_prob(e, z3, gb_num(t, WEIGHT_3)));
}

static chain chain_by(const choice by[SITES], bool rows, int samples, gb_real real, uint64_t seed)
{
    chain c = {.t = test_tape(.seed = seed, .samples = samples, .real = real)};
    gb_expect *const e = gb_expect_new(c.t);
    gb_node p[PARAMETERS] = {[B] = number(c.t, "b", B),
                             [S] = number(c.t, "s", S),
                             [TH] = number(c.t, "th", TH),
                             [MU] = number(c.t, "mu", MU)};
    p[A0] = p[A1] = gb_variable(c.t, "a", gb_shape(2), gb_values_of(START, 2));
    gb_grads(gb_expected(e, cost_of(e, p, by, rows)), p + A1, VARIABLES, c.gradient);
    c.program = gb_compile(c.t, (gb_node_list){.count = VARIABLES, .node = c.gradient}, gb_no_update);
    return c;
}

static void run(const chain *c, double gradient[PARAMETERS])
{
    assert_int_equal(gb_run(c->program), GB_OK);
    gb_read(c->gradient[0], gradient, 2);
    for (int i = 1; i < VARIABLES; i++)
        gradient[1 + i] = gb_value(c->gradient[i]);
}

TEST(all_sums_are_exact)
{
    const choice by[SITES] = {discrete(ENUMERATED), discrete(ENUMERATED), continuous(QUADRATURE),
                              discrete(ENUMERATED)};
    for (int rows = 0; rows < 2; rows++) {
        double is[PARAMETERS];
        chain c = chain_by(by, rows, 1, GB_DOUBLE, 1);
        assert_fine(c.t);
        run(&c, is);
        for (int i = 0; i < PARAMETERS; i++)
            if (fabs(is[i] - slope(i, rows)) > 1e-8)
                fail_msg("rows %d, %d: %.12g, not %.12g", rows, i, is[i], slope(i, rows));
    }
}

/* A small sequence of numbers that look random (Marsaglia 2003). */
static size_t next(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x >> 8;
}

enum { TRIALS = 40, MOST_RUNS = 6000 };

static void agrees(const chain *c, size_t runs, const double exact[PARAMETERS], bool single,
                   const char *label)
{
    static double seen[PARAMETERS][MOST_RUNS];
    for (size_t i = 0; i < runs; i++) {
        double g[PARAMETERS];
        run(c, g);
        for (int k = 0; k < PARAMETERS; k++)
            seen[k][i] = g[k];
    }
    for (int k = 0; k < PARAMETERS; k++) {
        moments m = {.draw = seen[k], .count = runs};
        moments_finish(&m);
        const double rounding = (single ? 1e-4 : 1e-8) * (1 + fabs(exact[k]));
        if (!(fabs(m.mean - exact[k]) <= z_bound(1e-6, TRIALS * PARAMETERS) * m.mean_error + rounding))
            fail_msg("%s: parameter %d: %g ± %g, not %g", label, k, m.mean, m.mean_error, exact[k]);
    }
}

/* Some do not go together, and say so: the delta method takes second
 * derivatives, which others do not have. */
static bool is_rejected(const chain *c)
{
    if (gb_error(c->t) != GB_EGRADIENT && gb_error(c->t) != GB_EARGUMENT)
        assert_fine(c->t);
    return gb_error(c->t) != GB_OK;
}

/* Twenty chains without rows and as many with them; estimates are means over 2, 5 or 100 samples. */
TEST(random_estimators_have_the_exact_mean)
{
    static const int samples[] = {2, 5, 100};
    static const size_t runs[] = {MOST_RUNS, 3000, 400};
    double exact[2][PARAMETERS];
    uint32_t random = 2463534242u;
    int rejected = 0;
    for (int i = 0; i < PARAMETERS; i++)
        exact[0][i] = slope(i, false), exact[1][i] = slope(i, true);
    for (int attempt = 0; attempt < TRIALS; attempt++) {
        choice by[SITES];
        char label[160];
        for (int site = 0; site < SITES; site++)
            by[site] = site == X ? continuous(next(&random)) : discrete(next(&random));
        const size_t which = next(&random) % 3;
        const bool rows = attempt % 2, single = attempt % 4 == 3;
        snprintf(label, sizeof label, "%s > %s > %s > %s, rows %d, %d samples", by[0].name, by[1].name,
                 by[2].name, by[3].name, rows, samples[which]);
        chain c = chain_by(by, rows, samples[which], single ? GB_FLOAT : GB_DOUBLE, 5 + (uint64_t)attempt);
        if (is_rejected(&c))
            rejected++;
        else
            agrees(&c, runs[which], exact[rows], single, label);
    }
    assert_true(rejected <= TRIALS / 4);
}

/* ---- layers of choices ---- */

enum { LAYERS = 4, UNITS = 2 };

typedef struct layered {
    gb_tape *t;
    gb_node
        gradient[LAYERS +
                 1]; /* of the biases of each layer; at last of a weight that all layers and the cost share */
    double evaluations;
} layered;

/* A belief network: each layer has the logits bias + weight · (layer before). The cost has values of all
 * layers, and log q of one. */
static layered layers_by(const gb_estimator *by, uint64_t seed)
{
    static const char *const bias[] = {"bias 0", "bias 1", "bias 2", "bias 3"};
    static const char *const names[] = {"z0", "z1", "z2", "z3"};
    layered l = {.t = test_tape(.seed = seed, .samples = 64)};
    gb_expect *e = gb_expect_new(l.t);
    const gb_node weight = gb_variable(l.t, "weight", gb_shape(), gb_fill(0.8));
    gb_node in[LAYERS + 1], below = gb_num(l.t, 0.5), cost = gb_num(l.t, 0);
    for (int i = 0; i < LAYERS; i++) {
        in[i] = gb_variable(l.t, bias[i], gb_shape(UNITS), GB_VALUES(0.3 - 0.2 * i, -0.4 + 0.3 * i));
        const gb_node logits = gb_add(in[i], gb_mul(weight, gb_scale(gb_shift(below, -0.4), 1.5)));
        const gb_node z = gb_draw(e, names[i], gb_bernoulli_logits(logits), by[i]);
        if (i == 1)
            cost = gb_add(cost, gb_draw_log_prob(e, z, gb_num(l.t, 0.6)));
        below = gb_sum(gb_mul(z, gb_constant(l.t, gb_shape(UNITS), GB_VALUES(1, -0.7))));
        cost = gb_add(gb_mul(cost, gb_shift(below, 1.2)), gb_square(gb_add(below, gb_scale(weight, 0.3))));
    }
    in[LAYERS] = weight;
    l.evaluations = gb_expect_evaluations(e, cost);
    const gb_node loss = gb_expected(e, cost);
    assert_int_equal(gb_grads(loss, in, LAYERS + 1, l.gradient), GB_OK);
    assert_fine(l.t);
    return l;
}

static void read_layers(const layered *l, double *numbers)
{
    for (int i = 0; i <= LAYERS; i++)
        gb_read(l->gradient[i], numbers + UNITS * i, i < LAYERS ? UNITS : 1);
}

/* Against the sum over all values of all layers. The number of evaluations is linear in the layers where all
 * but the last are probed by values, and the same for any number of layers that are probed together. */
TEST(layers_have_the_exact_gradient)
{
    enum { NUMBERS = UNITS * LAYERS + 1, RUNS = 3000, CASES = 15 };
    const gb_estimator a = gb_arm(), d = gb_disarm(), m = gb_measure_valued(), r = gb_rebar(),
                       s = gb_rebar(.relax_later = true), u = gb_muprop();
    const struct {
        gb_estimator by[LAYERS];
        double evaluations;
    } cases[CASES] = {{{a, a, a, a}, 5},     {{d, d, d, d}, 5},     {{m, m, m, m}, 17},
                      {{a, m, d, r}, 9},     {{r, a, d, m}, 3 * 7}, {{m, a, gb_score(), d}, 12},
                      {{a, r, d, a}, 4 * 3}, {{s, s, s, r}, 9},     {{a, s, s, r}, 8},
                      {{s, s, d, r}, 5 * 4}, {{s, r, s, r}, 5 * 5}, {{u, u, u, u}, 2},
                      {{a, u, u, u}, 3},     {{u, u, u, a}, 2 * 2}, {{a, u, d, u}, 3 * 3}};
    const gb_estimator sum[LAYERS] = {gb_enumerated(), gb_enumerated(), gb_enumerated(), gb_enumerated()};
    const layered exact = layers_by(sum, 1);
    double should[NUMBERS], is[NUMBERS];
    gb_program *of_exact =
        gb_compile(exact.t, (gb_node_list){.count = LAYERS + 1, .node = exact.gradient}, gb_no_update);
    assert_int_equal(gb_run(of_exact), GB_OK);
    read_layers(&exact, should);
    for (size_t k = 0; k < CASES; k++) {
        const layered l = layers_by(cases[k].by, 20 + k);
        gb_program *p =
            gb_compile(l.t, (gb_node_list){.count = LAYERS + 1, .node = l.gradient}, gb_no_update);
        double mean[NUMBERS] = {0}, square[NUMBERS] = {0};
        if (l.evaluations != cases[k].evaluations)
            fail_msg("%zu: %g evaluations, not %g", k, l.evaluations, cases[k].evaluations);
        for (int run = 0; run < RUNS; run++) {
            assert_int_equal(gb_run(p), GB_OK);
            read_layers(&l, is);
            for (int i = 0; i < NUMBERS; i++) {
                mean[i] += is[i] / RUNS;
                square[i] += is[i] * is[i] / RUNS;
            }
        }
        for (int i = 0; i < NUMBERS; i++) {
            const double error = sqrt((square[i] - mean[i] * mean[i]) / RUNS);
            if (!(fabs(mean[i] - should[i]) < z_bound(1e-6, NUMBERS * CASES) * error && error < 0.02))
                fail_msg("%zu, number %d: %g ± %g, not %g", k, i, mean[i], error, should[i]);
        }
    }
}

/* ---- long chains ---- */

/* Returns how many nodes a chain of score draws records, each the location of the next. */
static double nodes_of_chain(int length)
{
    gb_tape *const own = gb_tape_new(.seed = 1, .threads = 1);
    gb_expect *const e = gb_expect_new(own);
    const gb_node slope = gb_variable(own, "slope", gb_shape(), gb_fill(0.3));
    gb_node z = gb_num(own, 0.1), cost = gb_num(own, 0);
    for (int i = 0; i < length; i++) {
        char name[16];
        snprintf(name, sizeof name, "z%d", i);
        z = gb_draw(e, name, gb_normal(gb_mul(slope, z), gb_num(own, 1)), gb_score());
        cost = gb_add(cost, gb_square(z));
    }
    const gb_node g = gb_grad(gb_expected(e, cost), slope);
    assert_int_equal(gb_error(own), GB_OK);
    const double nodes = g.id;
    gb_tape_free(own);
    return nodes;
}

/* Each draw adds a term to the cost of all before it. What is not split is not recorded again, so the graph
 * is linear in their number. Walking through it for each draw takes quadratic time. */
TEST(a_chain_of_draws_is_folded_into_a_linear_graph)
{
    const double half = nodes_of_chain(60), whole = nodes_of_chain(120);
    assert_true(whole < 2.1 * half);
    (void)t;
}
