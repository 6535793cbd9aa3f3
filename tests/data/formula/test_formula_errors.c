/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of formulas say what is wrong, and show the place. */
#include "support/close.h"

#include <stdlib.h>

#include "data/formula.h"
#include "support/files.h"

static gb_table *small_table(gb_tape *t)
{
    return gb_table_of_text(t, "small",
                            "y,x,z,f,n,odd name,2nd\n1,2,3,a,5,1,1\n2,4,1,b,6,2,1\n3,5,2,c,7,4,1\n");
}

/* The error of a formula: words of it, and a copy of the formula in which a ^ stands under the place. */
static const struct wrong {
    const char *name, *formula, *place, *words;
} wrong[] = {
    {"empty", "", "^", "it is empty"},
    {"only_space", " \t ", "   ^", "it is empty"},
    {"no_tilde", "x + z", "  ^", "a formula has a ~ between the outcome and the terms"},
    {"one_word", "x", "^", "a formula has a ~"},
    {"two_tildes", "y ~ x ~ z", "      ^", "there is a second ~"},
    {"tilde_inside", "y ~ x + (z ~ f)", "           ^", "there is a second ~"},
    {"ends_early", "y ~ x +", "       ^",
     "the formula ends where a column, a number or a function is expected"},
    {"nothing_right", "y ~", "   ^", "the formula ends where"},
    {"double_sign", "y ~ x * * z", "        ^", "a column, a number or a function is expected here"},
    {"unknown_sign", "y ~ x $ z", "      ^", "an operator is expected here"},
    {"two_names", "y ~ x z", "      ^", "an operator is expected here"},
    {"open_group", "y ~ (x + z", "          ^", "a ) is missing at the end"},
    {"open_call", "y ~ log(x", "         ^", "a ) is missing at the end"},
    {"wrong_in_group", "y ~ (x z)", "       ^", "an operator or ) is expected here"},
    {"wrong_in_call", "y ~ log(x z)", "          ^", "a comma or ) is expected here"},
    {"extra_close", "y ~ x)", "     ^", "an operator is expected here"},
    {"equals", "y = x", "  ^", "an operator is expected here"},
    {"text", "y ~ I(f == \"a\")", "           ^", "texts in quotes are not understood"},
    {"backtick", "y ~ `odd", "    ^", "the second ` is missing"},
    {"no_name", "y ~ ``", "    ^", "the name between these backticks is empty"},
    {"number_and_letters", "y ~ I(2x)", "      ^", "this is no number"},
    {"two_points", "y ~ I(1.2.3 + x)", "      ^", "this is no number"},
    {"too_large", "y ~ I(1e999*x)", "      ^", "this is no number"},
    {"unknown_function", "y ~ x + lgo(z)", "        ^", "there is no function lgo; did you mean log?"},
    {"far_function", "y ~ quite_another(z)", "    ^", "there is no function quite_another\n"},
    {"function_of_other_letters", "y ~ ns(x)", "    ^", "there is no function ns\n"},
    {"unknown_column", "y ~ x + odd_name", "        ^",
     "there is no column odd_name in small; did you mean `odd name`?"},
    {"no_backticks", "y ~ odd name", "        ^",
     "an operator is expected here; the column is written `odd name`, in backticks"},
    {"no_backticks_left", "odd name ~ x", "    ^",
     "an operator is expected here; the column is written `odd name`, in backticks"},
    {"no_backticks_of_a_number", "y ~ x + 2nd", "        ^",
     "this is no number; the column is written `2nd`, in backticks"},
    {"no_backticks_in_a_call", "y ~ log(odd name)", "            ^",
     "a comma or ) is expected here; the column is written `odd name`, in backticks"},
    {"other_backticks", "y ~ `odd name` x", "               ^", "an operator is expected here\n"},
    {"unknown_inside", "y ~ log(x + zz)", "            ^", "there is no column zz in small; did you mean z?"},
    {"unknown_outcome", "yy ~ x", "^", "there is no column yy in small; did you mean y?"},
    {"number_term", "y ~ x + 2", "        ^",
     "only 1 (with an intercept) and 0 or -1 (without) stand as terms"},
    {"number_factor", "y ~ x:1", "      ^", "only 1 (with an intercept)"},
    {"flag_term", "y ~ x + TRUE", "        ^", "this is no term"},
    {"square_of_column", "y ~ x + x^2", "         ^", "its square is I(x^2)"},
    {"power_of_half", "y ~ (x + z)^0.5", "            ^", "the power of terms is a whole number from 1 to 8"},
    {"power_of_column", "y ~ (x + z)^n", "            ^", "the power of terms is a whole number"},
    {"group_term", "y ~ x + (1 | f)", "           ^", "terms of groups, such as (1 | g), are not understood"},
    {"removed_before", "y ~ x - z", "        ^", "a term is removed here that is not there before"},
    {"removed_nothing", "y ~ -x", "     ^", "a term is removed here that is not there before"},
    {"outcome_right", "y ~ x + y", "        ^", "this is the outcome, which cannot explain itself"},
    {"dot_in_function", "y ~ log(.)", "        ^", ". stands for all other columns as terms"},
    {"dot_left", ". ~ x", "^", ". stands right of ~ only"},
    {"offset_inside", "y ~ x:offset(z)", "      ^", "an offset can only be added"},
    {"offset_removed", "y ~ x - offset(z)", "        ^", "an offset can only be added"},
    {"offset_of_two", "y ~ offset(x, z)", "    ^", "an offset is of one column or one calculation"},
    {"offset_in_function", "y ~ log(offset(z))", "        ^", "an offset stands as a term of its own"},
    {"offset_of_factor", "y ~ offset(f)", "           ^", "numbers are needed here, and this is a factor"},
    {"colon_in_function", "y ~ I(x:z)", "       ^", "this operator has no meaning in a calculation"},
    {"texts_in_function", "y ~ log(f)", "        ^",
     "numbers are needed here, and column f has texts, such as \"a\" in small, line 2"},
    {"texts_in_sum", "y ~ I(x + f)", "          ^", "column f has texts"},
    {"no_argument", "y ~ log()", "    ^", "log has 1 to 2 arguments, and here are 0"},
    {"too_many", "y ~ exp(x, z)", "    ^", "exp has one argument, and here are 2"},
    {"nine_arguments", "y ~ log(x,x,x,x,x,x,x,x,x)", "                        ^",
     "no function has so many arguments"},
    {"wrong_label", "y ~ log(x, bass = 2)", "           ^", "log has no argument bass"},
    {"label_twice", "y ~ scale(x, scale = T, scale = F)", "                        ^",
     "the argument scale stands here twice"},
    {"scale_by_number", "y ~ scale(x, 3)", "             ^", "this is TRUE or FALSE"},
    {"centre_has_no_flag", "y ~ centre(x, FALSE)", "    ^", "centre has one argument, and here are 2"},
    {"degree_of_0", "y ~ poly(x, 0)", "            ^", "the degree is a whole number from 1 to 1000"},
    {"poly_of_two", "y ~ poly(x, z)", "            ^", "poly has one column, not several"},
    {"poly_raw", "y ~ poly(x, 2, TRUE)", "               ^", "write raw = TRUE for plain powers"},
    {"poly_inside", "y ~ I(poly(x, 2))", "      ^", "poly has several columns, and stands as a term"},
    {"poly_too_high", "y ~ poly(x, 3)", "    ^",
     "polynomials of degree 3 need 4 different numbers, and there are 3"},
    {"poly_left", "poly(y, 2) ~ x", "^", "the left side has one number in a row"},
    {"factor_of_sum", "y ~ factor(x + z)", "    ^", "a factor is made of one column"},
    {"factor_inside", "y ~ I(factor(x))", "      ^", "a factor is made of one column"},
    {"cbind_right", "y ~ cbind(x, z)", "    ^", "this stands left of ~ only"},
    {"cbind_of_three", "cbind(x, z, n) ~ f", "^", "cbind has two columns: successes and failures"},
    {"cbind_of_same", "cbind(x, x) ~ f", "^", "successes and failures are the same column"},
    {"cbind_of_texts", "cbind(x, f) ~ z", "         ^", "numbers are needed here, and this is a factor"},
    {"failures_right", "cbind(x, z) ~ z", "              ^", "this is the outcome"},
    {"cbind_and_trials", "cbind(x, z) | trials(n) ~ f", "            ^", "cbind gives the trials"},
    {"unknown_addition", "y | trails(n) ~ x", "    ^",
     "after | stand trials(n) and weights(w), with + between them; did you mean trials?"},
    {"addition_of_column", "y | n ~ x", "    ^", "after | stand trials(n) and weights(w)"},
    {"trials_twice", "y | trials(n) + trials(n) ~ x", "                ^", "this stands here twice"},
    {"trials_of_two", "y | trials(n, x) ~ x", "    ^", "this has one argument, a column or a number"},
    {"few_trials", "y | trials(z) ~ x", "^", "y is 2 in small, line 3, and there are fewer trials"},
    {"half_trials", "y | trials(n / 2) ~ x", "             ^",
     "n/2 is 2.5 in small, line 2, and trials are whole"},
    {"negative_weights", "y | weights(x - 3) ~ x", "              ^",
     "x - 3 is -1 in small, line 2, and weights are not negative"},
    {"weights_of_texts", "y | weights(f) ~ x", "            ^",
     "numbers are needed here, and this is a factor"},
    {"number_left", "1 ~ x", "^", "this is no outcome"},
    {"logarithm", "y ~ log(x - 4)", "    ^", "this is not a number in small, line 2, where x is 2"},
    {"infinite", "y ~ I(1/(x - 4))", "    ^", "this is infinite in small, line 3, where x is 4"},
    {"infinite_of_two", "y ~ I(n/(x - 4))", "    ^",
     "this is infinite in small, line 3, where n is 6 and x is 4"},
    {"infinite_of_three", "y ~ I(y*n/(x - 4) + x)", "    ^",
     "this is infinite in small, line 3, where y is 2, n is 6 and x is 4"},
    {"infinite_constant", "y ~ I(1/0)", "    ^", "this is infinite in small, line 2\n"},
    {"negative_failures", "cbind(x, z - 2) ~ f", "           ^",
     "z - 2 is -1 in small, line 3, and failures are whole numbers from 0"},
    {"half_successes", "y / 2 | trials(n) ~ f", "  ^",
     "y/2 is 0.5 in small, line 2, and successes are whole numbers from 0"},
    {"scale_without_mean", "y ~ scale(1e308 * (x - 4) * (5 - x))", "    ^",
     "the numbers are too far apart for their mean"},
    {"hidden_nan", "y ~ I(log(x - 4) > 0)", "      ^", "this is not a number in small, line 2, where x is 2"},
    {"constant_scale", "y ~ scale(x - x)", "    ^",
     "the numbers have no standard deviation: they are 0 in all 3 rows"},
    {"no_columns", "y ~ 0", "  ^", "the design has no columns: neither an intercept nor a term"},
    {"line_break", "y ~ x +\n  lgo(z)", "          ^", "there is no function lgo"},
};

