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
    if (type == &gb_lkj_cholesky_type)
        return gb_lkj_cholesky(3, one);
    return gb_dist_at_grid(t, type, (gb_case_number){0, alternative}, "parameter", true);
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

static gb_status use(const gb_dist_type *type, bool alternative, counted_memory *memory)
{
    gb_tape *t = gb_tape_new(.threads = 1, .samples = 3, .memory = counted(memory));
    const gb_dist d = make(t, type, alternative);
    const gb_node sum = everything(t, d);
    const gb_node slope = gb_node_ok(sum) ? gb_grad(sum, some_parameter(d)) : sum;
    gb_program *p = gb_compile(t, gb_roots(sum, slope), gb_no_update);
    gb_run(p);
    /* the kit forgives what its grid does not make */
    const gb_status status = gb_error(t) == GB_OK && !gb_dist_ok(d) ? GB_ENOMEM : gb_error(t);
    if (status != GB_OK && status != GB_ENOMEM)
        fail_msg("%s: %s", type->name, gb_error_text(t));
    gb_tape_free(t);
    return status;
}

static void running_out_of_memory_is_an_error(const gb_dist_type *type, bool alternative)
{
    enum { TRIES = 24 };
    counted_memory all = {0};
    const gb_status status = use(type, alternative, &all);
    if (status != GB_OK)
        fail_msg("%s: %s", type->name, gb_status_text(status));
    assert_int_equal(all.outstanding, 0);
    for (size_t i = 0; i < 2 * TRIES; i++) {
        counted_memory memory = {.fail_at = 1 + all.asked * (i / 2) / TRIES, .fail_after = i % 2};
        const gb_status got = use(type, alternative, &memory);
        if (got != GB_ENOMEM)
            fail_msg("request %zu of %zu: %s", memory.fail_at, (size_t)all.asked, gb_status_text(got));
        assert_int_equal(memory.outstanding, 0);
    }
}

static void a_type_without_memory_fails_in_words(gb_tape *t, const void *row)
{
    (void)t;
    const gb_dist_type *const type = row;
    running_out_of_memory_is_an_error(type, false);
    if (type->alternative[0].name)
        running_out_of_memory_is_an_error(type, true);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t count;
    const gb_dist_type *const *const all = gb_dists(&count);
    for (size_t i = 0; i < count; i++)
        test_add(all[i]->name, a_type_without_memory_fails_in_words, all[i], __LINE__, (gb_tape_options){0});
}
