/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/model.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "cli/shell/values.h"
#include "estimators/list.h"
#include "models/family.h"

/* ---- the text of the model: MODEL, and what other options add to it ---- */

/* A text that grows; it is cut where it ends, and `fits` says so. */
typedef struct line {
    char *text;
    size_t used;
    bool fits;
} line;

static GB_PRINTF(2, 3) void add(line *l, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int more = l->fits ? vsnprintf(l->text + l->used, GB_CLI_TEXT - l->used, format, values) : 0;
    va_end(values);
    l->used += (size_t)more;
    l->fits = l->fits && l->used < GB_CLI_TEXT;
}

/* Models that differ in the law of an outcome only. An option of that law is one of the model. */
static const struct {
    const char *of, *law, *model, *option, *becomes;
} laws[] = {
    {"regression", "normal", "linear", NULL, NULL},
    {"regression", "student_t", "robust", "df=", "freedom="},
    {"regression", "bernoulli", "logistic", NULL, NULL},
    {"regression", "binomial", "logistic", NULL, NULL},
    {"regression", "categorical", "multinomial", NULL, NULL},
    {"regression", "ordered_logistic", "ordinal", NULL, NULL},
    {"regression", "poisson", "poisson", NULL, NULL},
    {"regression", "negative_binomial", "negative_binomial", NULL, NULL},
    {"network", "normal", "network", "scale=", "sigma="},
    {"network", "bernoulli", "network_class", NULL, NULL},
    {"network", "categorical", "network_class", NULL, NULL},
    {"process", "normal", "sparse_gaussian_process", NULL, NULL},
    {"process", "bernoulli", "sparse_gaussian_process:outcome=bernoulli", NULL, NULL},
    {"process", "poisson", "sparse_gaussian_process:outcome=poisson", NULL, NULL},
};
enum { LAWS = sizeof laws / sizeof *laws };

static bool is_model(const char *text, const char *word, size_t length)
{
    return strncmp(text, word, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

/* Writes the model whose outcome has the law `text`, in place of the model `word`. */
static bool add_law(line *l, const char *word, size_t length, const char *text)
{
    const char *of = NULL, *names[LAWS];
    size_t rows[LAWS], count = 0, place;
    char law[64], what[128];
    const size_t ends = strcspn(text, ":");
    for (size_t i = 0; i < LAWS && !of; i++)
        of = is_model(laws[i].model, word, length) ? laws[i].of : NULL;
    if (!of)
        return gb_cli_reject("--likelihood: %.*s has one law of its outcome; models of several are linear, "
                             "network and others (grebe list models)",
                             (int)length, word);
    for (size_t i = 0; i < LAWS; i++)
        if (strcmp(laws[i].of, of) == 0) {
            rows[count] = i;
            names[count++] = laws[i].law;
        }
    snprintf(law, sizeof law, "%.*s", (int)ends, text);
    snprintf(what, sizeof what, "likelihood of a %s called", of);
    if (!gb_cli_find(what, law, count, names, &place))
        return false;
    const size_t row = rows[place];
    const char *const option = laws[row].option;
    add(l, "%s", laws[row].model);
    if (!text[ends])
        return true;
    if (!option || strncmp(text + ends + 1, option, strlen(option)) != 0)
        return gb_cli_reject("--likelihood is \"%s\": %s%s%s", text, laws[row].law,
                             option ? " takes no option but " : " takes no options here",
                             option ? option : "");
    add(l, ":%s%s", laws[row].becomes, text + ends + 1 + strlen(option));
    return true;
}

/* "normal:scale=1" inside another plug-in: "normal(scale=1)" */
static void add_nested(line *l, const char *option, const char *text)
{
    const size_t ends = strcspn(text, ":");
    if (text[ends])
        add(l, ":%s=%.*s(%s)", option, (int)ends, text, text + ends + 1);
    else
        add(l, ":%s=%s", option, text);
}

/* A number for each hidden layer: "50,20". */
enum { LAYERS = 1000, DIFFER = 4 };
typedef struct layers {
    size_t count; /* 0: not given, or an error */
    double value[LAYERS];
} layers;

static bool read_layers(const gb_cli *cli, size_t option, double low, double below, layers *to)
{
    const char *const name = cli->command->options[option].name, *text = cli->value[option];
    for (to->count = 0; text && to->count < LAYERS; to->count++) {
        char part[64];
        double *const one = &to->value[to->count];
        const size_t ends = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)(ends < sizeof part ? ends : sizeof part - 1), text);
        if (!gb_cli_number(part, one) || !(*one >= low && *one < below))
            return gb_cli_reject("--%s is \"%s\"; each number must be from %g to below %g", name,
                                 cli->value[option], low, below);
        text = text[ends] ? text + ends + 1 : NULL;
    }
    return !text || gb_cli_reject("--%s has more than %d numbers", name, LAYERS);
}