/* The last two lines of the message, without the four spaces before each. */
static void assert_shows(gb_tape *t, const char *formula, const char *place)
{
    char shown[512], should[1024];
    snprintf(shown, sizeof shown, "%s", formula);
    for (char *c = shown; *c; c++)
        *c = strchr("\n\t", *c) ? ' ' : *c;
    snprintf(should, sizeof should, "\n    %s\n    %s", shown, place);
    const char *const text = gb_error_text(t);
    const size_t length = strlen(text), part = strlen(should);
    assert_true(length > part);
    assert_string_equal(text + length - part, should);
}

TEST_EACH(a_wrong_formula_is_shown, wrong)
{
    const struct wrong *const w = row;
    gb_table *const d = small_table(t);
    assert_null(gb_design_new(t, w->formula, d));
    assert_shows(t, w->formula, w->place);
    assert_rejected(t, gb_error(t), w->words);
    gb_table_free(d);
}

/* ---- how the place is shown ---- */

TEST(a_long_formula_is_cut_around_the_place)
{
    char formula[400] = "y ~ 0";
    gb_table *const d = small_table(t);
    for (int i = 0; i < 15; i++)
        strcat(formula, " + log(x)");
    strcat(formula, " + lgo(z)");
    for (int i = 0; i < 15; i++)
        strcat(formula, " + sqrt(x)");
    assert_null(gb_design_new(t, formula, d));
    const char *const text = gb_error_text(t), *const excerpt = strstr(text, "\n    "),
                      *const caret = strchr(text, '^');
    assert_non_null(strstr(excerpt, "\n    …"));
    assert_non_null(strstr(excerpt, "…\n    "));
    const char *const last = strrchr(text, '\n');
    const char *const place = strstr(excerpt, "lgo");
    assert_int_equal(caret - last, place - excerpt - 2); /* the … has three bytes, and one column */
    gb_forgive(t);
    gb_table_free(d);
}

