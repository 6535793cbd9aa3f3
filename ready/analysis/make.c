/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready/analysis/made_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ground/text_impl.h"
#include "core/tape.h"
#include "models/elbo/kept_impl.h"

/* ---- what is asked ---- */

/* Where the data come from. */
enum { OF_FORMULA = 1, OF_DESIGN = 2, OF_ARRAYS = 4, OF_NOTES = 8 };

static unsigned source_of(const gb_analysis_options *o)
{
    return (o->formula ? OF_FORMULA : 0u) | (o->design ? OF_DESIGN : 0u) |
           (o->x.at || o->y.at ? OF_ARRAYS : 0u) | (o->noted ? OF_NOTES : 0u);
}

static const char *words_of(unsigned source)
{
    return source == OF_FORMULA  ? ".formula"
           : source == OF_DESIGN ? ".design"
           : source == OF_ARRAYS ? "arrays .x, .y"
                                 : ".noted";
}

/* An option that says nothing of such data would be ignored. */
static bool options_are_used(gb_tape *t, const gb_analysis_options *o, unsigned source)
{
    static const char *const to_tables = ".formula, and .design with its .table";
    const struct {
        const char *name;
        bool is_given;
        unsigned with;
        const char *words;
    } option[] = {{"table", o->table, OF_FORMULA | OF_DESIGN, to_tables},
                  {"group", o->group, OF_FORMULA | OF_DESIGN, to_tables},
                  {"error", o->error, OF_FORMULA | OF_DESIGN, to_tables},
                  {"contrasts", o->contrasts, OF_FORMULA, ".formula"},
                  {"factors", o->factors.count > 0, OF_FORMULA, ".formula"},
                  {"drop_missing", o->drop_missing, OF_FORMULA | OF_DESIGN | OF_NOTES, "tables"},
                  {"rows", o->rows != 0, OF_ARRAYS, "arrays .x, .y"},
                  {"columns", o->columns != 0, OF_ARRAYS, "arrays .x, .y"},
                  {"no_intercept", o->no_intercept, OF_ARRAYS, "arrays .x, .y (a formula has - 1)"},
                  {"weight", o->weight.at, OF_FORMULA | OF_DESIGN | OF_ARRAYS, "the data of a training"},
                  {"batch", o->batch != 0, OF_FORMULA | OF_DESIGN | OF_ARRAYS, "the data of a training"}};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].is_given && !(option[i].with & source))
            return gb_fail(t, GB_EARGUMENT, "analysis: .%s is for %s, and the data are %s", option[i].name,
                           option[i].words, words_of(source)) == GB_OK;
    return true;
}

static bool options_fit(gb_tape *t, const gb_analysis *a)
{
    const gb_analysis_options *const o = &a->options;
    const gb_model_type *const type = a->type;
    const unsigned source = source_of(o);
    return gb_analysis_expect(
               t, source == 0 || (source & (source - 1)) != 0,
               "the data are one of .formula with .table, .design, arrays .x, .y, and .noted") &&
           options_are_used(t, o, source) &&
           gb_analysis_expect(t, o->rows < 0 || o->columns < 0, ".rows or .columns is negative") &&
           gb_analysis_expect(t, o->no_intercept && type->no_intercept,
                              "the model takes no intercept in any case: leave out .no_intercept") &&
           gb_analysis_expect(t, o->design && o->table && !o->group && !o->error,
                              "beside .design a .table is for .group and .error") &&
           gb_analysis_expect(t, o->noted && type->is_whole,
                              "a model of a whole is recorded with its data, so .noted is not enough") &&
           gb_analysis_expect(t, o->formula && !o->table, ".formula needs a .table") &&
           gb_analysis_expect(t, o->design && gb_design_tape(o->design) != t,
                              ".design is of another tape; make it on that of the analysis") &&
           gb_analysis_expect(t, (o->group || o->error) && !o->table,
                              ".group and .error name columns of a table, so they need a .table") &&
           gb_analysis_expect(t, o->group && !type->takes_group, "the model takes no .group") &&
           gb_analysis_expect(t, !o->group && type->needs_group && !o->noted,
                              "the model needs .group, a column of the table") &&
           gb_analysis_expect(t, o->error && !type->takes_error, "the model takes no .error") &&
           gb_analysis_expect(t, type->is_whole && o->batch,
                              "the model has one datum, so there is no .batch") &&
           gb_analysis_expect(
               t, o->weight.at && type->outcome && !(o->x.at || o->y.at),
               ".weight is for arrays and for models without outcome; else the formula has weights, "
               "\"y | weights(w) ~ …\"") &&
           gb_analysis_expect(t, o->batch < 0, ".batch is negative");
}

