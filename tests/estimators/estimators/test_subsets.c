/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sum and sample, the unordered set and Gumbel top-k: their formulas draw by draw; sums over all sets, and
 * integrals over the threshold of the noise, are exact. */
#include "support/close.h"

#include <gsl/gsl_integration.h>

#include "estimators/categories.h"
#include "estimators/moments.h"
#include "ops/arrange.h"
#include "ops/control.h"

enum { MOST_VALUES = 16 };

/* ---- by hand ---- */

/* All values: their probabilities, costs, and the derivatives of p in the logits. */
typedef struct all_values {
    int count, logits;
    double p[MOST_VALUES], f[MOST_VALUES], slope[MOST_VALUES][MOST_LOGITS];
} all_values;

static all_values values_of(const setting *at)
{
    all_values all = {.count = count_of_values(at), .logits = at->n * at->k};
    for (int v = 0; v < all.count; v++) {
        double z[MOST_CHOICES];
        value_number(at, v, z);
        const double log_q = log_q_of(at, z);
        all.p[v] = exp(log_q);
        all.f[v] = cost_of_choices(at, z) + at->own * log_q;
        for (int i = 0; i < all.logits; i++)
            all.slope[v][i] = all.p[v] * score_of(at, z, i / at->k, i % at->k);
    }
    return all;
}

/* The chance that the values of a set are the first ones drawn without replacement, where the probabilities
 * of all that can be drawn sum to `left`. */
static double first_drawn(const all_values *all, unsigned set, double left)
{
    double sum = set ? 0 : 1;
    for (int v = 0; v < all->count; v++)
        if (set >> v & 1)
            sum += all->p[v] / left * first_drawn(all, set & ~(1u << v), left - all->p[v]);
    return sum;
}

/* R of the unordered set. */
static double ratio_of(const all_values *all, unsigned set, int v)
{
    return first_drawn(all, set & ~(1u << v), 1 - all->p[v]) / first_drawn(all, set, 1);
}

/* The estimate of E f by the other draws, given that v was drawn first. */
static double baseline_of(const all_values *all, unsigned set, int v)
{
    const unsigned others = set & ~(1u << v);
    double sum = all->p[v] * all->f[v];
    for (int u = 0; u < all->count; u++)
        if (others >> u & 1)
            sum += all->p[u] * all->f[u] * first_drawn(all, others & ~(1u << u), 1 - all->p[v] - all->p[u]) /
                   first_drawn(all, others, 1 - all->p[v]);
    return sum;
}

typedef struct estimate {
    double value, gradient[MOST_LOGITS];
} estimate;

static void add_value(const all_values *all, int v, double c, double baseline, estimate *to)
{
    to->value += c * all->p[v] * all->f[v];
    for (int i = 0; i < all->logits; i++)
        to->gradient[i] += c * all->slope[v][i] * (all->f[v] - baseline);
}

static estimate by_unordered_set(const all_values *all, unsigned set)
{
    estimate e = {0};
    for (int v = 0; v < all->count; v++)
        if (set >> v & 1)
            add_value(all, v, ratio_of(all, set, v), baseline_of(all, set, v), &e);
    return e;
}

/* x is the exponential of minus the threshold. */
static estimate by_top_k(const all_values *all, unsigned set, double x)
{
    estimate e = {0};
    double whole = 0, c[MOST_VALUES];
    for (int v = 0; v < all->count; v++) {
        c[v] = set >> v & 1 ? -1 / expm1(-all->p[v] * x) : 0;
        whole += all->p[v] * c[v] * all->f[v];
    }
    for (int v = 0; v < all->count; v++)
        if (set >> v & 1)
            add_value(all, v, c[v], whole + all->p[v] * (1 - c[v]) * all->f[v], &e);
    return e;
}

static estimate by_sum_and_sample(const all_values *all, unsigned set, int draw)
{
    estimate e = {0};
    double mean = 0, mass = 0;
    for (int v = 0; v < all->count; v++)
        if (v != draw && set >> v & 1) {
            mean += all->p[v] * all->f[v];
            mass += all->p[v];
        }
    for (int v = 0; v < all->count; v++)
        if (set >> v & 1)
            add_value(all, v, v == draw ? (1 - mass) / all->p[v] : 1, mean / mass, &e);
    return e;
}

