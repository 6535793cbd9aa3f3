/* SPDX-License-Identifier: GPL-3.0-or-later */
/* References: by a formula, from the shared draws, or by NUTS; kept as files. */
#include "trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- models on their tapes ---- */

bool trust_begin(trust *m, const trust_job *job, uint64_t seed)
{
    m->t = gb_tape_new(.seed = seed);
    m->seed = job->random;
    m->nodes = 0;
    if (!m->t)
        return false;
    m->e = gb_elbo_new(m->t, .data_size = 1);
    if (job->model)
        job->model->record(m);
    else
        trust_record_random(m);
    if (gb_error(m->t) == GB_OK)
        return true;
    fprintf(stderr, "%s: %s\n", job->name, gb_error_text(m->t));
    trust_end(m);
    return false;
}

void trust_end(trust *m)
{
    gb_tape_free(m->t);
    m->t = NULL;
}

/* ---- numbers ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(size_t n, const double *sorted, double p)
{
    const double at = p * (double)(n - 1), down = floor(at);
    const size_t i = (size_t)down;
    return i + 1 < n ? sorted[i] + (at - down) * (sorted[i + 1] - sorted[i]) : sorted[n - 1];
}

/* `x` is sorted at the end. */
static void summarise(trust_number *n, size_t draws, double *x, size_t chains)
{
    n->ess = NAN;
    n->rhat = NAN;
    if (chains > 0) {
        const gb_chains c = {.x = x, .chains = chains, .length = draws / chains};
        const gb_convergence r = gb_chains_convergence(&c);
        n->ess = fmin(r.ess_bulk, r.ess_mean);
        n->rhat = r.rhat;
    }
    double sum = 0, squares = 0;
    for (size_t i = 0; i < draws; i++)
        sum += x[i];
    n->mean = sum / (double)draws;
    for (size_t i = 0; i < draws; i++)
        squares += (x[i] - n->mean) * (x[i] - n->mean);
    n->sd = sqrt(squares / (double)(draws - 1));
    qsort(x, draws, sizeof *x, by_size);
    n->q05 = quantile(draws, x, 0.05);
    n->q50 = quantile(draws, x, 0.5);
    n->q95 = quantile(draws, x, 0.95);
}

size_t trust_numbers(const trust *m, gb_density *d, size_t draws, const double *z, size_t chains,
                     trust_number *number)
{
    enum { CHUNK = 2000 };
    gb_node nodes[TRUST_TOLD];
    size_t count = 0, sizes[TRUST_TOLD];
    for (size_t k = 0; k < m->nodes; k++)
        nodes[k] = m->told[k].node;
    gb_program *const p = gb_density_program(d, gb_roots_of(m->nodes, nodes));
    const size_t n = gb_density_count(d);
    double *x[TRUST_TOLD] = {0}, *column = malloc(draws * sizeof *column);
    for (size_t k = 0; p && k < m->nodes; k++) {
        sizes[k] = 1;
        const gb_shape shape = gb_node_shape(nodes[k]);
        for (int a = 0; a < shape.rank; a++)
            sizes[k] *= (size_t)gb_shape_size(shape, a);
        x[k] = malloc((draws + CHUNK) * sizes[k] * sizeof **x);
    }
    for (size_t i = 0; p && i < draws; i += CHUNK) {
        const size_t now = draws - i < CHUNK ? draws - i : CHUNK;
        gb_density_run(d, p, now, z + i * n);
        for (size_t k = 0; k < m->nodes; k++)
            gb_read_root(p, k, x[k] + i * sizes[k]);
    }
    for (size_t k = 0; p && k < m->nodes && gb_error(m->t) == GB_OK; k++)
        for (size_t j = 0; j < sizes[k] && count < TRUST_NUMBERS; j++) {
            trust_number *const it = &number[count++];
            for (size_t i = 0; i < draws; i++)
                column[i] = x[k][i * sizes[k] + j];
            *it = (trust_number){.kind = m->told[k].kind};
            if (sizes[k] > 1)
                snprintf(it->name, sizeof it->name, "%s[%zu]", m->told[k].name, j);
            else
                snprintf(it->name, sizeof it->name, "%s", m->told[k].name);
            summarise(it, draws, column, chains);
        }
    if (gb_error(m->t) != GB_OK)
        fprintf(stderr, "numbers: %s\n", gb_error_text(m->t));
    for (size_t k = 0; k < m->nodes; k++)
        free(x[k]);
    free(column);
    return count;
}

size_t trust_numbers_of_q(const trust *m, trust_number *number)
{
    enum { DRAWS = 20000 };
    gb_density *const d = gb_density_new(m->e);
    const size_t n = gb_density_count(d);
    double *const z = malloc((size_t)DRAWS * n * sizeof *z);
    size_t count = 0;
    if (d && z && gb_density_draw(d, 1u << 30, DRAWS, z, NULL) == GB_OK)
        count = trust_numbers(m, d, DRAWS, z, 0, number);
    free(z);
    return count;
}

