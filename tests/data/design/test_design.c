/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Designs: what stands left of ~, missing cells, factors, other rows, what is said about them. */
#include "support/close.h"

#include <math.h>
#include <stdlib.h>

#include "data/formula.h"
#include "support/counted_memory.h"
#include "support/misuse.h"

static const char *const penguins = "species,size,mass,flipper,year\n" /* of our own making */
                                    "Adelie,small,3700,181,2007\n"
                                    "Gentoo,large,5000,220,2008\n"
                                    "Adelie,medium,3900,190,2008\n"
                                    "Chinstrap,small,3500,192,2009\n"
                                    "Gentoo,medium,4800,215,2007\n"
                                    "Chinstrap,large,4100,201,2009\n";

static void assert_names_at(const gb_design *d, const char *const *names, int line)
{
    int64_t i = 0;
    for (; names[i]; i++)
        if (!gb_design_column_name(d, i) || strcmp(gb_design_column_name(d, i), names[i]) != 0)
            fail_msg("line %d: column %d is %s, and not %s", line, (int)i, gb_design_column_name(d, i),
                     names[i]);
    assert_int_equal(gb_design_columns(d), i);
}
#define assert_names(design, ...) assert_names_at(design, (const char *const[]){__VA_ARGS__, NULL}, __LINE__)

static void assert_numbers_at(gb_numbers x, const double *should, size_t count, int line)
{
    if (!x.at || x.count != count)
        fail_msg("line %d: there are %zu numbers, not %zu", line, x.count, count);
    for (size_t i = 0; i < count; i++) {
        const double is = gb_numbers_at(x, i);
        if (!(isnan(should[i]) ? isnan(is) : fabs(is - should[i]) <= 1e-14 * fmax(1, fabs(should[i]))))
            fail_msg("line %d: number %zu is %.17g, and not %.17g", line, i, is, should[i]);
    }
}
#define assert_numbers(x, ...)                                                                               \
    assert_numbers_at(x, (const double[]){__VA_ARGS__},                                                      \
                      sizeof((const double[]){__VA_ARGS__}) / sizeof(double), __LINE__)

/* ---- what stands left of ~ ---- */

TEST(an_outcome_of_texts_is_the_index_of_its_level)
{
    size_t count;
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    const gb_design *const x = gb_design_new(t, "species ~ mass", d);
    assert_numbers(gb_design_outcome(x), 0, 2, 0, 1, 2, 1);
    const char *const *const levels = gb_design_outcome_levels(x, &count);
    assert_int_equal(count, 3);
    assert_string_equal(levels[1], "Chinstrap");
    assert_string_equal(gb_design_outcome_name(x), "species");
    assert_names(x, "(Intercept)", "mass");
    const gb_design *const numbers = gb_design_new(t, "log(mass) ~ species", d, .name = "numbers");
    assert_null(gb_design_outcome_levels(numbers, &count));
    assert_int_equal(count, 0);
    assert_string_equal(gb_design_outcome_name(numbers), "log(mass)");
    gb_table_free(d);
}

/* As gb_predictive and gb_table_find take it; in a calculation it stands as R writes it. */
TEST(an_outcome_of_an_unusual_name_has_no_backticks)
{
    gb_table *const d = gb_table_of_text(t, "d", "kid score,x\n1,1\n2,2\n3,5\n");
    assert_string_equal(gb_design_outcome_name(gb_design_new(t, "`kid score` ~ x", d)), "kid score");
    assert_string_equal(gb_design_outcome_name(gb_design_new(t, "log(`kid score`) ~ x", d, .name = "b")),
                        "log(`kid score`)");
    assert_fine(t);
    gb_table_free(d);
}

TEST(successes_and_failures_give_trials)
{
    gb_table *const d = gb_table_of_text(t, "d", "s,f,x,w\n1,4,0,0.5\n0,0,1,2\n3,1,2,0\n");
    const gb_design *const x = gb_design_new(t, "cbind(s, f) | weights(w) ~ x", d);
    assert_numbers(gb_design_outcome(x), 1, 0, 3);
    assert_numbers(gb_design_trials(x), 5, 0, 4);
    assert_numbers(gb_design_weights(x), 0.5, 2, 0);
    assert_null(gb_design_offset(x).at);
    const gb_design *const wrong = gb_design_new(t, "cbind(s - 1, f) ~ x", d, .name = "w");
    assert_null(wrong);
    assert_rejected(t, GB_EARGUMENT, "s - 1 is -1 in d, line 3, and successes are whole numbers from 0");
    gb_table_free(d);
}