static unsigned set_of(const setting *at, const double *value, int evaluations)
{
    unsigned set = 0;
    for (int k = 0; k < evaluations; k++)
        set |= 1u << number_of_value(at, value + k * at->n);
    return set;
}

static void assert_estimate(const estimate *should, double loss, const double *g, int numbers)
{
    if (!(fabs(loss - should->value) < 1e-11 * (1 + fabs(should->value))))
        fail_msg("the value is %.17g, not %.17g", loss, should->value);
    for (int i = 0; i < numbers; i++)
        if (!(fabs(g[i] - should->gradient[i]) < 1e-11 * (1 + fabs(should->gradient[i]))))
            fail_msg("gradient %d is %.17g, not %.17g", i, g[i], should->gradient[i]);
}

/* ---- the unordered set ---- */

static const setting settings[] = {{1, 5, 0}, {2, 3, 0}, {1, 6, 0.8}};
enum { SETTINGS = sizeof settings / sizeof *settings };

static double chance_of_set(const setting *at, const double *value, int evaluations)
{
    const all_values all = values_of(at);
    return first_drawn(&all, set_of(at, value, evaluations), 1);
}

TEST(the_unordered_set_is_its_formula_draw_by_draw)
{
    (void)t;
    for (int s = 0; s < SETTINGS; s++)
        for (int draws = 2; draws <= 4; draws++) {
            const setting *const at = &settings[s];
            const all_values all = values_of(at);
            const choices_trial c = choices_by(gb_unordered_set(.draws = draws), *at, false, 1, GB_DOUBLE);
            for (int run = 0; run < 40; run++) {
                double z[8], g[MOST_LOGITS];
                const double loss = run_choices(&c, draws, z, g);
                const estimate e = by_unordered_set(&all, set_of(at, z, draws));
                assert_estimate(&e, loss, g, all.logits);
            }
        }
}

TEST(sums_over_all_sets_are_exact)
{
    (void)t;
    for (int s = 0; s < SETTINGS; s++)
        for (int draws = 2; draws <= 4; draws++) {
            if (settings[s].n == 2 && draws == 4)
                continue;
            const choices_trial c =
                choices_by(gb_unordered_set(.draws = draws), settings[s], false, 1, GB_DOUBLE);
            const summed_outcomes sum = over_all_outcomes(&c, draws, true, chance_of_set);
            assert_exact(&settings[s], sum.value, sum.mean, 1e-11);
        }
}

/* Second gradients: Σ over sets of chance · estimate, against enumeration. */
static double second_of(const choices_trial *c, gb_program **program, gb_node *second)
{
    const gb_node by = gb_constant(c->t, gb_shape(1, 5), GB_VALUES(1, -0.5, 0.3, 2, 0.7));
    *second = gb_grad(gb_sum(gb_mul(c->gradient, by)), c->logits);
    *program = gb_compile(c->t, gb_roots(c->draw, *second), gb_no_update);
    assert_fine(c->t);
    return 0;
}

TEST(second_gradients_are_those_of_the_expectation)
{
    const setting at = {.n = 1, .k = 5, .own = 0.6};
    const all_values all = values_of(&at);
    (void)t;
    const choices_trial exact = choices_by(gb_enumerated(), at, false, 1, GB_DOUBLE),
                        c = choices_by(gb_unordered_set(.draws = 3), at, false, 1, GB_DOUBLE);
    gb_program *of_exact, *program;
    gb_node exact_second, second;
    double should[5], mean[5] = {0}, chance = 0;
    bool seen[1 << 5] = {false};
    second_of(&exact, &of_exact, &exact_second);
    second_of(&c, &program, &second);
    assert_int_equal(gb_run(of_exact), GB_OK);
    gb_read(exact_second, should, 5);
    for (int run = 0; run < 100000 && chance < 1 - 1e-10; run++) {
        double z[3], g[5];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(c.draw, z, 3);
        gb_read(second, g, 5);
        const unsigned set = set_of(&at, z, 3);
        const double q = seen[set] ? 0 : first_drawn(&all, set, 1);
        seen[set] = true;
        chance += q;
        for (int i = 0; i < 5; i++)
            mean[i] += q * g[i];
    }
    assert_near(chance, 1, 1e-10);
    for (int i = 0; i < 5; i++)
        assert_near(mean[i], should[i], 1e-11);
}

