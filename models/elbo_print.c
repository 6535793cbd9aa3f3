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
        fprintf(file, "   one sample    ");
    else
        fprintf(file, " ± %-9.2g (MC)", error);
    fprintf(file, "  scale %g\n", gb_value(term->scale));
}

gb_status gb_elbo_print(gb_elbo *e, FILE *file)
{
    size_t count;
    const gb_elbo_term *const terms = gb_elbo_terms(e, &count);
    for (size_t i = 0; i < count && gb_error(e->tape) == GB_OK; i++)
        print_term(&terms[i], !e->has_point, file);
    if (terms && e->has_point)
        fprintf(file,
                "A point has no entropy: the sum is a log joint density, not a bound on the evidence.\n");
    return e ? gb_error(e->tape) : GB_EARGUMENT;
}
