/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small costs of one draw from many families, alone and with other draws. Each family is there with one
 * number (or one list of logits), and with several that differ: a batch shows whether scores and probes of
 * the elements are kept apart, and are added up. */
#include "kit/estimators/problem_impl.h"

#include <math.h>

#include "distributions/list.h"
#include "estimators/hermite.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* MANY: more than any vector of a processor has lanes, and no multiple of these. */
enum { FAMILY, MODE, OWN_LOG_Q, UNIT, WIDE, ROWS = 3, MANY = 67 };
static const double TARGET = 0.2, OWN_WEIGHT = 0.7, JUMP_AT = 0.75, DATA_OF_ROW = 2.5,
                    ROW[ROWS] = {0.8, 1, 1.3};

/* ---- families ---- */

typedef struct family {
    const char *name;
    struct {
        const char *name;
        int64_t size; /* 0: a number */
        double start[6];
    } param[2];
    gb_dist (*q)(const gb_node *param);
    gb_node (*cost)(gb_node x);            /* of each element of a batch */
    gb_node (*mean)(const gb_node *param); /* the exact mean of the cost */
    int64_t batch;                         /* 0: no batch */
} family;

static int last_axis(gb_node x)
{
    return gb_node_shape(x).rank - 1;
}

static gb_node square(gb_node x)
{
    return gb_square(x);
}

static gb_node same(gb_node x)
{
    return gb_add(x, gb_num(x.tape, 0));
}

static gb_node distance(gb_node x)
{
    return gb_square(gb_shift(x, -TARGET));
}

/* Σ cost(k) p_k */
static gb_node mean_distance(gb_node probs)
{
    return gb_sum_along(gb_mul(probs, distance(gb_arange(probs.tape, 3))), gb_axis(last_axis(probs)));
}

static gb_dist normal(const gb_node *p)
{
    return gb_normal(p[0], p[1]);
}

static gb_node mean_of_normal(const gb_node *p)
{
    return gb_add(gb_square(p[0]), gb_square(p[1]));
}

static gb_dist bernoulli(const gb_node *p)
{
    return gb_bernoulli(p[0]);
}

static gb_node mean_of_bernoulli(const gb_node *p)
{
    return gb_shift(gb_scale(p[0], (1 - TARGET) * (1 - TARGET) - TARGET * TARGET), TARGET * TARGET);
}

static gb_dist bernoulli_logits(const gb_node *p)
{
    return gb_bernoulli_logits(p[0]);
}

static gb_node mean_of_bernoulli_logits(const gb_node *p)
{
    const gb_node prob = gb_sigmoid(p[0]);
    return mean_of_bernoulli(&prob);
}

static gb_dist categorical(const gb_node *p)
{
    return gb_categorical_logits(p[0]);
}

static gb_node mean_of_categorical(const gb_node *p)
{
    return mean_distance(gb_softmax(p[0], last_axis(p[0])));
}

static gb_dist one_hot(const gb_node *p)
{
    return gb_one_hot_categorical_logits(p[0]);
}

static gb_node cost_of_one_hot(gb_node x)
{
    return distance(gb_sum_along(gb_mul(x, gb_arange(x.tape, 3)), gb_axis(last_axis(x))));
}

static gb_dist poisson(const gb_node *p)
{
    return gb_poisson(p[0]);
}

static gb_node mean_of_poisson(const gb_node *p)
{
    return gb_add(gb_square(p[0]), p[0]);
}

static gb_dist exponential(const gb_node *p)
{
    return gb_exponential(p[0]);
}

static gb_node mean_of_exponential(const gb_node *p)
{
    return gb_scale(gb_reciprocal(gb_square(p[0])), 2);
}

static gb_dist gamma_(const gb_node *p)
{
    return gb_gamma(p[0], p[1]);
}

static gb_node mean_of_gamma(const gb_node *p)
{
    return gb_div(p[0], p[1]);
}

static gb_dist uniform(const gb_node *p)
{
    return gb_uniform(p[0], p[1]);
}

static gb_node mean_of_uniform(const gb_node *p)
{
    const gb_node squares = gb_add(gb_square(p[0]), gb_square(p[1]));
    return gb_scale(gb_add(squares, gb_mul(p[0], p[1])), 1.0 / 3);
}

static gb_dist mixture(const gb_node *p)
{
    return gb_mixture(p[0], gb_normal(p[1], gb_num(p[1].tape, 0.6)));
}

