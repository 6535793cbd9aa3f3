/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What NUTS is made of: leaps, trees, steps, windows, variances, random numbers. */
#include "support/close.h"

#include "core/memory.h"
#include "fitting/nuts/chain_impl.h"

/* ---- targets by hand: log p and its gradient ---- */

typedef double target(const double *z, double *gradient);

static double standard(const double *z, double *g)
{
    g[0] = -z[0], g[1] = -z[1], g[2] = -z[2];
    return -0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
}

/* Independent Student's t with 5 degrees of freedom. */
static double heavy(const double *z, double *g)
{
    double log_p = 0;
    for (int i = 0; i < 3; i++) {
        log_p -= 3 * log1p(z[i] * z[i] / 5);
        g[i] = -6 * z[i] / (5 + z[i] * z[i]);
    }
    return log_p;
}

/* A funnel: z₁ and z₂ have the standard deviation e^(z₀ / 2), and z₀ is N(0, 1). */
static double funnel(const double *z, double *g)
{
    const double precision = exp(-z[0]), squares = z[1] * z[1] + z[2] * z[2];
    g[0] = -z[0] - 1 + 0.5 * squares * precision;
    g[1] = -z[1] * precision;
    g[2] = -z[2] * precision;
    return -0.5 * z[0] * z[0] - z[0] - 0.5 * squares * precision;
}

/* A bound that no transform takes away: z₀ > −1, where its density is not small. */
static double bounded(const double *z, double *g)
{
    const double log_p = standard(z, g);
    if (z[0] > -1)
        return log_p;
    g[0] = g[1] = g[2] = 0;
    return -INFINITY;
}

typedef void draw(gb_random *r, double *z);

static void draw_standard(gb_random *r, double *z)
{
    for (int i = 0; i < 3; i++)
        z[i] = gb_random_normal(r);
}

static void draw_heavy(gb_random *r, double *z)
{
    for (int i = 0; i < 3; i++) {
        double chi = 0;
        for (int k = 0; k < 5; k++) {
            const double x = gb_random_normal(r);
            chi += x * x;
        }
        z[i] = gb_random_normal(r) / sqrt(chi / 5);
    }
}

static void draw_funnel(gb_random *r, double *z)
{
    z[0] = gb_random_normal(r);
    z[1] = exp(z[0] / 2) * gb_random_normal(r);
    z[2] = exp(z[0] / 2) * gb_random_normal(r);
}

static void draw_bounded(gb_random *r, double *z)
{
    do
        draw_standard(r, z);
    while (!(z[0] > -1));
}

/* ---- random numbers ---- */

TEST(random_numbers_depend_on_seed_and_chain_alone_and_have_their_moments)
{
    gb_random a = gb_random_of(3, 0), again = gb_random_of(3, 0), other = gb_random_of(3, 1),
              seed = gb_random_of(4, 0);
    enum { COUNT = 200000 };
    double mean = 0, square = 0, fourth = 0, uniform = 0, products = 0;
    for (int i = 0; i < COUNT; i++) {
        const double x = gb_random_normal(&a), y = gb_random_normal(&other);
        assert_true(x == gb_random_normal(&again));
        assert_true(x != y && x != gb_random_normal(&seed));
        mean += x / COUNT, square += x * x / COUNT, fourth += x * x * x * x / COUNT,
            products += x * y / COUNT;
        uniform += gb_random_uniform(&other) / COUNT;
    }
    const double error = 5 / sqrt(COUNT); /* five standard errors: once in 10⁶ */
    assert_near(mean, 0, error);
    assert_near(square, 1, error * sqrt(2));
    assert_near(fourth, 3, error * sqrt(96));
    assert_near(products, 0, error);
    assert_near(uniform, 0.5, error * sqrt(1.0 / 12));
}

/* ---- leaps ---- */

static const gb_nuts_metric kinds[] = {GB_METRIC_DIAGONAL, GB_METRIC_DENSE, GB_METRIC_UNIT};