TEST(trials_weights_and_offsets_are_numbers_of_the_rows)
{
    gb_table *const d = gb_table_of_text(t, "d", "s,n,x,e,w\n1,5,0,0.5,1\n0,2,1,-1,2\n");
    const gb_design *const x =
        gb_design_new(t, "s | (weights(2 * w) + trials(n)) ~ x + offset(e) + offset(log(n))", d);
    assert_numbers(gb_design_outcome(x), 1, 0);
    assert_numbers(gb_design_trials(x), 5, 2);
    assert_numbers(gb_design_weights(x), 2, 4);
    assert_numbers(gb_design_offset(x), 0.5 + log(5), -1 + log(2));
    assert_names(x, "(Intercept)", "x");
    const gb_design *const one = gb_design_new(t, "s | trials(1) ~ x", d, .name = "one");
    assert_numbers(gb_design_trials(one), 1, 1);
    gb_table_free(d);
}

TEST(a_formula_may_have_no_outcome)
{
    gb_table *const d = gb_table_of_text(t, "d", "x\n1\n2\n");
    const gb_design *const x = gb_design_new(t, "~ x", d);
    assert_numbers(gb_design_values(x), 1, 1, 1, 2);
    assert_string_equal(gb_design_outcome_name(x), "");
    assert_fine(t);
    assert_null(gb_design_outcome(x).at);
    assert_rejected(t, GB_EARGUMENT, "design_outcome: the formula has no outcome left of ~");
    gb_table_free(d);
}

/* ---- columns ---- */

TEST(columns_know_their_terms)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    const gb_design *const x = gb_design_new(t, "mass ~ species + poly(flipper, 2) + flipper:species", d);
    assert_string_equal(gb_design_column_term(x, 0), "(Intercept)");
    assert_string_equal(gb_design_column_term(x, 2), "species");
    assert_string_equal(gb_design_column_term(x, 4), "poly(flipper, 2)");
    assert_string_equal(gb_design_column_term(x, 6), "species:flipper");
    assert_null(gb_design_column_term(x, -1));
    assert_null(gb_design_column_name(x, 8));
    assert_true(gb_design_has_intercept(x));
    assert_false(gb_design_has_intercept(gb_design_new(t, "mass ~ 0 + flipper", d, .name = "b")));
    assert_string_equal(gb_design_formula(x), "mass ~ species + poly(flipper, 2) + flipper:species");
    gb_table_free(d);
}

TEST(numbers_become_a_factor_by_request)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    assert_names(gb_design_new(t, "mass ~ year", d), "(Intercept)", "year");
    assert_names(gb_design_new(t, "mass ~ year", d, .name = "b", .factors = GB_FACTORS({.column = "year"})),
                 "(Intercept)", "year2008", "year2009");
    gb_table_free(d);
}

TEST(a_factor_has_the_levels_that_it_is_given)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    const gb_design *const x = gb_design_new(
        t, "mass ~ size + species", d,
        .factors = GB_FACTORS({.column = "size", .levels = "small, medium , \"large\",\"very, very large\""},
                              {.column = "species", .base = "Gentoo"}));
    assert_names(x, "(Intercept)", "sizemedium", "sizelarge", "sizevery, very large", "speciesAdelie",
                 "speciesChinstrap");
    assert_numbers(gb_numbers_of(GB_NUMBER_DOUBLE, gb_design_values(x).at, 12), 1, 0, 0, 0, 1, 0, 1, 0, 1, 0,
                   0, 0);
    gb_table_free(d);
}

TEST(wrong_factors_are_rejected)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    const struct {
        gb_factor_column factor;
        const char *words;
    } wrong[] = {
        {{.column = "size", .levels = "small,medum,large"},
         "size is \"medium\" in penguins, line 4, which is none of its 3 levels; did you mean medum?"},
        {{.column = "size", .levels = "small,medium,small,large"},
         "the level \"small\" of size stands twice"},
        {{.column = "size", .levels = "small,\"medium\" size,large"},
         "design: .levels of size has \"medium\" size, and a level in quotes ends with a quote and a comma"},
        {{.column = "size", .levels = "small,\"medium,large"}, ".levels of size has \"medium, and a level"},
        {{.column = "size", .base = "lrge"},
         ".base of size is lrge, which is none of its 3 levels; did you mean large?"},
        {{.column = "sise"}, ".factors names column sise, which penguins lacks; did you mean size?"},
        {{.column = NULL}, "factor 1 of .factors has no column"},
        {{.column = "size", .contrasts = (gb_contrasts)9}, "factor 1 of .factors has no known contrasts"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(gb_design_new(t, "mass ~ size", d, .factors = gb_factors_of(1, &wrong[i].factor)));
        assert_rejected(t, gb_error(t), wrong[i].words);
    }
    gb_table_free(d);
}

TEST(a_factor_of_one_level_explains_nothing)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,f\n1,a\n2,a\n");
    assert_null(gb_design_new(t, "y ~ f", d));
    assert_rejected(t, GB_EARGUMENT, "f has one level, \"a\", in all rows: it explains nothing");
    assert_names(gb_design_new(t, "y ~ f - 1", d), "fa");
    gb_table_free(d);
}

