/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an analysis knows of its rows, noted and recalled. */
#include <stdio.h>
#include <string.h>

#include "core/tape.h"
#include "ready/analysis/facts_impl.h"
#include "ready/analysis/made_impl.h"

/* The text of a model. */
enum { GB_MODEL_TEXT = 512 };

const char *gb_analysis_note_name(const gb_analysis *a, const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "%.120s.%.100s", *a->site.name ? a->site.name : "analysis", what);
    return gb_tape_keep_text(a->site.tape, text);
}

/* "" for none: dropout, or points of networks. */
static void write_posterior(const gb_analysis *a, char text[GB_MODEL_TEXT])
{
    *text = 0;
    if (a->site.posterior.type)
        gb_family_text(a->site.posterior, text, GB_MODEL_TEXT);
}

bool gb_analysis_note(gb_analysis *a, gb_model model)
{
    const gb_model_site *const s = &a->site;
    const gb_row_arrays *const r = &a->rows;
    char text[GB_MODEL_TEXT], posterior[GB_MODEL_TEXT];
    gb_model_text(model, text, sizeof text);
    write_posterior(a, posterior);
    return gb_facts_note(
        s->tape, gb_analysis_note_name(a, "facts"),
        &(gb_facts){.model = text,
                    .posterior = posterior,
                    .group = a->options.group ? a->options.group : "",
                    .error = a->options.error ? a->options.error : "",
                    .outcome = s->outcome,
                    .has = (r->weight ? GB_HAS_WEIGHT : 0u) | (r->trials ? GB_HAS_TRIALS : 0u) |
                           (r->offset ? GB_HAS_OFFSET : 0u) | (r->present ? GB_HAS_PRESENT : 0u) |
                           (r->y ? GB_HAS_Y : 0u) | (r->x.at ? GB_HAS_X : 0u) |
                           (a->options.drop_missing ? GB_HAS_DROP_MISSING : 0u) |
                           (r->has_intercept ? GB_HAS_INTERCEPT : 0u),
                    .has_design = a->design,
                    .rows = s->rows,
                    .columns = s->columns,
                    .missing = (int64_t)s->missing,
                    .classes = s->classes,
                    .outcome_mean = s->outcome_mean,
                    .outcome_sd = s->outcome_sd,
                    .counted_rows = s->counted_rows,
                    .mean = s->mean,
                    .sd = s->sd});
}

/* Arrays that are there, but are not read: nodes are made of them. */
static gb_row_arrays as_noted(const gb_facts *f)
{
    static const double some = 0;
    static const int64_t group = 0;
    return (gb_row_arrays){.rows = f->rows,
                           .columns = f->columns,
                           .missing = (size_t)f->missing,
                           .has_intercept = f->has & GB_HAS_INTERCEPT,
                           .x = f->has & GB_HAS_X ? gb_doubles(&some) : (gb_numbers){0},
                           .present = f->has & GB_HAS_PRESENT ? &some : NULL,
                           .y = f->has & GB_HAS_Y ? &some : NULL,
                           .weight = f->has & GB_HAS_WEIGHT ? &some : NULL,
                           .trials = f->has & GB_HAS_TRIALS ? &some : NULL,
                           .offset = f->has & GB_HAS_OFFSET ? &some : NULL,
                           .error = *f->error ? &some : NULL,
                           .group = *f->group ? &group : NULL};
}

static bool is_this_model(gb_tape *t, gb_model model, const gb_facts *f)
{
    char text[GB_MODEL_TEXT];
    gb_model_text(model, text, sizeof text);
    return strcmp(text, f->model) == 0 ||
           gb_fail(t, GB_EARGUMENT, "analysis: the noted model is %s, and this one is %s", f->model, text) ==
               GB_OK;
}