/* ---- the rows of a table ---- */

/* Of a model whose data are the columns, unless such rows are left out. */
static bool may_lack_numbers(const gb_analysis *a)
{
    return !a->type->outcome && !a->options.drop_missing;
}

static gb_design *new_design(gb_tape *t, const gb_analysis *a)
{
    const gb_analysis_options *const o = &a->options;
    if (!o->formula)
        return o->design;
    return gb_design_new(t, o->formula, o->table, .name = gb_analysis_note_name(a, "design"),
                         .contrasts = o->contrasts, .factors = o->factors, .drop_missing = o->drop_missing,
                         .keep_missing_outcome = true, .keep_missing = may_lack_numbers(a),
                         .weight = o->weight, .beside = {o->group, o->error});
}

/* Groups are read by a formula that the user did not write; here are the words for what it would reject. */
static bool has_groups(const gb_analysis *a, const gb_table *table)
{
    gb_tape *const t = a->site.tape;
    const char *const name = a->options.group;
    char place[GB_TABLE_PLACE];
    const gb_table_column *const group = gb_table_find(table, name);
    if (!group)
        return gb_fail(t, GB_ENAME, "analysis: %s has no column %s, the .group of the model",
                       gb_table_name(table), name) == GB_OK;
    for (int64_t i = 0; i < gb_table_rows(table); i++)
        if (group->number ? isnan(group->number[i]) : group->level[i] < 0)
            return gb_fail(t, GB_EARGUMENT,
                           "analysis: group %s is missing in %s; gb_table_complete leaves out such rows",
                           name, gb_table_place(table, i, place)) == GB_OK;
    return true;
}

/* The groups are the levels of an outcome of their own. */
static gb_design *new_groups(gb_tape *t, const gb_analysis *a, const gb_table *table)
{
    const char *const group = a->options.group;
    char formula[256];
    const gb_factor_column factor = {.column = group};
    if (snprintf(formula, sizeof formula, "`%s` ~ 1", group) >= (int)sizeof formula) {
        gb_fail(t, GB_ENAME, "analysis: the name of column %.40s … is too long", group);
        return NULL;
    }
    return gb_design_new(t, formula, table, .name = gb_analysis_note_name(a, "groups"),
                         .factors = gb_factors_of(1, &factor));
}

/* Numbers are levels by their texts of 15 digits. */
static void write_group(double number, char text[32])
{
    snprintf(text, 32, "%.15g", number);
}

static bool is_level(gb_design *groups, const char *text, bool is_number)
{
    char written[32];
    double number;
    size_t count;
    const char *const *const level = gb_design_outcome_levels(groups, &count);
    for (size_t i = 0; i < count; i++) {
        const bool is_read = is_number && gb_text_number(level[i], strlen(level[i]), &number);
        if (is_read)
            write_group(number, written);
        if (strcmp(is_read ? written : level[i], text) == 0)
            return true;
    }
    return false;
}

/* The groups of new rows. A group that is none of the training is rejected without the formula. */
static gb_design *apply_groups(gb_tape *t, const gb_analysis *a, const gb_table *table)
{
    char number[32], place[GB_TABLE_PLACE], shown[60];
    const gb_table_column *const c = gb_table_find(table, a->options.group);
    gb_design *const groups = gb_design_apply(a->groups, table);
    for (int64_t i = 0; gb_error(t) == GB_ENAME && i < gb_table_rows(table); i++) {
        if (c->number)
            write_group(c->number[i], number);
        const char *const text = c->number ? number : c->levels[c->level[i]];
        if (is_level(a->groups, text, c->number))
            continue;
        gb_text_show(text, strlen(text), sizeof shown, shown);
        gb_forgive(t);
        gb_fail(t, GB_ENAME,
                "analysis: group %.60s is \"%s\" in %s, which is none of the %lld groups of the training, so "
                "nothing is known of it",
                a->options.group, shown, gb_table_place(table, i, place), (long long)a->site.groups);
        return NULL;
    }
    return groups;
}