/* Levels that do not occur in these rows are not those of the design, as in R's lm. */
TEST(levels_are_those_that_occur)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins), *const some = gb_table_take(
                                                                       d,
                                                                       gb_rows_of(3, (int64_t[]){0, 1, 2}));
    assert_names(gb_design_new(t, "mass ~ species", some), "(Intercept)", "speciesGentoo");
    gb_table_free(d);
    gb_table_free(some);
}

TEST(numbers_that_are_written_alike_are_one_level)
{
    const double k[] = {0.3, 0.1 + 0.2, 0.5};
    gb_table *const d = gb_table_new(t, "d", 3);
    gb_table_add(d, "k", gb_doubles(k));
    const gb_design *const x = gb_design_new(t, "~ factor(k) - 1", d);
    assert_names(x, "factor(k)0.3", "factor(k)0.5");
    assert_numbers(gb_design_values(x), 1, 0, 1, 0, 0, 1);
    gb_table_free(d);
}

/* ---- the rows that count ---- */

/* Whether both have the same first rows. */
static void assert_same_rows(gb_design *a, gb_design *b, size_t rows)
{
    const size_t columns = (size_t)gb_design_columns(a);
    assert_int_equal(gb_design_columns(b), columns);
    for (size_t i = 0; i < rows * columns; i++)
        assert_near(gb_numbers_at(gb_design_values(a), i), gb_numbers_at(gb_design_values(b), i), 1e-13);
}

static const struct counting_case {
    const char *name, *table; /* the formula; a table whose first five rows are those of the usual table */
} counting[] = {
    {"y ~ scale(x) + poly(x, 3)", "y,x,w\n1,1,1\n2,2,1\n4,4,1\n3,5,1\n3,7,1\n,30,1\n,40,1\n"},
    {"y | weights(w) ~ scale(x) + poly(x, 3)", "y,x,w\n1,1,1\n2,2,1\n4,4,1\n3,5,1\n3,7,1\n3,30,0\n,40,1\n"},
    {"cbind(y, w) ~ scale(x) + poly(x, 3)", "y,x,w\n1,1,1\n2,2,1\n4,4,1\n3,5,1\n3,7,1\n3,30,\n,40,1\n"}};

TEST_EACH(rows_that_do_not_count_teach_nothing, counting)
{
    const struct counting_case *const c = row;
    gb_table *const d = gb_table_of_text(t, "d", "y,x\n1,1\n2,2\n4,4\n3,5\n3,7\n"), *const more =
                                                                                        gb_table_of_text(
                                                                                            t, "more",
                                                                                            c->table);
    assert_same_rows(gb_design_new(t, "y ~ scale(x) + poly(x, 3)", d),
                     gb_design_new(t, c->name, more, .name = "more", .keep_missing_outcome = true), 5);
    assert_fine(t);
    gb_table_free(d);
    gb_table_free(more);
}

TEST(a_row_of_weight_2_teaches_as_two_rows)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,w\n1,1,1\n2,2,2\n4,4,1\n3,5,3\n3,7,1\n"),
                    *const twice =
                        gb_table_of_text(t, "twice", "y,x\n1,1\n2,2\n4,4\n3,5\n3,7\n2,2\n3,5\n3,5\n");
    static const double weight[] = {1, 2, 1, 3, 1};
    const char *const right = "scale(x) + poly(x, 2) + scale(x, center = FALSE)";
    char left[100];
    snprintf(left, sizeof left, "~ %s", right);
    gb_design *const should = gb_design_new(t, left, twice);
    assert_same_rows(should, gb_design_new(t, left, d, .name = "b", .weight = gb_doubles(weight)), 5);
    snprintf(left, sizeof left, "y | weights(w) ~ %s", right);
    assert_same_rows(should, gb_design_new(t, left, d, .name = "a"), 5);
    snprintf(left, sizeof left, "scale(y) | weights(w) ~ %s", right);
    const gb_numbers y = gb_design_outcome(gb_design_new(t, left, d, .name = "c")),
                     both = gb_design_outcome(gb_design_new(t, "scale(y) ~ x", twice, .name = "d"));
    for (size_t i = 0; i < 5; i++)
        assert_near(gb_numbers_at(y, i), gb_numbers_at(both, i), 1e-14);
    assert_fine(t);
    gb_table_free(d);
    gb_table_free(twice);
}

TEST(a_text_among_numbers_of_new_rows_is_the_one_that_is_named)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x\n1,1\n2,2\n3,4\n"), *const more = gb_table_of_text(
                                                                              t, "more", "x\n1\n2\n?\n5\n");
    gb_design_apply(gb_design_new(t, "y ~ x", d), more);
    assert_rejected(t, GB_ETYPE, "column x has texts, such as \"?\" in more, line 4");
    gb_table_free(d);
    gb_table_free(more);
}