/* Some metric of each kind. */
static void some_metric(gb_metric *m, gb_nuts_metric kind, double memory[18])
{
    gb_metric_begin(m, kind, 3, memory);
    static const double dense[9] = {2, 0.5, -0.3, 0.5, 1, 0.1, -0.3, 0.1, 0.4}, diagonal[3] = {2, 1, 0.4};
    if (kind == GB_METRIC_DENSE)
        memcpy(m->covariance, dense, sizeof dense);
    if (kind == GB_METRIC_DIAGONAL)
        memcpy(m->covariance, diagonal, sizeof diagonal);
    assert_true(gb_metric_factor(m));
}

static double leap(target *f, const gb_metric *m, double step, double *z, double *p, double *g)
{
    double velocity[3];
    gb_leap_begin(m, step, g, z, p, velocity);
    const double log_p = f(z, g);
    gb_leap_end(3, step, g, p);
    return log_p;
}

TEST(leaps_can_be_taken_back_and_keep_the_energy_to_second_order)
{
    for (int k = 0; k < 3; k++) {
        double memory[18], errors[2];
        gb_metric m;
        some_metric(&m, kinds[k], memory);
        for (int fine = 0; fine < 2; fine++) {
            const int leaps = fine ? 200 : 100;
            const double step = 1.0 / leaps;
            double z[3] = {0.3, -0.5, 0.8}, p[3] = {1, -0.4, 0.2}, g[3], v[3], start[6];
            double log_p = funnel(z, g);
            memcpy(start, z, sizeof z), memcpy(start + 3, p, sizeof p);
            const double energy = gb_energy(&m, log_p, p, v);
            for (int i = 0; i < leaps; i++)
                log_p = leap(funnel, &m, step, z, p, g);
            errors[fine] = fabs(gb_energy(&m, log_p, p, v) - energy);
            assert_true(fabs(z[0] - start[0]) > 0.05);
            for (int i = 0; i < leaps; i++)
                leap(funnel, &m, -step, z, p, g);
            for (int i = 0; i < 3; i++) {
                assert_near(z[i], start[i], 1e-12);
                assert_near(p[i], start[3 + i], 1e-12);
            }
        }
        assert_true(errors[0] > 1e-8 && errors[0] < 1e-3);
        assert_near(errors[0] / errors[1], 4, 0.1);
    }
}

TEST(momenta_have_the_inverse_metric_and_energies_are_theirs)
{
    enum { COUNT = 100000 };
    for (int k = 0; k < 3; k++) {
        double memory[18], p[3], v[3], sum[9] = {0}, kinetic = 0;
        gb_metric m;
        gb_random r = gb_random_of(1, (uint64_t)k);
        some_metric(&m, kinds[k], memory);
        for (int i = 0; i < COUNT; i++) {
            gb_metric_draw(&m, &r, p);
            kinetic += gb_energy(&m, 0, p, v) / COUNT;
            for (int a = 0; a < 9; a++) /* E[v pᵀ] = Σ Σ⁻¹ = I */
                sum[a] += v[a / 3] * p[a % 3] / COUNT;
        }
        assert_near(kinetic, 1.5, 5 * sqrt(1.5 / COUNT)); /* half a χ² of 3 */
        for (int a = 0; a < 9; a++)
            assert_near(sum[a], a / 3 == a % 3, 0.06);
    }
}

TEST(a_covariance_that_is_not_positive_definite_is_rejected)
{
    double memory[18];
    gb_metric m;
    gb_metric_begin(&m, GB_METRIC_DENSE, 3, memory);
    m.covariance[1] = m.covariance[3] = 2;
    assert_false(gb_metric_factor(&m));
    gb_metric_begin(&m, GB_METRIC_DIAGONAL, 3, memory);
    m.covariance[1] = INFINITY;
    assert_false(gb_metric_factor(&m));
}

/* ---- the transition leaves its target unchanged ---- */

/* Independent draws of the target, one transition each. Their distribution must be that of the draws: the
 * share of each cell of quantiles is compared. With steps as large as these there are rejections, short
 * trees, cut off trees, and divergences. */
