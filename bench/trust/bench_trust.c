/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/trust/run builds this program, and makes docs/trust.md from its results.
 *
 *     bench_trust FOLDER [--models a,b] [--families mean,full] [--variants plain,x,y,far] [--seeds N]
 *                 [--random SEED COUNT] [--first SEED] [--beside] [--response]
 *
 * Results are kept in FOLDER/BUILD, where BUILD is a checksum of this program, library included: what another
 * build left is not used. FOLDER/build names the latest one. There, results.tsv has a line for each run, and
 * runs that are in it are not done again; asked.tsv has those that any call asked for, can.tsv the pairs that
 * are to be called good, reference-….csv the references. --beside times the methods here on the shared
 * posteriors, --response compares standard deviations by linear response; neither makes the other runs. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "beside.h"
#include "reach.h"
#include "trust.h"

/* ---- units of the data, and starts ---- */

typedef struct variant {
    const char *name;
    int needs;
    double x, y;
    bool is_far;
} variant;

static const variant variants[] = {{"plain", 0, 1, 1, false},
                                   {"x", TRUST_X, 1e4, 1, false},
                                   {"y", TRUST_Y, 1, 1e-3, false},
                                   {"far", TRUST_FAR, 1, 1, true}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* ---- what is asked ---- */

typedef struct asked {
    char folder[400]; /* of this build */
    const char *models, *families, *variants;
    uint64_t first, seeds, random, randoms;
    bool beside, response;
    FILE *plan; /* not NULL: runs are written there, and not done */
} asked;

/* Whether a list with commas has the name; NULL is a list of all. */
static bool has(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, length) && (at[length] == ',' || !at[length]))
            return true;
    return !list;
}

static FILE *results_of(const asked *a, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/results.tsv", a->folder);
    return fopen(path, mode);
}

/* FNV-1a of the running program; 0 if it cannot be read. */
static uint64_t checksum(const char *program)
{
    FILE *file = fopen("/proc/self/exe", "rb");
    file = file ? file : fopen(program, "rb");
    uint64_t sum = 0xcbf29ce484222325u;
    unsigned char bytes[4096];
    size_t count, all = 0;
    while (file && (count = fread(bytes, 1, sizeof bytes, file)) > 0) {
        all += count;
        for (size_t i = 0; i < count; i++)
            sum = (sum ^ bytes[i]) * 0x100000001b3u;
    }
    if (file)
        fclose(file);
    return all ? sum : 0;
}

/* Makes the folder of this build in `folder`, and names it as the latest. */
static bool make_folder(asked *a, const char *folder, const char *program)
{
    char path[512];
    const unsigned long long build = checksum(program);
    if (!folder[0] || (mkdir(folder, 0777) != 0 && errno != EEXIST))
        return false;
    snprintf(a->folder, sizeof a->folder, "%s/%016llx", folder, build);
    snprintf(path, sizeof path, "%s/build", folder);
    FILE *const file = build ? fopen(path, "w") : NULL;
    if (!file)
        return false;
    fprintf(file, "%016llx\n", build);
    return !fclose(file) && (mkdir(a->folder, 0777) == 0 || errno == EEXIST);
}

