/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms as a table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "models/elbo/elbo_impl.h"
#include "ops/control.h"

/* ---- reading the terms ---- */

static gb_node for_print(gb_node x)
{
    return gb_is_constant(x) ? x : gb_stop(x);
}

static bool is_the_elbo(const gb_elbo *e)
{
    return e->options.bound.type == &gb_evidence_bound_type;
}

static const gb_elbo_line *lines_of(gb_elbo *e, const gb_elbo_term *terms, size_t count)
{
    if (!terms || e->lines)
        return terms ? e->lines : NULL;
    gb_elbo_line *const lines = gb_tape_keep(e->tape, (count + 1) * sizeof *lines);
    for (size_t i = 0; i < count && lines; i++)
        lines[i] = (gb_elbo_line){for_print(terms[i].value), for_print(terms[i].error),
                                  for_print(terms[i].scale), for_print(terms[i].weight)};
    if (lines)
        lines[count].value = is_the_elbo(e) ? lines[count - 1].value : for_print(e->bound);
    if (gb_error(e->tape) == GB_OK)
        e->lines = lines;
    return e->lines;
}

gb_node_list gb_elbo_roots(gb_elbo *e)
{
    enum { EACH = 8 };
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    const gb_elbo_line *const lines = lines_of(e, terms, count);
    gb_node *const nodes = lines ? gb_tape_keep(e->tape, (EACH * count + 2) * sizeof *nodes) : NULL;
    if (!nodes)
        return (gb_node_list){0};
    for (size_t i = 0; i < count; i++) {
        const gb_node all[EACH] = {terms[i].value, terms[i].error, terms[i].scale, terms[i].weight,
                                   lines[i].value, lines[i].error, lines[i].scale, lines[i].weight};
        memcpy(nodes + EACH * i, all, sizeof all);
    }
    nodes[EACH * count] = e->options.kl_weight;
    nodes[EACH * count + 1] = lines[count].value;
    return (gb_node_list){.count = EACH * count + 2, .node = nodes};
}

typedef struct line {
    const gb_elbo_term *term;
    double value, error, scale, weight;
} line;

typedef struct table {
    const gb_elbo *e;
    FILE *file;
    size_t count; /* number of terms, the sum included as the last */
    line *line;
    double bound;
} table;

/* Returns the value of a node. −0 becomes 0: its sign depends on the order of operations. */
static double value_of(gb_node node)
{
    return gb_value(node) + 0.0;
}

static bool read_lines(table *t, const gb_elbo_line *from)
{
    gb_tape *const tape = t->e->tape;
    for (size_t i = 0; i < t->count; i++)
        t->line[i] = (line){&t->e->terms[i], value_of(from[i].value), value_of(from[i].error),
                            value_of(from[i].scale), value_of(from[i].weight)};
    t->bound = value_of(from[t->count].value);
    if (gb_error(tape) == GB_EREAD) {
        gb_forgive(tape);
        gb_fail(tape, GB_EREAD,
                "elbo_print: no program with all the terms has run; first run one: "
                "gb_compile(tape, gb_elbo_roots(elbo), gb_no_update)");
    }
    return gb_error(tape) == GB_OK;
}

/* ---- interpreting the sum ---- */

static bool has(const table *t, gb_term_kind kind)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->line[i].term->kind == kind)
            return true;
    return false;
}

static double sum_of(const table *t, gb_term_kind kind)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++)
        sum += t->line[i].term->kind == kind ? t->line[i].value : 0;
    return sum;
}

static bool is_weighted(gb_term_kind kind)
{
    return kind == GB_TERM_KL || kind == GB_TERM_ENTROPY || kind == GB_TERM_PRIOR;
}

/* Returns the weight of KL, entropies and priors: the same for all of them. */
static double weight_of(const table *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (is_weighted(t->line[i].term->kind))
            return t->line[i].weight;
    return 1;
}

static bool lacks_an_entropy(const gb_elbo *e)
{
    for (const gb_own_latent *at = e->latents; at; at = at->before)
        if (at->lacks_entropy)
            return true;
    return false;
}

static bool is_joint(const table *t)
{
    return has(t, GB_TERM_PRIOR) || has(t, GB_TERM_FACTOR);
}

static const char *name_of_sum(const table *t)
{
    const gb_elbo *const e = t->e;
    if (e->has_point && !e->has_draw)
        return is_joint(t) ? "log joint" : "log likelihood";
    const bool is_other =
        e->has_point || lacks_an_entropy(e) || e->terms[e->count].approximation || weight_of(t) != 1;
    return is_other ? "objective" : "ELBO";
}

/* ---- writing ---- */

static const char *kind_text(gb_term_kind kind)
{
    switch (kind) {
    case GB_TERM_DATA: return "log likelihood";
    case GB_TERM_FACTOR: return "factor";
    case GB_TERM_KL: return "-KL(q || prior)";
    case GB_TERM_PRIOR: return "log prior";
    case GB_TERM_ENTROPY: return "entropy of q";
    case GB_TERM_TOTAL: break;
    }
    return "sum";
}

static void print_line(const table *t, const line *l)
{
    const gb_elbo_term *const term = l->term;
    const char *const name = term->kind == GB_TERM_TOTAL ? name_of_sum(t) : term->name;
    fprintf(t->file, "%-16s %-16s %14.6f", kind_text(term->kind), name, l->value);
    if (term->exact)
        fprintf(t->file, "   %-14s", term->approximation ? "approximate" : "exact");
    else if (isnan(l->error))
        fprintf(t->file, " ± n/a       (MC)");
    else
        fprintf(t->file, " ± %-9.2g (MC)", l->error);
    fprintf(t->file, "  scale %g", l->scale);
    if (l->weight != 1)
        fprintf(t->file, ", weight %g", l->weight);
    fputc('\n', t->file);
}

