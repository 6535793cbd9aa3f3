/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws that do not all depend on each other, while the cost holds all of them. So the evaluations of one
 * site vary over an axis that the values of another one lack. Against sums and quadratures written out here.
 * */
#include "support/close.h"

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

enum { SITES = 3, NODES = 24, ROWS = 2 };

typedef struct mixed_site {
    bool is_choice;
    const char *by;
    double weight;
} mixed_site;

/* The logit of a choice, or the mean of a normal number, is a parameter and `weight` times the draw before;
 * of the last site also `pull` times the first draw. */
typedef struct mix {
    const char *name;
    mixed_site site[SITES];
    double factor[SITES]; /* of the draws in the cost */
    double pull;
    int first_of_row; /* this site and later ones are drawn for each row; 0: none */
    bool drops_square;
} mix;

#define CHOICE(by_, weight_)                                                                                 \
    {                                                                                                        \
        .is_choice = true, .by = by_, .weight = weight_                                                      \
    }
#define NORMAL(by_, weight_)                                                                                 \
    {                                                                                                        \
        .is_choice = false, .by = by_, .weight = weight_                                                     \
    }

static const double START[SITES] = {0.3, -0.2, 0.4}, LOG_SCALE = -0.3, ROW[ROWS] = {0.4, -1.2};

/* ---- by hand ---- */

static double cost_at(const mix *m, const double *z, double row)
{
    double sum = row;
    for (int i = 0; i < SITES; i++)
        sum += m->factor[i] * z[i];
    return (m->drops_square ? 0 : 0.5 * sum * sum) + cos(0.9 * sum);
}

/* E of the cost over the sites from `i` on. */
static double over(const mix *m, const double *p, int i, double z[SITES], double row)
{
    double node[NODES], weight[NODES], sum = 0;
    if (i == SITES || !m->site[i].by)
        return cost_at(m, z, row);
    const mixed_site *const s = &m->site[i];
    const double at = p[i] + (i > 0 ? s->weight * z[i - 1] : 0) + (i == 2 ? m->pull * z[0] : 0);
    assert_true(gb_hermite_rule(NODES, node, weight));
    for (int k = 0; k < (s->is_choice ? 2 : NODES); k++) {
        z[i] = s->is_choice ? k : at + exp(LOG_SCALE) * node[k];
        sum += (s->is_choice ? sigmoid(k ? at : -at) : weight[k]) * over(m, p, i + 1, z, row);
    }
    z[i] = 0;
    return sum;
}

static double expected(const mix *m, const double *p)
{
    double sum = 0, z[SITES] = {0};
    for (int r = 0; r < (m->first_of_row ? ROWS : 1); r++)
        sum += over(m, p, 0, z, m->first_of_row ? ROW[r] : 0);
    return sum;
}

/* Five-point differences. */
static double slope(const mix *m, int parameter)
{
    static const double far[] = {-2, -1, 1, 2}, weight[] = {1, -8, 8, -1}, h = 1e-3;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double p[SITES];
        memcpy(p, START, sizeof p);
        p[parameter] += far[i] * h;
        sum += weight[i] * expected(m, p);
    }
    return sum / (12 * h);
}

/* ---- by estimators ---- */

typedef struct drawn {
    gb_node parameter[SITES], gradient[SITES], loss;
    size_t sites;
} drawn;

static gb_estimator named(const char *text)
{
    gb_estimator estimator;
    char error[200];
    if (!gb_estimator_parse(text, &estimator, error, sizeof error))
        fail_msg("%s", error);
    return estimator;
}

