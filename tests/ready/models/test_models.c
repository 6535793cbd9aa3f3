/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every ready model keeps its promises, by its kit; and nothing is lost when memory runs out. */
#include "support/close.h"

#include "distributions/domain.h"
#include "kit/check_model.h"
#include "ready/analysis.h"
#include "ready/models.h"
#include "support/counted_memory.h"
#include "support/verdict.h"

typedef struct model_case {
    const char *name; /* the text of the model */
    gb_check_model_options options;
} model_case;

#define WITH(...)                                                                                            \
    {                                                                                                        \
        .size = sizeof(gb_check_model_options), __VA_ARGS__                                                  \
    }
static const model_case cases[] = {
    {"linear", WITH(.columns = "a * b + offset(a)", .has_units = true)},
    {"linear:raw:prior=student_t", WITH(.columns = "a + f", .has_units = true)},
    {"linear", WITH(.columns = "a * b + f")},
    {"linear:prior=ridge", WITH(.columns = "0 + a + b", .with_group = true)},
    {"linear:prior=horseshoe", WITH(.with_group = true, .with_error = true)},
    {"robust:prior=laplace", WITH(.columns = "a + b")},
    {"robust:freedom=4", WITH(.columns = "a", .with_group = true)},
    {"logistic:prior=none", WITH(.with_group = true)},
    {"logistic", WITH(.columns = "a + f", .with_trials = true)},
    {"multinomial", WITH(.columns = "a + f")},
    {"ordinal", WITH(.columns = "a + f", .with_group = true)},
    {"ordinal:raw", WITH(.columns = "a", .has_units = true)},
    {"poisson", WITH(.columns = "a + f + offset(b)")},
    {"negative_binomial", WITH(.columns = "a", .with_group = true)},
    {"sparse_gaussian_process:inducing=6", WITH(.columns = "a + b")},
    {"sparse_gaussian_process:inducing=40", WITH(.columns = "a + f")},
    {"sparse_gaussian_process:inducing=4:outcome=poisson", WITH(.columns = "a")},
    {"sparse_gaussian_process:inducing=12:outcome=bernoulli", WITH()},
    {"local_level", WITH(.columns = "a")},
    {"hidden_markov", WITH(.columns = "1")},
    {"hidden_markov:states=3:same_sigma", WITH(.columns = "1")},
    {"gaussian_process", WITH(.columns = "a + b")},
    {"gaussian_process:kernel=sum:period=0.3:period_spread=0.1", WITH(.has_units = true)},
    {"autoregressive:order=2", WITH(.columns = "a")},
    {"garch", WITH(.columns = "a")},
    {"mixture", WITH(.columns = "a + b")},
    {"mixture:components=3:order_by=1", WITH(.columns = "a + b + e - 1")},
    {"mixture:unordered", WITH(.columns = "a")},
    {"mixture:classes=score", WITH(.columns = "a + b", .has_units = true)},
    {"factor:factors=2", WITH(.columns = "a + b + e")},
    {"factor:scores=pathwise", WITH(.columns = "a + b", .has_units = true)},
    {"network:units=3", WITH(.columns = "a + f")},
    {"network:units=2:layers=2:activation=relu:heteroscedastic:layer_norm", WITH(.columns = "a")},
    {"network:units=3:sigma=0.5:sharing=weights", WITH(.columns = "a", .has_units = true)},
    {"network_class:units=3", WITH(.columns = "a + b")},
    {"variational_autoencoder:units=3", WITH(.columns = "a + b", .has_units = true)},
    {"variational_autoencoder:units=3:binary_code:binary", WITH(.has_units = true)},
    {"belief_network", WITH(.has_units = true)},
    {"belief_network:units=2:layers=2", WITH(.columns = "f", .has_units = true)},
};

static gb_model model_of(const char *text)
{
    gb_model model;
    char error[256];
    if (!gb_model_parse(text, &model, error, sizeof error))
        fail_msg("%s", error);
    return model;
}

TEST_EACH(its_kit_has_no_objection, cases)
{
    const model_case *const c = row;
    gb_report report = {.size = sizeof report, .file = stdout};
    gb_check_model_options options = c->options;
    options.report = &report;
    assert_true(gb_check_model_with(model_of(c->name), &options));
}

/* ---- memory ---- */

static gb_status use(gb_tape *t, const void *what)
{
    static const char *const rows = "y,a,w,g\n1,2,1,x\n2,4,1,y\n,5,2,x\n0,7,1,y\n1,3,1,z\n";
    const gb_model *const model = what;
    gb_table *const d = gb_table_of_text(t, "d", rows);
    gb_analysis *const a =
        gb_analysis_new(t, *model, .table = d, .formula = model->type->outcome ? "y | weights(w) ~ a" : "~ g",
                        .group = model->type->takes_group ? "g" : NULL);
    gb_analysis_rows(a, d);
    gb_table_free(d);
    return t ? gb_error(t) : GB_ENOMEM;
}

TEST(without_memory_models_fail_in_words)
{
    static const char *const texts[] = {"linear:prior=horseshoe",
                                        "multinomial",
                                        "ordinal",
                                        "poisson",
                                        "mixture",
                                        "factor",
                                        "network:units=3",
                                        "network_class:units=3:dropout=0.1",
                                        "variational_autoencoder:units=3",
                                        "belief_network:units=2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const gb_model model = model_of(texts[i]);
        assert_outlives_lack_of_memory(use, &model, texts[i], 80, (gb_tape_options){0});
    }
}

TEST(each_model_has_a_case)
{
    size_t count;
    const gb_model_type *const *const all = gb_models(&count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const size_t length = strlen(all[i]->name);
            found |= strncmp(cases[k].name, all[i]->name, length) == 0 &&
                     (cases[k].name[length] == 0 || cases[k].name[length] == ':');
        }
        if (!found)
            fail_msg("%s", all[i]->name);
    }
}