TEST(levels_are_those_of_all_rows_and_numbers_those_of_the_rows_that_count)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x,k\n1,1,a\n2,1,b\n,2,c\n"),
                    *const none = gb_table_of_text(t, "none", "y,x,w\n1,1,0\n2,3,0\n");
    assert_names(gb_design_new(t, "y ~ k", d, .keep_missing_outcome = true), "(Intercept)", "kb", "kc");
    gb_design_new(t, "y ~ scale(x)", d, .name = "x", .keep_missing_outcome = true);
    assert_rejected(t, GB_EARGUMENT, "they are 1 in all 2 rows that count");
    gb_design_new(t, "y ~ poly(x, 1)", d, .name = "y", .keep_missing_outcome = true);
    assert_rejected(t, GB_EARGUMENT, "need 2 different numbers, and there are 1 in the rows that count");
    const double root = 1 / sqrt(2);
    assert_numbers(gb_design_values(gb_design_new(t, "y | weights(w) ~ 0 + scale(x)", none, .name = "none")),
                   -root, root);
    static const double bad[] = {1, -1, 1}, few[] = {1, 1};
    gb_design_new(t, "x ~ k", d, .name = "z", .weight = gb_doubles(bad));
    assert_rejected(t, GB_EARGUMENT, "design: .weight is -1 in row 1, and must be finite and not negative");
    gb_design_new(t, "x ~ k", d, .name = "z", .weight = gb_numbers_of(GB_NUMBER_DOUBLE, few, 2));
    assert_rejected(t, GB_ESHAPE, "design: .weight has 2 numbers, and the table 3 rows");
    gb_table_free(d);
    gb_table_free(none);
}

/* ---- missing cells ---- */

static const char *const holes = "y,x,f,z\n1,2,a,1\n,3,b,2\n3,NA,a,NA\n4,5,,4\n5,6,b,5\n";

TEST(a_missing_cell_is_an_error_that_says_where)
{
    gb_table *const d = gb_table_of_text(t, "holes.csv", holes);
    const struct {
        const char *formula, *words;
    } wrong[] = {
        {"y ~ z", "y is missing in holes.csv, line 3; .drop_missing = true leaves out such rows, "
                  ".keep_missing_outcome = true keeps them\n    y ~ z\n    ^"},
        {"~ log(x)",
         "x is missing in holes.csv, line 4; .drop_missing = true leaves out such rows\n    ~ log(x)\n"
         "          ^"},
        {"~ f", "f is missing in holes.csv, line 5"},
        {"~ offset(x)", "x is missing in holes.csv, line 4"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(gb_design_new(t, wrong[i].formula, d));
        assert_rejected(t, GB_EARGUMENT, wrong[i].words);
    }
    gb_table_free(d);
}

TEST(rows_with_missing_cells_are_dropped_by_request)
{
    gb_table *const d = gb_table_of_text(t, "holes.csv", holes);
    const gb_design *const x = gb_design_new(t, "y ~ x + f", d, .drop_missing = true);
    const gb_rows rows = gb_design_rows_kept(x);
    assert_int_equal(gb_design_rows(x), 2);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.row[0], 0);
    assert_int_equal(rows.row[1], 4);
    assert_numbers(gb_design_values(x), 1, 2, 0, 1, 6, 1);
    assert_numbers(gb_design_outcome(x), 1, 5);
    const gb_design *const other = gb_design_new(t, "y ~ . - x - z", d, .drop_missing = true, .name = "b");
    assert_int_equal(gb_design_rows(other), 3); /* x and z may be missing: they have no column */
    gb_table_free(d);
}

TEST(an_outcome_alone_may_be_missing)
{
    gb_table *const d = gb_table_of_text(t, "holes.csv", holes);
    const gb_design *const x =
        gb_design_new(t, "scale(y) ~ f", d, .drop_missing = true, .keep_missing_outcome = true);
    const double sd = 2; /* of 1, 3, 5 */
    assert_int_equal(gb_design_rows(x), 4);
    assert_numbers(gb_design_outcome(x), (1 - 3) / sd, NAN, (3 - 3) / sd, (5 - 3) / sd);
    const gb_design *const level = gb_design_new(t, "f ~ 1", d, .keep_missing_outcome = true, .name = "b");
    assert_numbers(gb_design_outcome(level), 0, 1, 0, NAN, 1);
    gb_table_free(d);
}

/* Cells that are there are what is learned from. */
TEST(numbers_of_the_columns_may_be_missing)
{
    gb_table *const d = gb_table_of_text(t, "holes.csv", "x,z,f\n1,2,a\n,4,b\n3,,a\n5,8,\n7,9,b\n"),
                    *const new = gb_table_of_text(t, "new.csv", "x,z,f\n,2,a\n,1,\n");
    gb_design *const x = gb_design_new(t, "~ scale(x) + f + x:f", d, .keep_missing = true);
    const double mean = 4, sd = sqrt(20. / 3), n = NAN;
    assert_fine(t);
    assert_numbers(gb_design_values(x), 1, (1 - mean) / sd, 0, 1, 0, 1, n, 1, n, n, 1, (3 - mean) / sd, 0, 3,
                   0, 1, (5 - mean) / sd, n, n, n, 1, (7 - mean) / sd, 1, 0, 7);
    assert_string_equal(gb_design_warnings(x), "");
    assert_numbers(gb_design_values(gb_design_apply(x, new, .keep_missing = true)), 1, n, 0, n, n, 1, n, n, n,
                   n);
    assert_null(gb_design_apply(x, new));
    assert_rejected(t, GB_EARGUMENT, "x is missing in new.csv, line 2");
    gb_table_free(d);
    gb_table_free(new);
}