/* Else a model would read beyond its columns, its classes or its groups, or lack a node that it needs. */
static bool has_what_it_takes(const gb_model_type *type, const gb_facts *f, size_t levels, size_t groups)
{
    const struct {
        bool is_there, may_be, must_be;
    } parts[] = {{f->has & GB_HAS_X, true, f->columns > 0},
                 {f->has & GB_HAS_Y, type->outcome, type->outcome},
                 {f->columns > 0, true, !type->outcome || f->has & GB_HAS_INTERCEPT},
                 {f->has & GB_HAS_INTERCEPT, !type->no_intercept && !f->has_design, false},
                 {f->has & GB_HAS_PRESENT, !type->outcome, false},
                 {f->has & GB_HAS_TRIALS, type->takes_trials, false},
                 {f->has & GB_HAS_OFFSET, type->takes_offset, false},
                 {*f->error, type->takes_error, false},
                 {*f->group, type->takes_group, type->needs_group},
                 {groups > 0, *f->group, *f->group},
                 {f->classes > 0, type->is_of_classes, levels > 0}};
    bool good = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        good = good && (parts[i].is_there ? parts[i].may_be : !parts[i].must_be);
    return good;
}

static bool fits(const gb_analysis *a, const gb_facts *f)
{
    const gb_model_type *const type = a->type;
    size_t levels = 0, groups = 0;
    gb_design_outcome_levels(a->design, &levels);
    gb_design_outcome_levels(a->groups, &groups);
    const int64_t columns = gb_design_columns(a->design) -
                            (type->no_intercept && gb_design_has_intercept(a->design) ? 1 : 0),
                  most = type->most_classes > 0 ? type->most_classes : INT64_MAX;
    const bool has_columns = !a->design || f->columns == columns,
               has_classes = (levels == 0 || f->classes == (int64_t)levels) &&
                             (!type->is_of_classes || f->has & GB_HAS_TRIALS ||
                              (f->classes >= 2 && f->classes <= most));
    return (has_columns && has_classes && has_what_it_takes(type, f, levels, groups)) ||
           gb_fail(a->site.tape, GB_EFILE,
                   "analysis: the note of its rows is not of this model and its design; make the analysis "
                   "again, and save it") == GB_OK;
}

bool gb_analysis_recall(gb_analysis *a, gb_model model)
{
    gb_model_site *const s = &a->site;
    gb_facts f;
    if (!gb_facts_read(s->tape, gb_analysis_note_name(a, "facts"), &f) || !is_this_model(s->tape, model, &f))
        return false;
    a->design = f.has_design ? gb_design_noted(s->tape, gb_analysis_note_name(a, "design")) : NULL;
    a->groups = *f.group ? gb_design_noted(s->tape, gb_analysis_note_name(a, "groups")) : NULL;
    a->options.group = *f.group ? f.group : NULL;
    a->options.error = *f.error ? f.error : NULL;
    a->options.drop_missing |= (f.has & GB_HAS_DROP_MISSING) != 0;
    a->rows = as_noted(&f);
    a->noted_posterior = f.posterior;
    s->outcome = f.outcome;
    s->outcome_mean = f.outcome_mean;
    s->outcome_sd = f.outcome_sd;
    s->counted_rows = f.counted_rows;
    s->mean = f.mean;
    s->sd = f.sd;
    s->classes = f.classes;
    s->class_name = a->design ? gb_design_outcome_levels(a->design, NULL) : NULL;
    const bool has_names = s->class_name || f.classes == 0 || f.has & GB_HAS_TRIALS; /* these have no names */
    return gb_error(s->tape) == GB_OK && fits(a, &f) && (has_names || gb_analysis_number_classes(s));
}

/* Variables of two posteriors may have the same names and shapes, and mean other things. */
bool gb_analysis_is_as_noted(const gb_analysis *a)
{
    char text[GB_MODEL_TEXT];
    write_posterior(a, text);
    return strcmp(text, a->noted_posterior) == 0 ||
           gb_fail(a->site.tape, GB_EARGUMENT, "analysis: the noted posterior is %s, and this one is %s",
                   *a->noted_posterior ? a->noted_posterior : "none", *text ? text : "none") == GB_OK;
}