/* ---- Gumbel top-k ---- */

/* The estimator, which besides hands out 1 / q of its draws. */
static gb_node kept;

static gb_node top_k_and_tell(gb_site *site)
{
    const gb_node values = gb_gumbel_top_k_estimator_type.draw(site);
    kept = site->kept[0];
    return values;
}

enum { DRAWS = 8 };

TEST(gumbel_top_k_is_its_formula_draw_by_draw)
{
    static const setting at[] = {{1, 12, 0}, {1, 10, 0.8}};
    (void)t;
    for (int s = 0; s < 2; s++) {
        gb_estimator_type type = gb_gumbel_top_k_estimator_type;
        gb_estimator by = gb_gumbel_top_k(.draws = DRAWS);
        type.draw = top_k_and_tell;
        by.type = &type;
        const all_values all = values_of(&at[s]);
        const choices_trial c = choices_by(by, at[s], false, 1, GB_DOUBLE);
        gb_program *const p = gb_compile(c.t, gb_roots(c.draw, c.loss, c.gradient, kept), gb_no_update);
        for (int run = 0; run < 100; run++) {
            double z[DRAWS], inverse[DRAWS], g[MOST_LOGITS];
            assert_int_equal(gb_run(p), GB_OK);
            gb_read(c.draw, z, DRAWS);
            gb_read(kept, inverse, DRAWS);
            gb_read(c.gradient, g, (size_t)all.logits);
            const double x = -log1p(-1 / inverse[0]) / all.p[(int)z[0]];
            for (int i = 1; i < DRAWS; i++)
                assert_near(inverse[i] * -expm1(-all.p[(int)z[i]] * x), 1, 1e-9);
            const estimate e = by_top_k(&all, set_of(&at[s], z, DRAWS), x);
            const double loss = gb_value(c.loss);
            assert_true(fabs(loss - e.value) < 1e-8 * (1 + fabs(e.value)));
            for (int i = 0; i < all.logits; i++)
                assert_true(fabs(g[i] - e.gradient[i]) < 1e-7 * (1 + fabs(e.gradient[i])));
        }
    }
}

/* Of one set: x is the time of the first of the others, and its density times the chance that all of the set
 * came before. `of`: −1 is the value, −2 its square, −3 the sum of the weights, −4 − v is c of value v. */
typedef struct integrand {
    const all_values *all;
    unsigned set;
    int of;
} integrand;

static double at_time(double x, void *context)
{
    const integrand *const it = context;
    const estimate e = by_top_k(it->all, it->set, x);
    double rest = 0, density = 1, weights = 0;
    for (int v = 0; v < it->all->count; v++) {
        if (it->set >> v & 1) {
            const double q = -expm1(-it->all->p[v] * x);
            density *= q;
            weights += it->all->p[v] / q;
        } else
            rest += it->all->p[v];
    }
    density *= rest * exp(-rest * x);
    if (it->of <= -4)
        return density / -expm1(-it->all->p[-4 - it->of] * x);
    return density * (it->of == -1   ? e.value
                      : it->of == -2 ? e.value * e.value
                      : it->of == -3 ? weights
                                     : e.gradient[it->of]);
}

static double integral(const all_values *all, unsigned set, int of)
{
    static gsl_integration_workspace *space;
    integrand it = {all, set, of};
    gsl_function f = {at_time, &it};
    double sum, error;
    if (!space)
        space = gsl_integration_workspace_alloc(1000);
    gsl_integration_qagiu(&f, 0, 1e-14, 1e-11, 1000, space, &sum, &error);
    return sum;
}

static int size_of(unsigned set)
{
    int size = 0;
    for (; set; set &= set - 1)
        size++;
    return size;
}

/* Over all sets of so many draws. */
static double integral_of_all(const all_values *all, int draws, int of)
{
    double sum = 0;
    for (unsigned set = 0; set < 1u << all->count; set++)
        if (size_of(set) == draws)
            sum += integral(all, set, of);
    return sum;
}