TEST(a_column_without_a_cell_is_rejected)
{
    gb_table *const d = gb_table_of_text(t, "d", "x,f\n1,\n2,\n"), *const far = gb_table_of_text(
                                                                       t, "far", "x,z\n1e200,1e200\n,1\n");
    assert_null(gb_design_new(t, "~ x + f", d, .keep_missing = true));
    assert_rejected(t, GB_EARGUMENT, "f is missing in all rows");
    assert_null(gb_design_new(t, "~ x:z", far, .keep_missing = true, .name = "b"));
    assert_rejected(t, GB_ENONFINITE, "design: column x:z is not finite in far, line 2");
    gb_table_free(d);
    gb_table_free(far);
}

TEST(what_is_there_of_a_column_may_be_constant)
{
    gb_table *const d = gb_table_of_text(t, "d", "x,z\n,1\n2,2\n2,\n");
    gb_design *const x = gb_design_new(t, "~ x + z", d, .keep_missing = true);
    assert_string_equal(gb_design_warnings(x), "column x is 2 in all rows\n");
    gb_table_free(d);
}

TEST(a_design_needs_a_row)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x\n1,\n,2\n");
    assert_null(gb_design_new(t, "y ~ x", d, .drop_missing = true));
    assert_rejected(t, GB_EARGUMENT, "design: no row of d has all cells that y ~ x needs");
    gb_table_free(d);
}

/* ---- other rows ---- */

TEST(other_rows_get_what_was_learned)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins), *const one = gb_table_of_text(
                                                                       t, "new",
                                                                       "flipper,species\n210,Gentoo\n");
    const gb_design *const x = gb_design_new(t, "log(mass) ~ scale(flipper) * species", d);
    const gb_design *const new = gb_design_apply(x, one);
    const double flipper[] = {181, 220, 190, 192, 215, 201};
    double mean = 0, squares = 0;
    for (int i = 0; i < 6; i++)
        mean += flipper[i] / 6;
    for (int i = 0; i < 6; i++)
        squares += (flipper[i] - mean) * (flipper[i] - mean);
    const double z = (210 - mean) / sqrt(squares / 5);
    assert_numbers(gb_design_values(new), 1, z, 0, 1, 0, z);
    assert_fine(t);
    assert_null(gb_design_outcome(new).at);
    assert_rejected(t, GB_ENAME, "design_outcome: new has no column mass, so it has no outcome");
    gb_table_free(d);
    gb_table_free(one);
}

TEST(other_rows_must_fit)
{
    gb_table *const d = gb_table_of_text(t, "penguins", penguins);
    const gb_design *const x = gb_design_new(t, "mass ~ log(flipper - 100) + species + factor(year)", d);
    const struct {
        const char *text, *words;
    } wrong[] = {
        {"flipper,species,year\n1,Emperor,2007\n",
         "this is not a number in new.csv, line 2, where flipper is 1"},
        {"flipper,species,year\n200,Adelie,2007\n200,Emperor,2007\n",
         "species is \"Emperor\" in new.csv, line 3, which is none of its 3 levels of the training\n"},
        {"flipper,species,year\n200,Gento,2007\n", "did you mean Gentoo?"},
        {"flipper,species,year\n200,Gentoo,2010\n", "factor(year) is \"2010\" in new.csv, line 2"},
        {"fliper,species,year\n200,Gentoo,2007\n",
         "there is no column flipper in new.csv; did you mean fliper?"},
        {"flipper,species,year\n,Gentoo,2007\n", "flipper is missing in new.csv, line 2"},
        {"flipper,species,year\nx,Gentoo,2007\n",
         "column flipper has texts, such as \"x\" in new.csv, line 2"},
        {"flipper,species,year,mass\n200,Gentoo,2007,NA\n", "mass is missing in new.csv, line 2"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gb_table *const new = gb_table_of_text(t, "new.csv", wrong[i].text);
        assert_null(gb_design_apply(x, new));
        assert_rejected(t, gb_error(t), wrong[i].words);
        gb_table_free(new);
    }
    gb_table_free(d);
}

/* A column of a file may have texts once and numbers then. */
TEST(levels_are_found_among_numbers)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,code\n1,7\n2,x\n3,10.5\n"), *const new = gb_table_of_text(
                                                                                    t, "new",
                                                                                    "code\n10.5\n7\n");
    const gb_design *const x = gb_design_new(t, "y ~ code - 1", d);
    assert_names(x, "code10.5", "code7", "codex");
    assert_numbers(gb_design_values(gb_design_apply(x, new)), 1, 0, 0, 0, 1, 0);
    gb_table_free(d);
    gb_table_free(new);
}