static gb_node mean_of_mixture(const gb_node *p)
{
    const gb_node each = gb_shift(gb_square(p[1]), 0.36);
    return gb_sum(gb_mul(gb_softmax(p[0], 0), each));
}

static const family families[] = {
    {"normal", {{"mu", 0, {1}}, {"sigma", 0, {0.8}}}, normal, square, mean_of_normal, 0},
    {"bernoulli", {{"p", 0, {0.35}}}, bernoulli, distance, mean_of_bernoulli, 0},
    {"bernoulli_logits", {{"phi", 0, {-0.6}}}, bernoulli_logits, distance, mean_of_bernoulli_logits, 0},
    {"categorical", {{"logits", 3, {0.5, -0.6, 0.2}}}, categorical, distance, mean_of_categorical, 0},
    {"one_hot", {{"logits", 3, {0.5, -0.6, 0.2}}}, one_hot, cost_of_one_hot, mean_of_categorical, 0},
    {"poisson", {{"rate", 0, {2}}}, poisson, square, mean_of_poisson, 0},
    {"exponential", {{"rate", 0, {1.3}}}, exponential, square, mean_of_exponential, 0},
    {"gamma", {{"alpha", 0, {2}}, {"beta", 0, {1.5}}}, gamma_, same, mean_of_gamma, 0},
    {"uniform", {{"low", 0, {0.5}}, {"high", 0, {2}}}, uniform, square, mean_of_uniform, 0},
    {"mixture", {{"logits", 2, {0.5, -0.2}}, {"mu", 2, {-0.6, 1.2}}}, mixture, square, mean_of_mixture, 0},
    /* two normals, so that a grid of quadrature stays small */
    {"2 normals", {{"mu", 0, {1, -0.4}}, {"sigma", 0, {0.8, 0.5}}}, normal, square, mean_of_normal, 2},
    {"3 bernoullis", {{"p", 0, {0.35, 0.7, 0.55}}}, bernoulli, distance, mean_of_bernoulli, 3},
    {"3 bernoulli_logits",
     {{"phi", 0, {-0.6, 1.2, 0.3}}},
     bernoulli_logits,
     distance,
     mean_of_bernoulli_logits,
     3},
    {"2 categoricals",
     {{"logits", 3, {0.5, -0.6, 0.2, -0.3, 0.1, 0.9}}},
     categorical,
     distance,
     mean_of_categorical,
     2},
    {"2 one_hots",
     {{"logits", 3, {0.5, -0.6, 0.2, -0.3, 0.1, 0.9}}},
     one_hot,
     cost_of_one_hot,
     mean_of_categorical,
     2},
    {"3 poissons", {{"rate", 0, {2, 0.7, 1.2}}}, poisson, square, mean_of_poisson, 3},
    {"3 exponentials", {{"rate", 0, {1.3, 2, 1.6}}}, exponential, square, mean_of_exponential, 3},
    {"3 gammas", {{"alpha", 0, {2, 3.5, 1.4}}, {"beta", 0, {1.5, 2.5, 1}}}, gamma_, same, mean_of_gamma, 3},
    {"3 uniforms",
     {{"low", 0, {0.5, -1, 0.2}}, {"high", 0, {2, 0.5, 0.9}}},
     uniform,
     square,
     mean_of_uniform,
     3},
};

size_t gb_check_families(void)
{
    return sizeof families / sizeof *families;
}

const char *gb_check_family_name(size_t which)
{
    return families[which].name;
}

bool gb_check_family_is_batch(size_t which)
{
    return families[which].batch > 0;
}

bool gb_check_family_is_rare(size_t which)
{
    return families[which].q == mixture;
}

static gb_shape shape_of(const family *f, int64_t batch, size_t param)
{
    const gb_shape all = batch > 0 ? gb_shape(batch) : gb_shape();
    return f->param[param].size > 0 ? gb_shape_join(all, gb_shape(f->param[param].size)) : all;
}

/* A wide batch has the elements of the batch again and again. */
typedef struct start {
    double value[3 * MANY];
    size_t count;
} start;

static start start_of(const family *f, int64_t batch, size_t param)
{
    start s = {.count = gb_shape_count(shape_of(f, batch, param))};
    const size_t known = gb_shape_count(shape_of(f, f->batch, param));
    for (size_t i = 0; i < s.count; i++)
        s.value[i] = f->param[param].start[i % known];
    return s;
}

