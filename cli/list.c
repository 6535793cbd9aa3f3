/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `grebe list`: what there is, from the lists of the library. */
#include <string.h>

#include "cli/say.h"
#include "distributions/kl.h"
#include "distributions/list.h"
#include "estimators/list.h"
#include "estimators/parse.h"
#include "estimators/problem.h"
#include "ops/list.h"

/* A line of a list: fields by name, of which some may be empty. */
enum { FIELDS = 5 };
typedef struct entry {
    const char *name[FIELDS]; /* of the fields; NULL: no more */
    const char *value[FIELDS];
} entry;

typedef struct lister {
    bool json;
    size_t written;
} lister;

static void write_text(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            putchar(*text);
    putchar('"');
}

static void add(lister *l, const entry *e)
{
    if (l->json)
        fputs(l->written ? ",\n {" : "\n {", stdout);
    for (size_t i = 0; i < FIELDS && e->name[i]; i++) {
        const char *const value = e->value[i] ? e->value[i] : "";
        if (l->json) {
            printf("%s", i ? ", " : "");
            write_text(e->name[i]);
            fputs(": ", stdout);
            write_text(value);
        } else if (i == 0)
            printf("%s%-24s%s", gb_cli_styled(stdout, GB_CLI_BOLD), value,
                   gb_cli_styled(stdout, GB_CLI_PLAIN));
        else if (*value)
            printf(i == 1 ? " %s\n" : "%25s%s\n", i == 1 ? value : "", value);
    }
    if (l->json)
        putchar('}');
    l->written++;
}

/* ---- each list ---- */

static void options_of(const gb_estimator_type *type, char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (const gb_estimator_option *o = GB_HAS(type, options) ? type->options : NULL;
         o && o->name && used < bytes; o++)
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s:%s (%s)", used ? "; " : "", o->name, o->words);
}

static void list_estimators(lister *l)
{
    size_t count;
    const gb_estimator_type *const *const all = gb_estimators(&count);
    for (size_t i = 0; i < count; i++) {
        char options[512], bias[256] = "";
        options_of(all[i], options, sizeof options);
        if (all[i]->bias)
            snprintf(bias, sizeof bias, "biased: %s", all[i]->bias);
        add(l, &(entry){{"name", "formula", "options", "bias", "cite"},
                        {all[i]->name, all[i]->formula, options, bias, all[i]->cite}});
    }
}

static void list_baselines(lister *l)
{
    size_t count;
    const gb_baseline_type *const *const all = gb_baselines(&count);
    for (size_t i = 0; i < count; i++)
        add(l, &(entry){{"name", "formula", "cite"}, {all[i]->name, all[i]->formula, all[i]->cite}});
}

static void params_of(const gb_param *params, char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < GB_MAX_PARAMS && params[i].name && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", params[i].name);
}

static void list_distributions(lister *l)
{
    size_t count;
    const gb_dist_type *const *const all = gb_distributions(&count);
    for (size_t i = 0; i < count; i++) {
        char params[160], other[160];
        params_of(all[i]->param, params, sizeof params);
        params_of(all[i]->alternative, other, sizeof other);
        add(l, &(entry){{"name", "parameters", "or", "formula"},
                        {all[i]->name, params, other, all[i]->formula}});
    }
}

static void list_problems(lister *l)
{
    size_t count;
    const gb_problem *const *const all = gb_problems(&count);
    for (size_t i = 0; i < count; i++) {
        char settings[512] = "";
        size_t used = 0;
        for (const gb_setting *s = all[i]->settings; s < all[i]->settings + GB_PROBLEM_SETTINGS && s->name;
             s++)
            if (used < sizeof settings)
                used += (size_t)snprintf(settings + used, sizeof settings - used, "%s%s=%g (%s)",
                                         used ? "; " : "", s->name, s->value, s->words);
        add(l, &(entry){{"name", "formula", "settings", "data"},
                        {all[i]->name, all[i]->formula, settings, all[i]->needs_data ? "needs data" : ""}});
    }
}

static void list_ops(lister *l)
{
    size_t count;
    const gb_op *const *const all = gb_ops(&count);
    for (size_t i = 0; i < count; i++)
        add(l, &(entry){{"name", "formula"}, {all[i]->name, all[i]->formula}});
}

static void list_kl(lister *l)
{
    size_t count;
    const gb_dist_type *const *const all = gb_distributions(&count);
    for (size_t i = 0; i < count; i++)
        for (const gb_kl_pair *p = GB_HAS(all[i], kl) ? all[i]->kl : NULL; p && p->q; p++) {
            char name[96];
            snprintf(name, sizeof name, "%s, %s", p->q->name, p->p ? p->p->name : "any");
            add(l, &(entry){{"pair", "note"},
                            {name, p->note   ? p->note
                                   : p->fits ? "exact, if they fit each other"
                                             : "exact"}});
        }
}

static const struct {
    const char *name;
    void (*list)(lister *l);
} lists[] = {{"estimators", list_estimators},
             {"baselines", list_baselines},
             {"distributions", list_distributions},
             {"problems", list_problems},
             {"ops", list_ops},
             {"kl", list_kl}};
enum { LISTS = sizeof lists / sizeof *lists };

static gb_cli_code run(const gb_cli *cli)
{
    const char *names[LISTS];
    lister l = {.json = cli->value[0] != NULL};
    for (size_t i = 0; i < LISTS; i++) {
        names[i] = lists[i].name;
        if (strcmp(lists[i].name, cli->word[0]) != 0)
            continue;
        if (l.json)
            putchar('[');
        lists[i].list(&l);
        if (l.json)
            puts("\n]");
        return GB_CLI_OK;
    }
    return gb_cli_say_unknown("list of", cli->word[0], LISTS, names);
}

const gb_cli_command gb_cli_list_command = {
    .name = "list",
    .words = "estimators|baselines|distributions|problems|ops|kl",
    .summary = "what there is, by name",
    .least = 1,
    .most = 1,
    .options = {{"json", NULL, "as JSON"}},
    .run = run,
};
