/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a distribution is asked: shapes, types from outside, tapes, what is out of range. */
#include "support/close.h"

#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "ops/draws.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- shapes ---- */

TEST(batch_and_event_come_from_the_parameters)
{
    const gb_node x = gb_input_rows(t, "x", gb_shape(2, 1));
    const gb_dist q = gb_normal(x, gb_ones(t, gb_shape(3)));
    assert_true(gb_shape_same(gb_dist_shape(q), gb_shape(2, 3)));
    assert_true(gb_shape_same(gb_dist_batch_shape(q), gb_shape(2, 3)));
    assert_true(gb_shape_same(gb_dist_event_shape(q), gb_shape()));
    assert_true(gb_dist_axes(q) == GB_ROWS);
    const gb_dist vector = gb_independent(q, 1);
    assert_true(gb_shape_same(gb_dist_batch_shape(vector), gb_shape(2)));
    assert_true(gb_shape_same(gb_dist_event_shape(vector), gb_shape(3)));
    const gb_node z = gb_sample(vector, gb_stream(t, "z"), GB_SAMPLES);
    assert_true(gb_shape_same(gb_node_shape(z), gb_shape(2, 3)));
    assert_true(gb_node_axes(z) == (GB_SAMPLES | GB_ROWS));
    assert_true(gb_shape_same(gb_node_shape(gb_log_prob(vector, z)), gb_shape(2)));
    assert_true(gb_shape_same(gb_node_shape(gb_dist_mean(vector)), gb_shape(2, 3)));
    assert_true(gb_shape_same(gb_node_shape(gb_dist_entropy(vector)), gb_shape(2)));
    assert_fine(t);
}

TEST(a_value_of_another_shape_is_rejected)
{
    const gb_dist q = gb_independent(gb_normal(gb_zeros(t, gb_shape(3)), gb_num(t, 1)), 1);
    gb_log_prob(q, gb_zeros(t, gb_shape(2)));
    assert_rejected(t, GB_ESHAPE, "independent: the value has shape (2), but a draw (3)");
    gb_log_prob(q, gb_num(t, 0));
    assert_rejected(t, GB_ESHAPE, "independent: the value has shape (), but a draw (3)");
    gb_log_prob(gb_normal(gb_zeros(t, gb_shape(3)), gb_num(t, 1)), gb_zeros(t, gb_shape(2)));
    assert_rejected(t, GB_ESHAPE, "normal: the value has shape (2), but a draw (3)");
}

/* ---- types from outside ---- */

static const gb_dist_type users_type;

static gb_node users_log_prob(const gb_dist *d, gb_node x)
{
    return gb_sub(d->param[0], x);
}
static gb_node users_sample(const gb_dist *d, const gb_source *from)
{
    return gb_add(d->param[0], gb_exponential_noise(from->noise, from->shape, from->axes));
}
static gb_ends users_ends(const gb_dist *d)
{
    return (gb_ends){.low = d->param[0]};
}
static gb_node one_kl(const gb_dist *q, const gb_dist *p)
{
    (void)p;
    return gb_num(q->tape, 1);
}
static gb_node two_kl(const gb_dist *q, const gb_dist *p)
{
    (void)p;
    return gb_num(q->tape, 2);
}
static const gb_kl_pair users_pairs[] = {
    {.q = &users_type, .p = &gb_normal_type, .kl = one_kl},
    {.q = &gb_normal_type, .p = &users_type, .kl = two_kl},
    {0},
};
static const gb_dist_type users_type = {.size = sizeof(gb_dist_type),
                                        .name = "users",
                                        .formula = "loc - x",
                                        .param = {GB_PARAMETER_OR("loc", GB_REAL, 0)},
                                        .support = GB_REAL,
                                        .moving_support = true,
                                        .ends = users_ends,
                                        .log_prob = users_log_prob,
                                        .sample = users_sample,
                                        .kl = users_pairs};

