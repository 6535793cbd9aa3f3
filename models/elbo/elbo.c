/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Putting the bound together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "distributions/kl.h"
#include "estimators/learn.h"
#include "models/elbo/elbo_impl.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

static bool options_fit(gb_elbo_options *o)
{
    const gb_node weight = o->kl_weight;
    if (!o->bound)
        o->bound = &gb_evidence_bound_type;
    if (weight.tape &&
        (!gb_node_ok(weight) || weight.tape != o->tape || gb_node_type(weight) != GB_TYPE_REAL ||
         gb_node_shape(weight).rank != 0 || gb_node_axes(weight)))
        return gb_fail(
                   o->tape, GB_EARGUMENT,
                   "elbo: .kl_weight must be one real number of this tape: gb_num(tape, 0.5), a variable …") ==
               GB_OK;
    double number = 0;
    if (weight.tape && gb_is_uniform(weight, &number) && !gb_domain_holds(GB_NON_NEGATIVE, number))
        return gb_fail(o->tape, GB_EARGUMENT, "elbo: .kl_weight is %g, and must be %s", number,
                       GB_NON_NEGATIVE->must_be) == GB_OK;
    if (o->kl < GB_KL_AUTO || o->kl > GB_KL_SAMPLED)
        return gb_fail(o->tape, GB_EARGUMENT,
                       "elbo: there is no .kl number %d (GB_KL_AUTO, GB_KL_EXACT, GB_KL_SAMPLED)",
                       (int)o->kl) == GB_OK;
    if (o->unit < GB_PER_DATA_SET || o->unit > GB_PER_DATUM)
        return gb_fail(o->tape, GB_EARGUMENT,
                       "elbo: there is no unit number %d (GB_PER_DATA_SET, GB_PER_BATCH, GB_PER_DATUM)",
                       (int)o->unit) == GB_OK;
    if (o->bound->needs_weights && o->kl == GB_KL_EXACT)
        return gb_fail(o->tape, GB_EARGUMENT,
                       "elbo: the bound %s takes KL from the draws, and .kl is GB_KL_EXACT",
                       o->bound->name) == GB_OK;
    if (o->bound->needs_weights)
        o->kl = GB_KL_SAMPLED;
    return gb_error(o->tape) == GB_OK;
}

/* The first on a tape has the plain name, which those that follow have with a number: the same ones each time. */
static gb_node step_of_schedule(gb_tape *tape)
{
    char name[48] = "kl_schedule.step";
    for (int i = 2; gb_has_variable(tape, name); i++)
        snprintf(name, sizeof name, "kl_schedule_%d.step", i);
    return gb_variable(tape, name, gb_shape(), gb_fill(0));
}

/* What KL is multiplied by in a run. Its gradient is stopped: nothing is minimised by leaving KL out. */
static gb_node kl_weight(const gb_elbo_options *o, gb_node *step)
{
    const gb_schedule schedule = o->kl_schedule;
    const gb_node weight = o->kl_weight.tape ? o->kl_weight : gb_num(o->tape, 1);
    if (!schedule.type && schedule.warm_up == 0)
        return gb_is_constant(weight) ? weight : gb_stop(weight);
    *step = step_of_schedule(o->tape);
    return gb_stop(gb_mul(weight, gb_scheduled("elbo", schedule, *step)));
}

gb_elbo *gb_elbo_new_with(gb_elbo_options options)
{
    gb_tape *const tape = options.tape;
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    if (!(options.data_size > 0) || !isfinite(options.data_size)) {
        gb_fail(tape, GB_EARGUMENT,
                "elbo: .data_size is %g; it must say how many rows the whole data set has, so that a batch "
                "of rows can stand for all of them: gb_elbo_new(tape, .data_size = N)",
                options.data_size);
        return NULL;
    }
    if (!options_fit(&options))
        return NULL;
    gb_node step = {0};
    options.kl_weight = kl_weight(&options, &step);
    gb_elbo *e = gb_tape_keep(tape, sizeof *e);
    gb_expect *expect = gb_expect_new(tape, .samples = options.samples);
    if (!e || !expect)
        return NULL;
    *e = (gb_elbo){.tape = tape, .options = options, .expect = expect, .kl_step = step};
    return e;
}