TEST(integrals_over_the_threshold_are_exact)
{
    const setting at = {.n = 1, .k = 10, .own = 0.5};
    const all_values all = values_of(&at);
    const exact_choices exact = exact_of(&at);
    (void)t;
    assert_near(integral_of_all(&all, DRAWS, -1), exact.value, 1e-10);
    assert_near(integral_of_all(&all, DRAWS, -3), 1, 1e-10);
    for (int i = 0; i < 4; i++)
        assert_near(integral_of_all(&all, DRAWS, i), exact.gradient[i], 1e-10);
}

/* So the values of the unordered set have less variance (Rao and Blackwell). */
TEST(the_unordered_set_is_the_mean_of_top_k_over_thresholds)
{
    const setting at = {.n = 1, .k = 6};
    const all_values all = values_of(&at);
    double by_set = 0;
    (void)t;
    for (unsigned set = 0; set < 1u << all.count; set++) {
        if (size_of(set) != 3)
            continue;
        const double chance = first_drawn(&all, set, 1);
        const estimate e = by_unordered_set(&all, set);
        by_set += chance * e.value * e.value;
        for (int v = 0; v < all.count; v++)
            if (set >> v & 1)
                assert_near(integral(&all, set, -4 - v) / chance, ratio_of(&all, set, v), 1e-10);
    }
    assert_true(by_set < integral_of_all(&all, 3, -2));
}

/* ---- sum and sample ---- */

static unsigned most_probable(const all_values *all, int count)
{
    unsigned set = 0;
    for (int v = 0; v < all->count; v++) {
        int before = 0;
        for (int u = 0; u < all->count; u++)
            before += all->p[u] > all->p[v];
        set |= before < count ? 1u << v : 0;
    }
    return set;
}

/* The first evaluation is the draw. */
static double chance_of_sample(const setting *at, const double *value, int evaluations)
{
    const all_values all = values_of(at);
    const unsigned summed = most_probable(&all, evaluations - 1);
    const int draw = number_of_value(at, value);
    double rest = 1;
    for (int v = 0; v < all.count; v++)
        rest -= summed >> v & 1 ? all.p[v] : 0;
    assert_true(set_of(at, value, evaluations) == (summed | 1u << draw) && !(summed >> draw & 1));
    return all.p[draw] / rest;
}

TEST(sum_and_sample_is_its_formula_and_sums_to_the_exact_mean)
{
    (void)t;
    for (int s = 0; s < SETTINGS; s++)
        for (int summed = 1; summed <= 4; summed++) {
            const setting *const at = &settings[s];
            const all_values all = values_of(at);
            const choices_trial c = choices_by(gb_sum_and_sample(.summed = summed), *at, false, 1, GB_DOUBLE);
            for (int run = 0; run < 20; run++) {
                double z[10], g[MOST_LOGITS];
                const double loss = run_choices(&c, summed + 1, z, g);
                const estimate e = by_sum_and_sample(&all, set_of(at, z, summed + 1), number_of_value(at, z));
                assert_estimate(&e, loss, g, all.logits);
            }
            const summed_outcomes sum = over_all_outcomes(&c, summed + 1, true, chance_of_sample);
            assert_exact(at, sum.value, sum.mean, 1e-11);
        }
}

/* ---- all values ---- */

static const char *const whole[] = {"enumerate", "unordered_set:draws=10", "sum_and_sample:summed=8",
                                    "sum_and_sample:summed=30", "gumbel_top_k"};
enum { WHOLE = sizeof whole / sizeof *whole, ROWS = 3, NUMBERS = 40 };

static gb_estimator named(const char *text)
{
    gb_estimator estimator;
    char error[200];
    if (!gb_estimator_parse(text, &estimator, error, sizeof error))
        fail_msg("%s", error);
    return estimator;
}

/* A choice of each row, or (`rows` false) two for all, behind a normal draw and before another one: its
 * values, gradients, second gradients, and looks at the draws. */