TEST(a_users_type_brings_its_divergences)
{
    const gb_node one = gb_num(t, 1);
    const gb_dist normal = gb_normal(one, one), users = gb_dist_of(&users_type, &one);
    assert_true(gb_value(gb_kl(users, normal)) == 1);
    assert_true(gb_value(gb_kl(normal, users)) == 2);
    assert_false(gb_has_kl(users, users));
    gb_kl(users, users);
    assert_rejected(t, GB_EARGUMENT, "no exact KL(users ‖ users)");
    gb_rsample(users, gb_stream(t, "a"), 0);
    assert_rejected(t, GB_EARGUMENT, "users: there is no reparameterised sampler");
    gb_dist_entropy(users);
    assert_rejected(t, GB_EARGUMENT, "users: there is no entropy");
    gb_cdf(users, one);
    assert_rejected(t, GB_EARGUMENT, "users: there is no distribution function");
    assert_true(gb_value(gb_log_prob(users, gb_num(t, 0.5))) == -INFINITY);
    assert_true(gb_value(gb_log_prob(users, gb_num(t, 1.5))) == -0.5);
}

static const gb_dist_type rival_type;
static const gb_kl_pair rival_pairs[] = {
    {.q = &rival_type, .p = &users_type, .kl = one_kl}, {.q = &rival_type, .p = NULL, .kl = two_kl}, {0}};
static const gb_dist_type rival_type = {.size = sizeof(gb_dist_type),
                                        .name = "rival",
                                        .formula = "loc - x",
                                        .param = {GB_PARAMETER_OR("loc", GB_REAL, 0)},
                                        .support = GB_REAL,
                                        .log_prob = users_log_prob,
                                        .sample = users_sample,
                                        .kl = rival_pairs};

TEST(two_divergences_for_one_pair_are_an_error)
{
    const gb_node one = gb_num(t, 1);
    const gb_dist rival = gb_dist_of(&rival_type, &one), users = gb_dist_of(&users_type, &one);
    assert_true(gb_value(gb_kl(rival, gb_normal(one, one))) == 2);
    assert_false(gb_has_kl(rival, users));
    assert_rejected(t, GB_EARGUMENT, "kl: KL(rival ‖ users) was found twice");
}

/* ---- two tapes ---- */

TEST(what_belongs_to_another_tape_is_reported_on_that_of_the_distribution)
{
    gb_tape *const u = test_tape();
    const gb_dist q = gb_normal(gb_num(t, 0), gb_num(t, 1)), p = gb_normal(gb_num(u, 0), gb_num(u, 1));
    assert_false(gb_node_ok(gb_log_prob(q, gb_num(u, 1))));
    assert_rejected(t, GB_ENODE, "normal: the value belongs to another tape");
    assert_false(gb_node_ok(gb_icdf(q, gb_num(u, 0.5))));
    assert_rejected(t, GB_ENODE, "normal: the value belongs to another tape");
    assert_false(gb_node_ok(gb_log_prob(q, (gb_node){0})));
    assert_rejected(t, GB_ENODE, "normal: the value is no usable one");
    assert_false(gb_node_ok(gb_sample(q, gb_stream(u, "a"), 0)));
    assert_rejected(t, GB_ENODE, "normal: the noise belongs to another tape");
    assert_false(gb_node_ok(gb_rsample(q, gb_stream(u, "b"), 0)));
    assert_rejected(t, GB_ENODE, "normal: the noise belongs to another tape");
    assert_false(gb_has_kl(q, p));
    assert_false(gb_node_ok(gb_kl(q, p)));
    assert_rejected(t, GB_ENODE, "kl: normal and normal belong to different tapes");
    const gb_dist coin = gb_bernoulli(gb_num(t, 0.5));
    assert_false(gb_dist_ok(gb_dist_relaxed(coin, gb_num(u, 1))));
    assert_rejected(t, GB_ENODE, "bernoulli: the temperature belongs to another tape");
    assert_fine(t);
    assert_fine(u);
}

/* ---- incomplete types ---- */

static void assert_incomplete(gb_dist_type type, const char *words)
{
    gb_tape *const t = test_tape();
    const gb_node one[] = {gb_num(t, 1), gb_num(t, 2)};
    assert_false(gb_dist_ok(gb_dist_of(&type, one)));
    assert_rejected(t, GB_EARGUMENT, words);
}

