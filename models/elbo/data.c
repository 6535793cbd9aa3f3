/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data and factors: terms of the log joint density. */
#include <stdio.h>

#include "core/op.h"
#include "core/run/observed_impl.h"
#include "distributions/list.h"
#include "estimators/estimator.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/elbo/warnings_impl.h"
#include "ops/elementwise.h"
#include "ops/hold.h"

static void add_data(gb_elbo *e, const char *name, gb_node log_p, const char *warning)
{
    const size_t before = e->count;
    const char *const lost = gb_elbo_lost_rows(log_p);
    gb_elbo_add_summed(e, GB_TERM_DATA, name, log_p);
    if (e->count > before)
        e->last->shown.warning = warning ? warning : lost;
}

/* ---- data outside the support ---- */

static bool holds(const void *support, double x)
{
    return gb_domain_holds(support, x);
}

/* The domain that data of d must be in, apart from ends that depend on parameters. NULL: not known. */
static const gb_domain *support_of(const gb_dist *d)
{
    if (d->type == &gb_transformed_type)
        return gb_transform_to(*d->transform);
    if (d->type->support)
        return d->type->support;
    return d->base ? support_of(d->base) : NULL;
}

/* Returns an end of the support for each datum. */
static gb_node for_each_datum(gb_node end, gb_node data)
{
    if (!gb_node_ok(end))
        return end;
    return gb_broadcast_to(gb_widen(end, gb_node_axes(end) | gb_node_axes(data)), gb_node_shape(data));
}

/* Nothing is added to the model: the nodes are computed only when a run fails. */
static void note_support(const char *name, const gb_dist *p, gb_node data, gb_node log_p)
{
    const gb_domain *const support = support_of(p);
    const bool is_of_numbers = support && support->event_rank == 0;
    const bool is_whole = is_of_numbers && !GB_HAS(p->type, ends);
    const gb_ends ends = is_of_numbers && !is_whole ? p->type->ends(p) : (gb_ends){0};
    const char *const kept = gb_node_ok(log_p) ? gb_tape_keep_text(p->tape, name) : NULL;
    if (kept)
        gb_observed_note(&(gb_observed){.name = kept,
                                        .law = p->type->name,
                                        .must_be = support ? support->must_be : "where it has a density",
                                        .data = data,
                                        .log_p = log_p,
                                        .holds = is_of_numbers ? holds : NULL,
                                        .support = support,
                                        .outside = is_whole ? (gb_node){0} : gb_dist_outside(*p, data),
                                        .low = for_each_datum(ends.low, data),
                                        .high = for_each_datum(ends.high, data)});
}

/* Writes which parameter has more axes than the distribution, such as the classes of logits; else nothing. */
static void write_wide_parameter(const gb_dist *p, gb_shape of_p, char *text, size_t bytes)
{
    char shape[GB_SHAPE_TEXT];
    size_t count;
    const gb_option *const params = gb_dist_params(p, &count);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (gb_node_shape(p->param[i]).rank > of_p.rank) {
            snprintf(text, bytes, " (%s of %s %s, of which the last axis is of one draw)", p->type->name,
                     params[i].name, gb_shape_text(gb_node_shape(p->param[i]), shape));
            return;
        }
}

/* Whether each row has data as wide as the classes: 0 and 1 for each class would count as so many labels. */
static bool is_one_hot(const gb_dist *p, gb_node data)
{
    const gb_shape classes = p->type == &gb_categorical_type ? gb_node_shape(p->param[0]) : gb_shape();
    return classes.rank > 0 && classes.size[classes.rank - 1] > 1 && (gb_dist_axes(*p) & GB_ROWS) &&
           gb_shape_same(gb_node_shape(data), classes);
}

/* Returns log p(data); inert, with an error "WHAT NAME: …", if a datum would not count once. `kind` says what
 * the data may be. */