static bool is_done(const asked *a, const char *key)
{
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    FILE *const file = results_of(a, "r");
    while (file && !found && getline(&line, &room, file) > 0)
        found = !strncmp(line, key, strlen(key));
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* ---- one run ---- */

/* The numbers of gb_summary, corrected where it says that they are. Returns how many. */
static size_t corrected(const trust *m, const gb_fit_result *r, trust_number *number)
{
    gb_node nodes[TRUST_TOLD];
    for (size_t k = 0; k < m->nodes; k++)
        nodes[k] = m->told[k].node;
    if (!r->judgement)
        return 0;
    gb_summary_table *const s =
        gb_summary(m->e, .judgement = r->judgement, .nodes = gb_roots_of(m->nodes, nodes));
    size_t count = 0;
    for (size_t i = s ? s->parameters : 0; s && i < s->rows && count < TRUST_NUMBERS; i++, count++) {
        const gb_summary_row *const row = &s->row[i];
        number[count] = (trust_number){
            .mean = row->mean, .sd = row->sd, .q05 = row->q05, .q50 = row->q50, .q95 = row->q95};
    }
    gb_summary_free(s);
    return count;
}

static void print_words(FILE *file, const char *words)
{
    for (; *words; words++)
        fputs(*words == '\n' ? " | " : *words == '\t' ? " " : (char[]){*words, 0}, file);
}

static void report(FILE *file, const char *key, const trust *m, const gb_fit_result *r,
                   const trust_reference *reference, double seconds)
{
    static const char *const ends[] = {
        [GB_FIT_ERROR] = "error", [GB_FIT_CONVERGED] = "converged", [GB_FIT_UNFINISHED] = "unfinished"};
    trust_number q[TRUST_NUMBERS], c[TRUST_NUMBERS];
    char why[400] = "";
    if (gb_error(m->t) != GB_OK) {
        snprintf(why, sizeof why, "error: %s", gb_error_text(m->t));
        gb_forgive(m->t);
    }
    const size_t count = trust_numbers_of_q(m, q), fixed = corrected(m, r, c);
    trust_gap g = {.mean = INFINITY, .sd = INFINITY}, f = {.mean = NAN, .sd = NAN};
    if (count == reference->count)
        g = trust_compare(count, q, reference->number);
    if (fixed == reference->count)
        f = trust_compare(fixed, c, reference->number);
    fprintf(file, "%s%s\t%s\t%.4g\t%s\t%.4g\t%s\t%.4g\t%.4g\t%.8g\t%.3g\t%.2f\t%s\t", key,
            gb_verdict_text(r->verdict), ends[r->end] ? ends[r->end] : "?", g.mean, g.mean_of, g.sd, g.sd_of,
            f.mean, f.sd, r->elbo, r->error, seconds, reference->source);
    for (size_t i = 0; i < count && count == reference->count; i++) {
        const trust_number *const n = &reference->number[i];
        const bool is_heavy = n->kind == TRUST_HEAVY;
        fprintf(file, "%s%.5g:%.5g", i ? ";" : "",
                is_heavy ? (q[i].q50 - n->q50) / ((n->q95 - n->q05) / 3.29) : (q[i].mean - n->mean) / n->sd,
                is_heavy ? (q[i].q95 - q[i].q05) / (n->q95 - n->q05) : q[i].sd / n->sd);
    }
    fputc('\t', file);
    print_words(file, why[0] ? why : r->words ? r->words : "");
    fputc('\n', file);
}

/* Each free number 20 standard deviations away, on either side. */
static void go_far(double *at, const trust_reference *r, uint64_t seed)
{
    trust_rng g = {seed};
    for (size_t i = 0; i < r->free; i++)
        at[i] = r->free_mean[i] + (trust_choose(&g, 2) ? 20 : -20) * r->free_sd[i];
}

static bool run(const asked *a, const trust_job *job, trust_family family, const variant *v, uint64_t seed)
{
    char key[200];
    double at[TRUST_NUMBERS];
    trust_reference reference;
    snprintf(key, sizeof key, "%s\t%s\t%s\t%llu\t", job->name, trust_family_names[family], v->name,
             (unsigned long long)seed);
    if (a->plan)
        return fprintf(a->plan, "%s\n", key) > 0;
    if (is_done(a, key) || !trust_refer(a->folder, job, &reference))
        return true;
    trust m = {.family = family, .x = v->x, .y = v->y};
    if (v->is_far && !reference.free) {
        fprintf(stderr, "%s: no start is 20 sd away, since no reference is in free numbers\n", job->name);
        return false;
    }
    if (v->is_far) {
        go_far(at, &reference, seed);
        m.start_count = reference.free;
        m.start = at;
    }
    if (!trust_begin(&m, job, seed))
        return false;
    const double began = trust_seconds();
    const gb_fit_result r = gb_fit(m.e);
    const double seconds = trust_seconds() - began;
    FILE *const file = results_of(a, "a");
    if (file) {
        report(file, key, &m, &r, &reference, seconds);
        fclose(file);
    } else {
        perror(a->folder);
    }
    trust_end(&m);
    return file != NULL;
}

static bool run_all(const asked *a, const trust_job *job, uint64_t seed, bool has_variants)
{
    const int takes = job->model ? job->model->variants : 0;
    bool good = true;
    for (size_t v = 0; v < (has_variants ? VARIANTS : 1); v++)
        for (trust_family f = 0; f < TRUST_FAMILIES; f++)
            if ((variants[v].needs & ~takes) == 0 && has(a->variants, variants[v].name) &&
                has(a->families, f == TRUST_FULL_RANK ? "full" : "mean"))
                good = run(a, job, f, &variants[v], seed) && good;
    return good;
}

/* Pairs that are to be called good, for the table. */
static void say_reach(const asked *a)
{
    char path[512];
    snprintf(path, sizeof path, "%s/can.tsv", a->folder);
    FILE *const file = fopen(path, "w");
    for (const trust_reach *r = trust_reaches; file && r->model; r++) {
        double sds[TRUST_NUMBERS];
        fprintf(file, "%s\t%s\t%s\t", r->model, trust_family_names[r->family], r->reason);
        const size_t count = r->optimum ? r->optimum(sds) : 0;
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%s0:%.6g", i ? ";" : "", sds[i]);
        fputc('\n', file);
    }
    if (file)
        fclose(file);
}

static bool run_table(const asked *a, const trust_model *table, uint64_t seed)
{
    bool good = true;
    for (const trust_model *model = table; model->name; model++) {
        trust_job job = {.model = model};
        snprintf(job.name, sizeof job.name, "%s", model->name);
        if (!has(a->models, model->name))
            continue;
        if (!a->plan && model->shared && !trust_has_shared(model->shared))
            continue;
        if (a->beside)
            good = (!model->shared || trust_time(a->folder, &job, seed)) && good;
        else if (a->response)
            good = trust_respond(a->folder, &job, seed) && good;
        else
            good = run_all(a, &job, seed, true) && good;
    }
    return good;
}

/* An option without a value. */
static bool is_flag(asked *a, const char *name)
{
    a->beside |= !strcmp(name, "--beside");
    a->response |= !strcmp(name, "--response");
    return !strcmp(name, "--beside") || !strcmp(name, "--response");
}

static bool run_each(const asked *a)
{
    bool good = true;
    for (uint64_t seed = a->first; seed < a->first + a->seeds; seed++) {
        const trust_model *const tables[] = {trust_known_models, trust_shared_models, trust_series_models,
                                             trust_regression_models};
        for (size_t k = 0; k < 4; k++)
            good = run_table(a, tables[k], seed) && good;
    }
    for (uint64_t k = 0; k < a->randoms; k++) {
        trust_job job = {.random = a->random + k};
        snprintf(job.name, sizeof job.name, "random:%llu", (unsigned long long)job.random);
        good = run_all(a, &job, 1, false) && good;
    }
    return good;
}

/* Writes down what is asked for, so that the page can say which runs are missing. */
static bool plan(asked a)
{
    char path[512];
    if (a.beside || a.response)
        return true;
    snprintf(path, sizeof path, "%s/asked.tsv", a.folder);
    a.plan = fopen(path, "a");
    const bool good = a.plan && run_each(&a);
    return a.plan && fclose(a.plan) == 0 && good;
}

int main(int count, char **argument)
{
    asked a = {.first = 1, .seeds = 1};
    for (int i = 2; i < count; i++) {
        if (is_flag(&a, argument[i]))
            continue;
        const char *const name = argument[i], *const value = i + 1 < count ? argument[i + 1] : "";
        i++;
        if (!strcmp(name, "--models"))
            a.models = value;
        else if (!strcmp(name, "--families"))
            a.families = value;
        else if (!strcmp(name, "--variants"))
            a.variants = value;
        else if (!strcmp(name, "--seeds"))
            a.seeds = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--first"))
            a.first = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--random") && i + 1 < count) {
            a.random = strtoull(value, NULL, 10);
            a.randoms = strtoull(argument[++i], NULL, 10);
        } else {
            fprintf(stderr, "unknown option %s\n", name);
            return 1;
        }
    }
    if (!make_folder(&a, count > 1 ? argument[1] : "", argument[0]) || !plan(a)) {
        fprintf(stderr, "bench_trust FOLDER [OPTION...]: a folder for results is needed\n");
        return 1;
    }
    say_reach(&a);
    return run_each(&a) ? 0 : 1;
}