/* Writes a number where it is another than that of the layer before: units=50:units_2=20. An option goes on
 * to all later layers, and 0 stands for none, so not all lists can be written. */
static bool add_numbers(line *l, const gb_cli *cli, size_t option, const char *word, const layers *of)
{
    for (size_t i = 0; i < of->count; i++) {
        const double value = of->value[i];
        if (i > 0 && !(value < of->value[i - 1]) && !(value > of->value[i - 1]))
            continue;
        if (i >= DIFFER || (i > 0 && value == 0))
            return gb_cli_reject("--%s is \"%s\"; %s", cli->command->options[option].name, cli->value[option],
                                 i >= DIFFER ? "layers from the fifth on are as the fourth"
                                             : "a layer without dropout comes before those with it");
        if (i == 0)
            add(l, ":%s=%.15g", word, value);
        else
            add(l, ":%s_%zu=%.15g", word, i + 1, value);
    }
    return true;
}

/* Unknown models are rejected later. */
static bool has_option(const char *model, const char *option)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(model, ":"), model);
    const gb_plugin *const type = gb_kind_find(&gb_model_kind, name);
    for (const gb_option *o = type ? type->options : NULL; o && o->name; o++)
        if (strcmp(o->name, option) == 0)
            return true;
    return !type;
}

static bool has_layers(const line *l, const gb_cli *cli)
{
    static const struct {
        size_t option;
        const char *name, *words;
    } all[] = {{GB_CLI_M_HIDDEN, "units", "hidden layers"}, {GB_CLI_M_DROPOUT, "dropout", "dropout"}};
    for (size_t i = 0; i < 2; i++)
        if (cli->value[all[i].option] && !has_option(l->text, all[i].name))
            return gb_cli_reject("--%s is for models with %s, as network; %.*s has none",
                                 cli->command->options[all[i].option].name, all[i].words,
                                 (int)strcspn(l->text, ":"), l->text);
    return true;
}

/* One rate is that of all layers. */
static bool add_layers(line *l, const gb_cli *cli)
{
    layers units, rates;
    if (!has_layers(l, cli) || !read_layers(cli, GB_CLI_M_HIDDEN, 1, 1e6, &units) ||
        !read_layers(cli, GB_CLI_M_DROPOUT, 0, 1, &rates))
        return false;
    const size_t count = units.count > 0 ? units.count : 1;
    if (rates.count > 1 && rates.count != count)
        return gb_cli_reject("--dropout has %zu rates, and there are %zu hidden layers", rates.count, count);
    if (units.count > 0)
        add(l, ":layers=%zu", count);
    return add_numbers(l, cli, GB_CLI_M_HIDDEN, "units", &units) &&
           add_numbers(l, cli, GB_CLI_M_DROPOUT, "dropout", &rates);
}

static bool read_model(gb_cli_asked *asked, const gb_cli *cli, const char *word)
{
    char text[GB_CLI_TEXT], error[512];
    line l = {.text = text, .fits = true};
    const char *const law = cli->value[GB_CLI_M_LIKELIHOOD], *const prior = cli->value[GB_CLI_M_PRIOR];
    const size_t name = strcspn(word, ":");
    if (law && !add_law(&l, word, name, law))
        return false;
    add(&l, "%s", law ? word + name : word);
    if (prior)
        add_nested(&l, "prior", prior);
    if (!add_layers(&l, cli))
        return false;
    if (!l.fits)
        return gb_cli_reject("the text of the model is longer than %d letters", GB_CLI_TEXT - 1);
    if (!gb_model_parse(text, &asked->model, error, sizeof error))
        return gb_cli_reject("%s", error);
    gb_model_text(asked->model, asked->model_text, sizeof asked->model_text);
    return true;
}

/* ---- other plug-ins, and numbers ---- */

static bool read_posterior(gb_cli_asked *asked, const char *text)
{
    char error[512];
    if (text && !gb_family_parse(text, &asked->posterior, error, sizeof error))
        return gb_cli_reject("--posterior: %s", error);
    if (text)
        gb_family_text(asked->posterior, asked->posterior_text, sizeof asked->posterior_text);
    return true;
}

bool gb_cli_asked_read(gb_cli_asked *asked, const gb_cli *cli, const char *word)
{
    char error[512];
    const char *const estimator = cli->value[GB_CLI_M_ESTIMATOR];
    *asked = (gb_cli_asked){.seed = 1};
    if (!gb_cli_whole(cli, GB_CLI_M_SEED, 0, UINT64_MAX, &asked->seed) ||
        !gb_cli_whole(cli, GB_CLI_M_SAMPLES, 1, 1000000, &asked->samples) || !read_model(asked, cli, word) ||
        !read_posterior(asked, cli->value[GB_CLI_M_POSTERIOR]))
        return false;
    if (estimator && !gb_estimator_parse(estimator, &asked->estimator, error, sizeof error))
        return gb_cli_reject("--estimator: %s", error);
    if (cli->value[GB_CLI_M_TARGET] && cli->value[GB_CLI_M_FORMULA])
        return gb_cli_reject("--target is short for a --formula with all columns; give one of them");
    return cli->value[GB_CLI_M_DATA] ||
           gb_cli_reject("--data FILE is missing; built-in sets are curve, moons, counts, groups");
}

