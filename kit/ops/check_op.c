/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and what is reported of them. */
#include "kit/ops/check_op_impl.h"

#include <stdarg.h>

static const char *const statements[] = {
#define GB_OP_CHECK_TEXT(code, text) text,
    GB_OP_CHECKS(GB_OP_CHECK_TEXT)
#undef GB_OP_CHECK_TEXT
};

bool gb_op_verdict(gb_op_case *c, gb_op_statement statement, bool passed, const char *format, ...)
{
    char label[32] = "";
    if (!passed)
        snprintf(label, sizeof label, "case %u", c->number);
    va_list details;
    va_start(details, format);
    gb_tally_count(&c->check->tally[statement], passed, label, format, details);
    va_end(details);
    return passed;
}

bool gb_op_case_fine(gb_op_case *c)
{
    const gb_status code = gb_error(c->tape);
    return gb_op_verdict(c, GB_CHECK_RECORDED, code == GB_OK, "%s: %s", gb_status_text(code),
                         gb_error_text(c->tape));
}

/* ---- the struct ---- */

static bool lacks_a_domain(const gb_op *op)
{
    for (size_t i = 1; gb_op_has_domain(op) && !op->variadic && i < op->arguments; i++)
        if (!(op->domain[i].low < op->domain[i].high))
            return true;
    return false;
}

/* What is wrong with it; NULL: nothing. */
static const char *what_is_missing(const gb_op *op)
{
    if (op->size != sizeof(gb_op))
        return "its size is not sizeof(gb_op)";
    if (!op->name || !*op->name)
        return "it has no name";
    if (!op->formula || !*op->formula)
        return "it has no formula";
    if (op->form == GB_FORM_ELEMENTWISE && !op->lane && !op->blocks)
        return "an elementwise operation has a function for its value: lane";
    if (op->form == GB_FORM_ELEMENTWISE && !op->variadic && (op->arguments < 1 || op->arguments > 3))
        return "an elementwise operation has one to three arguments";
    if (op->form == GB_FORM_KERNEL && (!op->run || !op->infer))
        return "a kernel has functions for its shape and its value: infer, run";
    if (op->form == GB_FORM_VIEW && (!op->view || !op->infer))
        return "a view has functions for its shape and its strides: infer, view";
    if (op->form == GB_FORM_ALIAS && !op->variadic && op->arguments < 1)
        return "an alias has an argument at least";
    if (lacks_a_domain(op))
        return "some of its arguments have a domain, others have not";
    return NULL;
}

static bool form_is_sound(const gb_op *op, gb_report *report)
{
    const char *const missing = op ? what_is_missing(op) : "it is NULL";
    const char *const name = op && op->size == sizeof(gb_op) && op->name ? op->name : "an operation";
    return gb_report_add(report, !missing, name, statements[GB_CHECK_FORM], "%s", missing ? missing : "") &&
           gb_report_add(report, gb_op_has_cases(op), name, statements[GB_CHECK_CASES], "%s",
                         gb_op_has_cases(op) ? "" : "not checked: no domain and no example");
}

/* ---- the cases ---- */

/* A value of a wrong size is beyond its memory: then nothing else may run. */
static bool may_run(const gb_op_check *check)
{
    return !check->tally[GB_CHECK_RECORDED].failed && !check->tally[GB_CHECK_SHAPE].failed &&
           !check->tally[GB_CHECK_WRITES].failed;
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

static void run_checks(gb_op_check *check)
{
    enum { LOOKS = 24, APART = 21, MISUSES = 4 }; /* numbers apart have other combinations of hidden axes */
    for (unsigned i = 0; i < LOOKS && may_run(check); i++)
        look_first(check, i * APART);
    for (unsigned number = 0; number < check->with.cases && may_run(check); number++)
        gb_op_check_derivatives(check, number);
    if (!may_run(check))
        return;
    for (unsigned number = 0; number < MISUSES; number++)
        gb_op_check_misuse(check, number);
    gb_op_check_threads(check);
    gb_op_check_nan(check);
    gb_op_check_memory(check);
}

bool gb_check_op_with(gb_check_op_settings settings)
{
    if (!form_is_sound(settings.op, settings.report))
        return false;
    if (settings.cases == 0)
        settings.cases = 512;
    gb_op_check check = {.with = settings, .op = settings.op};
    run_checks(&check);
    return gb_tally_tell(settings.report, settings.op->name, GB_OP_CHECK_COUNT, check.tally, statements);
}