TEST(other_rows_have_the_outcome_if_they_have_its_columns)
{
    gb_table *const d = gb_table_of_text(t, "d", "s,n,w,x\n1,5,1,2\n3,4,2,6\n"),
                    *const new = gb_table_of_text(t, "new", "x,n,s\n3,9,2\n4,8,\n");
    const gb_design *const x = gb_design_new(t, "s | trials(n) + weights(w) ~ x", d);
    const gb_design *const kept = gb_design_apply(x, new, .keep_missing_outcome = true),
                           *const dropped = gb_design_apply(x, new, .drop_missing = true);
    assert_numbers(gb_design_outcome(kept), 2, NAN);
    assert_numbers(gb_design_trials(kept), 9, 8);
    assert_null(gb_design_weights(kept).at);
    assert_numbers(gb_design_outcome(dropped), 2);
    assert_numbers(gb_design_values(dropped), 1, 3);
    assert_fine(t);
    gb_table_free(d);
    gb_table_free(new);
}

TEST(a_dot_stands_for_the_columns_of_the_training)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,a,b\n1,2,3\n2,1,4\n3,0,1\n"),
                    *const new = gb_table_of_text(t, "new", "extra,b,a\n9,8,7\n");
    const gb_design *const x = gb_design_new(t, "y ~ .", d);
    assert_numbers(gb_design_values(gb_design_apply(x, new)), 1, 7, 8);
    gb_table_free(d);
    gb_table_free(new);
}

/* ---- what is said about it ---- */

TEST(columns_that_tell_nothing_new_are_said_in_words)
{
    gb_table *const d = gb_table_of_text(t, "d",
                                         "y,a,b,c,k,z,f\n1,1,2,1e9,3,0,p\n2,3,1,3e9,3,0,q\n"
                                         "3,2,2,2e9,3,0,p\n4,5,9,5e9,3,0,q\n5,4,1,4e9,3,0,p\n");
    const struct {
        const char *formula, *warnings;
    } each[] = {
        {"y ~ a + b", ""},
        {"y ~ a + I(2*a - 3) + b",
         "column I(2 * a - 3) is -3 × (Intercept) + 2 × a: the data cannot tell their "
         "coefficients apart\n"},
        {"y ~ a + c", "column c is 1e+09 × a: the data cannot tell their coefficients apart\n"},
        {"y ~ k + a", "column k is 3 in all rows\n"},
        {"y ~ 0 + k + a", ""},
        {"y ~ 0 + k + a + z", "column z is 0 in all rows\n"},
        {"y ~ a + b + I(a - b)", "column I(a - b) is a - b: the data cannot tell their coefficients apart\n"},
        {"y ~ f:b + I(1e-9*b)", "column fq:b is 1e+09 × I(1e-09 * b) - fp:b: the data cannot tell their "
                                "coefficients apart\n"},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        gb_design *const x = gb_design_new(t, each[i].formula, d);
        assert_string_equal(gb_design_warnings(x), each[i].warnings);
        assert_ptr_equal(gb_design_warnings(x), gb_design_warnings(x));
        gb_tape_reset(t);
    }
    gb_table_free(d);
}

TEST(a_stray_text_among_numbers_is_said)
{
    gb_table *const d = gb_table_of_text(
        t, "d", "y,a,b,bins\n1,1,p,18\n2,2.5,1,25\n3,4\x1bx,2,\"65+\"\n4,3,q,\"75+\"\n5,7,q,18\n6,8,p,25\n");
    gb_design *const x = gb_design_new(t, "y ~ a", d), *const bins = gb_design_new(t, "y ~ bins + b", d);
    const char *const says = gb_design_warnings(x);
    assert_int_equal(
        strncmp(says, "a is a factor: 5 of its 6 levels are numbers, and \"4\\x1bx\" is none; ", 71), 0);
    assert_non_null(strstr(says, ".missing of gb_table_read\n"));
    assert_string_equal(gb_design_warnings(bins), "");
    gb_table_free(d);
}

TEST(a_design_that_is_applied_to_other_rows_does_not_warn)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,a,k\n1,1,3\n2,3,3\n3,2,3\n"), *const one =
                                                                                      gb_table_of_text(
                                                                                          t, "one",
                                                                                          "a,k\n4,3\n");
    gb_design *const x = gb_design_new(t, "y ~ a + k", d);
    assert_string_equal(gb_design_warnings(x), "column k is 3 in all rows\n");
    assert_string_equal(gb_design_warnings(gb_design_apply(x, one)), "");
    gb_table_free(one);
    gb_table_free(d);
}

