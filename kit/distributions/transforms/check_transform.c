/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/check_transform.h"

#include <float.h>
#include <math.h>

#include "kit/distributions/transforms/ways_impl.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_TRANSFORM_STATEMENTS);

static const char *fault_of(const gb_transform_type *type, bool has_make)
{
    if (GB_KIT_FAULT(type, gb_transform_type))
        return GB_KIT_FAULT(type, gb_transform_type);
    if (!type->from || !type->to)
        return "it does not state its `from` and `to`";
    if (!type->forward || !type->inverse || !type->log_jacobian)
        return "it lacks forward, inverse or log_jacobian";
    if (!type->shape != !type->inverse_shape)
        return "it has one of shape and inverse_shape";
    if (type->from->event_rank != type->to->event_rank && !type->shape && !type->from_of)
        return "its events change their rank, but it has no shape";
    if (!has_make && (GB_HAS(type, from_of) || GB_HAS(type, to_of)))
        return "each of its instances has domains of its own: give instances of it by .make";
    return NULL;
}

/* ---- one point ---- */

static void check_inverse(const gb_transform_case *c, const gb_transform_look *look, double allowed)
{
    for (size_t i = 0; i < gb_transform_elements(c->x); i++)
        gb_kit_verdict(c->kit, GB_ON_INVERSE,
                       fabs(look->back[i] - look->x[i]) <= allowed * (1 + fabs(look->x[i])),
                       "%.17g goes to %.17g, and back to %.17g", look->x[i],
                       look->y[i < gb_transform_elements(c->y) ? i : 0], look->back[i]);
}

/* Returns log |det| of the derivatives of x or y in u. */
static double volume(const gb_transform_case *c, const gb_transform_look *slope, bool of_y, size_t *first)
{
    double matrix[GB_TRANSFORM_ELEMENTS][GB_TRANSFORM_NUMBERS];
    const size_t numbers = gb_shape_count(c->free), rows = gb_transform_elements(of_y ? c->y : c->x);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < numbers; j++)
            matrix[i][j] = of_y ? slope[j].y[i] : slope[j].x[i];
    return gb_log_volume(rows, numbers, matrix, first);
}

static void check_jacobian(const gb_transform_case *c, const gb_transform_look *look,
                           const gb_transform_look *slope)
{
    size_t first;
    const double should = volume(c, slope, true, &first) - volume(c, slope, false, &first);
    gb_kit_verdict(c->kit, GB_ON_JACOBIAN, fabs(look->log_jacobian - should) <= 1e-6 * (1 + fabs(should)),
                   "at x = %.9g … it is %.12g, not %.12g", look->x[0], look->log_jacobian, should);
}

static void check_increases(const gb_transform_case *c, const gb_transform_look *look,
                            const gb_transform_look *slope)
{
    const size_t count = gb_shape_count(c->free);
    if (gb_transform_to(c->t)->event_rank > 0 || gb_transform_from(c->t)->event_rank > 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const bool grows = slope[i].y[i] / slope[i].x[i] > 0;
        gb_kit_verdict(c->kit, GB_ON_INCREASES, grows == (look->increases[i] != 0),
                       "at x = %.9g it %s, but its type says that it %s", look->x[i],
                       grows ? "grows" : "falls", look->increases[i] != 0 ? "grows" : "falls");
    }
}

static const char *const of_sum[GB_TRANSFORM_SUMS] = {"forward", "inverse", "log_jacobian",
                                                      "log_jacobian(inverse(y), y)"};

static double should_be(const gb_transform_case *c, const gb_transform_look *slope, size_t sum)
{
    const double *const of = sum == GB_OF_FORWARD ? slope->y : slope->x;
    double total = 0;
    if (sum == GB_OF_LOG_JACOBIAN || sum == GB_OF_DENSITY)
        return slope->log_jacobian;
    for (size_t i = 0; i < gb_transform_elements(sum == GB_OF_FORWARD ? c->y : c->x); i++)
        total += cos(1 + (double)i) * of[i];
    return total;
}

static void check_gradients(const gb_transform_case *c, const gb_transform_look *look,
                            const gb_transform_look *slope)
{
    const size_t numbers = gb_shape_count(c->free);
    for (size_t k = 0; k < GB_TRANSFORM_SUMS; k++)
        for (size_t i = 0; i < gb_transform_numbers(c); i++) {
            const double should = should_be(c, &slope[i], k);
            gb_kit_verdict(
                c->kit, GB_ON_GRADIENT, fabs(look->slope[k][i] - should) <= 1e-7 * (1 + fabs(should)),
                "that of %s in %s %zu is %.12g, not %.12g", of_sum[k], i < numbers ? "number" : "parameter",
                i < numbers ? i : i - numbers, look->slope[k][i], should);
        }
}