static const struct {
    const char *name;
    target *target;
    draw *draw;
    double step;
    int depth;
    gb_nuts_metric metric;
} kept[] = {
    {"a_normal_with_small_steps", standard, draw_standard, 0.3, 6, GB_METRIC_UNIT},
    {"a_normal_with_large_steps", standard, draw_standard, 1.7, 4, GB_METRIC_UNIT},
    {"a_normal_with_a_dense_metric", standard, draw_standard, 0.6, 3, GB_METRIC_DENSE},
    {"a_normal_cut_off", standard, draw_standard, 0.2, 2, GB_METRIC_DIAGONAL},
    {"a_heavy_tail", heavy, draw_heavy, 1.1, 5, GB_METRIC_DIAGONAL},
    {"a_funnel", funnel, draw_funnel, 0.5, 5, GB_METRIC_UNIT},
    {"a_bound", bounded, draw_bounded, 0.4, 5, GB_METRIC_UNIT},
};

enum { CELLS = 10 };

/* Cells of 1/CELLS of x among sorted reference numbers. */
static int cell_of(double x, const double *sorted, size_t count)
{
    int cell = 0;
    while (cell < CELLS - 1 && x >= sorted[(size_t)(cell + 1) * count / CELLS])
        cell++;
    return cell;
}

TEST_EACH(is_left_unchanged, kept)
{
    enum { COUNT = 40000, REFERENCE = 400000 };
    const __typeof__(*kept) *it = row;
    double memory[18], *reference = calloc(REFERENCE, sizeof *reference),
                       *room = calloc(gb_tree_numbers(3, it->depth), sizeof *room);
    gb_span stack[8];
    gb_metric m;
    gb_random r = gb_random_of(11, 0), of_draws = gb_random_of(12, 0);
    some_metric(&m, it->metric, memory);
    gb_tree tree = {.metric = &m, .random = &r, .step = it->step};
    gb_tree_begin(&tree, 3, it->depth, stack, room);
    /* the first number, the second, and the square of the third times the first's exponential */
    for (int what = 0; what < 3; what++) {
        size_t cells[CELLS] = {0};
        for (size_t i = 0; i < REFERENCE; i++) {
            double z[3];
            it->draw(&of_draws, z);
            reference[i] = what < 2 ? z[what] : z[2] * z[2] + z[0];
        }
        qsort(reference, REFERENCE, sizeof *reference, ascending);
        for (size_t i = 0; i < COUNT; i++) {
            double z[3], g[3];
            it->draw(&of_draws, z);
            gb_tree_start(&tree, z, it->target(z, g), g);
            double log_p;
            do
                log_p = it->target(tree.z, g);
            while (gb_tree_take(&tree, log_p, g));
            const double *const to = tree.whole.z;
            assert_true(tree.whole.log_p == it->target(to, g));
            assert_true(tree.leaps <= (size_t)1 << it->depth);
            cells[cell_of(what < 2 ? to[what] : to[2] * to[2] + to[0], reference, REFERENCE)]++;
        }
        double chi = 0; /* χ² of 9; the reference has a tenth of the variance of the cells */
        for (int c = 0; c < CELLS; c++) {
            const double expected = (double)COUNT / CELLS, off = (double)cells[c] - expected;
            chi += off * off / (expected * 1.1);
        }
        if (!(chi < 45)) /* once in 10⁶ */
            fail_msg("number %d: chi squared is %g", what, chi);
    }
    free(reference);
    free(room);
}