/* ---- adding terms ---- */

/* Terms, latents and the sum are found by name. */
static const char *holder_of(const gb_elbo *e, const char *name)
{
    if (strcmp(name, "ELBO") == 0)
        return "the sum of the terms";
    for (const gb_own_term *term = e->last; term; term = term->before)
        if (strcmp(term->shown.name, name) == 0)
            return "a term of this ELBO";
    for (const gb_own_latent *latent = e->latents; latent; latent = latent->before)
        if (strcmp(latent->name, name) == 0)
            return "a latent of this ELBO";
    return NULL;
}

bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name)
{
    if (!e || gb_error(e->tape) != GB_OK)
        return false;
    const char *const holder = name ? holder_of(e, name) : NULL;
    if (!name || !*name)
        gb_fail(e->tape, GB_ENAME, "%s: a name is required: what is printed and read goes by it", what);
    else if (holder)
        gb_fail(e->tape, GB_ENAME, "%s %s: that is the name of %s already; give it one of its own", what,
                name, holder);
    else if (gb_node_ok(e->loss))
        gb_fail(e->tape, GB_EARGUMENT,
                "%s %s: the ELBO is complete, since its loss or terms were asked for: add everything before",
                what, name);
    else
        return true;
    return false;
}

gb_node gb_elbo_scale(gb_elbo *e, gb_axes axes)
{
    if (!(axes & GB_ROWS))
        return gb_num(e->tape, 1);
    e->has_rows = true;
    return gb_div(gb_num(e->tape, e->options.data_size), gb_axis_size(e->tape, GB_ROWS));
}

void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale)
{
    gb_own_term *term = gb_node_ok(each) ? gb_tape_keep(e->tape, sizeof *term) : NULL;
    const char *kept = term ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return;
    const bool is_weighted = kind == GB_TERM_KL || kind == GB_TERM_PRIOR;
    const gb_node weight = is_weighted ? e->options.kl_weight : gb_num(e->tape, 1);
    *term = (gb_own_term){.before = e->last,
                          .shown = {.name = kept, .kind = kind, .scale = scale, .weight = weight},
                          .each = each};
    e->last = term;
    e->count++;
}

void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density)
{
    const gb_axes axes = gb_node_axes(log_density);
    const gb_node scale = gb_elbo_scale(e, axes);
    const gb_node by = kind == GB_TERM_PRIOR ? gb_mul(e->options.kl_weight, scale) : scale;
    gb_elbo_add(e, kind, name, gb_mul(by, gb_per_sample(log_density)), scale);
}

/* ---- data and factors ---- */

static void add_data(gb_elbo *e, const char *name, gb_node log_p, const char *warning)
{
    const size_t before = e->count;
    const char *const lost = gb_elbo_lost_rows(log_p);
    gb_elbo_add_summed(e, GB_TERM_DATA, name, log_p);
    if (e->count > before)
        e->last->shown.warning = warning ? warning : lost;
}

gb_node gb_observe(gb_elbo *e, const char *name, gb_dist p, gb_node data)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape both;
    if (!gb_elbo_can_add(e, "observe", name))
        return (gb_node){0};
    const gb_shape of_p = gb_dist_shape(p), of_data = gb_node_shape(data);
    if (!gb_dist_ok(p) || p.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT,
                "observe %s: no distribution of this tape was given (gb_normal(mean, scale) …)", name);
    else if (!gb_node_ok(data) || data.tape != e->tape)
        gb_fail(
            e->tape, GB_ENODE,
            "observe %s: the data are not a usable node of this tape (gb_input_rows, gb_input, gb_constant)",
            name);
    else if (!gb_shape_broadcast(of_p, of_data, &both) || gb_shape_count(both) != gb_shape_count(of_data))
        gb_fail(
            e->tape, GB_ESHAPE,

            "observe %s: the distribution has shape %s, the data %s: a datum would not count once; both are to "
            "have one shape (that of a row, where there are rows), or the distribution a smaller one that "
            "broadcasts to the data's",
            name, gb_shape_text(of_p, a), gb_shape_text(of_data, b));
    else if ((gb_dist_axes(p) & GB_ROWS) && !(gb_node_axes(data) & GB_ROWS))
        gb_fail(e->tape, GB_ESHAPE,
                "observe %s: the distribution varies over rows, the data do not "
                "(gb_input_rows makes data that do)",
                name);
    else {
        const gb_node log_p = gb_log_prob(p, data);
        add_data(e, name, log_p, NULL);
        return log_p;
    }
    return (gb_node){0};
}

