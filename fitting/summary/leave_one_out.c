/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PSIS-LOO of a model, from the log likelihoods of its data. */
#include <stdio.h>

#include "fitting/density/density_impl.h"
#include "fitting/diagnostics/loo_impl.h"
#include "fitting/predictive.h"
#include "fitting/summary/drawn_impl.h"
#include "models/elbo/kept_impl.h"

static gb_loo failed(const gb_drawn *d)
{
    gb_loo l = gb_loo_without(d->tape ? gb_error(d->tape) : GB_EARGUMENT);
    snprintf(l.words, sizeof l.words, "%s", d->tape ? gb_error_text(d->tape) : "there is no ELBO");
    return l;
}

static bool have_no_weights(const gb_drawn *d, gb_node_list nodes)
{
    for (size_t k = 0; k < nodes.count; k++) {
        const char *const name = gb_elbo_weighted(d->density->elbo, nodes.node[k]);
        if (name)
            return gb_fail(
                       d->tape, GB_EARGUMENT,
                       "elbo_loo: the data of %s have weights, so p(datum | draw) is not what leaving one "
                       "out removes; fit without weights, or predict held-out rows",
                       name) == GB_OK;
    }
    return true;
}

static bool can_list(const gb_drawn *d, gb_node_list nodes)
{
    if (nodes.count == 0 || !nodes.node)
        gb_fail(d->tape, GB_EARGUMENT, "elbo_loo: no log likelihood is given; gb_observe returns them");
    else if (d->density->options.data && gb_batches_count(d->density->options.data) > 1)
        gb_fail(d->tape, GB_EARGUMENT,
                "elbo_loo: the data are in %lld batches, and all must be in one: gb_batches_new without "
                ".batch, or gb_analysis_rows of the training table",
                (long long)gb_batches_count(d->density->options.data));
    return gb_error(d->tape) == GB_OK && gb_drawn_nodes_fit("elbo_loo", d->tape, nodes) &&
           have_no_weights(d, nodes);
}

static gb_loo loo_of(const gb_drawn *d, size_t data, const double *log_likelihood,
                     const gb_elbo_loo_options *o)
{
    if (o->pointwise && o->room < data) {
        gb_fail(d->tape, GB_EARGUMENT, "elbo_loo: there are %zu data, and .pointwise has room for %zu", data,
                o->room);
        return failed(d);
    }
    const gb_loo_options options = {.size = sizeof options,
                                    .pointwise = o->pointwise,
                                    .log_ratios = d->nuts ? NULL : d->weights->log_ratios,
                                    .chains = d->nuts ? d->nuts->chains : 0,
                                    .memory = d->memory};
    const gb_loo l = gb_loo_with(d->draws, data, log_likelihood, &options);
    if (l.status != GB_OK)
        gb_fail(d->tape, l.status, "elbo_loo: %s", l.words);
    return l;
}

gb_loo gb_elbo_loo_with(gb_elbo *e, gb_node_list nodes, const gb_elbo_loo_options *given)
{
    gb_elbo_loo_options options;
    gb_options_copy(&options, sizeof options, given);
    gb_drawn d = {.tape = gb_drawn_tape(e, options.judgement, options.nuts)};
    gb_loo l;
    size_t *count = NULL, data = 0;
    double *values = NULL;
    bool good = gb_options_take(d.tape, "elbo_loo", &options, sizeof options, given) &&
                gb_drawn_begin(&d, "elbo_loo", e, options.judgement, options.nuts, options.data) &&
                can_list(&d, nodes);
    if (good) {
        count = gb_memory_resize(&d.memory, NULL, nodes.count * sizeof *count);
        if (!count)
            gb_fail(d.tape, GB_ENOMEM, "elbo_loo: out of memory");
        values = count ? gb_density_nodes(d.density, "elbo_loo", nodes, d.draws, d.z, count) : NULL;
        good = values;
    }
    for (size_t k = 0; k < nodes.count && good; k++)
        data += count[k];
    l = good ? loo_of(&d, data, values, &options) : failed(&d);
    if (values)
        gb_memory_release(&d.memory, values);
    if (count)
        gb_memory_release(&d.memory, count);
    gb_drawn_end(&d);
    return l;
}
