/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks. */
#include "kit/check_op.h"

#include "kit/ops/checks_impl.h"
#include "kit/ops/record_impl.h"
#include "kit/ops/values_impl.h"

static const char *const statements[] = GB_STATEMENT_TEXTS(GB_OP_STATEMENTS);

/* ---- the struct ---- */

static bool lacks_a_domain(const gb_op *op)
{
    for (size_t i = 1; gb_op_has_domain(op) && !op->variadic && i < op->arguments; i++)
        if (!(op->domain[i].low < op->domain[i].high))
            return true;
    return false;
}

/* Returns the fault of the struct; NULL if there is none. */
static const char *fault_of(const gb_op *op)
{
    if (GB_KIT_FAULT(op, gb_op))
        return GB_KIT_FAULT(op, gb_op);
    if (op->form == GB_FORM_ELEMENTWISE && !op->lane && !op->blocks)
        return "an elementwise operation needs `lane`, the function for its value";
    if (op->form == GB_FORM_ELEMENTWISE && !op->variadic && (op->arguments < 1 || op->arguments > 3))
        return "an elementwise operation has one to three arguments";
    if (op->form == GB_FORM_ELEMENTWISE && (op->opens || op->closes))
        return op->opens ? "an elementwise operation makes no draw: .opens is set"
                         : "an elementwise operation takes no expectation: .closes is set";
    if (op->form == GB_FORM_KERNEL && (!op->run || !op->infer))
        return "a kernel needs `infer` and `run`, the functions for its shape and its value";
    if (op->form == GB_FORM_VIEW && (!op->view || !op->infer))
        return "a view needs `infer` and `view`, the functions for its shape and its strides";
    if (op->form == GB_FORM_ALIAS && !op->variadic && op->arguments < 1)
        return "an alias needs at least one argument";
    for (size_t i = 0; i < 3; i++)
        if (op->domain[i].low > op->domain[i].high)
            return "a domain is the wrong way round: its low is above its high";
    if (lacks_a_domain(op))
        return "some of its arguments have a domain, others do not";
    return NULL;
}

static bool is_sound(gb_op_check *check)
{
    const char *const fault = check->op ? fault_of(check->op) : "it is NULL";
    return gb_kit_admit(&check->kit, GB_ON_FORM, fault) &&
           gb_kit_admit(&check->kit, GB_ON_CASES,
                        gb_op_has_cases(check->op) ? NULL : "not checked: no domain and no example");
}

/* ---- the cases ---- */

/* A value of a wrong size would write beyond its memory: then nothing else may run. */
static bool may_run(const gb_op_check *check)
{
    return !check->kit.tally[GB_ON_RECORDED].failed && !check->kit.tally[GB_ON_SHAPE].failed &&
           !check->kit.tally[GB_ON_WRITES].failed;
}

static void look_first(gb_op_check *check, unsigned number)
{
    gb_op_case c;
    gb_op_case_begin(&c, check, (gb_case_setup){.number = number, .real = number % 2 ? GB_FLOAT : GB_DOUBLE});
    if (gb_op_case_record(&c)) {
        gb_op_check_writes(&c);
        if (may_run(check))
            check->random |= gb_op_case_is_random(&c);
        gb_op_case_fine(&c);
    }
    gb_op_case_end(&c);
}

static void run_checks(gb_op_check *check, unsigned cases)
{
    /* numbers that are APART apart have different combinations of hidden axes */
    enum { LOOKS = 24, APART = 21, MISUSES = 4 };
    for (unsigned i = 0; i < LOOKS && may_run(check); i++)
        look_first(check, i * APART);
    for (unsigned number = 0; number < cases && may_run(check); number++)
        gb_op_check_derivatives(check, number);
    if (!may_run(check))
        return;
    for (unsigned number = 0; number < MISUSES; number++)
        gb_op_check_misuse(check, number);
    gb_op_check_threads(check);
    gb_op_check_nan(check);
    gb_op_check_memory(check);
}

bool gb_check_op_with(const gb_op *op, const gb_check_op_options *options)
{
    gb_check_op_options own;
    if (!gb_options_copy(&own, sizeof own, options))
        return false;
    enum { CASES = 512 };
    gb_op_check check = {
        .kit = {.subject = op && op->size == sizeof *op && op->name ? op->name : "an operation",
                .report = own.report,
                .seed = own.seed,
                .memory = own.memory,
                .statements = statements},
        .op = op,
        .nan_may_vanish = own.nan_may_vanish};
    if (!is_sound(&check))
        return false;
    run_checks(&check, own.cases ? own.cases : CASES);
    return gb_kit_conclude(&check.kit);
}