static drawn draw_all(gb_tape *t, const mix *m)
{
    static const char *const names[] = {"z0", "z1", "z2"}, *const parameters[] = {"p0", "p1", "p2"};
    drawn d = {.sites = 0};
    gb_expect *e = gb_expect_new(t);
    const gb_node row = m->first_of_row ? gb_input_rows(t, "row", gb_shape()) : gb_num(t, 0);
    gb_node z[SITES], sum = row;
    for (; d.sites < SITES && m->site[d.sites].by; d.sites++) {
        const size_t i = d.sites;
        const mixed_site *const s = &m->site[i];
        d.parameter[i] = gb_variable(t, parameters[i], gb_shape(), gb_fill(START[i]));
        gb_node at = d.parameter[i];
        if (i > 0 && s->weight != 0)
            at = gb_add(at, gb_scale(z[i - 1], s->weight));
        if (i == 2 && m->pull != 0)
            at = gb_add(at, gb_scale(z[0], m->pull));
        const gb_dist q = s->is_choice ? gb_bernoulli_logits(at) : gb_normal(at, gb_num(t, exp(LOG_SCALE)));
        z[i] = gb_draw_over(e, names[i], q, m->first_of_row && (int)i >= m->first_of_row ? GB_ROWS : 0,
                            named(s->by));
        if (m->factor[i] != 0)
            sum = gb_add(sum, gb_scale(z[i], m->factor[i]));
    }
    /* The 1 is a part that no draw reaches, so the cost is split. */
    gb_node cost = gb_add(gb_cos(gb_scale(sum, 0.9)), gb_num(t, 1));
    if (!m->drops_square)
        cost = gb_add(gb_scale(gb_square(sum), 0.5), cost);
    d.loss = gb_expected(e, m->first_of_row ? gb_sum_over(cost, GB_ROWS) : cost);
    assert_fine(t);
    assert_int_equal(gb_grads(d.loss, d.parameter, d.sites, d.gradient), GB_OK);
    if (m->first_of_row)
        gb_feed(row, ROW, ROWS);
    return d;
}

