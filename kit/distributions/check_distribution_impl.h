/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conformance kit for distributions: cases are made in kit/distributions/case.c, integrated over by check_rule*.c, and judged
 * in the other check_*.c. */
#ifndef GREBE_KIT_DISTRIBUTIONS_CHECK_DISTRIBUTION_IMPL_H
#define GREBE_KIT_DISTRIBUTIONS_CHECK_DISTRIBUTION_IMPL_H

#include "core/gradient.h"
#include "core/program.h"
#include "kit/check_distribution.h"
#include "kit/shell/tally_impl.h"

/* What is checked, in the order of the report. */
/* clang-format off */
#define GB_DIST_CHECKS(do_)                                                                                  \
    do_(FORM,         "its struct is complete")                                                              \
    do_(CASES,        "instances of it can be made")                                                         \
    do_(RECORDED,     "it is recorded and run without an error")                                             \
    do_(NORMALISED,   "its density sums or integrates to 1")                                                 \
    do_(GRADIENT,     "the gradient of log_prob is that of differences")                                     \
    do_(SECOND,       "the second gradient of log_prob is that of differences")                              \
    do_(FORMS,        "gradients of closed forms are those of differences")                                    \
    do_(BATCH,        "a batch gives what one by one gives")                                                 \
    do_(FLOAT,        "on a float tape log_prob is the same but for rounding")                               \
    do_(AT_NAN,       "log_prob is NaN where the value is")                                                  \
    do_(OUTSIDE,      "outside the support log_prob is -infinity, with no gradient")                         \
    do_(SCORE,        "its score has the mean 0")                                                            \
    do_(SUPPORT,      "draws lie in the support")                                                            \
    do_(DRAWS,        "draws follow the density")                                                            \
    do_(STREAMS,      "draws of two streams are not correlated")                                             \
    do_(RDRAWS,       "reparameterised draws follow the density")                                            \
    do_(PATHWISE,     "gradients of reparameterised draws are those of the expectation")                     \
    do_(CDF,          "cdf is the integral of the density")                                                  \
    do_(ICDF,         "icdf is the inverse of cdf")                                                          \
    do_(MEAN,         "mean is that of the density")                                                         \
    do_(VARIANCE,     "variance is that of the density")                                                     \
    do_(MODE,         "mode is where the density is greatest")                                               \
    do_(ENTROPY,      "entropy is that of the density")                                                      \
    do_(ENUMERATE,    "enumerate gives every value once")                                                    \
    do_(MEASURE,      "measure gives the derivative of expectations")                                        \
    do_(COUPLE,       "coupled draws follow the two measures")                                               \
    do_(KL,           "each divergence is that of the densities")                                            \
    do_(KL_ZERO,      "the divergence from itself is 0")                                                     \
    do_(REFUSED,      "an invalid parameter is refused in words")                                            \
    do_(REFERENCES,   "values are those of the references")
/* clang-format on */

typedef enum gb_dist_statement {
#define GB_DIST_CHECK_CODE(code, text) GB_DIST_CHECK_##code,
    GB_DIST_CHECKS(GB_DIST_CHECK_CODE)
#undef GB_DIST_CHECK_CODE
        GB_DIST_CHECK_COUNT
} gb_dist_statement;

typedef struct gb_dist_check {
    gb_check_distribution_settings with;
    const gb_dist_type *type;
    bool starved; /* memory ran out where parameters were tried */
    gb_tally tally[GB_DIST_CHECK_COUNT];
} gb_dist_check;

enum { GB_CASE_VARIABLES = 8, GB_CASE_LABEL = 200 };

/* Which instance: by number, in one form of the parameters. */
typedef struct gb_case_number {
    size_t number;
    bool alternative;
} gb_case_number;

/* One instance on a tape of its own; buffers are kept by the tape, and end with it. */
typedef struct gb_dist_case {
    gb_dist_check *check;
    gb_tape *tape;
    gb_dist d;
    gb_node variable[GB_CASE_VARIABLES]; /* what it is differentiated in */
    size_t variables;
    gb_shape shape; /* of a draw */
    size_t size;    /* elements of a draw */
    bool discrete;
    bool circle; /* draws are angles: what is compared of them is periodic */
    char label[GB_CASE_LABEL];
} gb_dist_case;