TEST(an_incomplete_type_is_rejected_in_words)
{
    const gb_node one = gb_num(t, 1);
    assert_false(gb_dist_ok(gb_dist_of(NULL, &one)));
    assert_rejected(t, GB_EARGUMENT, "a distribution: its type is NULL");
    assert_false(gb_dist_ok(gb_dist_of(&users_type, NULL)));
    assert_false(gb_dist_ok(gb_dist_of(NULL, NULL)));
    assert_false(gb_dist_ok(gb_dist_checked((gb_dist){0})));
    assert_fine(t);
    assert_false(gb_dist_ok(gb_dist_alternative(&users_type, &one)));
    assert_rejected(t, GB_EARGUMENT, "users: it has no alternative parameters");
    gb_dist_type type = users_type;
    type.size = 0;
    assert_incomplete(type, "its size is not sizeof(gb_dist_type)");
    type = users_type;
    type.name = NULL;
    assert_incomplete(type, "a distribution: it has no name");
    type = users_type;
    type.support = NULL;
    assert_incomplete(type, "users: it has no support");
    type = users_type;
    type.log_prob = NULL;
    assert_incomplete(type, "users: it has no log_prob");
    type = users_type;
    type.sample = NULL;
    assert_incomplete(type, "users: it has neither sample nor rsample");
    type = users_type;
    type.param[0].domain = NULL;
    assert_incomplete(type, "users: a parameter has no domain");
    type = users_type;
    type.param[0].name = NULL;
    assert_incomplete(type, "users: it has no parameters");
}

/* ---- what is asked out of range ---- */

TEST(a_measure_exists_for_elements_of_parameters_alone)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1);
    const gb_dist all[] = {gb_uniform(zero, one), gb_exponential(one), gb_normal(zero, one)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const size_t beyond = i == 1 ? 1 : 2;
        gb_measure m = {.coefficient = one};
        assert_true(gb_dist_measure(all[i], 0, 0, &m));
        assert_false(gb_dist_measure(all[i], beyond, 0, &m));
        assert_false(gb_node_ok(m.coefficient) || gb_dist_ok(m.plus) || gb_dist_ok(m.minus));
        assert_false(gb_dist_measure(all[i], SIZE_MAX, 0, &m));
        assert_false(gb_dist_measure(all[i], 0, 1, &m));
        assert_false(gb_dist_measure(all[i], 0, -1, &m));
    }
    assert_fine(t);
}