static const mix mixes[] = {
    {.name = "rebar beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar beside a quadrature",
     .site = {NORMAL("quadrature:nodes=24", 0), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar that learns beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar:learn", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar beside a sum that the cost lacks",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0)},
     .factor = {0, -0.9}},
    {.name = "rebar beside another star",
     .site = {CHOICE("arm", 0), NORMAL("vargrad", 0), CHOICE("rebar", 0.5)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar beside a star that the cost lacks",
     .site = {CHOICE("arm", 0), NORMAL("vargrad", 0), CHOICE("rebar", 0.5)},
     .factor = {0, -0.9, 0.5}},
    {.name = "rebar of rows beside another star",
     .site = {CHOICE("arm", 0), NORMAL("vargrad", 0), CHOICE("rebar", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 1},
    {.name = "rebar of rows beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 1},
    {.name = "a score behind rebar beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0), NORMAL("score", 0.8)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "arm behind rebar beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0), CHOICE("arm", 0.8)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "relax beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("relax", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "delta beside a sum",
     .site = {CHOICE("enumerate", 0), NORMAL("score:baseline=delta", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "delta behind a quadrature",
     .site = {NORMAL("quadrature:nodes=24", 0), NORMAL("score:baseline=delta", 0.8)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "delta behind rebar",
     .site = {CHOICE("rebar", 0), NORMAL("score:baseline=delta", 0.8)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "delta that has all of the cost behind rebar",
     .site = {CHOICE("rebar", 0), NORMAL("score:baseline=delta", 0.8)},
     .factor = {0, 0.9},
     .drops_square = true},
    {.name = "delta behind rebar behind a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("rebar", 0), NORMAL("score:baseline=delta", 0.8)},
     .factor = {0.7, -0.9, 0.5},
     .pull = -0.5},
    {.name = "arm of rows behind rebar",
     .site = {CHOICE("rebar", 0), CHOICE("arm", 0.8)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 1},
    {.name = "rebar that a sum parts from disarm",
     .site = {CHOICE("disarm", 0), CHOICE("enumerate", 0), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar that learns, that a sum parts from rebar",
     .site = {CHOICE("rebar", 0), CHOICE("enumerate", 0), CHOICE("rebar:learn", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar that a dependent quadrature parts from measure",
     .site = {CHOICE("measure", 0), NORMAL("quadrature:nodes=24", 0.6), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar that a dependent delta parts from arm",
     .site = {CHOICE("arm", 0), NORMAL("score:baseline=delta", 0.6), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar that a dependent measure parts from rebar",
     .site = {CHOICE("rebar", 0), NORMAL("measure", 0.6), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "rebar of rows that a sum parts from arm",
     .site = {CHOICE("arm", 0), CHOICE("enumerate", 0), CHOICE("rebar", 0)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 2},
    /* All that is by muprop is at its mean together. */
    {.name = "muprop beside a sum",
     .site = {CHOICE("enumerate", 0), CHOICE("muprop", 0)},
     .factor = {0.7, -0.9}},
    {.name = "muprop beside another star",
     .site = {CHOICE("arm", 0), NORMAL("vargrad", 0), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "muprop behind muprop behind muprop",
     .site = {CHOICE("muprop", 0), NORMAL("muprop", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .pull = 0.6},
    {.name = "muprop beside muprop, and behind it",
     .site = {NORMAL("muprop", 0), CHOICE("muprop", 0), NORMAL("muprop", 0)},
     .factor = {0.7, -0.9, 0.5},
     .pull = 0.6},
    {.name = "muprop behind arm behind muprop",
     .site = {CHOICE("muprop", 0), CHOICE("arm", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .pull = 0.6},
    {.name = "muprop behind muprop behind arm",
     .site = {CHOICE("arm", 0), CHOICE("muprop", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .pull = 0.6},
    {.name = "muprop behind muprop and an arm that is beside it",
     .site = {CHOICE("muprop", 0), CHOICE("arm", 0), CHOICE("muprop", 2)},
     .factor = {0.7, 0.9, 1.8},
     .pull = 0.6},
    {.name = "muprop that a path parts from muprop",
     .site = {CHOICE("muprop", 0), NORMAL("pathwise", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "muprop that a score parts from muprop",
     .site = {CHOICE("muprop", 0), NORMAL("score:baseline=leave_one_out", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .pull = 0.6},
    {.name = "muprop behind rebar behind muprop",
     .site = {CHOICE("muprop", 0), CHOICE("rebar", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5}},
    {.name = "a quadrature behind muprop",
     .site = {CHOICE("muprop", 0), NORMAL("quadrature:nodes=24", 0.8)},
     .factor = {0.7, -0.9}},
    {.name = "muprop of rows behind muprop",
     .site = {CHOICE("muprop", 0), NORMAL("muprop", 0.8), CHOICE("muprop", 0.5)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 1},
    {.name = "muprop of rows that a sum parts from muprop",
     .site = {CHOICE("muprop", 0), CHOICE("enumerate", 0), CHOICE("muprop", 0)},
     .factor = {0.7, -0.9, 0.5},
     .first_of_row = 2}};

enum { MIXES = sizeof mixes / sizeof *mixes, RUNS = 2000 };

TEST_EACH(the_mean_is_exact, mixes, .seed = 7, .samples = 20)
{
    moments m[SITES];
    const drawn d = draw_all(t, row);
    gb_program *p = gb_compile(t, (gb_node_list){.count = d.sites, .node = d.gradient}, gb_no_update);
    assert_fine(t);
    collect(p, RUNS, d.sites, d.gradient, m);
    for (size_t i = 0; i < d.sites; i++) {
        const double exact = slope(row, (int)i);
        if (!(fabs(m[i].mean - exact) <= z_bound(1e-6, MIXES * SITES) * m[i].mean_error + 1e-8))
            fail_msg("p%zu: %g ± %g, not %g", i, m[i].mean, m[i].mean_error, exact);
    }
}

/* ---- second gradients ---- */

/* y ~ N(a x, s) behind x ~ N(a, s): E y² = s² + a² (a² + s²), and its second derivative is 12 a² + 2 s². */
TEST(second_gradients_of_delta_behind_delta_are_unbiased, .seed = 7, .samples = 100)
{
    const double s = 0.7, at = 0.6, exact = 12 * at * at + 2 * s * s;
    moments m;
    gb_expect *e = gb_expect_new(t);
    const gb_estimator by = gb_score(.baseline = gb_delta());
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(at)), scale = gb_num(t, s);
    const gb_node x = gb_draw(e, "x", gb_normal(a, scale), by);
    const gb_node y = gb_draw(e, "y", gb_normal(gb_mul(a, x), scale), by);
    const gb_node second = gb_grad(gb_grad(gb_expected(e, gb_square(y)), a), a);
    gb_program *p = gb_compile(t, gb_roots(second), gb_no_update);
    assert_fine(t);
    collect(p, 4000, 1, &second, &m);
    if (!(fabs(m.mean - exact) <= z_bound(1e-6, 1) * m.mean_error && sees_bias(&m, 0.1 * exact)))
        fail_msg("%g ± %g, not %g", m.mean, m.mean_error, exact);
}