static gb_node density_of(gb_elbo *e, const char *what, const char *name, gb_dist p, gb_node data,
                          const char *kind)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT], wide[GB_SHAPE_TEXT + 120];
    gb_shape both;
    if (!gb_elbo_can_add(e, what, name))
        return (gb_node){0};
    const gb_shape of_p = gb_dist_shape(p), of_data = gb_node_shape(data);
    if (!gb_dist_ok(p) || p.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT,
                "%s %s: no distribution of this tape was given (gb_normal(mean, scale) …)", what, name);
    else if (!gb_node_ok(data) || data.tape != e->tape)
        gb_fail(
            e->tape, GB_ENODE,
            "%s %s: the %s are not a usable node of this tape (gb_input_rows, gb_input, gb_constant; a draw)",
            what, name, kind);
    else if (!gb_shape_broadcast(of_p, of_data, &both) || gb_shape_count(both) != gb_shape_count(of_data)) {
        write_wide_parameter(&p, of_p, wide, sizeof wide);
        gb_fail(
            e->tape, GB_ESHAPE,
            "%s %s: the distribution has shape %s%s, the %s %s: a datum would not count once; both are to "
            "have one shape (that of a row, where there are rows), or the distribution a smaller one that "
            "broadcasts to the other's",
            what, name, gb_shape_text(of_p, a), wide, kind, gb_shape_text(of_data, b));
    } else if ((gb_dist_axes(p) & GB_ROWS) && !(gb_node_axes(data) & GB_ROWS))
        gb_fail(e->tape, GB_ESHAPE,
                "%s %s: the distribution varies over rows, the %s do not (gb_input_rows makes data that do)",
                what, name, kind);
    else if (is_one_hot(&p, data))
        gb_fail(e->tape, GB_ESHAPE,
                "%s %s: the %s have shape %s, one number for each class; categorical takes the number of the "
                "class (gb_table_levels), and gb_one_hot_categorical rows of 0 and 1. For several labels of "
                "one law, its parameter has their axis too (gb_broadcast_to)",
                what, name, kind, gb_shape_text(of_data, b));
    else
        return gb_log_prob(p, data);
    return (gb_node){0};
}

/* ---- weights of data ---- */

static bool is_weight(const gb_elbo *e, const char *what, const char *name, gb_node weight, gb_node log_p)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape both;
    const gb_shape of_p = gb_node_shape(log_p);
    if (!gb_node_ok(weight) || weight.tape != e->tape || gb_node_type(weight) != GB_TYPE_REAL)
        gb_fail(e->tape, GB_ENODE, "%s %s: .weight is not a usable real node of this tape", what, name);
    else if (gb_node_axes(weight) & ~GB_ROWS)
        gb_fail(e->tape, GB_EARGUMENT, "%s %s: .weight depends on draws, and must be data", what, name);
    else if ((gb_node_axes(weight) & GB_ROWS) && !(gb_node_axes(log_p) & GB_ROWS))
        gb_fail(e->tape, GB_ESHAPE, "%s %s: .weight varies over rows, the data do not", what, name);
    else if (!gb_shape_broadcast(gb_node_shape(weight), of_p, &both) ||
             gb_shape_count(both) != gb_shape_count(of_p))
        gb_fail(
            e->tape, GB_ESHAPE,
            "%s %s: .weight has shape %s, and the data have log densities of shape %s, one weight for each",
            what, name, gb_shape_text(gb_node_shape(weight), a), gb_shape_text(of_p, b));
    else
        return true;
    return false;
}

/* 0 for a weight of 0, whatever log p is. */
static gb_node weighted(const char *what, gb_node weight, gb_node log_p)
{
    const gb_node zero = gb_num(log_p.tape, 0);
    const gb_node held = gb_hold(weight, gb_domain_elements_outside(GB_NON_NEGATIVE, weight),
                                 (gb_hold_words){what, "weight", GB_NON_NEGATIVE->must_be, 0});
    return gb_where(gb_equal(held, zero), zero, gb_mul(held, log_p));
}