TEST(many_warnings_are_counted)
{
    double x[3];
    char name[16];
    gb_table *const d = gb_table_new(t, "wide", 3);
    for (int i = 0; i < 40; i++) {
        for (int j = 0; j < 3; j++)
            x[j] = cos(1 + i * 3 + j);
        snprintf(name, sizeof name, "x%d", i);
        gb_table_add(d, name, gb_doubles(x));
    }
    gb_design *const design = gb_design_new(t, "x0 ~ .", d); /* 40 columns, 3 rows */
    const char *const warnings = gb_design_warnings(design);
    assert_non_null(strstr(warnings, "column x3 is "));
    assert_non_null(strstr(warnings, "\nand 17 more\n"));
    gb_table_free(d);
}

TEST(sums_are_not_looked_for_among_thousands_of_columns)
{
    enum { LEVELS = 4100 };
    double *const k = malloc(LEVELS * sizeof *k);
    gb_table *const d = gb_table_new(t, "d", LEVELS);
    for (int i = 0; i < LEVELS; i++)
        k[i] = i;
    gb_table_add(d, "k", gb_doubles(k));
    gb_design *const x = gb_design_new(t, "~ factor(k) + I(k - k)", d);
    assert_string_equal(gb_design_warnings(x), "column I(k - k) is 0 in all rows\n"
                                               "sums are not looked for among more than 4096 columns\n");
    gb_table_free(d);
    free(k);
}

TEST(a_design_is_printed)
{
    char *text = NULL;
    size_t bytes;
    FILE *const file = open_memstream(&text, &bytes);
    gb_table *const d = gb_table_of_text(t, "holes.csv", holes);
    gb_design *const x =
        gb_design_new(t, "y ~ z + f + z:f", d, .drop_missing = true, .contrasts = GB_CONTRASTS_SUM);
    assert_int_equal(gb_design_print(x, file), GB_OK);
    fclose(file);
    assert_string_equal(text,
                        "y ~ z + f + z:f\n"
                        "4 columns, 2 rows of holes.csv; 3 rows with missing cells are left out\n"
                        "  (Intercept)\n"
                        "  z\n"
                        "  f1  of f\n"
                        "  z:f1  of z:f\n"
                        "f, sum contrasts: a b\n"
                        "column f1 is 1.5 × (Intercept) - 0.5 × z: the data cannot tell their coefficients "
                        "apart\n"
                        "column z:f1 is 2.5 × (Intercept) - 1.5 × z: the data cannot tell their "
                        "coefficients apart\n");
    free(text);
    assert_int_equal(gb_design_print(x, NULL), GB_EARGUMENT);
    assert_rejected(t, GB_EARGUMENT, "design_print: the file is NULL");
    assert_int_equal(gb_design_print(NULL, stdout), GB_EARGUMENT);
    gb_table_free(d);
}

/* ---- too much, too little ---- */

TEST(products_that_are_infinite_are_rejected)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,a,b\n1,1,1\n2,1e200,1e200\n");
    assert_null(gb_design_new(t, "y ~ a:b", d));
    assert_rejected(t, GB_ENONFINITE, "design: column a:b is not finite in d, line 3");
    gb_table_free(d);
}

TEST(too_many_columns_are_rejected_before_there_is_memory_for_them)
{
    enum { LEVELS = 1100 };
    double k[LEVELS];
    gb_table *const d = gb_table_new(t, "d", LEVELS);
    for (int i = 0; i < LEVELS; i++)
        k[i] = i;
    gb_table_add(d, "a", gb_doubles(k));
    gb_table_add(d, "b", gb_doubles(k));
    assert_null(gb_design_new(t, "~ a + factor(a):factor(b)", d));
    assert_rejected(t, GB_ELIMIT,
                    "the design has more than 1048576 columns\n    ~ a + factor(a):factor(b)\n"
                    "                    ^");
    gb_table_free(d);
}

TEST(polynomial_contrasts_are_for_a_hundred_levels)
{
    double k[101];
    gb_table *const d = gb_table_new(t, "d", 101);
    for (int i = 0; i < 101; i++)
        k[i] = i;
    gb_table_add(d, "k", gb_doubles(k));
    assert_null(gb_design_new(t, "~ factor(k)", d, .contrasts = GB_CONTRASTS_POLY));
    assert_rejected(t, GB_ELIMIT, "factor(k) has 101 levels, and polynomial contrasts are for 100 at most");
    gb_table_free(d);
}