TEST(outside_of_probabilities_there_is_no_quantile)
{
    const gb_node zero = gb_num(t, 0), one = gb_num(t, 1),
                  u = gb_constant(t, gb_shape(3), GB_VALUES(-0.1, 1.5, NAN));
    const gb_dist all[] = {gb_uniform(zero, one), gb_exponential(one), gb_bernoulli(gb_num(t, 0.5)),
                           gb_cauchy(zero, one), gb_geometric(gb_num(t, 0.5))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_values(gb_icdf(all[i], u), NAN, NAN, NAN);
    assert_values(gb_icdf(gb_uniform(one, gb_num(t, 3)), gb_ints(t, gb_shape(2), (const int64_t[]){0, 1})), 1,
                  3);
    assert_fine(t);
}

TEST(divergences_need_events_of_one_size)
{
    const gb_node one = gb_num(t, 1);
    const gb_dist q = gb_independent(gb_normal(gb_zeros(t, gb_shape(3)), one), 1),
                  p = gb_independent(gb_normal(gb_zeros(t, gb_shape(2)), one), 1),
                  single = gb_independent(gb_normal(gb_zeros(t, gb_shape(1)), one), 1);
    assert_true(gb_has_kl(q, q));
    assert_false(gb_has_kl(q, p) || gb_has_kl(q, single));
    gb_kl(q, p);
    assert_rejected(t, GB_ESHAPE, "kl: draws of independent have shape (3), and those of independent (2)");
    gb_kl(gb_categorical(gb_constant(t, gb_shape(2), gb_fill(0.5))),
          gb_categorical(gb_constant(t, gb_shape(4), gb_fill(0.25))));
    assert_rejected(t, GB_ESHAPE, "kl: probs of categorical has shape (2), and probs of categorical (4)");
}

TEST(what_cannot_be_relaxed_is_rejected_in_words_of_the_call)
{
    assert_false(gb_dist_ok(gb_dist_relaxed(gb_bernoulli(gb_num(t, 0)), gb_num(t, 1))));
    assert_rejected(t, GB_EARGUMENT,
                    "relaxed of bernoulli: prob is 0, and must be between 0 and 1, and neither");
}

/* Sums that were computed in float, or read from a text of seven digits. */
TEST(wrappers_can_what_they_wrap_can)
{
    const gb_node ones = gb_ones(t, gb_shape(2));
    const gb_dist users = gb_dist_of(&users_type, &ones), both = gb_independent(users, 1);
    assert_false(gb_dist_can(both, GB_CAN_RSAMPLE));
    assert_true(gb_dist_moving_support(both));
    gb_rsample(both, gb_stream(t, "a"), 0);
    assert_rejected(t, GB_EARGUMENT, "independent: there is no reparameterised sampler");
    const gb_dist normals = gb_independent(gb_normal(ones, ones), 1);
    assert_true(gb_dist_can(normals, GB_CAN_RSAMPLE) && gb_dist_can(normals, GB_CAN_ENTROPY));
    assert_false(gb_dist_can(normals, GB_CAN_CDF));
    const gb_dist log_normal = gb_transformed(gb_normal(ones, ones), gb_exponential_transform(t));
    assert_true(gb_dist_can(log_normal, GB_CAN_CDF));
    assert_false(gb_dist_can(log_normal, GB_CAN_MODE));
    const gb_dist known = gb_lognormal(ones, ones);
    assert_close(gb_value(gb_sum(gb_dist_mean(log_normal))), gb_value(gb_sum(gb_dist_mean(known))), 4);
    assert_close(gb_value(gb_sum(gb_dist_variance(log_normal))), gb_value(gb_sum(gb_dist_variance(known))),
                 4);
    const gb_dist logistic_normal = gb_transformed(gb_normal(ones, ones), gb_sigmoid_transform(t));
    assert_false(gb_dist_can(logistic_normal, GB_CAN_MEAN));
    const gb_dist laplaces = gb_transformed(gb_laplace(ones, ones), gb_exponential_transform(t));
    assert_false(gb_dist_can(laplaces, GB_CAN_VARIANCE));
    const gb_dist turned =
        gb_transformed(gb_normal(ones, ones), gb_affine_transform(ones, gb_scale(ones, -2)));
    assert_values(gb_dist_mean(turned), -1, -1);
    assert_values(gb_dist_variance(turned), 4, 4);
    assert_values(gb_cdf(turned, gb_scale(ones, -1)), 0.5, 0.5);
    assert_fine(t);
}

/* A constructor that comes from the list passes as many nodes as the type has
 * parameters; 0: it has a file of its own. */
static void assert_parameters(const gb_dist_type *type, bool alternative, size_t nodes)
{
    size_t count;
    gb_dist_params(&(gb_dist){.type = type, .alternative = alternative}, &count);
    assert_true(nodes == 0 || nodes == count);
}

TEST(the_list_finds_what_it_holds)
{
    size_t count;
    const gb_dist_type *const *all = gb_dists(&count);
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i]->size, sizeof(gb_dist_type));
        assert_ptr_equal(gb_dist_find(all[i]->name), all[i]);
        assert_true(all[i]->formula && all[i]->log_prob && (all[i]->support || all[i]->wraps) &&
                    (all[i]->sample || all[i]->rsample));
    }
#define HAS_AS_MANY(name, nodes, parameters) assert_parameters(&gb_##name##_type, false, nodes);
#define ALTERNATIVE_HAS_AS_MANY(name, type, nodes, parameters)                                               \
    assert_parameters(&gb_##type##_type, true, nodes);
    GB_DIST_LIST(HAS_AS_MANY)
    GB_ALTERNATIVE_LIST(ALTERNATIVE_HAS_AS_MANY)
    assert_null(gb_dist_find("none such"));
    assert_null(gb_dist_find(NULL));
}
