/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums instead of integrals: over whole numbers until the rest is negligible, or over a list of all
 * values. */
#include "kit/distributions/rule/counts_impl.h"

#include <math.h>

#include "core/op.h"
#include "kit/shell/values_impl.h"

static bool number_edges(gb_rule *rule, gb_tape *tape)
{
    rule->edge = gb_tape_keep(tape, (rule->count + 1) * sizeof *rule->edge);
    rule->mass = gb_tape_keep(tape, (rule->count + 1) * sizeof *rule->mass);
    if (!rule->edge || !rule->mass)
        return false;
    double sum = 0;
    for (size_t i = 0; i < rule->count; i++) {
        rule->edge[i] = rule->x[i];
        rule->mass[i] = sum += gb_rule_mass(rule, i);
    }
    rule->edges = rule->count;
    return true;
}

/* Adds the whole numbers from … from + count − 1. Returns false on error. */
static bool add_numbers(gb_rule *rule, gb_case_function *f, double from, size_t count)
{
    gb_tape *const tape = f->c->tape;
    double *const x = gb_tape_keep(tape, 2 * count * sizeof *x), *const log_p = x + count;
    if (!x || !gb_rule_reserve(rule, tape, count))
        return false;
    for (size_t i = 0; i < count; i++)
        x[i] = from + (double)i;
    if (!gb_case_evaluate(f, count, x, log_p))
        return false;
    for (size_t i = 0; i < count; i++)
        gb_rule_add(rule, &x[i], 1, log_p[i]);
    return true;
}

bool gb_rule_of_counts(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted)
{
    enum { BLOCK = 2048, MOST = 1 << 19 };
    const double negligible = 1e-22;
    double ends[2];
    if (!gb_rule_ends(f->c, d, ends))
        return false;
    const double spread = sorted[count - 1] - sorted[0] + 8;
    double at = fmax(ends[0], floor(sorted[0] - 4 * spread));
    double last = 1;
    while (at <= ends[1] && rule->count < MOST && !(at > sorted[count - 1] && last < negligible)) {
        const double left = ends[1] - at + 1;
        const size_t now = left < BLOCK ? (size_t)left : BLOCK;
        if (!add_numbers(rule, f, at, now))
            return false;
        at += (double)now;
        last = gb_rule_mass(rule, rule->count - 1);
    }
    rule->error = at <= ends[1] ? last * (double)rule->count : 0;
    rule->entropy_error = rule->error * 64;
    return number_edges(rule, f->c->tape);
}

bool gb_rule_of_places(gb_rule *rule, gb_case_function *f, size_t count, const double *sorted)
{
    enum { FEW = 64 };
    double x[FEW], log_p[FEW];
    size_t places = 0;
    for (size_t i = 0; i < count; i++) {
        if (places > 0 && sorted[i] == x[places - 1])
            continue;
        if (places == FEW)
            return false;
        x[places++] = sorted[i];
    }
    if (!gb_rule_reserve(rule, f->c->tape, places) || !gb_case_evaluate(f, places, x, log_p))
        return false;
    for (size_t i = 0; i < places; i++)
        gb_rule_add(rule, &x[i], 1, log_p[i]);
    return number_edges(rule, f->c->tape);
}

static void turn_round(double *x, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        const double kept = x[i];
        x[i] = x[count - 1 - i];
        x[count - 1 - i] = kept;
    }
}

bool gb_rule_of_image(gb_rule *rule, gb_case_function *f, gb_dist d, const gb_rule *of_base)
{
    gb_case_function image;
    gb_tape *const tape = f->c->tape;
    gb_case_function_begin(&image, f->c);
    const gb_node y = gb_transform_forward(*d.transform, image.x);
    double *const x = gb_tape_keep(tape, 2 * (of_base->count + 1) * sizeof *x), *const log_p =
                                                                                    x + of_base->count;
    if (!x || !gb_case_function_finish(&image, 1, &y) ||
        !gb_case_evaluate(&image, of_base->count, of_base->x, x))
        return false;
    if (of_base->count > 0 && x[0] > x[of_base->count - 1])
        turn_round(x, of_base->count);
    if (!gb_rule_reserve(rule, tape, of_base->count) || !gb_case_evaluate(f, of_base->count, x, log_p))
        return false;
    for (size_t i = 0; i < of_base->count; i++)
        gb_rule_add(rule, &x[i], 1, log_p[i]);
    rule->error = of_base->error;
    rule->entropy_error = of_base->entropy_error;
    return number_edges(rule, tape);
}

bool gb_rule_of_list(gb_rule *rule, gb_case_function *f, gb_dist d)
{
    gb_dist_case *const c = f->c;
    size_t read;
    double *const x = gb_kit_ask(c->tape, gb_widen(gb_dist_enumerate(d), 0), &read);
    if (!x)
        return false;
    const size_t count = read / c->size;
    double *const log_p = gb_tape_keep(c->tape, (count + 1) * sizeof *log_p);
    if (!log_p || !gb_rule_reserve(rule, c->tape, count) || !gb_case_evaluate(f, count, x, log_p))
        return false;
    for (size_t i = 0; i < count; i++)
        gb_rule_add(rule, x + i * c->size, 1, log_p[i]);
    return c->shape.rank > 0 || number_edges(rule, c->tape);
}
