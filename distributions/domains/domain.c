/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Membership of a domain, and the axes of an event. */
#include "distributions/domains/domain_impl.h"

#include <math.h>

#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

/* ---- axes of an event ---- */

gb_node gb_sum_event(gb_node x, int rank)
{
    static const int last[GB_MAX_RANK] = {-1, -2, -3, -4, -5, -6};
    if (rank > GB_MAX_RANK)
        rank = GB_MAX_RANK; /* more axes than x can have: gb_sum_along then fails */
    return rank <= 0 ? x : gb_sum_along(x, gb_axis_of(rank, last));
}

gb_node gb_add_axes(gb_node x, int count)
{
    gb_shape shape = gb_node_shape(x);
    for (int i = 0; i < count && shape.rank >= 0 && shape.rank < GB_MAX_RANK; i++)
        shape.size[shape.rank++] = 1;
    return count == 0 ? x : gb_reshape(x, shape);
}

/* ---- membership of numbers ---- */

/* Comparisons are false for NaN, so NaN is nowhere outside. */
static gb_node below_low(const gb_domain *domain, gb_node x)
{
    const gb_node low = gb_num(x.tape, domain->low);
    return domain->above ? gb_less_equal(x, low) : gb_less(x, low);
}

static gb_node above_high(const gb_domain *domain, gb_node x)
{
    const gb_node high = gb_num(x.tape, domain->high);
    return domain->below ? gb_greater_equal(x, high) : gb_greater(x, high);
}

static gb_node either(gb_node a, gb_node b)
{
    return !gb_node_ok(a) ? b : !gb_node_ok(b) ? a : gb_or(a, b);
}

/* An infinite end that belongs to the domain excludes nothing. */
gb_node gb_domain_elements_outside(const gb_domain *domain, gb_node x)
{
    gb_node outside = {0};
    if (!domain) {
        gb_fail(x.tape, GB_EARGUMENT, "domain: NULL is no domain");
        return outside;
    }
    if (domain->above || !isinf(domain->low))
        outside = below_low(domain, x);
    if (domain->below || !isinf(domain->high))
        outside = either(outside, above_high(domain, x));
    if (domain->whole)
        outside = either(outside, gb_less(gb_floor(x), x));
    if (domain->no_zero)
        outside = either(outside, gb_equal(x, gb_num(x.tape, 0)));
    return outside;
}

gb_node gb_domain_any(gb_node outside, int rank)
{
    for (int i = 0; i < rank; i++)
        outside = gb_greater(gb_maximum_along(gb_to_real(outside), gb_axis(-1)), gb_num(outside.tape, 0));
    return outside;
}

gb_node gb_domain_outside(const gb_domain *domain, gb_node x)
{
    const gb_node elements = gb_domain_elements_outside(domain, x);
    const gb_node outside =
        domain && gb_node_ok(elements) ? gb_domain_any(elements, domain->event_rank) : elements;
    return domain && domain->outside ? either(outside, domain->outside(x)) : outside;
}