/* ---- verdicts ---- */

bool gb_dist_verdict(gb_dist_case *c, gb_dist_statement statement, bool passed, const char *format, ...)
    GB_PRINTF(4, 5);
void gb_dist_skip(gb_dist_case *c, gb_dist_statement statement, const char *why);
/* RECORDED, by the error of the tape; false where there is one. */
bool gb_dist_case_fine(gb_dist_case *c);

/* ---- cases ---- */

/* A case without a distribution: gb_dist_case_end frees its tape. False: no memory, which is reported. */
bool gb_dist_case_tape(gb_dist_case *c, gb_dist_check *check, gb_real real);
bool gb_dist_case_begin(gb_dist_case *c, gb_dist_check *check, gb_case_number which);
void gb_dist_case_end(gb_dist_case *c);
/* c->variable, from its tape. */
void gb_dist_case_find_variables(gb_dist_case *c);
/* How many instances there are in a form. */
size_t gb_dist_case_count(gb_dist_check *check, bool alternative);

/* The values of the kit's grid for all parameters: constants, or variables whose names begin with `prefix`. Inert, and
 * the tape without an error, where the parameters do not fit each other. */
gb_dist gb_dist_at_grid(gb_tape *tape, const gb_dist_type *type, gb_case_number which, const char *prefix,
                        bool variables);
/* The values of parameter number `i` of a type, one for each case, if it is a number. */
double gb_dist_grid_number(const gb_domain *domain, size_t turn);
/* The combination of turns that is instance `which` of a type; false where there is none left. */
bool gb_dist_grid_turns(gb_dist_check *check, const gb_dist_type *type, gb_case_number which,
                        size_t turns[GB_MAX_PARAMS]);
/* A number of the grid, or of the settings. */
double gb_dist_case_value(const gb_dist_check *check, const gb_domain *domain, gb_case_number which,
                          size_t param, size_t turn);

/* ---- evaluation ---- */

/* Roots as functions of x, evaluated at many points in few runs. */
typedef struct gb_case_function {
    gb_dist_case *c;
    gb_node x, weight; /* rows */
    gb_program *program;
    gb_node root[4];
    size_t roots;
    double *feed, *read;
} gb_case_function;

/* x and weight are inputs with rows; record roots of them, then finish. */
void gb_case_function_begin(gb_case_function *f, gb_dist_case *c);
bool gb_case_function_finish(gb_case_function *f, size_t roots, const gb_node *root);
/* out: `roots` arrays of `count` numbers. A root is a number for each row. */
bool gb_case_evaluate(gb_case_function *f, size_t count, const double *x, double *out);

/* Σ weight · ∂log_prob/∂θ for all elements of all variables. */
typedef struct gb_case_scores {
    gb_case_function f;
    gb_node slope[GB_CASE_VARIABLES];
} gb_case_scores;
bool gb_case_score_begin(gb_case_scores *s, gb_dist_case *c, gb_dist d);
bool gb_case_score(gb_case_scores *s, size_t count, const double *x, const double *weight, double *out);

/* ∂total/∂θ for all variables. */
bool gb_case_slopes(gb_dist_case *c, gb_node total, gb_node *slopes);

/* log_prob at rows. */
bool gb_case_log_prob(gb_case_function *f, gb_dist_case *c, gb_dist d);

/* `count` draws, each of c->size numbers, in memory of the tape. NULL: they could not be made. */
double *gb_case_draws(gb_dist_case *c, gb_node draw, size_t count);

/* The elements of all variables, one after the other. */
size_t gb_case_elements(const gb_dist_case *c);
/* The value of a node, in memory of the tape; NULL on error. */
double *gb_case_read(gb_dist_case *c, gb_node node, size_t *count);
/* The same by a program of its own. */
double *gb_case_ask(gb_dist_case *c, gb_node node);

/* ---- integration: Σ weight · f(x) ---- */