/* Returns the first row that was left out before others; −1 if none was. */
static int64_t first_gap(gb_rows kept)
{
    for (size_t i = 0; kept.row && i < kept.count; i++)
        if (kept.row[i] != (int64_t)i)
            return (int64_t)i;
    return -1;
}

/* Rows of a series are neighbours in time, so that none can be left out between others. */
static bool has_no_gap(const gb_analysis *a, const gb_table *table, gb_rows kept)
{
    char place[GB_TABLE_PLACE];
    int64_t gap = -1;
    for (size_t i = 1; kept.row && i < kept.count && gap < 0; i++)
        gap = kept.row[i] != kept.row[i - 1] + 1 ? kept.row[i - 1] + 1 : -1;
    if (gap < 0 || !a->type->is_whole || a->type->has_new_rows)
        return true;
    if (table)
        gb_table_place(table, gap, place);
    else
        snprintf(place, sizeof place, "row %lld", (long long)gap);
    return gb_fail(
               a->site.tape, GB_EARGUMENT,
               "analysis: .drop_missing leaves out %s, between others, so a series would close the gap in "
               "time; fill what is missing in columns (a missing outcome may stay, in your own design by "
               ".keep_missing_outcome); the first and the last rows can be left out",
               place) == GB_OK;
}

/* Reads rows of `table` (or arrays) as `source` says. The table with the rows of the design is made here. */
static bool read_rows(gb_analysis *a, gb_row_source *source, const gb_table *table, gb_row_arrays *rows)
{
    gb_tape *const t = a->site.tape;
    const gb_rows kept = gb_design_rows_kept(source->design);
    const int64_t gap = first_gap(kept);
    gb_table *taken = NULL;
    if (!has_no_gap(a, table, kept))
        return false;
    if (table && kept.row && (int64_t)kept.count != gb_table_rows(table)) {
        taken = gb_table_take(table, kept);
        if (!taken)
            return false;
    }
    source->table = taken ? taken : table;
    bool good = gb_error(t) == GB_OK;
    if (good && a->options.group && has_groups(a, source->table)) {
        source->groups = a->groups ? apply_groups(t, a, source->table) : new_groups(t, a, source->table);
        a->groups = a->groups ? a->groups : source->groups;
    }
    good = good && gb_error(t) == GB_OK && gb_row_arrays_read(t, source, a->site.classes, rows);
    if (good && gap >= 0) {
        rows->kept = kept;
        rows->table_rows = kept.row[kept.count - 1] + 1;
    }
    gb_table_free(taken);
    return good;
}

/* ---- recording ---- */

static void set_site(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    s->rows = a->rows.rows;
    s->columns = a->rows.columns;
    s->values = a->options.noted ? (gb_numbers){0} : a->rows.x;
    s->outcomes = a->options.noted ? NULL : a->rows.y;
    s->weights = a->options.noted ? NULL : a->rows.weight;
    s->missing = a->rows.missing;
    s->missing_row = a->rows.missing_row;
    s->posterior = a->options.posterior;
    s->estimator = a->options.estimator;
    if (a->groups) {
        size_t count;
        s->group_name = gb_design_outcome_levels(a->groups, &count);
        s->groups = (int64_t)count;
    }
}

static bool record(gb_analysis *a)
{
    gb_model_site *const s = &a->site;
    const gb_analysis_options *const o = &a->options;
    if (!gb_analysis_make_nodes(a) || !gb_model_parts_new(s))
        return false;
    s->parts->present = a->rows.present;
    s->parts->group = a->rows.group;
    s->parts->offset = a->rows.offset;
    s->parts->trials = a->rows.trials;
    s->elbo = gb_elbo_new(s->tape, .data_size = a->type->is_whole ? 1 : (double)s->rows,
                          .samples = o->samples, .kl = o->kl);
    if (!s->elbo || !a->type->build(s, &a->model))
        return false;
    a->data = a->type->is_whole || o->noted
                  ? NULL
                  : gb_analysis_feed(a, &a->rows, false, *s->name ? gb_model_name(s, "batches") : NULL);
    return gb_error(s->tape) == GB_OK;
}

static const gb_domain *domain_of(const gb_analysis *a)
{
    const gb_domain *const narrowed = GB_HAS(a->type, domain) ? a->type->domain(&a->model) : NULL;
    return narrowed ? narrowed : a->type->outcome ? a->type->outcome : a->type->columns;
}