static size_t look(const char *by, bool rows, double *numbers)
{
    static const double row_of[ROWS] = {0.5, -1, 0.8};
    gb_tape *const t = test_tape(.seed = 4, .samples = 3);
    gb_expect *const e = gb_expect_new(t);
    const gb_node row = gb_input_rows(t, "row", gb_shape());
    const gb_node p[] = {gb_variable(t, "mu", gb_shape(), gb_fill(0.4)),
                         gb_variable(t, "by", gb_shape(2, 3), GB_VALUES(0.3, -0.2, 0.8, 0.1, 0.5, -0.7))};
    const gb_node x = gb_draw(e, "x", gb_normal(p[0], gb_num(t, 0.6)), gb_pathwise());
    const gb_node logits = rows ? gb_add(gb_mul(gb_at(p[1], 0), x), row) : gb_mul(p[1], x);
    const gb_node slope = gb_constant(t, gb_shape(3), GB_VALUES(1, -0.6, 0.4));
    const gb_node z = gb_draw(e, "z", gb_one_hot_categorical_logits(gb_mul(logits, slope)), named(by));
    const gb_node s = gb_sum(gb_mul(z, gb_constant(t, gb_shape(3), GB_VALUES(0.2, 1.3, -0.9))));
    const gb_node y = gb_draw(e, "y", gb_normal(gb_mul(s, p[0]), gb_num(t, 0.5)), gb_quadrature(.nodes = 4));
    gb_node cost = gb_mul(gb_square(gb_sub(y, gb_mul(x, s))), gb_shift(gb_square(gb_add(s, p[0])), 0.5));
    cost = rows ? gb_sum_over(gb_mul(cost, row), GB_ROWS) : cost;
    cost = gb_add(cost, gb_draw_log_prob(e, z, gb_num(t, 0.7)));
    const gb_node seen = gb_add(gb_mul(z, x), rows ? row : gb_num(t, 0.3)), loss = gb_expected(e, cost);
    gb_node g[2], second[2];
    assert_int_equal(gb_grads(loss, p, 2, g), GB_OK);
    assert_int_equal(gb_grads(gb_add(gb_square(g[0]), gb_sum(gb_square(g[1]))), p, 2, second), GB_OK);
    const gb_node all[] = {loss,
                           g[0],
                           g[1],
                           second[0],
                           second[1],
                           gb_mean_over(gb_sample_values(e, cost), GB_SAMPLES),
                           gb_mean_of_draws(e, seen),
                           gb_sd_of_draws(e, seen)};
    gb_feed(row, row_of, ROWS);
    gb_program *const program = gb_compile(t, gb_roots_of(8, all), gb_no_update);
    assert_fine(t);
    assert_int_equal(gb_run(program), GB_OK);
    size_t count = 0;
    for (int i = 0; i < 8; count += gb_value_count(all[i]), i++)
        gb_read(all[i], numbers + count, gb_value_count(all[i]));
    assert_true(count <= NUMBERS);
    return count;
}

TEST(all_values_are_enumeration)
{
    (void)t;
    for (int rows = 0; rows < 2; rows++) {
        double should[NUMBERS], is[NUMBERS];
        const size_t count = look(whole[0], rows, should);
        for (int i = 1; i < WHOLE; i++) {
            assert_int_equal(look(whole[i], rows, is), count);
            for (size_t k = 0; k < count; k++)
                if (!(fabs(is[k] - should[k]) < 1e-10 * (1 + fabs(should[k]))))
                    fail_msg("%s, rows %d, number %zu: %.15g, not %.15g", whole[i], rows, k, is[k],
                             should[k]);
        }
    }
}

/* ---- a draw that sets the parameters of another ---- */

enum { K = 3 };
static const double SECOND[K][K] = {{0.4, -0.3, 0.9}, {-0.8, 0.2, 0.1}, {0.5, 0.6, -0.4}};
static const double COST[K][K] = {{1, -0.5, 2}, {0.3, 1.7, -1}, {-0.6, 0.8, 1.2}};

static void softmax(const double *logit, double *p)
{
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += p[k] = exp(logit[k]);
    for (int k = 0; k < K; k++)
        p[k] /= sum;
}

/* Two of three drawn without replacement, by the one that is left out. */
static double chance_without(const double *p, int out)
{
    const int a = (out + 1) % K, b = (out + 2) % K;
    return p[a] * p[b] / (1 - p[a]) + p[a] * p[b] / (1 - p[b]);
}

/* The value left out of two. */
static int left_out(const double *z)
{
    return K - (int)z[0] - (int)z[1];
}

