/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What estimates alone do not tell: how rare an outcome of a draw is, since they say nothing of events that
 * none of them shows; and whether the cost is a number, since its gradients may be where it is not. */
#include <math.h>

#include "compare/replicates.h"
#include "estimators/expectation/sites_impl.h"
#include "estimators/list.h"
#include "ops/arrange.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { DRAWS_FOR_OUTCOMES = 64, DRAWS_FOR_COST = 1024, LEAST_SAMPLES = 8 };

static bool is_of_bits_or_categories(gb_dist q)
{
    return !gb_estimator_type_lacks(&gb_arm_estimator_type, q) ||
           !gb_estimator_type_lacks(&gb_arsm_estimator_type, q);
}

/* The smallest probability above 0, as a number. */
static gb_node rarest_of(gb_dist q)
{
    const gb_node values = gb_dist_enumerate(q), one = gb_num(q.tape, 1);
    const gb_shape batch = gb_dist_batch_shape(q), event = gb_dist_event_shape(q);
    gb_shape shape = gb_shape(gb_shape_size(gb_node_shape(values), 0));
    for (int i = 0; i < batch.rank; i++)
        shape = gb_shape_join(shape, gb_shape(1));
    const gb_node p = gb_exp(gb_log_prob(q, gb_reshape(values, gb_shape_join(shape, event))));
    const gb_node rarity = gb_neg(gb_where(gb_greater(p, gb_num(q.tape, 0)), p, one));
    return gb_neg(gb_maximum(gb_maximum_over(rarity, gb_node_axes(rarity))));
}

/* Returns false if the probabilities of a site are not known. */
static bool record(const gb_trial *trial, gb_node *rarest)
{
    *rarest = gb_num(trial->tape, 1);
    for (const own_site *own = trial->expect->last; own; own = gb_site_before(own)) {
        if (is_of_bits_or_categories(own->q))
            *rarest = gb_min(*rarest, rarest_of(own->q));
        else if (gb_dist_discrete(own->q))
            return false;
    }
    return gb_node_ok(*rarest);
}

/* Evaluates a node, as one number. */
static double evaluate(gb_replicates *r, gb_node node)
{
    double value = (double)NAN;
    gb_program *const program = gb_compile(r->trial.tape, gb_roots_of(1, &node), gb_no_update);
    if (program && gb_run(program) == GB_OK)
        gb_read_root(program, 0, &value);
    if (program)
        gb_program_free(program);
    return value;
}

/* Begins one replicate of about `draws` draws by the score function, at the parameters. A bound takes several
 * of them for each sample. */
static bool begin(gb_replicates *r, const gb_replicate_plan *plan, int64_t draws, const double *parameters,
                  size_t elements)
{
    const int64_t particles = gb_bound_particles(plan->bound),
                  samples = particles > 0 ? draws / particles : draws;
    gb_replicate_plan own = *plan;
    own.estimator = gb_score();
    own.samples = samples > LEAST_SAMPLES ? samples : LEAST_SAMPLES;
    own.at_a_time = own.runs = 1;
    own.rate = 0;
    own.batch = 0;
    own.real = GB_DOUBLE;
    return gb_replicates_begin(r, &own) && r->elements == elements && gb_replicates_set(r, parameters);
}

double gb_replicates_rarest(const gb_replicate_plan *plan, const double *parameters, size_t elements)
{
    if (!plan || !parameters)
        return (double)NAN;
    gb_replicates r;
    gb_node node;
    const bool good = begin(&r, plan, DRAWS_FOR_OUTCOMES, parameters, elements) && record(&r.trial, &node);
    const double rarest = good ? evaluate(&r, node) : (double)NAN;
    gb_replicates_end(&r);
    return rarest;
}

bool gb_replicates_have_cost(const gb_replicate_plan *plan, const double *parameters, size_t elements)
{
    if (!plan || !parameters)
        return true;
    gb_replicates r;
    const bool good = begin(&r, plan, DRAWS_FOR_COST, parameters, elements);
    const double cost = good ? evaluate(&r, r.loss) : 0;
    const bool is_known = good && gb_error(r.trial.tape) == GB_OK;
    gb_replicates_end(&r);
    return !is_known || !isnan(cost);
}