static const char *name_of_outcome(const gb_analysis *a)
{
    const char *const name = a->design && a->type->outcome ? gb_design_outcome_name(a->design) : "";
    return *name ? name : a->type->outcome ? "y" : "x";
}

/* Texts are sorted by their letters, which is no order of classes. */
static bool has_order(const gb_analysis *a)
{
    char list[160] = "";
    size_t count = 0, used = 0;
    const char *const *const level = a->design ? gb_design_outcome_levels(a->design, &count) : NULL;
    if (!a->type->is_ordered || !level || gb_design_outcome_has_order(a->design))
        return true;
    for (size_t i = 0; i < count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", i > 0 ? ", " : "", level[i]);
    return gb_fail(
               a->site.tape, GB_EARGUMENT,
               "analysis: the model needs the order of the levels of %s, which are texts: give it from the "
               "lowest to the highest, by .factors = GB_FACTORS({.column = \"%s\", .levels = \"%s\"}) with "
               "these in their order",
               a->site.outcome, a->site.outcome, list) == GB_OK;
}

static bool read_data(gb_analysis *a)
{
    gb_tape *const t = a->site.tape;
    const gb_analysis_options *const o = &a->options;
    a->design = new_design(t, a);
    if (gb_error(t) != GB_OK)
        return false;
    a->site.outcome = gb_tape_keep_text(t, name_of_outcome(a));
    gb_row_source source = {.type = a->type,
                            .design = a->design,
                            .error = o->error,
                            .x = o->x,
                            .y = o->y,
                            .weight = o->weight,
                            .rows = o->rows,
                            .columns = o->columns,
                            .name = a->site.outcome,
                            .adds_intercept = !a->design && !a->type->no_intercept && !o->no_intercept,
                            .domain = domain_of(a)};
    return a->site.outcome && has_order(a) && read_rows(a, &source, o->table, &a->rows) &&
           gb_analysis_know(a);
}

gb_analysis *gb_analysis_new_with(gb_tape *tape, gb_model model, const gb_analysis_options *given)
{
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    gb_analysis *const a = gb_tape_keep(tape, sizeof *a);
    if (!a)
        return NULL;
    *a = (gb_analysis){.site.tape = tape, .type = model.type};
    if (!gb_options_take(tape, "analysis", &a->options, sizeof a->options, given) ||
        !gb_options_use(tape, "analysis", NULL, &gb_model_kind, model.type, &model.options, &a->model) ||
        !options_fit(tape, a))
        return NULL;
    a->site.name = a->options.name ? gb_tape_keep_text(tape, a->options.name) : "";
    if (!a->site.name)
        return NULL;
    bool good = a->options.noted ? gb_analysis_recall(a, model) : read_data(a);
    set_site(a);
    gb_tape_set_awaiting(tape, a->options.noted);
    good = good && gb_analysis_name_columns(a) && record(a);
    gb_tape_set_awaiting(tape, false);
    return good && (a->options.noted ? gb_analysis_is_as_noted(a) : gb_analysis_note(a, model)) ? a : NULL;
}

/* ---- new rows ---- */

static gb_batches *feed_new(gb_analysis *a, gb_row_source *source, const gb_table *table)
{
    gb_tape *const t = a->site.tape;
    gb_row_arrays rows;
    char name[48];
    if (a->type->is_whole && !a->type->has_new_rows) {
        gb_fail(
            t, GB_EARGUMENT,
            "analysis: a model of a series or of a whole has no new rows; to predict the future, append rows "
            "whose outcome is missing to the table of the training");
        return NULL;
    }
    source->type = a->type;
    source->are_new = true;
    source->error = a->options.error;
    source->name = a->site.outcome;
    source->domain = domain_of(a);
    if (!read_rows(a, source, table, &rows))
        return NULL;
    if (!gb_analysis_expect(a->site.tape, gb_node_ok(a->site.trials) && !rows.trials,
                            "new rows need trials: the column of trials(n), or both of cbind"))
        return NULL;
    snprintf(name, sizeof name, "new rows %d", ++a->new_rows);
    return gb_analysis_feed(a, &rows, true, name);
}

gb_batches *gb_analysis_rows(gb_analysis *a, const gb_table *table)
{
    if (!a || !table || gb_error(a->site.tape) != GB_OK)
        return NULL;
    if (!a->design) {
        gb_fail(a->site.tape, GB_EARGUMENT,
                "analysis: it was made of arrays; gb_analysis_new_rows takes more of them");
        return NULL;
    }
    gb_row_source source = {
        .design = gb_design_apply(a->design, table, .drop_missing = a->options.drop_missing,
                                  .keep_missing_outcome = true, .keep_missing = may_lack_numbers(a),
                                  .beside = {a->options.group, a->options.error})};
    return source.design ? feed_new(a, &source, table) : NULL;
}

gb_batches *gb_analysis_new_rows_with(gb_analysis *a, const gb_analysis_new_rows_options *given)
{
    gb_analysis_new_rows_options o;
    gb_tape *const t = a ? a->site.tape : NULL;
    if (!gb_options_take(t, "analysis_new_rows", &o, sizeof o, given) || !t || gb_error(t) != GB_OK)
        return NULL;
    const int64_t columns = a->rows.columns - a->rows.has_intercept;
    gb_row_source source = {
        .x = o.x, .y = o.y, .rows = o.rows, .columns = columns, .adds_intercept = a->rows.has_intercept};
    return gb_analysis_expect(t, a->design, "it was made of a table; gb_analysis_rows takes another") &&
                   gb_analysis_expect(t, o.rows < 0, "the number of new rows is negative") &&
                   gb_analysis_expect(t, columns > 0 && !o.x.at,
                                      "new rows need .x, as the training has it") &&
                   gb_analysis_expect(t, columns == 0 && o.x.at,
                                      "the training has no .x, so new rows have none")
               ? feed_new(a, &source, NULL)
               : NULL;
}

/* ---- looking at it ---- */

gb_elbo *gb_analysis_elbo(const gb_analysis *a)
{
    return a ? a->site.elbo : NULL;
}

gb_batches *gb_analysis_data(const gb_analysis *a)
{
    return a ? a->data : NULL;
}

gb_node_list gb_analysis_nodes(const gb_analysis *a)
{
    return a ? gb_roots_of(a->site.parts->shown.count, a->site.parts->shown.node) : (gb_node_list){0};
}

gb_node_list gb_analysis_kept_nodes(const gb_analysis *a)
{
    return a ? gb_roots_of(a->site.parts->kept.count, a->site.parts->kept.node) : (gb_node_list){0};
}

gb_node gb_analysis_node_named(const gb_analysis *a, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    if (!a || !name)
        return (gb_node){0};
    const gb_model_nodes *const shown = &a->site.parts->shown, *const kept = &a->site.parts->kept;
    for (size_t i = 0; i < shown->count + kept->count; i++) {
        const gb_node node = i < shown->count ? shown->node[i] : kept->node[i - shown->count];
        const char *const is = gb_node_name(node);
        if (strcmp(is, name) == 0)
            return node;
        if (count < MOST)
            names[count++] = is;
    }
    const char *const nearest = gb_nearest_name(name, count, names);
    gb_fail(a->site.tape, GB_ENAME, "analysis: nothing is shown as %s%s%s%s", name,
            nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    return (gb_node){0};
}

gb_node gb_analysis_log_likelihood(const gb_analysis *a)
{
    if (!a || gb_error(a->site.tape) != GB_OK)
        return (gb_node){0};
    gb_tape *const t = a->site.tape;
    const char *const of_rows = gb_elbo_latent_of_rows(a->site.elbo);
    if (of_rows) {
        gb_fail(
            t, GB_EARGUMENT,
            "analysis: latent %s is there for each row, and is drawn, so a row has no log likelihood given "
            "the other latents alone; sum it out (a mixture without .classes, factors without .scores), or "
            "predict rows that were held out",
            of_rows);
        return (gb_node){0};
    }
    const bool good =
        gb_analysis_expect(
            t, a->type->is_whole,
            "rows of a series or of a whole depend on each other, so none can be left out by its "
            "own log likelihood; predict rows that were held out") &&
        gb_analysis_expect(t, !gb_node_ok(a->site.parts->log_p),
                           "the model has no log likelihood of each row");
    return good ? a->site.parts->log_p : (gb_node){0};
}

const char *gb_analysis_outcome(const gb_analysis *a)
{
    return a ? a->site.outcome : NULL;
}

gb_design *gb_analysis_design(const gb_analysis *a)
{
    return a ? a->design : NULL;
}

const gb_model_site *gb_analysis_site(const gb_analysis *a)
{
    return a ? &a->site : NULL;
}