TEST(a_trajectory_grows_until_its_ends_turn_back)
{
    double memory[18], room[512], z[3] = {1, 0, 0}, g[3];
    gb_span stack[8];
    gb_metric m;
    gb_random r = gb_random_of(5, 0);
    some_metric(&m, GB_METRIC_UNIT, memory);
    gb_tree tree = {.metric = &m, .random = &r, .step = 0.05};
    gb_tree_begin(&tree, 3, 7, stack, room);
    double leaps = 0;
    for (int i = 0; i < 200; i++) {
        gb_tree_start(&tree, z, standard(z, g), g);
        while (gb_tree_take(&tree, standard(tree.z, g), g))
            continue;
        memcpy(z, tree.whole.z, sizeof z);
        assert_false(tree.diverged);
        assert_true(tree.accepted / (double)tree.leaps > 0.99);
        leaps += (double)tree.leaps / 200;
    }
    /* Half a turn of a standard normal takes π / 0.05 = 63 leaps; doublings end between that and its half. */
    assert_true(leaps > 30 && leaps < 128);
}

TEST(an_error_of_the_energy_above_1000_is_a_divergence_and_its_point_is_kept)
{
    double memory[18], room[512], z[3] = {0, 0, 0}, g[3];
    gb_span stack[8];
    gb_metric m;
    gb_random r = gb_random_of(5, 0);
    some_metric(&m, GB_METRIC_UNIT, memory);
    gb_tree tree = {.metric = &m, .random = &r, .step = 500};
    gb_tree_begin(&tree, 3, 7, stack, room);
    gb_tree_start(&tree, z, standard(z, g), g);
    const double asked = tree.z[0];
    assert_false(gb_tree_take(&tree, standard(tree.z, g), g));
    assert_true(tree.diverged && tree.where[0] == asked && fabs(asked) > 1);
    assert_true(tree.whole.z[0] == 0 && tree.leaps == 1 && tree.accepted < 1e-100);
}

/* ---- adaptation ---- */

TEST(windows_are_those_of_stan)
{
    static const struct {
        size_t warmup, ends[8], inside; /* ended by 0 */
    } plan[] = {{1000, {99, 149, 249, 449, 949}, 875},
                {500, {99, 149, 249, 449}, 375},
                {150, {99}, 25},
                {149, {134}, 113},
                {100, {89}, 75},
                {20, {17}, 15},
                {19, {0}, 0},
                {1, {0}, 0},
                {300, {99, 149, 249}, 175},
                {1400, {99, 149, 249, 449, 1349}, 1275}};
    for (size_t k = 0; k < sizeof plan / sizeof *plan; k++) {
        gb_windows w;
        size_t ends = 0, inside = 0;
        gb_windows_begin(&w, plan[k].warmup);
        for (size_t i = 0; i < plan[k].warmup; i++, gb_windows_next(&w)) {
            inside += gb_windows_inside(&w);
            if (gb_windows_ends(&w))
                assert_int_equal(i, plan[k].ends[ends++]);
        }
        assert_int_equal(plan[k].ends[ends], 0);
        assert_int_equal(inside, plan[k].inside);
    }
}

/* The numbers of a run of the recursion of Hoffman and Gelman in Python (γ 0.05, κ 0.75, t₀ 10). */
TEST(the_step_follows_dual_averaging)
{
    static const double accepted[] = {1, 0.2, 0.9, 1.7, 0, 0.85};
    gb_step_size s;
    gb_step_size_begin(&s, 0.8, 0.5);
    double error = 0, mean = 0;
    for (int i = 0; i < 6; i++) {
        const double m = i + 1, a = fmin(1, accepted[i]);
        error = (1 - 1 / (m + 10)) * error + (0.8 - a) / (m + 10);
        const double x = log(5.0) - sqrt(m) / 0.05 * error, weight = pow(m, -0.75);
        mean = weight * x + (1 - weight) * mean;
        assert_close(gb_step_size_learn(&s, accepted[i]), exp(x), 8);
        assert_close(gb_step_size_final(&s), exp(mean), 8);
    }
}