/* At each of the two first values there is a set of its own. All 27 outcomes, against the exact gradient. */
TEST(sets_within_sets_are_exact)
{
    gb_tape *const tape = test_tape(.seed = 8, .samples = 1);
    gb_expect *const e = gb_expect_new(tape);
    const double first[K] = {0.3, -0.5, 0.4};
    const gb_node a = gb_variable(tape, "a", gb_shape(K), gb_values_of(first, K)),
                  b = gb_variable(tape, "b", gb_shape(K, K), gb_values_of(SECOND[0], K * K));
    const gb_estimator two = gb_unordered_set(.draws = 2);
    const gb_node x = gb_draw(e, "x", gb_one_hot_categorical_logits(a), two);
    const gb_node y = gb_draw(
        e, "y", gb_categorical_logits(gb_sum_along(gb_mul(gb_reshape(x, gb_shape(K, 1)), b), gb_axis(0))),
        two);
    const gb_node costs = gb_constant(tape, gb_shape(K, K), gb_values_of(COST[0], K * K));
    const gb_node of_x = gb_sum_along(gb_mul(gb_reshape(x, gb_shape(K, 1)), costs), gb_axis(0));
    const gb_node cost = gb_sum(gb_take_along(of_x, gb_to_int(gb_reshape(y, gb_shape(1))), 0));
    assert_true(gb_expect_evaluations(e, cost) == 4);
    gb_node g[2];
    gb_grads(gb_expected(e, cost), (gb_node[]){a, b}, 2, g);
    gb_program *const program = gb_compile(tape, gb_roots(x, y, g[0], g[1]), gb_no_update);
    assert_fine(tape);
    double mean[K + K * K] = {0}, chance = 0, p[K], q[K][K];
    bool seen[K * K * K] = {false};
    (void)t;
    softmax(first, p);
    for (int k = 0; k < K; k++)
        softmax(SECOND[k], q[k]);
    for (int run = 0; run < 20000 && chance < 1 - 1e-10; run++) {
        double of_x_now[2 * K], of_y[4], slope[K + K * K], z[2];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(x, of_x_now, 2 * K);
        gb_read(y, of_y, 4);
        gb_read(g[0], slope, K);
        gb_read(g[1], slope + K, K * K);
        for (int i = 0; i < 2; i++)
            z[i] = of_x_now[i * K + 1] + 2 * of_x_now[i * K + 2];
        const int low = z[0] < z[1] ? 0 : 1, out = left_out(z), out_low = left_out(of_y + 2 * low),
                  out_high = left_out(of_y + 2 * (1 - low)), code = (out * K + out_low) * K + out_high;
        if (seen[code])
            continue;
        seen[code] = true;
        const double c = chance_without(p, out) * chance_without(q[(int)z[low]], out_low) *
                         chance_without(q[(int)z[1 - low]], out_high);
        chance += c;
        for (int i = 0; i < K + K * K; i++)
            mean[i] += c * slope[i];
    }
    assert_near(chance, 1, 1e-10);
    double of[K] = {0}, whole_mean = 0;
    for (int i = 0; i < K; i++) {
        for (int j = 0; j < K; j++)
            of[i] += q[i][j] * COST[i][j];
        whole_mean += p[i] * of[i];
    }
    for (int i = 0; i < K; i++) {
        assert_near(mean[i], p[i] * (of[i] - whole_mean), 1e-12);
        for (int j = 0; j < K; j++)
            assert_near(mean[K + i * K + j], p[i] * q[i][j] * (COST[i][j] - of[i]), 1e-12);
    }
}

/* ---- looks at the draws ---- */

/* The weights of Gumbel top-k do not sum to 1, and yet the means are right. Together they fail once in a
 * million times. */