void gb_elbo_weigh(gb_elbo *e, gb_node log_likelihood, gb_node weight)
{
    if (e && gb_error(e->tape) == GB_OK && gb_node_ok(log_likelihood) &&
        is_weight(e, "elbo_weigh", "log likelihood", weight, log_likelihood))
        gb_elbo_keep_weight(e, (gb_kept_weight){.density = log_likelihood, .weight = weight});
}

static gb_node foresee(gb_elbo *e, const char *name, gb_dist p, gb_node data, const gb_observe_options *o)
{
    char unnamed[64];
    snprintf(unnamed, sizeof unnamed, "%.40s in new rows", name ? name : "");
    const gb_node log_p = density_of(e, "observe", name ? unnamed : NULL, p, data, "data");
    if (!gb_node_ok(log_p))
        return log_p;
    const gb_node none = {0};
    if (o->weight.tape && !is_weight(e, "observe", name, o->weight, log_p))
        return none;
    gb_elbo_keep_outcome(e, (gb_kept_outcome){.name = name,
                                              .law = p,
                                              .data = data,
                                              .density = log_p,
                                              .weight = o->weight.tape ? o->weight : none,
                                              .is_foreseen = true});
    return log_p;
}

gb_node gb_observe_with(gb_elbo *e, const char *name, gb_dist p, gb_node data,
                        const gb_observe_options *given)
{
    gb_observe_options o;
    const gb_node none = {0};
    if (!gb_options_take(e ? e->tape : NULL, "observe", &o, sizeof o, given))
        return none;
    if (o.is_foreseen)
        return foresee(e, name, p, data, &o);
    const gb_node log_p = density_of(e, "observe", name, p, data, "data");
    const bool has_weight = o.weight.tape;
    if (!gb_node_ok(log_p) || (has_weight && !is_weight(e, "observe", name, o.weight, log_p)))
        return none;
    add_data(e, name, has_weight ? weighted("observe", o.weight, log_p) : log_p, NULL);
    e->has_density |= !gb_dist_discrete(p);
    note_support(name, &p, data, log_p);
    gb_elbo_keep_outcome(
        e,
        (gb_kept_outcome){
            .name = name, .law = p, .data = data, .density = log_p, .weight = has_weight ? o.weight : none});
    return log_p;
}

gb_node gb_prior_with(gb_elbo *e, const char *name, gb_dist p, gb_node x, const gb_prior_options *given)
{
    gb_prior_options o;
    if (!gb_options_take(e ? e->tape : NULL, "prior", &o, sizeof o, given))
        return (gb_node){0};
    const gb_node log_p = density_of(e, "prior", name, p, x, "latents");
    if (gb_node_ok(log_p) && o.weight.tape && !is_weight(e, "prior", name, o.weight, log_p))
        return (gb_node){0};
    if (gb_node_ok(log_p)) {
        const size_t before = e->count;
        const gb_node each = o.weight.tape ? weighted("prior", o.weight, log_p) : log_p;
        gb_elbo_add_summed(e, GB_TERM_PRIOR, name, each);
        if (e->count > before)
            e->last->density = gb_mul(e->last->shown.scale, gb_per_sample(each));
        e->has_density |= !gb_dist_discrete(p);
    }
    return log_p;
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
    if (gb_elbo_can_add(e, "log_likelihood", name) && is_log_density(e, "log_likelihood", name, log_p)) {
        add_data(e, name, log_p, gb_elbo_averaged(log_p));
        e->has_density = true;
        gb_elbo_keep_outcome(e, (gb_kept_outcome){.name = name, .density = log_p});
        const char *const kept = gb_tape_keep_text(e->tape, name);
        if (kept)
            gb_observed_note(&(gb_observed){.name = kept, .log_p = log_p});
    }
}

void gb_factor(gb_elbo *e, const char *name, gb_node log_factor)
{
    if (gb_elbo_can_add(e, "factor", name) && is_log_density(e, "factor", name, log_factor)) {
        gb_elbo_add_summed(e, GB_TERM_FACTOR, name, log_factor);
        e->has_density = true;
    }
}
