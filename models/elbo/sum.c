/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sum of the terms, the bound, the loss, and the terms as the user sees them. */
#include <math.h>
#include <string.h>

#include "estimators/learn.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/layers_impl.h"
#include "models/elbo/sleep_impl.h"
#include "models/elbo/warnings_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/hold.h"
#include "ops/reduce.h"

static bool is_sampled(gb_node values)
{
    return (gb_node_axes(values) & GB_SAMPLES) != 0;
}

/* Returns whether a term varies over samples, or over evaluations in their place. */
static bool is_drawn(const gb_elbo *e, gb_node each)
{
    return (gb_node_axes(each) & ~e->replicates) != 0;
}

/* Fills in the value, and the standard error of a mean of independent samples. */
static void show(const gb_elbo *e, gb_elbo_term *term, gb_node each)
{
    gb_tape *const tape = e->tape;
    const gb_node values = gb_sample_values(e->expect, each);
    term->exact = !is_sampled(values);
    term->value = gb_mean_over(values, GB_SAMPLES);
    term->error = gb_num(tape, term->exact ? 0 : NAN);
    if (term->exact || !gb_expect_samples_independent(e->expect))
        return;
    const gb_node n = gb_axis_size(tape, GB_SAMPLES);
    const gb_node squares = gb_sum_over(gb_square(gb_sub(values, term->value)), GB_SAMPLES);
    term->error = gb_sqrt(gb_div(squares, gb_mul(n, gb_shift(n, -1))));
}

/* Returns the factor of the unit of the loss. */
static gb_node unit_of(gb_elbo *e)
{
    const gb_node datum = gb_num(e->tape, 1 / e->options.data_size);
    if (e->options.unit == GB_PER_DATUM)
        return datum;
    if (e->options.unit == GB_PER_DATA_SET)
        return gb_num(e->tape, 1);
    if (e->has_rows)
        return gb_mul(datum, gb_axis_size(e->tape, GB_ROWS));
    gb_fail(e->tape, GB_EARGUMENT, "elbo: GB_PER_BATCH needs rows (gb_input_rows), and no term has any");
    return (gb_node){0};
}

/* Returns whether each row has log weights of its own: every term that depends on a draw varies over rows. */
static bool is_by_row(const gb_elbo *e)
{
    for (const gb_own_term *term = e->last; term; term = term->before)
        if (is_drawn(e, term->each) && !(gb_node_axes(term->row) & GB_ROWS))
            return false;
    return true;
}

/* With a draw for all rows, log w is of the whole data set. A part of it, times N / rows, has another mean of
 * exp log w, so the bound would be none. */
static gb_node of_all_rows(gb_elbo *e, gb_node log_weight)
{
    if (!e->has_rows)
        return log_weight;
    const gb_node scale = gb_elbo_scale(e, GB_ROWS);
    const gb_hold_words words = {"elbo", "data_size / rows",
                                 "1: a bound of several draws that are for all rows is no sum over them", 0};
    return gb_mul(log_weight, gb_hold(scale, gb_not(gb_equal(scale, gb_num(e->tape, 1))), words));
}

/* The bound of a row of weight 2 is not that of its squared w: two equal rows have two bounds. */
static bool has_no_weights(const gb_elbo *e)
{
    const char *weighted = NULL;
    for (const gb_kept *at = e->kept; at; at = at->before)
        weighted = gb_node_ok(at->weight) ? at->slot.name : weighted;
    for (const gb_kept_outcome *o = e->outcomes; o; o = o->before)
        weighted = gb_node_ok(o->weight) && !o->is_foreseen ? o->name : weighted;
    if (weighted)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "elbo: %s has weights of rows, and the bound %s of rows with draws of their own has no place for "
            "them (the ELBO has; or repeat the rows)",
            weighted, e->options.bound.type->name);
    return !weighted;
}

/* The bound of log weights, of each row or of all. */
static gb_node bound_of_weights(gb_elbo *e, gb_node sampled)
{
    gb_node log_weight = gb_num(e->tape, 0);
    if (!is_by_row(e))
        return gb_expected_bound(e->expect, of_all_rows(e, sampled), gb_num(e->tape, 1));
    if (e->has_rows && !has_no_weights(e))
        return (gb_node){0};
    for (const gb_own_term *term = e->last; term; term = term->before)
        if (is_drawn(e, term->each))
            log_weight = gb_add(term->row, log_weight);
    return gb_expected_bound(e->expect, log_weight, gb_elbo_scale(e, gb_node_axes(log_weight)));
}