trust_gap trust_compare(size_t count, const trust_number *q, const trust_number *reference)
{
    static const double range_of_sd = 3.2897072539029444;
    trust_gap g = {0};
    for (size_t i = 0; i < count; i++) {
        const trust_number *const r = &reference[i];
        const bool is_heavy = r->kind == TRUST_HEAVY;
        const double sd = is_heavy ? (r->q95 - r->q05) / range_of_sd : r->sd;
        const double mean = fabs(is_heavy ? q[i].q50 - r->q50 : q[i].mean - r->mean) / sd;
        const double off = fabs((is_heavy ? (q[i].q95 - q[i].q05) / range_of_sd : q[i].sd) / sd - 1);
        if (!(mean <= g.mean)) {
            g.mean = isnan(mean) ? INFINITY : mean;
            snprintf(g.mean_of, sizeof g.mean_of, "%s", r->name);
        }
        if (!(off <= g.sd)) {
            g.sd = isnan(off) ? INFINITY : off;
            snprintf(g.sd_of, sizeof g.sd_of, "%s", r->name);
        }
    }
    return g;
}

/* ---- NUTS ---- */

static const double needed_ess = 10000, needed_rhat = 1.01;
enum { CHAINS = 4, MOST_DRAWS = 100000 /* of a chain */, ATTEMPTS = 6, MOST_GRADIENTS = 20000000 };

static double least_ess(size_t count, const trust_number *n)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = n[i].ess >= least ? least : n[i].ess; /* NaN of a number that does not move, too */
    return least;
}

static bool is_good(const gb_nuts *s, size_t count, const trust_number *n)
{
    for (size_t i = 0; i < count; i++)
        if (!(n[i].ess >= needed_ess && n[i].rhat < needed_rhat))
            return false;
    return count > 0 && s->divergences == 0;
}

static bool goes_on(void *user, const gb_nuts_progress *progress)
{
    (void)user;
    return progress->gradients < MOST_GRADIENTS;
}

/* Numbers that the model tells, then the free numbers of the model as it is fitted: those that it tells too,
 * or else those of the chains. */
static size_t numbers_of(const trust *m, const gb_nuts *s, trust_number *number)
{
    const size_t draws = s->chains * s->draws;
    size_t count = trust_numbers(m, s->density, draws, s->z, s->chains, number);
    if (!count || number[count - 1].kind == TRUST_FREE)
        return count;
    double *const column = malloc(draws * sizeof *column);
    for (size_t j = 0; column && j < s->count && count < TRUST_NUMBERS; j++) {
        for (size_t i = 0; i < draws; i++)
            column[i] = s->z[i * s->count + j];
        number[count] = (trust_number){.kind = TRUST_FREE};
        summarise(&number[count++], draws, column, s->chains);
    }
    free(column);
    return count;
}

/* The latter go to their place. */
static void split(size_t count, const trust_number *number, trust_reference *r)
{
    r->count = r->free = 0;
    for (size_t i = 0; i < count; i++)
        if (number[i].kind == TRUST_FREE) {
            r->free_mean[r->free] = number[i].mean;
            r->free_sd[r->free++] = number[i].sd;
        } else {
            r->number[r->count++] = number[i];
        }
}

/* More draws if they are too few; if some diverged, other parameters, then smaller steps. */
static bool sample(const trust_job *job, trust_reference *r)
{
    double target = 0.9, least = 0;
    int64_t draws = 4000;
    for (int attempt = 0, change = 0; attempt < ATTEMPTS; attempt++) {
        trust m = {.x = 1, .y = 1, .for_reference = true, .attempt = change, .family = TRUST_MEAN_FIELD};
        if (!trust_begin(&m, job, 1000 + (uint64_t)attempt))
            return false;
        gb_nuts *const s = gb_sample_nuts(m.e, .chains = CHAINS, .warmup = 2000, .draws = draws,
                                          .target = target, .metric = GB_METRIC_DENSE, .each = goes_on);
        bool is_done = false, is_stopped = true;
        size_t divergences = 0;
        if (s) {
            trust_number number[TRUST_NUMBERS];
            const size_t count = numbers_of(&m, s, number);
            is_stopped = s->is_stopped;
            is_done = is_good(s, count, number);
            least = least_ess(count, number);
            split(count, number, r);
            divergences = s->divergences;
            gb_nuts_free(s);
        } else {
            fprintf(stderr, "%s: %s\n", job->name, gb_error_text(m.t));
        }
        trust_end(&m);
        if (is_done) {
            snprintf(r->source, sizeof r->source, "NUTS, ESS %.0f", least);
            return true;
        }
        if (divergences > 0 || is_stopped) {
            target = change % 2 ? 1 - (1 - target) / 5 : target;
            change++;
        } else {
            draws = (int64_t)fmin(MOST_DRAWS, (double)draws * fmin(8, 1.2 * needed_ess / fmax(least, 100)));
        }
        fprintf(stderr, "%s: %zu divergences, least effective size %.0f%s; once more\n", job->name,
                divergences, least, is_stopped ? ", stopped" : "");
    }
    fprintf(stderr, "%s: NUTS does not reach what is asked of a reference\n", job->name);
    return false;
}

