/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/check_schedule.h"

#include <math.h>
#include <string.h>

#include "kit/shell/verdicts_impl.h"
#include "models/optimiser.h"
#include "ops/elementwise.h"

/* The statements, in the order of the report. */
/* clang-format off */
#define STATEMENTS(do_)                                                                                      \
    do_(FORM,     "its struct is complete")                                                                  \
    do_(RECORDED, "it is recorded and run without an error")                                                 \
    do_(SCALAR,   "its factor is a real scalar")                                                             \
    do_(FINITE,   "its factor is finite and not negative")                                                   \
    do_(FORMULA,  "its factors are those of its formula")                                                    \
    do_(ALONE,    "its factor depends on t alone")                                                           \
    do_(FLOAT,    "on a float tape it is the same, rounded")                                                 \
    do_(WARM_UP,  "after a warm-up it begins at its t = 0")                                                  \
    do_(ALLOWED,  "numbers in their domains give a finite factor that is not negative")                      \
    do_(REJECTED, "invalid numbers are rejected by their names")                                             \
    do_(TRAINING, "a training run moves t by one, a run that only evaluates does not")                       \
    do_(RESUMES,  "after a reset it goes on with the same bits")
/* clang-format on */
GB_STATEMENT_CODES(STATEMENTS);

static const char *const statements[] = GB_STATEMENT_TEXTS(STATEMENTS);

typedef struct checking {
    gb_kit kit;
    gb_schedule schedule;
    gb_schedule_reference *reference;
} checking;

/* ---- published formulas in plain C ---- */

static double steady(const void *options, double t)
{
    (void)options, (void)t;
    return 1;
}

static double step_decay(const void *options, double t)
{
    const gb_step_decay_options *const o = options;
    return pow(o->factor, floor(t / o->every));
}

static double cosine(const void *options, double t)
{
    const gb_cosine_options *const o = options;
    return o->end + (1 - o->end) * (1 + cos(GB_PI * fmin(t / o->steps, 1))) / 2;
}

static double robbins_monro(const void *options, double t)
{
    const gb_robbins_monro_options *const o = options;
    return 1 / pow(o->b + t, o->c);
}

static double cyclical(const void *options, double t)
{
    const gb_cyclical_options *const o = options;
    const bool is_over = o->cycles > 0 && t >= o->cycles * o->period;
    return is_over ? 1 : fmin(1, (1 + fmod(t, o->period)) / (o->rise * o->period));
}

static gb_schedule_reference *reference_of(const gb_schedule_type *type)
{
    static const struct {
        const char *name;
        gb_schedule_reference *reference;
    } all[] = {{"steady", steady},
               {"step_decay", step_decay},
               {"cosine", cosine},
               {"robbins_monro", robbins_monro},
               {"cyclical", cyclical}};
    for (size_t i = 0; type->name && i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, type->name) == 0)
            return all[i].reference;
    return NULL;
}

static bool same_bits(double a, double b)
{
    uint64_t bits_of_a, bits_of_b;
    memcpy(&bits_of_a, &a, sizeof a);
    memcpy(&bits_of_b, &b, sizeof b);
    return bits_of_a == bits_of_b;
}

/* ---- the struct ---- */

static const char *fault_of(const gb_schedule *schedule)
{
    const gb_schedule_type *const type = schedule->type;
    if (GB_KIT_FAULT(type, gb_schedule_type))
        return GB_KIT_FAULT(type, gb_schedule_type);
    if (!type->factor)
        return "it has no factor";
    return gb_kit_table_fault(type);
}

/* ---- a schedule at a given time ---- */

typedef struct watch {
    gb_tape *tape;
    gb_node t, factor;
    gb_program *program;
} watch;

static bool begin(const checking *c, watch *w, gb_schedule schedule, gb_real real, uint64_t seed)
{
    w->tape = gb_tape_new(.seed = seed, .real = real, .threads = 1, .memory = c->kit.memory);
    w->t = gb_input(w->tape, "t", gb_shape());
    w->factor = gb_schedule_factor("kit", schedule, w->t);
    w->program = gb_compile(w->tape, gb_roots(w->factor), gb_no_update);
    return gb_error(w->tape) == GB_OK;
}

