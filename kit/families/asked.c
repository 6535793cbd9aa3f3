/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of a family at its start is there. One posterior over many real numbers is recorded again and
 * again, each time with another value of one option. The noise is the same, so what differs is the option's
 * doing. */
#include "kit/families/asked_impl.h"

#include <math.h>
#include <string.h>

#include "core/program.h"
#include "ops/control.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"

enum { NUMBERS = 40, SAMPLES = 200 };

/* A family may have a share of what is asked: of weights that are dropped, those that are kept. */
static const double LEAST = 0.005, MOST = 3;

/* ---- options by name ---- */

static const gb_option *option_of(gb_family family, const char *name, gb_option_form form)
{
    for (const gb_option *option = family.type->options; option && option->name; option++)
        if (option->form == form && strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

/* Without such an option the family stays as it is. */
static gb_family with(gb_family family, const char *name, gb_option_form form, const void *value)
{
    const gb_option *const option = option_of(family, name, form);
    gb_option_block block;
    if (!option)
        return family;
    gb_options_unpack(family.type, &family.options, &block);
    memcpy(block.bytes + option->offset, value, gb_option_bytes(option));
    family.options = gb_options_pack(family.type, &block);
    return family;
}

static gb_family with_number(gb_family family, const char *name, double value)
{
    return with(family, name, GB_OPTION_IS_NUMBER, &value);
}

static gb_family with_map(gb_family family, gb_scale_map map)
{
    return with(family, "map", GB_OPTION_IS_CHOICE, &(int){(int)map});
}

static double number_of(gb_family family, const char *name)
{
    const gb_option *const option = option_of(family, name, GB_OPTION_IS_NUMBER);
    gb_option_block block;
    double value = 0;
    if (option && gb_options_unpack(family.type, &family.options, &block))
        memcpy(&value, block.bytes + option->offset, sizeof value);
    return value;
}

gb_family gb_family_elsewhere(gb_family family)
{
    return with_map(with_number(with_number(family, "location", 0.35), "scale", 0.2), GB_SCALE_EXP);
}

/* ---- a look at draws ---- */

typedef struct look {
    bool known;       /* false: rejected, or an error */
    size_t count;     /* of variables */
    double deviation; /* of the draws of one number, over all numbers */
    double mean[NUMBERS];
} look;

/* What is asked for beside the options. */
typedef struct request {
    const double *each; /* .locations; NULL: none */
    size_t moved;       /* the variable that is moved after the start */
    double by;
} request;

static gb_node constant(gb_tape *tape, const double *values)
{
    return gb_constant(tape, gb_shape(NUMBERS), gb_values_of(values, NUMBERS));
}

static void move(const gb_family_case *c, const request *asked)
{
    if (asked->by == 0 || asked->moved >= c->count)
        return;
    const gb_node variable = c->variable[asked->moved];
    const size_t n = gb_value_count(variable);
    double *const values = gb_tape_keep(c->tape, (n + 1) * sizeof *values);
    if (!values || gb_read(variable, values, n) != GB_OK)
        return;
    for (size_t i = 0; i < n; i++)
        values[i] += asked->by;
    gb_set(variable, gb_values_of(values, n));
}

static void read(const gb_family_case *c, look *to)
{
    const gb_axes axes = gb_node_axes(c->value) & GB_SAMPLES;
    const gb_node value = gb_stop(c->value), mean = gb_mean_over(value, axes),
                  variance = gb_mean(gb_mean_over(gb_square(gb_sub(value, mean)), axes));
    gb_program *const program = gb_compile(c->tape, gb_roots(mean, variance), gb_no_update);
    gb_program_set_samples(program, SAMPLES);
    to->known = gb_run(program) == GB_OK && gb_read(mean, to->mean, NUMBERS) == GB_OK;
    to->deviation = to->known ? sqrt(gb_value(variance)) : 0;
    to->count = c->count;
}

static look look_at(gb_kit *kit, gb_family family, request asked)
{
    look found = {0};
    gb_family_case c = gb_family_case_of_numbers(kit, family, NUMBERS);
    c.tape = gb_tape_new(.seed = kit->seed, .threads = 1);
    const gb_node each = asked.each ? constant(c.tape, asked.each) : (gb_node){0};
    if (asked.each)
        c.family = with(c.family, "locations", GB_OPTION_IS_NODE, &each);
    if (gb_family_record(&c)) {
        move(&c, &asked);
        read(&c, &found);
    }
    gb_tape_free(c.tape);
    return found;
}

/* ---- the options ---- */

/* Returns the part of `asked` by which the means differ, as the slope of a line through 0. */
static double part_of(const look *is, const look *was, const double *asked)
{
    double product = 0, square = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        product += (is->mean[i] - was->mean[i]) * asked[i];
        square += asked[i] * asked[i];
    }
    return product / square;
}

/* Returns the deviation of the differences from that line, as a part of it. */
static double off_line(const look *is, const look *was, const double *asked, double part)
{
    double off = 0, square = 0;
    for (size_t i = 0; i < NUMBERS; i++) {
        const double should = part * asked[i], gap = is->mean[i] - was->mean[i] - should;
        off += gap * gap;
        square += should * should;
    }
    return sqrt(off / square);
}

/* Returns the part of the location that is there; 1 if the family has no such option. */
static double check_location(gb_kit *kit, gb_family family, const look *was)
{
    static const double places[] = {0.6, 1e3, -1e3, 1e6, -1e6};
    double first = 1;
    if (!option_of(family, "location", GB_OPTION_IS_NUMBER)) {
        gb_kit_skip(kit, GB_ON_FAR, "it has no option .location");
        return first;
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const double from = number_of(family, "location");
        const look is = look_at(kit, with_number(family, "location", from + places[k]), (request){0});
        double asked[NUMBERS];
        for (size_t i = 0; i < NUMBERS; i++)
            asked[i] = places[k];
        const double part = is.known ? part_of(&is, was, asked) : 1;
        if (k == 0)
            first = part;
        gb_kit_verdict(kit, k == 0 ? GB_ON_ASKED : GB_ON_FAR, part >= LEAST && part <= MOST,
                       ".location = %g moves the mean of its draws by %g, from .location = %g",
                       from + places[k], part * places[k], from);
    }
    return first >= LEAST && first <= MOST ? first : 1;
}

/* The noise of a start is the same for every spread, so twice the spread adds once the noise. */
static void check_spread(gb_kit *kit, gb_family family, double of_location)
{
    static const double spread = 0.005;
    if (!option_of(family, "spread", GB_OPTION_IS_NUMBER))
        return;
    const look one = look_at(kit, with_number(family, "spread", spread), (request){0}),
               two = look_at(kit, with_number(family, "spread", 2 * spread), (request){0});
    double square = 0;
    for (size_t i = 0; i < NUMBERS; i++)
        square += (two.mean[i] - one.mean[i]) * (two.mean[i] - one.mean[i]);
    const double is = sqrt(square / NUMBERS) / of_location;
    if (one.known && two.known)
        gb_kit_verdict(kit, GB_ON_ASKED, is > spread / MOST && is < spread * MOST,
                       "from .spread = %g to %g the starts of its numbers move by %.3g", spread, 2 * spread,
                       is);
}

/* A family that wants more locations than numbers (for each component, say) rejects these. */
static void check_locations(gb_kit *kit, gb_family family, double of_location)
{
    double each[NUMBERS], less[NUMBERS];
    if (!option_of(family, "locations", GB_OPTION_IS_NODE))
        return;
    for (size_t i = 0; i < NUMBERS; i++) {
        each[i] = cos(1 + 1.7 * (double)i);
        less[i] = 0.5 * each[i];
    }
    const look is = look_at(kit, family, (request){.each = each}),
               was = look_at(kit, family, (request){.each = less});
    const double part = part_of(&is, &was, less);
    if (is.known && was.known)
        gb_kit_verdict(kit, GB_ON_ASKED,
                       part > of_location / MOST && part < of_location * MOST &&
                           off_line(&is, &was, less, part) < 0.5,
                       "of .locations %.3g is in the means of its draws, each in its place", part);
}

static void check_scale(gb_kit *kit, gb_family family)
{
    if (!option_of(family, "scale", GB_OPTION_IS_NUMBER))
        return;
    const look one = look_at(kit, with_number(family, "scale", 0.2), (request){0}),
               two = look_at(kit, with_number(family, "scale", 0.4), (request){0});
    const double growth = two.deviation / one.deviation;
    if (one.known && two.known)
        gb_kit_verdict(kit, GB_ON_ASKED, growth > 1.0001 && growth <= MOST,
                       "from .scale = 0.2 to 0.4 the deviation of its draws grows by a factor of %.6g",
                       growth);
}

/* From scale 1, a variable that is moved by 2 multiplies it by e² = 7.4 if the scale is its exp, and by 2.6
 * if it is its softplus. */
static double growth_of(gb_kit *kit, gb_family family, gb_scale_map map, size_t which, size_t *count)
{
    const gb_family wide = with_map(with_number(family, "scale", 1), map);
    const look is = look_at(kit, wide, (request){.moved = which, .by = 2}),
               was = look_at(kit, wide, (request){0});
    *count = was.known && is.known ? was.count : 0;
    return is.deviation / was.deviation;
}

static void check_map(gb_kit *kit, gb_family family)
{
    double most = -(double)INFINITY;
    size_t count = 1, other = 1;
    if (!option_of(family, "map", GB_OPTION_IS_CHOICE) || !option_of(family, "scale", GB_OPTION_IS_NUMBER))
        return;
    for (size_t i = 0; i < count && other > 0; i++) {
        const double by_exp = growth_of(kit, family, GB_SCALE_EXP, i, &count);
        most = fmax(most, by_exp - growth_of(kit, family, GB_SCALE_SOFTPLUS, i, &other));
    }
    if (count > 0 && other > 0)
        gb_kit_verdict(kit, GB_ON_ASKED, most > 0.1,
                       "no variable makes the draws wider with .map = exp than with softplus");
}

void gb_family_check_asked(gb_kit *kit, gb_family family)
{
    const look was = look_at(kit, family, (request){0});
    if (!was.known) {
        gb_kit_skip(kit, GB_ON_ASKED, "it rejects real numbers");
        return;
    }
    const double of_location = check_location(kit, family, &was);
    check_spread(kit, family, of_location);
    check_locations(kit, family, of_location);
    check_scale(kit, family);
    check_map(kit, family);
}