/* Compares the gradients of the slopes with `slope`, their differences. */
static void check_second(gb_transform_case like, const double *point, const gb_transform_look *slope)
{
    gb_transform_case *const c = &like;
    bool rejected[GB_TRANSFORM_SUMS];
    gb_transform_look look;
    const size_t numbers = gb_shape_count(c->free);
    const bool good = gb_transform_record(c, GB_DOUBLE, GB_ONE_BY_ONE) &&
                      gb_transform_differentiate(c, rejected) && gb_transform_see(c, point, &look);
    for (size_t k = 0; k < GB_TRANSFORM_SUMS && good; k++) {
        if (rejected[k])
            gb_kit_skip(c->kit, GB_ON_SECOND, "it has none, and rejects the request");
        for (size_t j = 0; j < gb_transform_numbers(c) && !rejected[k]; j++) {
            double should = 0;
            for (size_t i = 0; i < gb_transform_numbers(c); i++)
                should += cos(1 + (double)(i < numbers ? i : 0)) * slope[j].slope[k][i];
            gb_kit_verdict(c->kit, GB_ON_SECOND, fabs(look.slope[k][j] - should) <= 1e-6 * (1 + fabs(should)),
                           "that of %s is %.12g, not %.12g", of_sum[k], look.slope[k][j], should);
        }
    }
    gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
    gb_tape_free(c->tape);
}

/* ---- points of one case ---- */

static void check_points(gb_transform_case *c)
{
    static const double scale[] = {0, 0.7, 1.2, 1.6};
    gb_transform_point point;
    gb_transform_look look, slope[GB_TRANSFORM_NUMBERS];
    for (size_t i = 0; i < sizeof scale / sizeof *scale; i++) {
        gb_transform_choose(c, i, scale[i], point);
        if (!gb_transform_see(c, point, &look) || !gb_transform_differences(c, point, slope))
            return;
        check_inverse(c, &look, 1e-9);
        gb_transform_check_image(c, &look);
        check_jacobian(c, &look, slope);
        check_increases(c, &look, slope);
        check_gradients(c, &look, slope);
        check_second(*c, point, slope);
    }
}

static bool is_finite(size_t count, const double *x)
{
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite = finite && isfinite(x[i]);
    return finite;
}

static bool is_number(size_t count, const double *x)
{
    bool number = true;
    for (size_t i = 0; i < count; i++)
        number = number && !isnan(x[i]);
    return number;
}

/* All real numbers, or all arrays of them. */
static bool is_whole(const gb_domain *domain)
{
    return gb_domain_holds(domain, 1e300) && gb_domain_holds(domain, -1e300) && !domain->whole &&
           !domain->outside;
}

/* `reach` may round to an end of the domain, so such points are checked only in a domain without ends. An
 * infinite y may be correct. */
static void check_far(gb_transform_case *c, double far, const gb_transform_look *look)
{
    const size_t numbers = gb_transform_numbers(c), count = gb_transform_elements(c->y);
    const double *const in_y = look->slope[GB_OF_FORWARD], *const in_log = look->slope[GB_OF_LOG_JACOBIAN];
    const bool is_near = far < 100, is_finite_y = is_finite(count, look->y);
    if (look->x_outside > 0 || !is_finite(gb_transform_elements(c->x), look->x) ||
        !(is_near || is_whole(gb_transform_from(c->t))))
        return;
    gb_kit_verdict(c->kit, GB_ON_ENDS,
                   is_number(count, look->y) && !(is_finite_y && isnan(look->log_jacobian)),
                   "at x = %g … y is %g …, and log_jacobian %g", look->x[0], look->y[0], look->log_jacobian);
    if (is_near && is_finite_y)
        gb_kit_verdict(c->kit, GB_ON_ENDS,
                       isfinite(look->log_jacobian) && is_number(numbers, in_y) && is_number(numbers, in_log),
                       "at x = %g … log_jacobian is %g, and the gradients of y and it are %g … and %g …",
                       look->x[0], look->log_jacobian, in_y[0], in_log[0]);
    if (is_near && is_finite_y && gb_shape_count(c->free) == 1 && count == 1 &&
        is_whole(gb_transform_from(c->t))) {
        const double is = fabs(in_y[0]) / cos(1), should = exp(look->log_jacobian);
        gb_kit_verdict(c->kit, GB_ON_ENDS, fabs(is - should) <= 0.01 * should + 1e-300,
                       "at x = %g the slope of y is %g, and e^log_jacobian %g", look->x[0], is, should);
    }
}

/* Whether each number u moves some element of y by more than rounding. Where one does not, as in a matrix
 * that is nearly singular, y has lost u: it has no inverse, and may be rounded to a place outside. */
static bool y_tells_u(gb_transform_case *c, const double *point, const gb_transform_look *look)
{
    gb_transform_look slope[GB_TRANSFORM_NUMBERS];
    if (!gb_transform_differences(c, point, slope))
        return false;
    for (size_t j = 0; j < gb_shape_count(c->free); j++) {
        double most = 0;
        for (size_t i = 0; i < gb_transform_elements(c->y); i++)
            most = fmax(most, fabs(slope[j].y[i]) / (fabs(look->y[i]) + DBL_MIN));
        if (!(most > 1e-11))
            return false;
    }
    return true;
}