/* Returns NaN on error. */
static double factor_at(const watch *w, double t)
{
    gb_feed(w->t, &t, 1);
    gb_run(w->program);
    return gb_value(w->factor);
}

enum { FIRST_TIMES = 3001, TIMES = FIRST_TIMES + 6, FLOAT_TIMES = FIRST_TIMES + 3 };

static double time_of(size_t i)
{
    static const double late[TIMES - FIRST_TIMES] = {1e4, 123456, 1e6, 1e7, 1e8, 1e9};
    return i < FIRST_TIMES ? (double)i : late[i - FIRST_TIMES];
}

static bool is_factor(double factor)
{
    return gb_domain_holds(GB_NON_NEGATIVE, factor);
}

/* Returns whether a rounded factor is correct. `at` has the exact factors at t, and a little before and after
 * it, since a rounded factor may jump a little earlier or later. */
static bool is_near(double is, const double at[3], double allowed)
{
    const double room = allowed * (1 + fabs(at[0])), low = fmin(at[0], fmin(at[1], at[2])),
                 high = fmax(at[0], fmax(at[1], at[2]));
    return is >= low - room && is <= high + room;
}

/* ---- values ---- */

static void compare(checking *c, double t, double is)
{
    const double near = 1e-14;
    gb_option_block block;
    const void *const o = gb_options_unpack(c->schedule.type, &c->schedule.options, &block);
    const double should[] = {c->reference(o, t), c->reference(o, t * (1 - near)),
                             c->reference(o, t * (1 + near))};
    gb_kit_verdict(&c->kit, GB_ON_FORMULA, is_near(is, should, 1e-12), "at t = %g it is %.17g, not %.17g", t,
                   is, should[0]);
}

static bool check_values(checking *c, double factor[TIMES])
{
    watch w;
    bool good = begin(c, &w, c->schedule, GB_DOUBLE, 0);
    if (good)
        gb_kit_verdict(&c->kit, GB_ON_SCALAR,
                       gb_node_shape(w.factor).rank == 0 && !gb_node_axes(w.factor) &&
                           gb_node_type(w.factor) == GB_TYPE_REAL,
                       "it has a shape or hidden axes, or is not real");
    for (size_t i = 0; i < TIMES && good; i++) {
        factor[i] = factor_at(&w, time_of(i));
        good = gb_error(w.tape) == GB_OK;
        if (!good)
            break;
        gb_kit_verdict(&c->kit, GB_ON_FINITE, is_factor(factor[i]), "at t = %g it is %g", time_of(i),
                       factor[i]);
        if (c->reference)
            compare(c, time_of(i), factor[i]);
    }
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, w.tape);
    gb_tape_free(w.tape);
    return good;
}

/* Uses another tape with another seed, from the last time to the first: noise, counters in C and variables
 * show. */
static void check_alone(checking *c, const double should[TIMES])
{
    watch w;
    bool same = begin(c, &w, c->schedule, GB_DOUBLE, 1);
    const size_t variables = same ? gb_node_variables(w.factor, NULL, 0) : 0;
    gb_kit_verdict(&c->kit, GB_ON_ALONE, variables == 0, "%zu variables are in it", variables);
    for (size_t i = TIMES; i-- > 0 && same;) {
        const double is = factor_at(&w, time_of(i));
        same =
            gb_kit_verdict(&c->kit, GB_ON_ALONE, same_bits(is, should[i]),
                           "at t = %g it was %.17g, but is %.17g the second time", time_of(i), should[i], is);
    }
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, w.tape);
    gb_tape_free(w.tape);
}