static bool is_log_density(const gb_elbo *e, const char *what, const char *name, gb_node node)
{
    if (!gb_node_ok(node) || node.tape != e->tape)
        gb_fail(e->tape, GB_ENODE,
                "%s %s: it is not a usable node of this tape; give a real one, as gb_log_prob does", what,
                name);
    else if (gb_node_type(node) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ETYPE, "%s %s: its values are not real numbers (gb_to_real makes them so)", what,
                name);
    else
        return true;
    return false;
}

void gb_log_likelihood(gb_elbo *e, const char *name, gb_node log_p)
{
    if (gb_elbo_can_add(e, "log_likelihood", name) && is_log_density(e, "log_likelihood", name, log_p))
        add_data(e, name, log_p, gb_elbo_averaged(log_p));
}

void gb_factor(gb_elbo *e, const char *name, gb_node log_factor)
{
    if (gb_elbo_can_add(e, "factor", name) && is_log_density(e, "factor", name, log_factor))
        gb_elbo_add_summed(e, GB_TERM_FACTOR, name, log_factor);
}

/* ---- putting it together ---- */

static bool is_sampled(gb_node values)
{
    return (gb_node_axes(values) & GB_SAMPLES) != 0;
}

/* Along samples, or evaluations that take their place. */
static bool is_drawn(gb_node each)
{
    return gb_node_axes(each) != 0;
}

/* Value, and the standard error of a mean of independent samples. */
static void show(const gb_elbo *e, gb_elbo_term *term, gb_node each)
{
    gb_tape *const tape = e->tape;
    const gb_node values = gb_sample_values(e->expect, each);
    term->exact = !is_sampled(values);
    term->value = gb_mean_over(values, GB_SAMPLES);
    term->error = gb_num(tape, term->exact ? 0 : NAN);
    if (term->exact || !gb_samples_are_independent(e->expect))
        return;
    const gb_node n = gb_axis_size(tape, GB_SAMPLES);
    const gb_node squares = gb_sum_over(gb_square(gb_sub(values, term->value)), GB_SAMPLES);
    term->error = gb_sqrt(gb_div(squares, gb_mul(n, gb_shift(n, -1))));
}

/* What the loss is multiplied by. */
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

/* What no draw reaches stays out of the expectation: an estimator would only see it as noise. */
static gb_node loss_of(gb_elbo *e, gb_node sampled, gb_node exact)
{
    const gb_bound_type *const bound = e->options.bound;
    const gb_node value = bound->needs_weights ? bound->value(e->expect, gb_add(sampled, exact))
                                               : gb_add(bound->value(e->expect, sampled), exact);
    e->bound = value;
    return gb_neg(gb_mul(unit_of(e), value));
}

static bool complete(gb_elbo *e)
{
    if (!e || gb_error(e->tape) != GB_OK || gb_node_ok(e->loss))
        return e && gb_node_ok(e->loss);
    gb_node sampled = gb_num(e->tape, 0), exact = sampled;
    e->terms = gb_tape_keep(e->tape, (e->count + 1) * sizeof *e->terms);
    size_t place = e->terms ? e->count : 0;
    for (gb_own_term *term = e->last; term && place > 0; term = term->before) {
        gb_node *const sum = is_drawn(term->each) ? &sampled : &exact;
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
    e->loss = loss_of(e, sampled, exact);
    total->warning = gb_elbo_without_kl(e);
    if (e->kl_step.tape)
        e->loss = gb_with_assign(e->loss, e->kl_step, gb_shift(e->kl_step, 1));
    return gb_error(e->tape) == GB_OK;
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