TEST(variances_are_those_of_two_passes_regularised)
{
    enum { COUNT = 40 };
    double memory[32], x[COUNT][3], should[9] = {0}, mean[3] = {0}, got[9] = {0};
    gb_random r = gb_random_of(2, 2);
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 3; k++) {
            x[i][k] = 1e6 * (k == 1) + gb_random_normal(&r) + (k == 2 ? x[i][0] : 0);
            mean[k] += x[i][k] / COUNT;
        }
    for (int i = 0; i < COUNT; i++)
        for (int a = 0; a < 9; a++)
            should[a] += (x[i][a / 3] - mean[a / 3]) * (x[i][a % 3] - mean[a % 3]) / (COUNT - 1);
    for (int kind = 0; kind < 2; kind++) {
        gb_welford w;
        gb_welford_begin(&w, kinds[kind], 3, memory);
        for (int round = 0; round < 2; round++) { /* it begins anew */
            for (int i = 0; i < COUNT; i++)
                gb_welford_add(&w, x[i]);
            gb_welford_end(&w, got);
            for (int a = 0; a < 9; a++)
                if (kind == 1 || a < 3) {
                    const int of = kind == 1 ? a : 4 * a;
                    assert_near(got[a],
                                COUNT / (COUNT + 5.0) * should[of] + (of % 4 == 0) * 5e-3 / (COUNT + 5),
                                1e-8);
                }
        }
    }
}

/* ---- a chain ---- */

static gb_sampler_phase run_chain(target *f, gb_sampler_plan plan, gb_sampler *chain, double *mean,
                                  double *square)
{
    const gb_memory memory = {0};
    plan.n = 3;
    assert_true(gb_sampler_begin(chain, &plan, 1, 0, &memory));
    double g[3];
    while (chain->phase < GB_SAMPLER_DONE) {
        const double log_p = f(gb_sampler_asks(chain), g);
        if (!gb_sampler_take(chain, log_p, g))
            continue;
        if (chain->transitions > plan.warmup) {
            *mean += chain->z[0] / (double)plan.draws;
            *square += chain->z[0] * chain->z[0] / (double)plan.draws;
        }
        gb_sampler_go_on(chain);
    }
    return chain->phase;
}

static double nowhere(const double *z, double *g)
{
    (void)z;
    g[0] = g[1] = g[2] = 0;
    return -INFINITY;
}

static double flat(const double *z, double *g)
{
    (void)z;
    g[0] = g[1] = g[2] = 0;
    return 1;
}

/* A spike: only the first point has a density worth the name. */
static double spike(const double *z, double *g)
{
    static double first = NAN;
    first = isnan(first) ? z[0] : first;
    g[0] = g[1] = g[2] = 1;
    return z[0] == first ? 0 : -1e200;
}

TEST(a_chain_adapts_its_step_and_metric)
{
    const gb_memory memory = {0};
    gb_sampler chain;
    double mean = 0, square = 0;
    const gb_sampler_plan plan = {.warmup = 1000, .draws = 4000, .max_depth = 10, .target = 0.8, .spread = 2};
    assert_int_equal(run_chain(standard, plan, &chain, &mean, &square), GB_SAMPLER_DONE);
    assert_near(mean, 0, 5 / sqrt(4000));
    assert_near(square, 1, 5 * sqrt(2 / 1000.0));
    assert_true(chain.step > 0.5 && chain.step < 1.5);
    assert_true(chain.step == gb_step_size_final(&chain.step_size));
    for (int i = 0; i < 3; i++)
        assert_near(chain.metric.covariance[i], 1, 0.5);
    gb_sampler_end(&chain, &memory);
}

TEST(chains_that_cannot_go_on_say_so)
{
    const gb_memory memory = {0};
    static const struct {
        target *target;
        gb_sampler_phase phase;
    } bad[] = {{nowhere, GB_SAMPLER_LOST}, {flat, GB_SAMPLER_UNBOUNDED}, {spike, GB_SAMPLER_STUCK}};
    for (size_t i = 0; i < 3; i++) {
        gb_sampler chain;
        double mean = 0, square = 0;
        const gb_sampler_plan plan = {
            .warmup = 100, .draws = 100, .max_depth = 10, .target = 0.8, .spread = 2};
        assert_int_equal(run_chain(bad[i].target, plan, &chain, &mean, &square), bad[i].phase);
        gb_sampler_end(&chain, &memory);
    }
}