typedef struct gb_rule {
    size_t count, room, size;
    double *x, *weight, *log_p;
    /* of numbers: places in increasing order, and the mass up to each */
    size_t edges;
    double *edge, *mass;
    double total, error;  /* of the mass: the sum, and what is not sure of it */
    double entropy_error; /* of Σ p log p */
    double centre, width; /* of the draws, roughly */
} gb_rule;

/* For the density of `d`, a distribution on the case's tape. False where there is no rule for such a one, or an error.
 * `width` and `centre` come in with what the draws say. */
bool gb_rule_make(gb_rule *rule, gb_dist_case *c, gb_dist d);
/* Such that the log density of another one, too, is integrated well. */
bool gb_rule_make_for(gb_rule *rule, gb_dist_case *c, gb_dist d, gb_dist other);
bool gb_rule_of_numbers(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted);
bool gb_rule_of_counts(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *sorted);
/* Of a discrete distribution transformed: the images of its base's. */
bool gb_rule_of_image(gb_rule *rule, gb_case_function *f, gb_dist d);
/* The places that draws come to, if they are few. */
bool gb_rule_of_places(gb_rule *rule, gb_case_function *f, size_t count, const double *sorted);
bool gb_rule_of_list(gb_rule *rule, gb_case_function *f, gb_dist d);
bool gb_rule_of_vectors(gb_rule *rule, gb_case_function *f, gb_dist d, size_t count, const double *draws);
/* Where the support of a distribution of numbers ends; infinite where that is not known. */
bool gb_rule_ends(gb_dist_case *c, gb_dist d, double ends[2]);
/* The mode, if it is a finite number. */
bool gb_rule_mode(gb_dist_case *c, gb_dist d, double *mode);
/* Room for more points, and one point. */
bool gb_rule_reserve(gb_rule *rule, gb_tape *tape, size_t more);
void gb_rule_add(gb_rule *rule, const double *x, double weight, double log_p);

/* weight · density at point i, 0 where the density is. */
double gb_rule_mass(const gb_rule *rule, size_t i);

/* The bounded functions that expectations are compared for, of a number standardised. */
enum { GB_CASE_FUNCTIONS = 3 };
double gb_case_bounded(size_t which, double z);
gb_node gb_case_bounded_node(size_t which, gb_node z);
/* A number for each draw: a fixed direction's projection, standardised. */
double gb_case_project(const gb_dist_case *c, const gb_rule *rule, const double *x);
double gb_case_direction(size_t element);

/* E[f], of draws standardised by `scale`; and ∂E[f]/∂θ by differences, for all f (the outer index) and all elements of
 * all variables. */
double gb_case_expectation(const gb_dist_case *c, const gb_rule *scale, const gb_rule *rule, size_t which);
bool gb_case_moved(gb_dist_case *c, const gb_rule *scale, double *out);

/* Draws against a rule, or where there is none (`integrated` is false) against closed forms. Numbers are sorted. */
void gb_dist_compare_draws(gb_dist_case *c, const gb_rule *rule, bool integrated, gb_dist_statement statement,
                           size_t count, double *x);

/* ---- the checks ---- */

void gb_dist_check_law(gb_dist_check *check, gb_case_number which);
void gb_dist_check_gradients(gb_dist_check *check, gb_case_number which);
void gb_dist_check_edges(gb_dist_check *check, gb_case_number which);
void gb_dist_check_draws(gb_dist_check *check, gb_case_number which);
void gb_dist_check_score(gb_dist_check *check, gb_case_number which);
void gb_dist_check_pathwise(gb_dist_check *check, gb_case_number which);
void gb_dist_check_enumerate(gb_dist_check *check, gb_case_number which);
void gb_dist_check_measures(gb_dist_check *check, gb_case_number which);
void gb_dist_check_kl(gb_dist_check *check, gb_case_number which);
/* One divergence of the case, in what its variables are. */
void gb_dist_check_noted(gb_dist_case *c, gb_node kl, const char *pair);
void gb_dist_check_batch(gb_dist_check *check, bool alternative);
void gb_dist_check_refusals(gb_dist_check *check, bool alternative);
void gb_dist_check_references(gb_dist_check *check);

#endif