TEST(means_of_draws_are_unbiased)
{
    enum { N = 12, SAMPLES = 20000, TESTS = 2 * (N + 1) };
    static const char *const by[] = {"gumbel_top_k:draws=8", "unordered_set:draws=2"};
    (void)t;
    for (int i = 0; i < 2; i++) {
        const setting at = {.n = 1, .k = N};
        gb_tape *const tape = test_tape(.seed = 6, .samples = SAMPLES);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node logits = gb_at(table_of(tape, &at, logit_of), 0);
        const gb_node z = gb_draw(e, "z", gb_one_hot_categorical_logits(logits), named(by[i]));
        gb_node node[N + 3] = {gb_mean_of_draws(e, z), gb_sd_of_draws(e, z), gb_sample_values(e, gb_sum(z))};
        for (int k = 0; k < N; k++)
            node[3 + k] = gb_sample_values(e, gb_at(z, k));
        gb_program *const program = gb_compile(tape, gb_roots_of(N + 3, node), gb_no_update);
        assert_fine(tape);
        assert_int_equal(gb_run(program), GB_OK);
        double mean[N], sd[N];
        static double values[SAMPLES];
        gb_read(node[0], mean, N);
        gb_read(node[1], sd, N);
        moments whole_weight = {.draw = values, .count = SAMPLES};
        gb_read(node[2], values, SAMPLES);
        moments_finish(&whole_weight);
        const double weight = whole_weight.mean;
        assert_near(weight, 1, z_bound(1e-6, TESTS) * whole_weight.mean_error + 1e-12);
        assert_true(i == 1 || whole_weight.mean_error > 1e-4);
        for (int k = 0; k < N; k++) {
            moments m = {.draw = values, .count = SAMPLES};
            gb_read(node[3 + k], values, SAMPLES);
            moments_finish(&m);
            assert_near(m.mean, chance_of_category(&at, 0, k), z_bound(1e-6, TESTS) * m.mean_error);
            assert_near(mean[k], m.mean, 1e-12);
            assert_near(sd[k] * sd[k], mean[k] * (1 - 2 * mean[k]) + mean[k] * mean[k] * weight, 1e-12);
        }
    }
}

/* ---- ends ---- */

/* Values that cannot be drawn may have any cost. */
TEST(impossible_values_change_nothing)
{
    static const double logit[] = {0.3, -INFINITY, -0.4, 0.8, -INFINITY},
                        cost[] = {1, NAN, -0.5, 2, INFINITY};
    static const char *const by[] = {"enumerate",
                                     "unordered_set",
                                     "unordered_set:draws=10",
                                     "sum_and_sample:summed=2",
                                     "sum_and_sample:summed=4",
                                     "gumbel_top_k"};
    double should[6] = {0}, is[6];
    (void)t;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 2);
        gb_expect *const e = gb_expect_new(tape);
        const gb_node own = gb_variable(tape, "own", gb_shape(5), gb_fill(0));
        const gb_node logits = gb_add(own, gb_constant(tape, gb_shape(5), gb_values_of(logit, 5)));
        const gb_node z = gb_draw(e, "z", gb_categorical_logits(logits), named(by[i]));
        const gb_node costs = gb_constant(tape, gb_shape(5), gb_values_of(cost, 5));
        const gb_node loss =
            gb_expected(e, gb_sum(gb_take_along(costs, gb_to_int(gb_reshape(z, gb_shape(1))), 0)));
        const gb_node g = gb_grad(loss, own);
        gb_program *const program = gb_compile(tape, gb_roots(loss, g), gb_no_update);
        assert_fine(tape);
        assert_int_equal(gb_run(program), GB_OK);
        is[0] = gb_value(loss);
        gb_read(g, is + 1, 5);
        for (int k = 0; k < 6; k++) {
            should[k] = i == 0 ? is[k] : should[k];
            if (!(fabs(is[k] - should[k]) < 1e-12))
                fail_msg("%s, %d: %.15g, not %.15g", by[i], k, is[k], should[k]);
        }
    }
}

/* Where most of q is drawn, what is left is a sum of small numbers, and not 1 less a sum of large ones. */
TEST(what_is_left_keeps_its_digits)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(4), GB_VALUES(40, 0, -1, -80));
    const gb_node z = gb_draw(e, "z", gb_categorical_logits(logits), gb_unordered_set(.draws = 3));
    const gb_node g = gb_grad(gb_expected(e, gb_square(z)), logits);
    gb_program *const program = gb_compile(t, gb_roots(z, g), gb_no_update);
    assert_fine(t);
    for (int run = 0; run < 20; run++) {
        double slope[4];
        assert_int_equal(gb_run(program), GB_OK);
        gb_read(g, slope, 4);
        assert_close(slope[1], exp(-40), 1e8);
        assert_close(slope[2], 4 * exp(-41), 1e8);
    }
}

