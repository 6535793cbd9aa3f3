/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fit for people, and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/fitting/fit.h"
#include "core/ground/text_impl.h"
#include "core/version.h"

/* ---- for people ---- */

/* What numbers stand for the words of the outcome: which of two has the probability. */
static void print_levels(const gb_design *design, FILE *file)
{
    size_t count = 0;
    const char *const *const level = design ? gb_design_outcome_levels(design, &count) : NULL;
    for (size_t i = 0; level && i < count; i++)
        fprintf(file, "%s%s %zu is %s", i ? "," : gb_design_outcome_name(design), i ? "" : ":", i, level[i]);
    if (level)
        fputc('\n', file);
}

static void print_head(const gb_cli_fitted *f, FILE *file)
{
    const gb_design *const d = gb_analysis_design(f->analysis);
    fprintf(file, "%s: %s\n%" PRId64 " row%s of %s", f->fit->asked.model_text, d ? gb_design_formula(d) : "",
            gb_table_rows(f->train), gb_table_rows(f->train) == 1 ? "" : "s", gb_table_name(f->table));
    if (f->held)
        fprintf(file, ", and %" PRId64 " that are held out", gb_table_rows(f->held));
    fputc('\n', file);
    print_levels(d, file);
    fputs(*gb_analysis_warnings(f->analysis) ? "\n" : "", file);
    gb_cli_put_called(file, gb_analysis_warnings(f->analysis));
}

/* Returns the line of a method's words that says how its search ended; "" if there is none. */
static const char *end_of(const char *words)
{
    const char *last = "";
    for (const char *at = words; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, "converged: ", 11) == 0 || strncmp(at, "not converged: ", 15) == 0)
            last = at;
    return last;
}

static void print_end(const gb_cli_fitted *f, FILE *file)
{
    static const char *const methods[] = {"fixed draws", "fixed draws", "Pathfinder", "Laplace",
                                          "stochastic"};
    if (f->nuts) {
        fprintf(file, "\nsampled by NUTS: %zu chains of %zu draws, %zu divergences\n", f->nuts->chains,
                f->nuts->draws, f->nuts->divergences);
        return;
    }
    const char *const end = f->fit->optimiser.type ? "" : end_of(f->result.words);
    if (f->fit->optimiser.type)
        fprintf(file, "\ntrained: %" PRIu64 " steps, %s\n", f->result.last.step,
                f->result.steps == 0              ? "all of them before: --steps counts from the beginning"
                : f->result.end == GB_FIT_PLATEAU ? "until the ELBO no longer improved"
                                                  : "until all were taken");
    else
        fprintf(file, "\nfitted by %s%s%.*s\n", methods[f->result.method], *end ? "; " : "",
                (int)strcspn(end, "\n"), end);
}

/* Of a series all outcomes are one row of the prediction. */
static size_t scored(const gb_cli_fitted *f)
{
    return f->scores.count > 0 ? f->scores.score[0].count : 0;
}

static void print_scores(const gb_cli_fitted *f, FILE *file)
{
    const char *const words = f->prediction ? f->prediction->words : "";
    if (f->scores.count > 0)
        fprintf(file, "\nScores of the %zu rows %s\n", scored(f),
                f->held ? "that were held out" : "of the training, which it has seen");
    for (size_t i = 0; i < f->scores.count; i++) {
        const gb_score *const s = &f->scores.score[i];
        if (s->status == GB_OK)
            fprintf(file, "  %-18s %10.4g ± %.2g\n", s->name, s->value, s->error);
    }
    if (*words) /* the verdict that may follow stands above */
        fprintf(file, "%.*s\n", (int)strcspn(words, "\n"), words);
}

void gb_cli_fitted_print(const void *fitted, FILE *file)
{
    const gb_cli_fitted *const f = fitted;
    const gb_summary_table *const s = gb_cli_fitted_summary(f);
    print_head(f, file);
    print_end(f, file);
    fputc('\n', file);
    const bool has_rows = s->rows > 0, has_words = has_rows && *s->words && !f->nuts; /* by the summary */
    if (has_words)
        fputs("Verdict: ", file);
    else if (*f->words)
        fprintf(file, "Verdict: %s%s", f->words, f->words[strlen(f->words) - 1] == '\n' ? "" : "\n");
    if (has_rows && !has_words && *f->words)
        fputc('\n', file);
    if (has_rows)
        gb_summary_print(s, file);
    if (f->look) {
        fputs("\nThe bound\n", file);
        gb_elbo_print(f->elbo, file);
    }
    print_scores(f, file);
}

/* ---- as JSON ---- */

static void put_text(FILE *file, const char *key, const char *text)
{
    fprintf(file, ", \"%s\": ", key);
    gb_json_text(file, text);
}

