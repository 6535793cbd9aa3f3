/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every distribution where memory runs out, once or for good: an error and nothing else, and nothing lost. */
#include "support/close.h"

#include "core/gradient.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "distributions/transforms.h"
#include "kit/distributions/grid_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "support/counted_memory.h"

/* Wrappers, and what is not made from its parameters alone. */
static gb_dist make(gb_tape *t, const gb_dist_type *type, bool alternative)
{
    const gb_node one = gb_variable(t, "one", gb_shape(2), gb_fill(1));
    if (type == &gb_transformed_type)
        return gb_transformed(gb_normal(one, one), gb_stick_breaking_transform(t));
    if (type == &gb_independent_type)
        return gb_independent(gb_normal(one, one), 1);
    if (type == &gb_mixture_type)
        return gb_mixture(one, gb_normal(one, one));
    if (type == &gb_zero_inflated_type)
        return gb_zero_inflated_logits(one, gb_geometric_logits(one));
    if (type == &gb_lkj_cholesky_type)
        return gb_lkj_cholesky(3, one);
    return gb_dist_at_grid(t, type, (gb_case_number){.alternative = alternative}, "parameter", true);
}

static gb_node also(gb_node sum, gb_node x)
{
    return gb_add(sum, gb_sum_over(gb_sum(x), gb_node_axes(x)));
}

/* A sum over all that it can do. */
static gb_node everything(gb_tape *t, gb_dist d)
{
    const gb_node z = gb_sample(d, gb_stream(t, "z"), GB_SAMPLES);
    gb_node sum = also(gb_num(t, 0), gb_log_prob(d, z));
    if (gb_dist_can(d, GB_CAN_RSAMPLE))
        sum = also(sum, gb_rsample(d, gb_stream(t, "reparameterised"), GB_SAMPLES));
    if (gb_dist_can(d, GB_CAN_CDF))
        sum = also(sum, gb_cdf(d, z));
    if (gb_dist_can(d, GB_CAN_MEAN))
        sum = also(sum, gb_dist_mean(d));
    if (gb_dist_can(d, GB_CAN_VARIANCE))
        sum = also(sum, gb_dist_variance(d));
    if (gb_dist_can(d, GB_CAN_ENTROPY))
        sum = also(sum, gb_dist_entropy(d));
    return gb_has_kl(d, d) ? also(sum, gb_kl(d, d)) : sum;
}

/* A parameter that is no constant. */
static gb_node some_parameter(gb_dist d)
{
    const gb_dist *const of = d.base ? d.base : &d;
    for (size_t i = 0; i < GB_MAX_PARAMS; i++)
        if (gb_node_ok(of->param[i]) && !gb_is_uniform(of->param[i], NULL) &&
            strcmp(gb_node_op_name(of->param[i]), "constant") != 0)
            return of->param[i];
    return (gb_node){0};
}

typedef struct kind {
    const gb_dist_type *type;
    bool alternative;
} kind;

static gb_status use(gb_tape *t, const void *what)
{
    const kind *const of = what;
    const gb_dist d = make(t, of->type, of->alternative);
    const gb_node sum = everything(t, d);
    const gb_node slope = gb_node_ok(sum) ? gb_grad(sum, some_parameter(d)) : sum;
    gb_program *p = gb_compile(t, gb_roots(sum, slope), gb_no_update);
    gb_run(p);
    /* the kit forgives what its grid does not make */
    return gb_error(t) == GB_OK && !gb_dist_ok(d) ? GB_ENOMEM : gb_error(t);
}

static void a_type_without_memory_fails_in_words(gb_tape *t, const void *row)
{
    (void)t;
    const gb_dist_type *const type = row;
    for (int alternative = 0; alternative <= (type->alternative[0].name != NULL); alternative++)
        assert_outlives_lack_of_memory(use, &(kind){type, alternative}, type->name, 24,
                                       (gb_tape_options){.samples = 3});
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    const gb_dist_type *const *const all = gb_dists(&count);
    for (size_t i = 0; i < count; i++)
        test_add(all[i]->name, a_type_without_memory_fails_in_words, all[i], __LINE__, (gb_tape_options){0});
}