TEST(letters_of_several_bytes_take_one_column)
{
    gb_table *const d = gb_table_of_text(t, "small", "größe,y\n1,2\n2,3\n");
    assert_null(gb_design_new(t, "y ~ größe + gröse", d));
    assert_shows(t, "y ~ größe + gröse", "            ^");
    assert_rejected(t, GB_ENAME, "there is no column gröse in small; did you mean größe?");
    gb_table_free(d);
}

TEST(a_cut_does_not_divide_a_letter)
{
    gb_table *const d = small_table(t);
    for (int shift = 0; shift < 3; shift++) {
        char formula[1024] = "y ~ 0";
        for (int i = 0; i < shift; i++)
            strcat(formula, " ");
        for (int i = 0; i < 40; i++)
            strcat(formula, " + `ß€`");
        strcat(formula, " + lgo(z)");
        for (int i = 0; i < 40; i++)
            strcat(formula, " + `ß€`");
        assert_null(gb_design_new(t, formula, d));
        assert_null(strstr(gb_error_text(t), "\\x"));
        gb_forgive(t);
    }
    gb_table_free(d);
}

TEST(what_a_terminal_would_obey_is_shown)
{
    gb_table *const d = small_table(t);
    assert_null(gb_design_new(t, "y ~ `a\x1b` + x", d));
    assert_non_null(strstr(gb_error_text(t), "\n    y ~ `a\\x1b` + x\n        ^"));
    gb_forgive(t);
    gb_table_free(d);
}