gb_dist gb_check_family(gb_tape *tape, size_t which)
{
    const family *const f = &families[which];
    gb_node param[2] = {{0}};
    for (size_t i = 0; i < 2 && f->param[i].name; i++) {
        const start s = start_of(f, f->batch, i);
        param[i] = gb_constant(tape, shape_of(f, f->batch, i), gb_values_of(s.value, s.count));
    }
    return f->q(param);
}

/* ---- bounds of two draws ---- */

static gb_bound bound_of(gb_check_mode mode)
{
    return mode == GB_CHECK_PATH ? gb_thermodynamic(.draws = 2) : gb_iwae(.draws = 2);
}

/* A prior for the draw of a normal, of the same parameters, besides the cost. */
static gb_dist prior_of(const gb_node *param)
{
    return gb_normal(gb_scale(param[0], 0.5), gb_shift(param[1], 0.3));
}

/* log p of the cost. With a weight of 1 the log weights of choices would hardly differ, nor would bounds. */
static gb_node likelihood(const family *f, gb_node cost)
{
    return gb_scale(cost, f->q == normal ? -1 : -3);
}

/* Values of x and their weights, (n): those of a quadrature, or all that there are. */
static gb_node values_of(const family *f, gb_tape *tape, const gb_node *param, gb_node *weights)
{
    enum { NODES = 64 };
    double node[NODES], weight[NODES];
    const gb_dist q = f->q(param);
    if (f->q != normal) {
        const gb_node values = gb_arange(tape, f->q == categorical ? 3 : 2);
        *weights = gb_exp(gb_log_prob(q, values));
        return values;
    }
    gb_hermite_rule(NODES, node, weight);
    *weights = gb_constant(tape, gb_shape(NODES), gb_values_of(weight, NODES));
    return gb_add(param[0], gb_mul(param[1], gb_constant(tape, gb_shape(NODES), gb_values_of(node, NODES))));
}

/* The sum over pairs of values. */
static gb_node mean_bound(const family *f, gb_check_mode mode, gb_tape *tape, const gb_node *param)
{
    gb_node weights;
    const gb_node x = values_of(f, tape, param, &weights);
    const gb_node own = gb_sub(likelihood(f, f->cost(x)), gb_log_prob(f->q(param), x));
    const gb_node l = f->q == normal ? gb_add(own, gb_log_prob(prior_of(param), x)) : own;
    const int64_t count = gb_node_shape(l).size[0];
    const gb_node one = gb_broadcast(gb_expand(l, 1), gb_shape(count, count));
    const gb_node other = gb_broadcast(gb_expand(l, 0), gb_shape(count, count));
    const gb_node of_pairs = gb_bound_value(bound_of(mode), gb_stack(2, (const gb_node[]){one, other}, 0));
    return gb_sum(gb_mul(of_pairs, gb_mul(gb_expand(weights, 0), gb_expand(weights, 1))));
}

bool gb_check_is_bound(gb_check_mode mode)
{
    return mode >= GB_CHECK_BOUND && mode <= GB_CHECK_BOUND_ROWS;
}

/* ---- the problem ---- */

typedef struct recorded {
    const family *f;
    int64_t batch; /* MANY, or that of the family */
    gb_check_mode mode;
    gb_node param[2];
    gb_node row; /* inert without rows */
} recorded;

static gb_node rows(gb_tape *tape)
{
    const gb_node row = gb_input_rows(tape, "row", gb_shape());
    gb_feed(row, ROW, ROWS);
    return row;
}

static bool has_rows(gb_check_mode mode)
{
    return mode == GB_CHECK_ROWS || mode == GB_CHECK_JOINT_ROWS || mode == GB_CHECK_BOUND_ROWS;
}

static recorded begin(gb_trial *trial)
{
    recorded r = {.f = &families[(size_t)trial->setting[FAMILY]],
                  .mode = (gb_check_mode)trial->setting[MODE]};
    r.batch = trial->setting[WIDE] != 0 ? MANY : r.f->batch;
    if (has_rows(r.mode))
        r.row = rows(trial->tape);
    for (size_t i = 0; i < 2 && r.f->param[i].name; i++) {
        const start s = start_of(r.f, r.batch, i);
        const gb_node all = gb_trial_parameter(trial, r.f->param[i].name, shape_of(r.f, r.batch, i),
                                               gb_values_of(s.value, s.count));
        r.param[i] = has_rows(r.mode) ? gb_mul(all, r.row) : all;
    }
    return r;
}

static gb_node of_parameter(const recorded *r)
{
    return gb_shift(gb_sum(r->param[0]), 3);
}