gb_fit_method gb_cli_asked_method(const gb_cli_asked *asked)
{
    return asked->estimator.type || asked->samples ? GB_FIT_STOCHASTIC : GB_FIT_USUAL;
}

gb_tape *gb_cli_asked_tape(const gb_cli_asked *asked, const gb_cli *cli)
{
    gb_tape *const t = gb_tape_new(.seed = asked->seed, .team = cli->team);
    if (!t)
        gb_cli_reject("out of memory");
    return t;
}

/* ---- data ---- */

gb_table *gb_cli_table_read(gb_tape *tape, const gb_cli *cli)
{
    return gb_cli_table_open(
        tape, cli->value[GB_CLI_M_DATA],
        (gb_table_read_options){.size = sizeof(gb_table_read_options),
                                .missing = cli->value[GB_CLI_M_MISSING],
                                .decimal_comma = cli->value[GB_CLI_M_DECIMAL_COMMA] != NULL,
                                .no_header = cli->value[GB_CLI_M_NO_HEADER] != NULL});
}

static bool is_plain(const char *name)
{
    if (!isalpha((unsigned char)*name))
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.')
            return false;
    return true;
}

/* The formula of --target: all columns; of a series none, since its rows are times. */
static bool write_formula(const gb_cli_asked *asked, const gb_cli *cli, const gb_table *table, char *text)
{
    const gb_model_type *const type = asked->model.type;
    const char *const target = cli->value[GB_CLI_M_TARGET],
                      *const quote = target && !is_plain(target) ? "`" : "",
                      *const given = cli->value[GB_CLI_M_FORMULA];
    const bool is_series = type->is_whole && !type->has_new_rows;
    if (given || (!target && !type->outcome)) {
        snprintf(text, GB_CLI_TEXT, "%s", given ? given : "~ . - 1");
        return strlen(given ? given : "") < GB_CLI_TEXT || gb_cli_reject("--formula is too long");
    }
    if (!target)
        return gb_cli_reject("what is the outcome? Give --target COLUMN, or --formula 'COLUMN ~ ...'");
    if (!gb_table_column_named(table, target))
        return false; /* the error is on the tape, with the nearest name */
    snprintf(text, GB_CLI_TEXT, "%s%s%s ~ %s", quote, target, quote, is_series ? "1" : ".");
    return true;
}

static gb_analysis *record(const gb_cli_asked *asked, const gb_cli *cli, gb_tape *tape, const gb_table *table,
                           const char *formula, int64_t batch)
{
    static const enum gb_cli_model_option columns[] = {GB_CLI_M_GROUP, GB_CLI_M_ERROR};
    gb_analysis *const a = gb_analysis_new(
        tape, asked->model, .formula = formula, .table = table, .group = cli->value[GB_CLI_M_GROUP],
        .error = cli->value[GB_CLI_M_ERROR], .drop_missing = cli->value[GB_CLI_M_DROP_MISSING] != NULL,
        .posterior = asked->posterior, .estimator = asked->estimator, .samples = (int64_t)asked->samples,
        .batch = batch);
    const char *const outcome = a ? gb_analysis_outcome(a) : NULL;
    for (size_t i = 0; outcome && i < sizeof columns / sizeof *columns; i++)
        if (cli->value[columns[i]] && strcmp(cli->value[columns[i]], outcome) == 0)
            return gb_cli_reject("--%s is %s, which is the outcome", cli->command->options[columns[i]].name,
                                 outcome),
                   NULL;
    return a;
}

gb_analysis *gb_cli_asked_record(const gb_cli_asked *asked, const gb_cli *cli, gb_tape *tape,
                                 const gb_table *table, int64_t batch)
{
    char formula[GB_CLI_TEXT];
    return table && write_formula(asked, cli, table, formula)
               ? record(asked, cli, tape, table, formula, batch)
               : NULL;
}

gb_analysis *gb_cli_asked_record_weighted(const gb_cli_asked *asked, const gb_cli *cli, gb_tape *tape,
                                          const gb_table *table)
{
    char formula[GB_CLI_TEXT], weighted[GB_CLI_TEXT + 64];
    if (!write_formula(asked, cli, table, formula))
        return NULL;
    const size_t left = strcspn(formula, "~");
    if (strstr(formula, "weights("))
        return gb_cli_reject("simulated rows all count once; leave weights() out of the formula"), NULL;
    snprintf(weighted, sizeof weighted, "%.*s%s weights(%s) %s", (int)left, formula,
             memchr(formula, '|', left) ? "+" : "|", GB_CLI_WEIGHT, formula + left);
    return record(asked, cli, tape, table, weighted, 0);
}