/* So many rows that each array of them is an allocation of its own. */
static gb_table *large_table(gb_tape *t)
{
    enum { ROWS = 2500 };
    static const char *const sizes[] = {"small", "medium", "large"}, *const kinds[] = {"Adelie", "Gentoo"};
    static double mass[ROWS], flipper[ROWS], year[ROWS];
    static const char *size[ROWS], *species[ROWS];
    for (int i = 0; i < ROWS; i++) {
        mass[i] = 3000 + 7 * (i % 300);
        flipper[i] = 180 + i % 41;
        year[i] = 2007 + i % 3;
        size[i] = sizes[i % 7 % 3];
        species[i] = kinds[i % 5 % 2];
    }
    gb_table *const d = gb_table_new(t, "large", ROWS);
    gb_table_add(d, "mass", gb_doubles(mass));
    gb_table_add(d, "flipper", gb_doubles(flipper));
    gb_table_add(d, "year", gb_doubles(year));
    gb_table_add_texts(d, "size", size);
    gb_table_add_texts(d, "species", species);
    return d;
}

static gb_status make_and_apply(gb_tape *t, const void *what)
{
    gb_table *const d = what ? large_table(t) : gb_table_of_text(t, "penguins", penguins);
    gb_design *const x = gb_design_new(
        t,
        "species | weights(mass) ~ poly(flipper, 2) * size + factor(year) + "
        "scale(mass) + offset(flipper) + I(year > 2007)",
        d,
        .factors =
            GB_FACTORS({.column = "size", .levels = "small,medium,large", .contrasts = GB_CONTRASTS_POLY}));
    const gb_design *const noted = gb_design_noted(t, "design");
    const gb_design *const again = gb_design_apply(noted, d);
    (void)again;
    gb_design_warnings(x);
    gb_table_free(d);
    return gb_error(t);
}

TEST(lack_of_memory_loses_no_block)
{
    const gb_tape_options options = {.size = sizeof options, .threads = 1};
    assert_outlives_lack_of_memory(make_and_apply, NULL, "design", 0, options);
    assert_outlives_lack_of_memory(make_and_apply, "large", "large design", 0, options);
}

/* ---- misuse ---- */

static gb_table *some_table;

static gb_table *table_of(world *w)
{
    gb_table_free(some_table); /* that of the test before */
    return some_table = gb_table_of_text(w->t, "d", "y,x\n1,2\n2,4\n");
}

MISUSE_BY(without_a_formula, GB_EARGUMENT, "design: the formula is NULL")
{
    assert_null(gb_design_new(w->t, NULL, table_of(w)));
}

MISUSE_BY(without_a_table, GB_EARGUMENT, "design: the table is NULL")
{
    assert_null(gb_design_new(w->t, "y ~ x", NULL));
}

MISUSE_BY(unknown_contrasts, GB_EARGUMENT, "design: .contrasts is none of the contrasts")
{
    assert_null(gb_design_new(w->t, "y ~ x", table_of(w), .contrasts = (gb_contrasts)9));
}

MISUSE_BY(factors_without_a_list, GB_EARGUMENT, "design: .factors is a list without members")
{
    assert_null(gb_design_new(w->t, "y ~ x", table_of(w), .factors = gb_factors_of(2, NULL)));
}

MISUSE_BY(two_of_one_name, GB_ENAME, "tape_note design: there is a note of that name already")
{
    gb_table *const d = table_of(w);
    assert_non_null(gb_design_new(w->t, "y ~ x", d));
    assert_null(gb_design_new(w->t, "y ~ log(x)", d));
}

MISUSE_BY(without_a_note, GB_ENAME, "design_noted: the tape has no note kids; load the checkpoint first")
{
    assert_null(gb_design_noted(w->t, "kids"));
}

MISUSE_BY(other_rows_without_a_table, GB_EARGUMENT, "design_apply: the table is NULL")
{
    assert_null(gb_design_apply(gb_design_new(w->t, "y ~ x", table_of(w)), NULL));
}

MISUSE_BY(no_rows_no_outcome, GB_EARGUMENT, "design_outcome: the design has no rows")
{
    gb_design_new(w->t, "y ~ x", table_of(w));
    assert_null(gb_design_outcome(gb_design_noted(w->t, "design")).at);
}

TEST(nothing_comes_of_nothing)
{
    gb_table *const d = gb_table_of_text(t, "d", "y,x\n1,2\n2,4\n");
    assert_null(gb_design_new(NULL, "y ~ x", d));
    assert_null(gb_design_apply(NULL, d));
    assert_null(gb_design_noted(NULL, "x"));
    assert_int_equal(gb_design_columns(NULL), 0);
    assert_int_equal(gb_design_rows(NULL), 0);
    assert_null(gb_design_column_name(NULL, 0));
    assert_null(gb_design_column_term(NULL, 0));
    assert_null(gb_design_values(NULL).at);
    assert_null(gb_design_outcome(NULL).at);
    assert_null(gb_design_rows_kept(NULL).row);
    assert_null(gb_design_formula(NULL));
    assert_null(gb_design_warnings(NULL));
    assert_null(gb_design_outcome_levels(NULL, NULL));
    assert_false(gb_design_has_intercept(NULL));
    gb_table_free(d);
    gb_table_free(some_table);
    some_table = NULL;
}
