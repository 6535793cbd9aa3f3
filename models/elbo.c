/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Putting the bound together. */
#include <math.h>

#include "distributions/kl.h"
#include "models/elbo_impl.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

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
    gb_elbo *e = gb_tape_keep(tape, sizeof *e);
    gb_expect *expect = gb_expect_new(tape, .samples = options.samples);
    if (!e || !expect)
        return NULL;
    *e = (gb_elbo){.tape = tape, .options = options, .expect = expect};
    return e;
}

/* ---- adding terms ---- */

bool gb_elbo_can_add(const gb_elbo *e, const char *what, const char *name)
{
    if (!e || gb_error(e->tape) != GB_OK)
        return false;
    if (!name || !*name)
        gb_fail(e->tape, GB_ENAME, "%s: a name is required", what);
    else if (gb_node_ok(e->loss))
        gb_fail(e->tape, GB_EARGUMENT, "%s %s: the ELBO is complete, since its loss or terms were asked for",
                what, name);
    else
        return true;
    return false;
}

gb_node gb_elbo_scale(const gb_elbo *e, gb_axes axes)
{
    gb_node scale = gb_num(e->tape, 1);
    if (axes & GB_ROWS)
        scale = gb_div(gb_num(e->tape, e->options.data_size), gb_axis_size(e->tape, GB_ROWS));
    return scale;
}

void gb_elbo_add(gb_elbo *e, gb_term_kind kind, const char *name, gb_node each, gb_node scale)
{
    gb_own_term *term = gb_node_ok(each) ? gb_tape_keep(e->tape, sizeof *term) : NULL;
    const char *kept = term ? gb_tape_keep_text(e->tape, name) : NULL;
    if (!kept)
        return;
    *term =
        (gb_own_term){.before = e->last, .shown = {.name = kept, .kind = kind, .scale = scale}, .each = each};
    e->last = term;
    e->count++;
}

void gb_elbo_add_summed(gb_elbo *e, gb_term_kind kind, const char *name, gb_node log_density)
{
    const gb_node scale = gb_elbo_scale(e, gb_node_axes(log_density));
    gb_elbo_add(e, kind, name, gb_mul(scale, gb_per_sample(log_density)), scale);
}

/* ---- data and factors ---- */

gb_node gb_observe(gb_elbo *e, const char *name, gb_dist p, gb_node data)
{
    char a[GB_SHAPE_TEXT], b[GB_SHAPE_TEXT];
    gb_shape both;
    if (!gb_elbo_can_add(e, "observe", name))
        return (gb_node){0};
    const gb_shape of_p = gb_dist_shape(p), of_data = gb_node_shape(data);
    if (!gb_dist_ok(p) || p.tape != e->tape)
        gb_fail(e->tape, GB_EARGUMENT, "observe %s: no distribution of this tape was given", name);
    else if (!gb_node_ok(data) || data.tape != e->tape)
        gb_fail(e->tape, GB_ENODE, "observe %s: the data are not a usable node of this tape", name);
    else if (!gb_shape_broadcast(of_p, of_data, &both) || gb_shape_count(both) != gb_shape_count(of_data))
        gb_fail(e->tape, GB_ESHAPE,
                "observe %s: the distribution has shape %s, the data %s: a datum would not count once", name,
                gb_shape_text(of_p, a), gb_shape_text(of_data, b));
    else if ((gb_dist_axes(p) & GB_ROWS) && !(gb_node_axes(data) & GB_ROWS))
        gb_fail(e->tape, GB_ESHAPE,
                "observe %s: the distribution varies over rows, the data do not "
                "(gb_input_rows makes data that do)",
                name);
    else {
        const gb_node log_p = gb_log_prob(p, data);
        gb_elbo_add_summed(e, GB_TERM_DATA, name, log_p);
        return log_p;
    }
    return (gb_node){0};
}

void gb_factor(gb_elbo *e, const char *name, gb_node log_factor)
{
    if (gb_elbo_can_add(e, "factor", name))
        gb_elbo_add_summed(e, GB_TERM_FACTOR, name, log_factor);
}

/* ---- putting it together ---- */

static bool is_sampled(gb_node each)
{
    return (gb_node_axes(each) & GB_SAMPLES) != 0;
}

/* Value, and the standard error of a mean of independent samples. */
static void show(gb_elbo_term *term, gb_node each)
{
    gb_tape *const tape = each.tape;
    term->exact = !is_sampled(each);
    term->value = gb_mean_over(each, GB_SAMPLES);
    term->error = gb_num(tape, 0);
    if (term->exact)
        return;
    const gb_node n = gb_axis_size(tape, GB_SAMPLES);
    const gb_node squares = gb_sum_over(gb_square(gb_sub(each, term->value)), GB_SAMPLES);
    term->error = gb_sqrt(gb_div(squares, gb_mul(n, gb_shift(n, -1))));
}

/* What no draw reaches stays out of the expectation: an estimator would only see it as noise. */
static bool complete(gb_elbo *e)
{
    if (!e || gb_error(e->tape) != GB_OK || gb_node_ok(e->loss))
        return e && gb_node_ok(e->loss);
    gb_node sampled = gb_num(e->tape, 0), exact = sampled;
    e->terms = gb_tape_keep(e->tape, (e->count + 1) * sizeof *e->terms);
    size_t place = e->terms ? e->count : 0;
    for (gb_own_term *term = e->last; term && place > 0; term = term->before) {
        gb_node *const sum = is_sampled(term->each) ? &sampled : &exact;
        *sum = gb_add(term->each, *sum);
        show(&term->shown, term->each);
        e->terms[--place] = term->shown;
    }
    if (!e->terms)
        return false;
    e->terms[e->count] = (gb_elbo_term){.name = "ELBO", .kind = GB_TERM_TOTAL, .scale = gb_num(e->tape, 1)};
    show(&e->terms[e->count], gb_add(sampled, exact));
    e->loss = gb_neg(gb_add(gb_expected(e->expect, sampled), exact));
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

gb_node_list gb_elbo_roots(gb_elbo *e)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    gb_node *const nodes = terms ? gb_tape_keep(e->tape, 3 * count * sizeof *nodes) : NULL;
    if (!nodes)
        return (gb_node_list){0};
    for (size_t i = 0; i < count; i++) {
        nodes[3 * i] = terms[i].value;
        nodes[3 * i + 1] = terms[i].error;
        nodes[3 * i + 2] = terms[i].scale;
    }
    return (gb_node_list){.count = 3 * count, .node = nodes};
}