TEST(floats_agree_with_doubles)
{
    const setting at = {.n = 1, .k = 6};
    static const char *const by[] = {"unordered_set", "sum_and_sample:summed=2"};
    const all_values all = values_of(&at);
    (void)t;
    for (int i = 0; i < 2; i++) {
        const int evaluations = 4 - i;
        const choices_trial c = choices_by(named(by[i]), at, false, 1, GB_FLOAT);
        for (int run = 0; run < 30; run++) {
            double z[4], g[6];
            const double loss = run_choices(&c, evaluations, z, g);
            const unsigned set = set_of(&at, z, evaluations);
            const estimate e = i == 0 ? by_unordered_set(&all, set) : by_sum_and_sample(&all, set, (int)z[0]);
            assert_near(loss, e.value, 1e-5 * (1 + fabs(e.value)));
            for (int k = 0; k < 6; k++)
                assert_near(g[k], e.gradient[k], 1e-5 * (1 + fabs(e.value)));
        }
    }
}

/* ---- what they reject ---- */

static const char *const types[] = {"sum_and_sample:summed=1", "unordered_set:draws=2",
                                    "gumbel_top_k:draws=8"};

TEST(costs_that_mix_draws_are_rejected, .samples = 2)
{
    (void)t;
    for (int i = 0; i < 3; i++) {
        gb_tape *const tape = test_tape(.seed = 3, .samples = 2);
        gb_expect *const e = gb_expect_new(tape), *const bound =
                                                      gb_expect_new(tape, .bound = gb_iwae(.draws = 2));
        const gb_node logits = gb_variable(tape, "logits", gb_shape(12), gb_fill(0.3));
        const gb_dist q = gb_categorical_logits(logits);
        const gb_node z = gb_draw(e, "z", q, named(types[i])),
                      row = gb_draw_over(e, "row", q, GB_ROWS, named(types[i]));
        assert_false(gb_node_ok(gb_expected(e, gb_square(gb_mean_over(z, GB_SAMPLES)))));
        assert_rejected(tape, GB_EARGUMENT, "depends on other samples");
        assert_false(gb_node_ok(gb_mean_of_draws(e, gb_mean_over(z, GB_SAMPLES))));
        assert_rejected(tape, GB_EARGUMENT, "depends on other samples");
        assert_false(gb_node_ok(gb_expected(e, gb_square(gb_sum_over(row, GB_ROWS)))));
        assert_rejected(tape, GB_EARGUMENT, "needs a cost that is a sum over rows");
        const gb_node w = gb_draw(bound, "w", q, named(types[i]));
        assert_false(gb_node_ok(gb_expected_bound(bound, gb_square(w), gb_num(tape, 1))));
        assert_rejected(tape, GB_EARGUMENT, "takes one draw after the other, and the bound iwae is no sum");
    }
}

TEST(what_cannot_be_listed_is_rejected)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node many = gb_variable(t, "many", gb_shape(21), gb_fill(0));
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        assert_false(gb_node_ok(gb_draw(e, "p", gb_poisson(gb_num(t, 1)), named(types[i]))));
        assert_rejected(t, GB_EARGUMENT, "needs a finite list of values");
        assert_false(gb_node_ok(gb_draw(e, names[i], gb_bernoulli_logits(many), named(types[i]))));
        assert_rejected(t, GB_ELIMIT, "2 values to the power of 21 are more than 1048576");
    }
}

/* One value has nothing to be drawn. */
TEST(one_value_is_itself, .samples = 3)
{
    gb_expect *const e = gb_expect_new(t);
    const gb_node logits = gb_variable(t, "logits", gb_shape(1), gb_fill(0.3));
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        const gb_node z = gb_draw(e, names[i], gb_one_hot_categorical_logits(logits), named(types[i]));
        const gb_node loss = gb_expected(e, gb_sum(gb_shift(gb_scale(z, 3), 1)));
        assert_true(gb_value(loss) == 4 && gb_value(gb_grad(loss, logits)) == 0);
    }
    assert_fine(t);
}