/* Free numbers of a model whose other numbers are known. Models with exact numbers tell their free ones. For
 * the others NUTS has to reach what is asked of a reference, and to agree with the one there is. */
static void place(const trust_job *job, trust_reference *r)
{
    enum { TOO_FAR_PERCENT = 10 };
    trust_reference chains = {0};
    if (job->model->exact) {
        r->free = r->count;
        for (size_t i = 0; i < r->count; i++) {
            r->free_mean[i] = r->number[i].mean;
            r->free_sd[i] = r->number[i].sd;
        }
    } else if (sample(job, &chains) && chains.count == r->count) {
        const trust_gap g = trust_compare(r->count, chains.number, r->number);
        r->free = 100 * fmax(g.mean, g.sd) < TOO_FAR_PERCENT ? chains.free : 0;
        memcpy(r->free_mean, chains.free_mean, sizeof r->free_mean);
        memcpy(r->free_sd, chains.free_sd, sizeof r->free_sd);
        if (!r->free)
            fprintf(stderr, "%s: NUTS is %.2g (%s) and %.2g (%s) off the reference\n", job->name, g.mean,
                    g.mean_of, g.sd, g.sd_of);
    }
}

/* What the model tells, by name and kind: the shared references have other names. */
static bool name_told(const trust_job *job, trust_reference *r)
{
    double *z = NULL;
    trust m = {.x = 1, .y = 1, .family = TRUST_MEAN_FIELD};
    trust_number told[TRUST_NUMBERS];
    if (!trust_begin(&m, job, 1))
        return false;
    gb_density *const d = gb_density_new(m.e);
    z = calloc(2 * gb_density_count(d) + 1, sizeof *z);
    const size_t count = d && z ? trust_numbers(&m, d, 2, z, 0, told) : 0;
    for (size_t i = 0; i < count && i < r->count; i++) {
        memcpy(r->number[i].name, told[i].name, sizeof told[i].name);
        r->number[i].kind = told[i].kind;
    }
    if (job->model && job->model->exact)
        r->count = count;
    free(z);
    trust_end(&m);
    if (count == r->count && count > 0)
        return true;
    fprintf(stderr, "%s: tells %zu numbers, and its reference has %zu\n", job->name, count, r->count);
    return false;
}

/* ---- files ---- */

static void path_of(const char *folder, const trust_job *job, char path[512])
{
    snprintf(path, 512, "%s/reference-%s.csv", folder, job->name);
    for (char *c = path; *c; c++)
        *c = *c == ':' ? '-' : *c;
}

static bool read_kept(const char *path, trust_reference *r)
{
    FILE *const file = fopen(path, "r");
    char line[512];
    bool is_missing = true;
    *r = (trust_reference){0};
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        trust_number n = {0};
        int kind;
        if (sscanf(line, "source,%63[^\n]", r->source) == 1)
            is_missing = !strcmp(r->source, "none");
        else if (sscanf(line, "free,%lf,%lf", &r->free_mean[r->free], &r->free_sd[r->free]) == 2)
            r->free++;
        else if (sscanf(line, "%63[^,],%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf", n.name, &kind, &n.mean, &n.sd, &n.q05,
                        &n.q50, &n.q95, &n.ess, &n.rhat) == 9) {
            n.kind = (trust_kind)kind;
            r->number[r->count++] = n;
        }
    }
    fclose(file);
    return is_missing || r->count > 0;
}

static void keep(const char *path, const trust_reference *r)
{
    FILE *const file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    fprintf(file, "source,%s\n", r->source);
    for (size_t i = 0; i < r->free; i++)
        fprintf(file, "free,%.10g,%.10g\n", r->free_mean[i], r->free_sd[i]);
    for (size_t i = 0; i < r->count; i++) {
        const trust_number *const n = &r->number[i];
        fprintf(file, "%s,%d,%.10g,%.10g,%.10g,%.10g,%.10g,%.6g,%.6g\n", n->name, (int)n->kind, n->mean,
                n->sd, n->q05, n->q50, n->q95, n->ess, n->rhat);
    }
    fclose(file);
}

bool trust_refer(const char *folder, const trust_job *job, trust_reference *r)
{
    char path[512];
    path_of(folder, job, path);
    if (read_kept(path, r))
        return r->count > 0;
    *r = (trust_reference){0};
    const trust_model *const model = job->model;
    bool is_there;
    if (model && model->exact) {
        model->exact(r->number);
        snprintf(r->source, sizeof r->source, "exact");
        is_there = name_told(job, r);
        if (is_there)
            place(job, r);
    } else if (model && model->shared) {
        is_there = trust_read_shared(model->shared, r->number, &r->count) && name_told(job, r);
        snprintf(r->source, sizeof r->source, "posteriordb, ESS %.0f", least_ess(r->count, r->number));
        if (is_there)
            place(job, r);
    } else {
        is_there = sample(job, r);
    }
    if (!is_there) {
        r->count = r->free = 0;
        snprintf(r->source, sizeof r->source, "none");
    }
    keep(path, r);
    return is_there;
}
