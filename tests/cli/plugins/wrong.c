/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bundles that are rejected, or that ask for more words: each by a macro. */
#include <signal.h>
#include <stdlib.h>

#include <grebe/grebe.h>

#ifdef OTHER_VERSION
#undef GB_VERSION_MINOR
#define GB_VERSION_MINOR 99
#endif

static gb_node cost(gb_trial *trial)
{
    const gb_node mu = gb_trial_parameter(trial, "mu", gb_shape(), gb_fill(1));
    return gb_square(gb_trial_draw(trial, "x", gb_normal(mu, gb_num(trial->tape, 1))));
}

#ifdef DIES
__attribute__((constructor)) static void die(void)
{
    raise(SIGKILL);
}
#elif defined(LEAVES)
__attribute__((constructor)) static void leave(void)
{
    exit(7);
}
#endif

#ifdef UNDEFINED
gb_node nobody_defines_this(gb_node x);
static gb_node unlinked(gb_trial *trial)
{
    return nobody_defines_this(cost(trial));
}
#define COST unlinked
#elif defined(INCOMPLETE)
#define COST NULL
#else
#define COST cost
#endif

#ifdef TAKEN
#define FIRST "gauss-square"
#else
#define FIRST "first"
#endif

const gb_problem first = {.size = sizeof(gb_problem), .name = FIRST, .formula = "E x^2", .cost = COST},
                 second = {.size = sizeof(gb_problem), .name = "second", .formula = "E x^2", .cost = cost};

#ifndef NO_BUNDLE
GB_EXPORT_BUNDLE({&gb_problem_kind, &first}, {&gb_problem_kind, &second});
#endif