static gb_node over_rows(const recorded *r, gb_node each)
{
    return gb_sum_over(gb_mul(each, r->row), GB_ROWS);
}

static gb_node element(gb_node x, int64_t i)
{
    return gb_squeeze(gb_slice(x, 0, i, i + 1), 0);
}

/* A few of many elements, so that they do not drown in the noise of all. */
static gb_node over_few(gb_node each)
{
    static const struct {
        int64_t place;
        double weight;
    } few[] = {{0, 1}, {8, -0.7}, {33, 0.8}, {MANY - 1, 1.2}};
    gb_node sum = {0};
    for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
        const gb_node one = gb_scale(element(each, few[i].place), few[i].weight);
        sum = i == 0 ? one : gb_add(sum, one);
    }
    return sum;
}

/* Unlike weights, and a product of independent elements, whose mean is that of their means. */
static gb_node over_elements(const recorded *r, gb_node each)
{
    static const double weight[] = {1, -0.7, 0.4};
    if (r->batch == 0)
        return each;
    if (r->batch == MANY)
        return over_few(each);
    const gb_node w = gb_constant(each.tape, gb_shape(r->batch), gb_values_of(weight, (size_t)r->batch));
    return gb_add(gb_sum(gb_mul(w, each)), gb_mul(element(each, 0), element(each, 1)));
}

static gb_node log_ratio(gb_trial *trial, const recorded *r, gb_node x)
{
    const gb_node weight = gb_num(trial->tape, -1);
    const gb_node log_q = has_rows(r->mode) ? gb_draw_log_prob_of_rows(trial->expect, x, weight)
                                            : gb_draw_log_prob(trial->expect, x, weight);
    return r->f->q == normal ? gb_add(gb_draw_log_prior(trial->expect, x, prior_of(r->param)), log_q) : log_q;
}

static gb_node cost_in_mode(gb_trial *trial, const recorded *r, gb_dist q, gb_node x)
{
    const gb_node f = over_elements(r, r->f->cost(x));
    switch (r->mode) {
    case GB_CHECK_PARAMETERS: return gb_mul(f, of_parameter(r));
    case GB_CHECK_SITES: return gb_add(f, gb_mul(f, r->f->cost(gb_trial_draw(trial, "y", q))));
    case GB_CHECK_DEPENDENT: return gb_trial_draw(trial, "y", gb_normal(f, gb_num(trial->tape, 0.5)));
    case GB_CHECK_ROWS: return over_rows(r, f);
    case GB_CHECK_JOINT_SAMPLES: return gb_square(gb_mean_over(x, GB_SAMPLES));
    case GB_CHECK_JOINT_ROWS: return gb_square(over_rows(r, x));
    case GB_CHECK_JUMP: return gb_to_real(gb_greater(x, gb_num(trial->tape, JUMP_AT)));
    case GB_CHECK_BOUND:
    case GB_CHECK_PATH:
    case GB_CHECK_BOUND_ROWS: return gb_add(log_ratio(trial, r, x), likelihood(r->f, f));
    case GB_CHECK_OWN_LOG_Q:
    case GB_CHECK_PLAIN:
    case GB_CHECK_MODES: break;
    }
    return f;
}

/* The sum of the bounds of all rows, times the data that each stands for. A trial takes a row for one datum,
 * so this has draws of an expectation of its own, and is closed. */
static gb_node bound_of_rows(gb_trial *trial, const recorded *r, gb_dist q)
{
    gb_expect *const whole = trial->expect;
    trial->expect = gb_expect_new(trial->tape, .axes = trial->replicates, .bound = bound_of(r->mode));
    const gb_node x = gb_trial_draw(trial, "x", q);
    const gb_node bound =
        gb_expected_bound(trial->expect, cost_in_mode(trial, r, q, x), gb_num(trial->tape, DATA_OF_ROW));
    trial->expect = whole;
    return bound;
}

static gb_node cost(gb_trial *trial)
{
    const recorded r = begin(trial);
    const gb_dist q = r.f->q(r.param);
    if (r.mode == GB_CHECK_BOUND_ROWS)
        return bound_of_rows(trial, &r, q);
    const gb_node x = gb_trial_draw(trial, "x", q);
    gb_node f = cost_in_mode(trial, &r, q, x);
    if (trial->setting[OWN_LOG_Q] != 0)
        f = gb_add(f, gb_draw_log_prob(trial->expect, x, gb_num(trial->tape, OWN_WEIGHT)));
    return gb_scale(f, exp2(trial->setting[UNIT]));
}