static void check_float(checking *c, const double should[TIMES])
{
    const double near = 1e-6;
    watch w, exact;
    const bool begun = begin(c, &w, c->schedule, GB_FLOAT, 0);
    const bool good = begin(c, &exact, c->schedule, GB_DOUBLE, 0) && begun;
    for (size_t i = 0; i < FLOAT_TIMES && good; i++) {
        const double t = time_of(i), is = factor_at(&w, t);
        if (!isfinite(should[i])) /* said already */
            continue;
        const double at[] = {should[i], factor_at(&exact, t * (1 - near)), factor_at(&exact, t * (1 + near))};
        gb_kit_verdict(&c->kit, GB_ON_FLOAT, is_near(is, at, 1e-5), "at t = %g it is %.9g, not %.9g", t, is,
                       should[i]);
    }
    gb_kit_recorded(&c->kit, GB_ON_RECORDED, w.tape);
    gb_tape_free(w.tape);
    gb_tape_free(exact.tape);
}

static void check_warm_up(checking *c, const double should[TIMES])
{
    static const double steps[] = {1, 2.5, 10};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        watch w;
        const size_t begins = (size_t)ceil(steps[i]);
        const bool good = begin(c, &w, gb_warm_up(steps[i], c->schedule), GB_DOUBLE, 0);
        for (size_t t = begins; t < begins + 40 && good; t++) {
            const double is = factor_at(&w, (double)t);
            gb_kit_verdict(&c->kit, GB_ON_WARM_UP, is == should[t - begins],
                           "after %g runs of warm-up it is %.17g at t = %zu, and should be %.17g, as at %zu",
                           steps[i], is, t, should[t - begins], t - begins);
        }
        gb_kit_recorded(&c->kit, GB_ON_RECORDED, w.tape);
        gb_tape_free(w.tape);
    }
}

/* ---- numbers ---- */

static const double some[] = {-INFINITY, -1e3, -1, -0.5, 0, 1e-3, 0.3, 0.5, 0.75, 1, 2, 7.3, 1e3, INFINITY};
enum { SOME = sizeof some / sizeof *some };

static bool is_rejection(const checking *c, const gb_tape *tape, const char *name)
{
    return gb_error(tape) == GB_EARGUMENT && strstr(gb_error_text(tape), c->kit.subject) &&
           strstr(gb_error_text(tape), name);
}

/* The schedule may have a rule of its own, for instance between two of its numbers. */
static void check_allowed(checking *c, gb_schedule schedule)
{
    static const double times[] = {0, 1, 2, 3, 10, 1e3, 1e6};
    char text[160];
    watch w;
    const bool good = begin(c, &w, schedule, GB_DOUBLE, 0);
    gb_schedule_text(schedule, text, sizeof text);
    if (!good && !is_rejection(c, w.tape, ""))
        gb_kit_verdict(&c->kit, GB_ON_ALLOWED, false, "%s: %s", text, gb_error_text(w.tape));
    for (size_t i = 0; i < sizeof times / sizeof *times && good; i++) {
        const double is = factor_at(&w, times[i]);
        gb_kit_verdict(&c->kit, GB_ON_ALLOWED, is_factor(is), "%s is %g at t = %g", text, is, times[i]);
    }
    gb_tape_free(w.tape);
}

/* Returns the next number of the table from `o` on; NULL if there is none. */
static const gb_option *number_from(const gb_option *o)
{
    while (o && o->name && o->form != GB_OPTION_IS_NUMBER)
        o++;
    return o && o->name ? o : NULL;
}

/* Tries all combinations of some values: sets the numbers from `o` on in turn. */
static void check_all_allowed(checking *c, const gb_option *o, gb_option_block block)
{
    const gb_option *const number = number_from(o);
    if (!number) {
        check_allowed(c, gb_schedule_of(c->schedule.type, &block));
        return;
    }
    for (size_t i = 0; i < SOME; i++)
        if (gb_domain_holds(number->domain, some[i] == 0 ? number->fallback : some[i])) {
            memcpy(block.bytes + number->offset, &some[i], sizeof some[i]);
            check_all_allowed(c, number + 1, block);
        }
}

