/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PSIS-LOO of a model, from the log likelihoods of its data. */
#include <stdio.h>
#include <string.h>

#include "core/team.h"
#include "fitting/density/density_impl.h"
#include "fitting/diagnostics/loo_impl.h"
#include "fitting/predictive.h"
#include "fitting/summary/drawn_impl.h"
#include "models/elbo/kept_impl.h"
#include "ops/array.h"

static gb_loo failed(const gb_drawn *d)
{
    gb_loo l = gb_loo_without(d->tape ? gb_error(d->tape) : GB_EARGUMENT);
    snprintf(l.words, sizeof l.words, "%s", d->tape ? gb_error_text(d->tape) : "there is no ELBO");
    return l;
}

/* Writes the weights of the data of one node: those of rows repeat for each number of a row, or each row has
 * those of one. Returns false on error. */
static bool read_weights(const gb_drawn *d, gb_node node, size_t data, double *to)
{
    const gb_node given = gb_elbo_weight_of(d->density->elbo, node);
    const gb_node weight = gb_node_ok(given) ? gb_broadcast(given, gb_node_shape(node)) : given;
    size_t count = 1;
    double *const values = gb_node_ok(weight)
                               ? gb_density_nodes(d->density, "elbo_loo", gb_roots(weight), 1, d->z, &count)
                               : NULL;
    for (size_t i = 0; i < data; i++)
        to[i] = values ? values[i % count] : 1;
    gb_memory_release(&d->memory, values);
    return gb_error(d->tape) == GB_OK;
}

/* Returns the weights of the data of all nodes; NULL on error. */
static double *weights_of(const gb_drawn *d, gb_node_list nodes, const size_t *count, size_t data)
{
    double *const weights = gb_memory_resize(&d->memory, NULL, (data + 1) * sizeof *weights);
    bool good = weights;
    if (!weights)
        gb_fail(d->tape, GB_ENOMEM, "elbo_loo: out of memory");
    for (size_t k = 0, from = 0; good && k < nodes.count; from += count[k++])
        good = read_weights(d, nodes.node[k], count[k], weights + from);
    if (good)
        return weights;
    gb_memory_release(&d->memory, weights);
    return NULL;
}

/* Each member would leave out its own data alone. */
static bool are_apart(const gb_drawn *d, gb_node_list nodes)
{
    const gb_team *const team = gb_tape_team(d->tape);
    gb_axes axes = 0;
    for (size_t i = 0; i < nodes.count; i++)
        axes |= gb_node_axes(nodes.node[i]);
    return team && team->members > 1 && (axes & GB_ROWS);
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
    else if (are_apart(d, nodes))
        gb_fail(d->tape, GB_EARGUMENT,
                "elbo_loo: the members of a team have the data of rows apart; load their checkpoint in one "
                "process, and ask there");
    return gb_error(d->tape) == GB_OK && gb_drawn_nodes_fit("elbo_loo", d->tape, nodes);
}

/* Adds what is wrong with the draws, as far as there is room. */
static void add_words(const gb_drawn *d, gb_loo *l)
{
    const char *const wrong = gb_drawn_words(d);
    const size_t used = strlen(l->words);
    if (*wrong)
        snprintf(l->words + used, sizeof l->words - used, "%s%s", used > 0 ? "\n" : "", wrong);
}

static gb_loo loo_of(const gb_drawn *d, size_t data, const double *log_likelihood, const double *weights,
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
                                    .memory = d->memory,
                                    .weights = weights};
    gb_loo l = gb_loo_with(d->draws, data, log_likelihood, &options);
    if (l.status == GB_OK)
        add_words(d, &l);
    else
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
    double *values = NULL, *weights = NULL;
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
    weights = good ? weights_of(&d, nodes, count, data) : NULL;
    l = weights ? loo_of(&d, data, values, weights, &options) : failed(&d);
    gb_memory_release(&d.memory, weights);
    if (values)
        gb_memory_release(&d.memory, values);
    if (count)
        gb_memory_release(&d.memory, count);
    gb_drawn_end(&d);
    return l;
}