static gb_node mean_in_mode(gb_tape *tape, const recorded *r, gb_dist q)
{
    const gb_node mean = over_elements(r, r->f->mean(r->param));
    switch (r->mode) {
    case GB_CHECK_PARAMETERS: return gb_mul(mean, of_parameter(r));
    case GB_CHECK_SITES: return gb_add(mean, gb_square(mean));
    case GB_CHECK_ROWS: return over_rows(r, mean);
    case GB_CHECK_JOINT_SAMPLES:
        return gb_add(gb_square(gb_dist_mean(q)),
                      gb_div(gb_dist_variance(q), gb_axis_size(tape, GB_SAMPLES)));
    case GB_CHECK_JOINT_ROWS:
        return gb_add(gb_square(over_rows(r, gb_dist_mean(q))),
                      over_rows(r, gb_mul(r->row, gb_dist_variance(q))));
    case GB_CHECK_JUMP: return gb_shift(gb_neg(gb_cdf(q, gb_num(tape, JUMP_AT))), 1);
    case GB_CHECK_BOUND:
    case GB_CHECK_PATH: return mean_bound(r->f, r->mode, tape, r->param);
    case GB_CHECK_BOUND_ROWS:
        return gb_scale(gb_sum_over(mean_bound(r->f, r->mode, tape, r->param), GB_ROWS), DATA_OF_ROW);
    case GB_CHECK_OWN_LOG_Q:
    case GB_CHECK_DEPENDENT:
    case GB_CHECK_PLAIN:
    case GB_CHECK_MODES: break;
    }
    return mean;
}

static gb_node expected(gb_trial *trial)
{
    const recorded r = begin(trial);
    const gb_dist q = r.f->q(r.param);
    const gb_node mean = mean_in_mode(trial->tape, &r, q);
    return trial->setting[OWN_LOG_Q] != 0
               ? gb_sub(mean, gb_scale(gb_per_sample(gb_dist_entropy(q)), OWN_WEIGHT))
               : mean;
}

static const gb_problem problem = {.size = sizeof(gb_problem),
                                   .name = "check",
                                   .formula = "of a family, in a mode",
                                   .settings = {{"family", 0, 0, 100, ""},
                                                {"mode", 0, 0, 100, ""},
                                                {"own_log_q", 0, 0, 1, ""},
                                                {"unit", 0, -100, 100, ""},
                                                {"wide", 0, 0, 1, ""}},
                                   .cost = cost,
                                   .expected = expected,
                                   .is_log_weight = true,
                                   .expects_bound = true};

static bool has_closed_form(gb_dist q, gb_check_mode mode, bool own_log_q)
{
    const bool is_number = gb_dist_event_shape(q).rank == 0;
    if (gb_check_is_bound(mode))
        return q.type == &gb_normal_type || q.type == &gb_bernoulli_type || q.type == &gb_categorical_type;
    if (own_log_q && !gb_dist_can(q, GB_CAN_ENTROPY))
        return false;
    if (mode == GB_CHECK_JUMP)
        return is_number && gb_dist_can(q, GB_CAN_CDF);
    if (mode == GB_CHECK_JOINT_SAMPLES || mode == GB_CHECK_JOINT_ROWS)
        return is_number && gb_dist_can(q, GB_CAN_MEAN) && gb_dist_can(q, GB_CAN_VARIANCE);
    return true;
}

bool gb_check_cost(size_t which, gb_check_mode mode, bool own_log_q, gb_replicate_plan *plan)
{
    *plan = (gb_replicate_plan){.problem = &problem};
    plan->setting[FAMILY] = (double)which;
    plan->setting[MODE] = mode;
    plan->setting[OWN_LOG_Q] = own_log_q && !gb_check_is_bound(mode);
    if (gb_check_is_bound(mode) && mode != GB_CHECK_BOUND_ROWS)
        plan->bound = bound_of(mode);
    gb_tape *const t = gb_tape_new(.threads = 1);
    if (!t)
        return false;
    const bool known = has_closed_form(gb_check_family(t, which), mode, own_log_q) &&
                       !(gb_check_is_bound(mode) && gb_check_family_is_batch(which));
    gb_tape_free(t);
    return known;
}

void gb_check_set_unit(gb_replicate_plan *plan, int exponent)
{
    plan->setting[UNIT] = exponent;
}

void gb_check_set_wide(gb_replicate_plan *plan)
{
    plan->setting[WIDE] = 1;
}
