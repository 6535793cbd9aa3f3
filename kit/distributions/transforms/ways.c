/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same values in other ways: on float tapes, many points at once, and from y to x. */
#include "kit/distributions/transforms/ways_impl.h"

#include <math.h>

#include "ops/elementwise.h"
#include "ops/reduce.h"

static void compare(const gb_transform_case *c, gb_statement which, size_t count, const double *is,
                    const double *should, double allowed, const char *what)
{
    for (size_t i = 0; i < count; i++)
        gb_kit_verdict(c->kit, which, fabs(is[i] - should[i]) <= allowed * (1 + fabs(should[i])),
                       "%s is %.17g, not %.17g", what, is[i], should[i]);
}

static void check_float(gb_transform_case *exact)
{
    gb_transform_case like = *exact, *const c = &like;
    bool good = gb_transform_record(c, GB_FLOAT, GB_ONE_BY_ONE);
    for (size_t i = 0; i < GB_TRANSFORM_POINTS && good; i++) {
        gb_transform_point point;
        gb_transform_look is, should;
        gb_transform_choose(c, i, 0.4 * (double)i, point);
        good = gb_transform_see(c, point, &is) && gb_transform_see(exact, point, &should);
        if (!good)
            break;
        compare(c, GB_ON_FLOAT, gb_transform_elements(c->y), is.y, should.y, 1e-4, "y");
        compare(c, GB_ON_FLOAT, gb_transform_elements(c->x), is.back, should.back, 1e-3, "inverse(y)");
        compare(c, GB_ON_FLOAT, 1, &is.log_jacobian, &should.log_jacobian, 1e-3, "log_jacobian");
        gb_transform_check_image(c, &is);
    }
    gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
    gb_tape_free(c->tape);
}

typedef struct together {
    double y[GB_TRANSFORM_POINTS * GB_TRANSFORM_ELEMENTS], back[GB_TRANSFORM_POINTS * GB_TRANSFORM_ELEMENTS],
        log_jacobian[GB_TRANSFORM_POINTS];
} together;

/* Evaluates all points in one run. Visible batches share the numbers added to the parameters: those of the
 * first point. */
static bool see_together(const gb_transform_case *c, const gb_transform_case *single,
                         gb_transform_point *points, together *all)
{
    enum { POINTS = GB_TRANSFORM_POINTS };
    const size_t numbers = gb_shape_count(c->free);
    double fed[POINTS * GB_TRANSFORM_NUMBERS];
    for (size_t part = 0; part <= c->params; part++) {
        const size_t width = part ? 1 : numbers, begin = part ? numbers + part - 1 : 0;
        for (size_t i = 0; i < POINTS; i++)
            for (size_t j = 0; j < width; j++)
                fed[i * width + j] = points[i][begin + j];
        gb_feed(c->in[part], fed, c->way == GB_IN_ROWS ? POINTS : 1);
    }
    return gb_run(c->program) == GB_OK &&
           gb_read(c->y, all->y, POINTS * gb_transform_elements(single->y)) == GB_OK &&
           gb_read(c->back, all->back, POINTS * gb_transform_elements(single->x)) == GB_OK &&
           gb_read(c->log_jacobian, all->log_jacobian, POINTS) == GB_OK;
}

static void check_together(gb_transform_case *single, gb_transform_way way)
{
    gb_transform_case like = *single, *const c = &like;
    gb_transform_point points[GB_TRANSFORM_POINTS];
    together all;
    for (size_t i = 0; i < GB_TRANSFORM_POINTS; i++) {
        gb_transform_choose(single, i, 0.9, points[i]);
        for (size_t j = gb_shape_count(c->free); way == GB_IN_A_BATCH && j < gb_transform_numbers(single);
             j++)
            points[i][j] = 0;
    }
    const bool good = gb_transform_record(c, GB_DOUBLE, way) && see_together(c, single, points, &all);
    gb_kit_verdict(c->kit, GB_ON_BATCH, good, "%s", gb_error_text(c->tape));
    for (size_t i = 0; i < GB_TRANSFORM_POINTS && good; i++) {
        const size_t x = gb_transform_elements(single->x), y = gb_transform_elements(single->y);
        gb_transform_look look;
        if (!gb_transform_see(single, points[i], &look))
            break;
        compare(c, GB_ON_BATCH, y, all.y + i * y, look.y, 1e-12, "y");
        compare(c, GB_ON_BATCH, x, all.back + i * x, look.back, 1e-9, "inverse(y)");
        compare(c, GB_ON_BATCH, 1, all.log_jacobian + i, &look.log_jacobian, 1e-12, "log_jacobian");
    }
    gb_tape_free(c->tape);
}

/* Checks members of `to` that the domain's own map makes, and not the transform. */
static void check_onto(gb_transform_case like)
{
    gb_transform_case *const c = &like;
    const gb_shape y_shape = gb_node_shape(c->y);
    if (!gb_transform_instance(c, GB_DOUBLE))
        return;
    const gb_domain *const to = gb_transform_to(c->t);
    const gb_transform reach = to->reach ? to->reach(c->tape) : (gb_transform){0};
    const gb_shape free = to->reach ? gb_transform_inverse_shape(reach, y_shape) : (gb_shape){.rank = -1};
    if (free.rank >= 0) {
        const size_t count = gb_shape_count(free);
        double at[GB_TRANSFORM_ELEMENTS];
        for (size_t i = 0; i < count && i < GB_TRANSFORM_ELEMENTS; i++)
            at[i] = 1.3 * cos(2 + 1.9 * (double)i);
        const gb_node y = gb_transform_forward(reach, gb_constant(c->tape, free, gb_values_of(at, count)));
        const gb_node again = gb_transform_forward(c->t, gb_transform_inverse(c->t, y));
        const double off = gb_value(gb_maximum(gb_abs(gb_sub(again, y))));
        gb_kit_verdict(c->kit, GB_ON_ONTO, off <= 1e-9, "y that is %s is %.3g off forward(inverse(y))",
                       to->must_be, off);
    }
    gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
    gb_tape_free(c->tape);
}

void gb_transform_check_ways(gb_transform_case *c, bool is_part)
{
    check_float(c);
    check_together(c, GB_IN_A_BATCH);
    check_together(c, GB_IN_ROWS);
    if (!is_part)
        check_onto(*c);
}