/* Terms that no draw reaches stay outside the expectation: for an estimator they would only be noise. */
static gb_node loss_of(gb_elbo *e, gb_node sampled, gb_node exact)
{
    const gb_node one = gb_num(e->tape, 1);
    const gb_node value = gb_add(gb_elbo_has_particles(e) ? bound_of_weights(e, sampled)
                                                          : gb_expected_bound(e->expect, sampled, one),
                                 exact);
    e->bound = value;
    const gb_node loss = gb_neg(gb_mul(unit_of(e), value));
    if (e->sleepers == 0)
        return loss;
    if (e->sleepers < e->drawn)
        gb_fail(
            e->tape, GB_EARGUMENT,
            "elbo: %zu of %zu latents have gb_sleep(); in the sleep phase all are drawn from the model, so "
            "all or none may have it",
            e->sleepers, e->drawn);
    return gb_add(loss, gb_gradient_only(gb_mul(unit_of(e), gb_elbo_sleep_loss(e))));
}

static bool complete(gb_elbo *e)
{
    if (!e || gb_error(e->tape) != GB_OK || gb_node_ok(e->loss))
        return e && gb_node_ok(e->loss);
    if (!gb_lazy_all_used(e))
        return false;
    gb_node sampled = gb_num(e->tape, 0), exact = sampled;
    e->terms = gb_tape_keep(e->tape, (e->count + 1) * sizeof *e->terms);
    size_t place = e->terms ? e->count : 0;
    for (gb_own_term *term = e->last; term && place > 0; term = term->before) {
        gb_node *const sum = is_drawn(e, term->each) ? &sampled : &exact;
        *sum = gb_add(term->each, *sum);
        show(e, &term->shown, term->each);
        e->terms[--place] = term->shown;
    }
    if (!e->terms)
        return false;
    const gb_node one = gb_num(e->tape, 1);
    gb_elbo_term *const total = &e->terms[e->count];
    *total = (gb_elbo_term){.name = "ELBO", .kind = GB_TERM_TOTAL, .scale = one, .weight = one};
    for (size_t i = 0; i < e->count && !total->approximation; i++)
        total->approximation = e->terms[i].approximation;
    show(e, total, gb_add(sampled, exact));
    if (!gb_lazy_rows_are_separate(e, sampled))
        return false;
    e->sampled = sampled;
    e->loss = loss_of(e, sampled, exact);
    total->warning = gb_elbo_warning(e, sampled);
    if (e->kl_step.tape)
        e->loss = gb_with_assign(e->loss, e->kl_step, gb_shift(e->kl_step, 1));
    return gb_error(e->tape) == GB_OK;
}

/* Discrete data have log p ≤ 0, so the ELBO is at most −KL ≤ 0. Sampled, −KL is a mean of log(p / q) over
 * draws from q, and the mean of p / q is 1: by Markov's and Jensen's inequalities it exceeds c with a
 * probability of at most e^−c, for any number of samples. Factors of the terms multiply c. */
bool gb_elbo_is_impossible(const gb_elbo *e, double elbo, double weight)
{
    const double rare = 20, rounding = 1e-3;
    double sampled = 0, largest = 0;
    if (e->has_density || e->has_point)
        return false;
    for (size_t i = 0; i < e->count; i++) {
        const gb_elbo_term *const term = &e->terms[i];
        double scale = 1;
        if (term->approximation)
            return false;
        if (term->kind != GB_TERM_KL || term->exact)
            continue;
        if (!gb_is_uniform(term->scale, &scale)) /* data_size / rows */
            scale = e->options.data_size;
        largest = fmax(largest, scale * fmax(1, weight));
        sampled++;
    }
    return elbo > rounding + rare * sampled * largest;
}

gb_node gb_elbo_objective(gb_elbo *e)
{
    if (!complete(e))
        return (gb_node){0};
    return e->options.bound.type == &gb_evidence_bound_type ? e->terms[e->count].value : gb_stop(e->bound);
}

gb_node gb_elbo_loss(gb_elbo *e)
{
    return complete(e) ? e->loss : (gb_node){0};
}

const gb_elbo_term *gb_elbo_terms(gb_elbo *e, size_t *count)
{
    if (count)
        *count = 0;
    if (!complete(e))
        return NULL;
    if (count)
        *count = e->count + 1;
    return e->terms;
}

gb_elbo_term gb_elbo_term_named(gb_elbo *e, const char *name)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    for (size_t i = 0; i < count && name; i++)
        if (strcmp(terms[i].name, name) == 0)
            return terms[i];
    if (terms)
        gb_fail(e->tape, GB_ENAME, "elbo: there is no term %s", name ? name : "(NULL)");
    return (gb_elbo_term){.name = ""};
}