static bool number_is_rejected(void *context, const gb_packed *options, const char *name, double value)
{
    checking *const c = context;
    watch w;
    begin(c, &w, (gb_schedule){.type = c->schedule.type, .options = *options}, GB_DOUBLE, 0);
    const bool rejected = gb_kit_verdict(&c->kit, GB_ON_REJECTED, is_rejection(c, w.tape, name),
                                         "%s = %g: the error is \"%s\"", name, value, gb_error_text(w.tape));
    gb_tape_free(w.tape);
    return rejected;
}

static void check_numbers(checking *c)
{
    gb_option_block block;
    const gb_schedule_type *const type = c->schedule.type;
    gb_options_unpack(type, &c->schedule.options, &block);
    gb_kit_wrong_numbers(type, &c->schedule.options, number_is_rejected, c);
    check_all_allowed(c, GB_HAS(type, options) ? type->options : NULL, block);
}

/* ---- in a training ---- */

enum { RUNS = 40 };

typedef struct training {
    gb_tape *tape;
    gb_node x;
    gb_program *train, *look;
} training;

/* The gradient is −1 and the rate 1: x grows by the factor. */
static void record(training *w, gb_schedule schedule)
{
    w->x = gb_variable(w->tape, "x", gb_shape(), gb_fill(0));
    const gb_node loss = gb_neg(w->x);
    w->train = gb_compile(w->tape, gb_roots(loss), gb_minimise(loss, gb_sgd(.lr = 1, .schedule = schedule)));
    w->look = gb_compile(w->tape, gb_roots(loss), gb_no_update);
}

static bool trajectory(checking *c, bool reset, double x[RUNS])
{
    training w = {.tape = gb_tape_new(.threads = 1, .memory = c->kit.memory)};
    record(&w, c->schedule);
    for (size_t run = 0; run < RUNS; run++) {
        if (reset && run == RUNS / 2) {
            gb_tape_reset(w.tape);
            record(&w, c->schedule);
        }
        gb_run(w.look);
        gb_run(w.train);
        x[run] = gb_value(w.x);
    }
    const bool good = gb_kit_recorded(&c->kit, GB_ON_RECORDED, w.tape);
    gb_tape_free(w.tape);
    return good;
}

static void check_training(checking *c, const double should[TIMES])
{
    double x[RUNS], again[RUNS], sum = 0;
    if (!trajectory(c, false, x) || !trajectory(c, true, again))
        return;
    for (size_t run = 0; run < RUNS; run++) {
        sum += should[run];
        gb_kit_verdict(&c->kit, GB_ON_TRAINING, fabs(x[run] - sum) <= 1e-12 * (1 + sum),
                       "the factors of the first %zu runs sum to %.17g, not %.17g", run + 1, x[run], sum);
        gb_kit_verdict(
            &c->kit, GB_ON_RESUMES, same_bits(again[run], x[run]),
            "after %zu runs, with a reset after %d, the factors sum to %.17g, but without to %.17g", run + 1,
            RUNS / 2, again[run], x[run]);
    }
}

/* ---- all of it ---- */

bool gb_check_schedule_with(gb_schedule schedule, const gb_check_schedule_options *options)
{
    gb_check_schedule_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    const gb_schedule_type *const type = schedule.type;
    const char *const fault = fault_of(&schedule);
    double factor[TIMES];
    checking c = {.kit = {.subject = type && type->name && *type->name ? type->name : "(no name)",
                          .report = own.report,
                          .memory = own.memory,
                          .statements = statements},
                  .schedule = schedule,
                  .reference = own.reference};
    if (!gb_kit_verdict(&c.kit, GB_ON_FORM, !fault, "%s", fault ? fault : ""))
        return gb_kit_conclude(&c.kit);
    c.reference = c.reference ? c.reference : reference_of(type);
    if (!c.reference)
        gb_kit_unchecked(&c.kit, GB_ON_FORMULA, "its formula is unknown; give it by .reference");
    if (check_values(&c, factor)) {
        check_alone(&c, factor);
        check_float(&c, factor);
        check_warm_up(&c, factor);
        check_numbers(&c);
        check_training(&c, factor);
    }
    return gb_kit_conclude(&c.kit);
}