/* The words of the outcome, in the order of their numbers; null if it has numbers itself. */
static void put_levels(FILE *file, const gb_design *design)
{
    size_t count = 0;
    const char *const *const level = design ? gb_design_outcome_levels(design, &count) : NULL;
    fputs(level ? ", \"levels\": [" : ", \"levels\": null", file);
    for (size_t i = 0; level && i < count; i++) {
        fputs(i ? ", " : "", file);
        gb_json_text(file, level[i]);
    }
    fputs(level ? "]" : "", file);
}

static void put_number(FILE *file, const char *key, double value)
{
    fprintf(file, ", \"%s\": ", key);
    gb_json_number(file, value);
}

/* {"mean": 1, "stderr": 0.1 */
static void put_mean(FILE *file, const char *key, gb_elbo_term term)
{
    fprintf(file, ", \"%s\": {\"mean\": ", key);
    gb_json_number(file, gb_value(term.value));
    put_number(file, "stderr", gb_value(term.error));
    fputc('}', file);
}

static void put_terms(FILE *file, const gb_cli_fitted *f)
{
    static const char *const kinds[] = {
        [GB_TERM_DATA] = "data",   [GB_TERM_FACTOR] = "factor", [GB_TERM_KL] = "kl",
        [GB_TERM_PRIOR] = "prior", [GB_TERM_TOTAL] = "total",   [GB_TERM_ENTROPY] = "entropy"};
    size_t count = 0;
    const gb_elbo_term *const term = f->look ? gb_elbo_terms(f->elbo, &count) : NULL;
    if (count > 0)
        put_mean(file, "elbo", term[count - 1]);
    else
        fputs(", \"elbo\": null", file);
    fputs(", \"terms\": [", file);
    for (size_t i = 0; i + 1 < count; i++) {
        fputs(i ? ",\n {\"name\": " : "\n {\"name\": ", file);
        gb_json_text(file, term[i].name);
        put_text(file, "kind", kinds[term[i].kind]);
        put_number(file, "value", gb_value(term[i].value));
        put_number(file, "stderr", gb_value(term[i].error));
        put_number(file, "scale", gb_value(term[i].scale));
        fprintf(file, ", \"exact\": %s}", term[i].exact ? "true" : "false");
    }
    fputc(']', file);
}

static void put_latents(FILE *file, const gb_summary_table *s)
{
    fputs(", \"latents\": [", file);
    for (size_t i = 0; s && i < s->rows; i++) {
        const gb_summary_row *const r = &s->row[i];
        fputs(i ? ",\n {\"name\": " : "\n {\"name\": ", file);
        gb_json_text(file, r->name);
        put_number(file, "mean", r->mean);
        put_number(file, "error", r->error);
        put_number(file, "sd", r->sd);
        put_number(file, "q05", r->q05);
        put_number(file, "q50", r->q50);
        put_number(file, "q95", r->q95);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_metrics(FILE *file, const gb_cli_fitted *f)
{
    fprintf(file, ", \"metrics\": {\"rows\": %zu, \"held_out\": %s, \"scores\": [", scored(f),
            f->held ? "true" : "false");
    for (size_t i = 0; i < f->scores.count; i++) {
        const gb_score *const s = &f->scores.score[i];
        fputs(i ? ",\n {\"name\": " : "\n {\"name\": ", file);
        gb_json_text(file, s->name);
        put_number(file, "value", s->value);
        put_number(file, "stderr", s->error);
        fputc('}', file);
    }
    fputs("]}", file);
}

void gb_cli_fitted_json(const void *fitted, FILE *file)
{
    const gb_cli_fitted *const f = fitted;
    const gb_design *const d = gb_analysis_design(f->analysis);
    gb_json_begin(file, "grebe-fit-1");
    put_text(file, "version", gb_version());
    put_text(file, "model", f->fit->asked.model_text);
    put_text(file, "formula", d ? gb_design_formula(d) : NULL);
    put_levels(file, d);
    put_text(file, "data", gb_table_name(f->table));
    fprintf(file, ", \"rows\": %" PRId64 ", \"seed\": %" PRIu64, gb_table_rows(f->train), f->fit->asked.seed);
    put_terms(file, f);
    put_text(file, "verdict", gb_verdict_text(f->judgement ? f->judgement->verdict : GB_VERDICT_NONE));
    put_text(file, "words", f->words);
    put_number(file, "k_hat", f->judgement ? f->judgement->weights.k : (double)NAN);
    put_text(file, "stopped_by", f->stopped_by);
    fprintf(file, ", \"steps\": %" PRIu64 ", \"gradients\": %" PRId64, f->result.last.step,
            f->nuts ? f->nuts->gradients : f->result.gradients);
    put_number(file, "seconds", f->seconds);
    put_latents(file, gb_cli_fitted_summary(f));
    put_metrics(file, f);
    fputs("}\n", file);
}