static void check_near_ends(gb_transform_case *c, const double *point, const gb_transform_look *look)
{
    if (look->x_outside > 0 || !is_finite(gb_transform_elements(c->x), look->x) ||
        !is_finite(gb_transform_elements(c->y), look->y) || !y_tells_u(c, point, look))
        return;
    gb_transform_check_image(c, look);
    check_inverse(c, look, 1e-4);
}

static void check_ends(gb_transform_case *c)
{
    static const double far[] = {3, 12, 40, 1000};
    enum { PATTERNS = 4 };
    for (size_t i = 0; i < PATTERNS * sizeof far / sizeof *far; i++) {
        gb_transform_point point = {0};
        gb_transform_look look;
        for (size_t j = 0; j < gb_shape_count(c->free); j++)
            point[j] = far[i / PATTERNS] * (i & 1 ? 1 : -1) * (i & 2 && j & 1 ? -1 : 1);
        if (!gb_transform_see(c, point, &look))
            return;
        check_far(c, far[i / PATTERNS], &look);
        if (far[i / PATTERNS] < 20)
            check_near_ends(c, point, &look);
    }
}

/* Integrates the density of y, where x is standard normal, by the trapezoidal rule. */
static void check_mass(gb_transform_case *c)
{
    enum { STEPS = 1600 };
    double mass = 0, y = 0, density = 0;
    size_t element = 0;
    gb_transform_look look, slope[GB_TRANSFORM_NUMBERS];
    if (gb_shape_count(c->free) != 1 || !is_whole(gb_transform_from(c->t)))
        return;
    for (int i = 0; i <= STEPS; i++) {
        const gb_transform_point point = {16.0 * i / STEPS - 8};
        if (!gb_transform_see(c, point, &look))
            return;
        if (i == 0 && gb_transform_differences(c, (gb_transform_point){0}, slope))
            volume(c, slope, true, &element);
        const double now = exp(-0.5 * look.back[0] * look.back[0] - look.density) / sqrt(2 * GB_PI);
        mass += i ? 0.5 * (density + now) * (look.y[element] - y) : 0;
        y = look.y[element];
        density = now;
    }
    gb_kit_verdict(c->kit, GB_ON_MASS, fabs(fabs(mass) - 1) <= 1e-4, "it is %.9g", fabs(mass));
}

/* ---- all of it ---- */

static void check_case(gb_transform_case *c, bool is_part)
{
    const bool good = gb_transform_record(c, GB_DOUBLE, GB_ONE_BY_ONE);
    gb_kit_verdict(c->kit, GB_ON_SHAPE, !c->fault, "%s", c->fault);
    if (good) {
        check_points(c);
        check_ends(c);
        check_mass(c);
        gb_transform_check_ways(c, is_part);
    }
    gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
    gb_tape_free(c->tape);
}

static void check_instance(gb_transform_case *c, bool is_part)
{
    enum { MOST = 3 };
    gb_shape free[MOST];
    char text[GB_SHAPE_TEXT];
    gb_kit_label(c->kit, "instance %zu", c->which);
    const size_t count = gb_transform_instance(c, GB_DOUBLE) ? gb_transform_shapes(c, MOST, free) : 0;
    gb_kit_verdict(c->kit, GB_ON_TAKES, count > 0, "instance %zu: %s", c->which,
                   gb_error(c->tape) != GB_OK ? gb_error_text(c->tape)
                   : !c->make
                       ? "it takes no event of up to 12 numbers, or its `from` has no `reach`; if it has "
                         "parameters, give instances of it by .make"
                   : c->t.type != c->type ? "`make` returned another transform"
                                          : "none of up to 12 numbers fits, or its `from` has no `reach`");
    gb_tape_free(c->tape);
    for (size_t i = 0; i < count; i++) {
        c->free = free[i];
        gb_kit_label(c->kit, "instance %zu, u of shape %s", c->which, gb_shape_text(free[i], text));
        check_case(c, is_part);
    }
}

bool gb_check_transform_with(const gb_transform_type *type, const gb_check_transform_options *options)
{
    gb_check_transform_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const char *const fault = fault_of(type, own.make != NULL);
    gb_kit kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                  .report = own.report,
                  .seed = own.seed,
                  .memory = own.memory,
                  .statements = statements};
    gb_transform_case c = {.kit = &kit, .type = type, .make = own.make, .user = own.user};
    if (gb_kit_verdict(&kit, GB_ON_FORM, !fault, "%s", fault ? fault : ""))
        for (c.which = 0; c.which < (own.make && own.count ? own.count : 1); c.which++)
            check_instance(&c, own.is_part);
    return gb_kit_conclude(&kit);
}
