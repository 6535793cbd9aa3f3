/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terms as a table. */
#include <math.h>
#include <stdio.h>

#include "models/elbo_impl.h"

static const char *kind_text(gb_term_kind kind)
{
    switch (kind) {
    case GB_TERM_DATA: return "log likelihood";
    case GB_TERM_FACTOR: return "factor";
    case GB_TERM_KL: return "-KL(q || prior)";
    case GB_TERM_PRIOR: return "log prior";
    case GB_TERM_TOTAL: break;
    }
    return "sum";
}

static void print_term(const gb_elbo_term *term, bool is_bound, FILE *file)
{
    const double error = gb_value(term->error);
    const char *const name = term->kind == GB_TERM_TOTAL && !is_bound ? "log joint" : term->name;
    fprintf(file, "%-16s %-16s %14.6f", kind_text(term->kind), name, gb_value(term->value));
    if (term->exact)
        fprintf(file, "   exact         ");
    else if (isnan(error))
        fprintf(file, " ± n/a       (MC)");
    else
        fprintf(file, " ± %-9.2g (MC)", error);
    fprintf(file, "  scale %g\n", gb_value(term->scale));
}

static double sum_of(const gb_elbo_term *terms, size_t count, gb_term_kind kind)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += terms[i].kind == kind ? gb_value(terms[i].value) : 0;
    return sum;
}

/* What people ask for together: a KL that is small beside its prior's size says little, one per datum more. It is KL
 * itself, without its weight. */
static void print_summary(const gb_elbo *e, size_t count, FILE *file)
{
    const double rows = e->options.data_size, weight = gb_value(e->options.kl_weight),
                 weighted = -sum_of(e->terms, count, GB_TERM_KL),
                 kl = weight == 0 ? (double)NAN : weighted / weight;
    fprintf(file, "KL %.6g, KL/N %.6g, mean log likelihood %.6g\n", kl, kl / rows,
            sum_of(e->terms, count, GB_TERM_DATA) / rows);
}

static void print_warnings(const gb_elbo *e, size_t count, FILE *file)
{
    const double weight = gb_value(e->options.kl_weight);
    if (e->has_point)
        fprintf(file, "Not a bound: a point has no entropy, so the sum is a log joint density.\n");
    if (weight != 1)
        fprintf(file, "Not a bound: KL is multiplied by %g%s.\n", weight,
                e->kl_step.tape ? ", as its schedule has it at this step" : "");
    for (const gb_own_latent *at = e->latents; at; at = at->before)
        if (at->has_no_kl)
            fprintf(file, "Warning: %s: it has no prior, and so no KL that would hold its posterior back.\n",
                    at->name);
    for (size_t i = 0; i < count; i++)
        if (e->terms[i].warning)
            fprintf(file, "Warning: %s: %s.\n", e->terms[i].name, e->terms[i].warning);
}

gb_status gb_elbo_print(gb_elbo *e, FILE *file)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    for (size_t i = 0; i < count && gb_error(e->tape) == GB_OK; i++)
        print_term(&terms[i], !e->has_point, file);
    if (terms && gb_error(e->tape) == GB_OK) {
        print_summary(e, count, file);
        print_warnings(e, count, file);
    }
    return e ? gb_error(e->tape) : GB_EARGUMENT;
}
