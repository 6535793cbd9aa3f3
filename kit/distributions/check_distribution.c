/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the checks, and what is reported of them. */
#include <stdarg.h>

#include "kit/distributions/check_distribution_impl.h"

static const char *const statements[] = {
#define GB_DIST_CHECK_TEXT(code, text) text,
    GB_DIST_CHECKS(GB_DIST_CHECK_TEXT)
#undef GB_DIST_CHECK_TEXT
};

bool gb_dist_verdict(gb_dist_case *c, gb_dist_statement statement, bool passed, const char *format, ...)
{
    va_list details;
    va_start(details, format);
    gb_tally_count(&c->check->tally[statement], passed, c->label, format, details);
    va_end(details);
    return passed;
}

void gb_dist_skip(gb_dist_case *c, gb_dist_statement statement, const char *why)
{
    gb_tally_skip(&c->check->tally[statement], why);
}

bool gb_dist_case_fine(gb_dist_case *c)
{
    if (!c->tape)
        return false;
    const gb_status code = gb_error(c->tape);
    return gb_dist_verdict(c, GB_DIST_CHECK_RECORDED, code == GB_OK, "%s: %s", gb_status_text(code),
                           gb_error_text(c->tape));
}

/* ---- the struct ---- */

static bool form_is_sound(const gb_dist_type *type, gb_report *report)
{
    const char *const missing = gb_dist_type_fault(type);
    const bool named = type && type->size == sizeof(gb_dist_type) && type->name;
    return gb_report_add(report, !missing, named ? type->name : "a distribution",
                         statements[GB_DIST_CHECK_FORM], "%s", missing ? missing : "");
}

/* ---- the cases ---- */

static void check_case(gb_dist_check *check, gb_case_number which)
{
    gb_dist_check_law(check, which);
    gb_dist_check_gradients(check, which);
    gb_dist_check_edges(check, which);
    gb_dist_check_draws(check, which);
    gb_dist_check_score(check, which);
    gb_dist_check_pathwise(check, which);
    gb_dist_check_enumerate(check, which);
    gb_dist_check_measures(check, which);
    gb_dist_check_kl(check, which);
}

static void check_form(gb_dist_check *check, bool alternative)
{
    const size_t count = gb_dist_case_count(check, alternative);
    gb_dist_case none = {.check = check, .label = "the grid of parameters"};
    gb_dist_verdict(&none, GB_DIST_CHECK_CASES, count > 0,
                    "not checked: its domains give no parameters; settings.make does");
    for (size_t i = 0; i < count; i++)
        check_case(check, (gb_case_number){.number = i, .alternative = alternative});
    if (count > 0 && !check->with.make) {
        gb_dist_check_batch(check, alternative);
        gb_dist_check_refusals(check, alternative);
    }
}

bool gb_check_distribution_with(gb_check_distribution_settings settings)
{
    enum { DRAWS = 100000, CASES = 5, LEAST_DRAWS = 6400 };
    if (!form_is_sound(settings.type, settings.report))
        return false;
    if (settings.draws == 0)
        settings.draws = DRAWS;
    if (settings.draws < LEAST_DRAWS)
        settings.draws = LEAST_DRAWS;
    if (settings.cases == 0)
        settings.cases = CASES;
    gb_dist_check check = {.with = settings, .type = settings.type};
    check_form(&check, false);
    if (settings.type->alternative[0].name && !settings.make)
        check_form(&check, true);
    if (settings.references)
        gb_dist_check_references(&check);
    if (check.starved)
        gb_dist_verdict(&(gb_dist_case){.check = &check, .label = "the grid of parameters"},
                        GB_DIST_CHECK_RECORDED, false, "out of memory");
    return gb_tally_tell(settings.report, settings.type->name, GB_DIST_CHECK_COUNT, check.tally, statements);
}