/* Prints KL, KL/N and the mean log likelihood together: a KL means little without the log likelihood of the
 * data. KL is without its weight. */
static void print_summary(const table *t)
{
    const double rows = t->e->options.data_size, weight = weight_of(t),
                 kl = (0 - sum_of(t, GB_TERM_KL)) / weight, fit = sum_of(t, GB_TERM_DATA) / rows;
    if (has(t, GB_TERM_KL) && weight == 0)
        fprintf(t->file, "KL n/a (its weight is 0), KL/N n/a, mean log likelihood %.6g\n", fit);
    else
        fprintf(t->file, "KL %.6g, KL/N %.6g, mean log likelihood %.6g\n", kl, kl / rows, fit);
}

static void print_weight(const table *t)
{
    const double weight = weight_of(t);
    if (weight != 1)
        fprintf(t->file, "%s: %s is multiplied by %g%s.\n",
                weight < 1 ? "Not a bound" : "Not the ELBO, but a looser bound",
                has(t, GB_TERM_KL)        ? "KL"
                : has(t, GB_TERM_ENTROPY) ? "the entropy"
                                          : "the log prior",
                weight, t->e->kl_step.tape ? ", as its schedule has it at this step" : "");
}

/* Prints why the sum is not an ELBO, or not a bound. */
static void print_what_it_is_not(const table *t)
{
    const gb_elbo *const e = t->e;
    if (e->has_point && !e->has_draw)
        fprintf(t->file, "Not a bound: a point has no entropy, so the sum is a %s.\n",
                is_joint(t) ? "log joint density" : "log likelihood");
    else if (e->has_point)
        fprintf(t->file, "Not a bound: a point has no entropy, which the sum lacks.\n");
    for (size_t i = 0; i < e->count; i++)
        if (e->terms[i].approximation)
            fprintf(t->file, "Not a bound: in place of KL of %s stands %s.\n", e->terms[i].name,
                    e->terms[i].approximation);
    print_weight(t);
    for (const gb_own_latent *at = e->latents; at; at = at->before)
        if (at->is_flat && !at->lacks_entropy)
            fprintf(
                t->file,
                "%s has no prior of its own: unless other terms are its normalised prior, the evidence is "
                "up to a constant.\n",
                at->name);
}

static void print_warnings(const table *t)
{
    for (const gb_own_latent *at = t->e->latents; at; at = at->before)
        if (at->lacks_entropy)
            fprintf(t->file,
                    "Warning: %s: it has no prior, and its posterior has no density, so the sum "
                    "lacks its entropy.\n",
                    at->name);
    if (gb_elbo_is_impossible(t->e, t->line[t->count - 1].value, weight_of(t)))
        fprintf(
            t->file,
            "Warning: the sum is above 0, which is impossible: all data are discrete, so their log "
            "probabilities and -KL are not. A density, a draw or a support is wrong, or q has collapsed.\n");
    for (size_t i = 0; i < t->count; i++) {
        const gb_elbo_term *const term = t->line[i].term;
        if (term->kind == GB_TERM_DATA && t->line[i].scale < 1)
            fprintf(t->file, "Warning: %s: the run had more rows than the %g of .data_size.\n", term->name,
                    t->e->options.data_size);
        if (term->warning && term->kind == GB_TERM_TOTAL)
            fprintf(t->file, "Warning: %s.\n", term->warning);
        else if (term->warning)
            fprintf(t->file, "Warning: %s: %s.\n", term->name, term->warning);
    }
}

static void print_bound(const table *t)
{
    const gb_bound bound = t->e->options.bound;
    const char *const caution = gb_bound_caution(bound);
    char text[120] = "";
    gb_bound_text(bound, text, sizeof text);
    fprintf(t->file, "%-16s %-16s %14.6f\n", "bound", text, t->bound);
    if (caution)
        fprintf(t->file, "Not a bound: %s.\n", caution);
}

static void print(const table *t)
{
    for (size_t i = 0; i < t->count; i++)
        print_line(t, &t->line[i]);
    if (!is_the_elbo(t->e))
        print_bound(t);
    print_summary(t);
    print_what_it_is_not(t);
    print_warnings(t);
    if (!gb_flushed(t->file))
        gb_fail(t->e->tape, GB_ESYSTEM, "elbo_print: writing failed");
}

gb_status gb_elbo_print(gb_elbo *e, FILE *file)
{
    if (!e)
        return GB_EARGUMENT;
    if (!file)
        gb_fail(e->tape, GB_EARGUMENT, "elbo_print: there is no file to print to");
    if (gb_error(e->tape) != GB_OK)
        return gb_error(e->tape);
    table t = {.e = e, .file = file};
    const gb_elbo_term *const terms = gb_elbo_terms(e, &t.count);
    const gb_elbo_line *const lines = lines_of(e, terms, t.count);
    if (!lines)
        return gb_error(e->tape);
    const gb_memory memory = gb_tape_memory(e->tape);
    t.line = gb_memory_resize(&memory, NULL, t.count * sizeof *t.line);
    if (!t.line)
        gb_fail(e->tape, GB_ENOMEM, "elbo_print: out of memory");
    else if (read_lines(&t, lines))
        print(&t);
    gb_memory_release(&memory, t.line);
    return gb_error(e->tape);
}