TEST(an_error_is_printed_in_three_lines)
{
    char *text = NULL;
    size_t bytes;
    FILE *const file = open_memstream(&text, &bytes);
    gb_table *const d = small_table(t);
    assert_null(gb_design_new(t, "y ~ lgo(x)", d));
    assert_int_equal(gb_complain(t, file), GB_ENAME);
    fclose(file);
    assert_string_equal(text,
                        "grebe: missing or duplicate name: formula: there is no function lgo; did you mean "
                        "log?\n    y ~ lgo(x)\n        ^\n");
    free(text);
    gb_forgive(t);
    gb_table_free(d);
}

/* ---- limits ---- */

/* Repeats a text between two others. */
static char *repeated(const char *before, const char *text, size_t times, const char *after)
{
    char *const all = malloc(strlen(before) + times * strlen(text) + strlen(after) + 1);
    assert_non_null(all);
    char *end = strcpy(all, before) + strlen(before);
    for (size_t i = 0; i < times; i++)
        end = strcpy(end, text) + strlen(text);
    strcpy(end, after);
    return all;
}

TEST(a_formula_has_limits)
{
    gb_table *const d = small_table(t);
    const struct {
        const char *before, *text;
        size_t times;
        const char *after, *words;
    } limit[] = {
        {"y ~ ", "(", 5000, "x", "too many parentheses or signs are nested here"},
        {"y ~ ", "-", 5000, "x", "too many parentheses or signs are nested here"},
        {"y ~ ", "x + ", 5000, "x", "more than 1000 operators are nested"},
        {"y ~ I(", "x^", 5000, "x)", "too many parentheses or signs are nested here"},
        {"y ~ x", " ", 1 << 16, "", "it has more than 65536 bytes"},
    };
    for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
        char *const formula = repeated(limit[i].before, limit[i].text, limit[i].times, limit[i].after);
        assert_null(gb_design_new(t, formula, d));
        assert_rejected(t, gb_error(t), limit[i].words);
        free(formula);
    }
    char *const fine = repeated("y ~ ", "x + ", 900, "x");
    assert_non_null(gb_design_new(t, fine, d));
    assert_fine(t);
    free(fine);
    gb_table_free(d);
}

static gb_table *wide_table(gb_tape *t, size_t columns)
{
    const double numbers[] = {1, 2};
    char name[24];
    gb_table *const d = gb_table_new(t, "wide", 2);
    for (size_t i = 0; i < columns; i++) {
        snprintf(name, sizeof name, "x%zu", i);
        gb_table_add(d, name, gb_doubles(numbers));
    }
    return d;
}

TEST(interactions_have_limits)
{
    gb_table *const d = wide_table(t, 210);
    assert_null(gb_design_new(t, "x0 ~ .^2", d));
    assert_rejected(t, GB_ELIMIT, "there are more than 20000 terms");
    assert_null(gb_design_new(t, "x0 ~ x1:x2:x3:x4:x5:x6:x7:x8:x9", d));
    assert_rejected(t, GB_ELIMIT, "an interaction of more than 8 variables");
    gb_design *const most = gb_design_new(t, "x0 ~ x1:x2:x3:x4:x5:x6:x7:x8", d);
    assert_string_equal(gb_design_column_name(most, 1), "x1:x2:x3:x4:x5:x6:x7:x8");
    gb_table_free(d);
}

TEST(all_columns_may_be_many)
{
    gb_table *const d = wide_table(t, 2000);
    const gb_design *const x = gb_design_new(t, "x7 ~ .", d);
    assert_int_equal(gb_design_columns(x), 2000);
    assert_string_equal(gb_design_column_name(x, 7), "x6");
    assert_string_equal(gb_design_column_name(x, 8), "x8");
    gb_table_free(d);
}
