/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what was found to one verdict, with its reasons. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fitting/judge/pathology_impl.h"
#include "fitting/judge/starts_impl.h"

const char *gb_verdict_text(gb_verdict verdict)
{
    static const char *const text[] = {
        "not judged", "not converged", "not to be trusted", "usable for means", "good, if no mode was missed",
        "good"};
    return (unsigned)verdict < sizeof text / sizeof *text ? text[verdict] : text[0];
}

/* ---- what is known of one quantity ---- */

/* Below such a k weights have a third moment. */
static const double THIRD_MOMENT = 1. / 3;

/* Whether a difference is within its bound, its error included. */
typedef enum standing { WITHIN, OPEN, BEYOND } standing;

static standing standing_of(double off, double error, double bound)
{
    if (isnan(off) || isnan(error))
        return OPEN;
    if (fabs(off) + 2 * error <= bound)
        return WITHIN;
    return fabs(off) - 3 * error > bound ? BEYOND : OPEN;
}

static standing worse(standing a, standing b)
{
    return a > b ? a : b;
}

static bool is_reliable(const gb_psis *w)
{
    return w->status == GB_OK && w->k < w->threshold;
}

/* A value that q's draws do not hold in numbers (an overflow) is judged by its free number. */
static bool counts(const gb_own_judgement *j, size_t i)
{
    return !j->is_point[i] && (i < j->n || !isnan(j->judged[i].mean_off));
}

/* The weights may be reliable as a whole, and not for a number that they depend on. Where they are nearly
 * equal, it is the number that has a long tail, and its quantiles are compared. */
static bool has_weights(const gb_own_judgement *j, size_t i)
{
    const gb_psis *const w = &j->own.weights;
    return !is_reliable(w) || w->k < THIRD_MOMENT || j->judged[i].corrected_mean.k < w->threshold;
}

typedef struct worst {
    standing standing;
    size_t number, beyond; /* the worst one; how many are not within */
    double off, error;
    bool is_wide;
} worst;

static void look_at(worst *to, size_t i, double off, double error, double bound, bool is_wide)
{
    const standing s = standing_of(off, error, bound);
    const bool is_unknown = isnan(off + error), was_unknown = isnan(to->off + to->error);
    const double size = is_unknown ? INFINITY : fabs(off) + 2 * error, most = fabs(to->off) + 2 * to->error;
    to->standing = worse(to->standing, s);
    to->beyond += s != WITHIN && !is_wide;
    if (size > most || (is_unknown && !was_unknown))
        *to = (worst){to->standing, i, to->beyond, off, error, is_wide};
}

static worst worst_of(const gb_own_judgement *j, bool of_sd)
{
    worst w = {0};
    for (size_t i = 0; i < j->n + j->values; i++) {
        const gb_judged *const x = &j->judged[i];
        if (!counts(j, i))
            continue;
        const double lost = has_weights(j, i) ? 0 : (double)NAN;
        if (of_sd)
            look_at(&w, i, x->sd_off, x->sd_error + lost, GB_SD_BOUND, false);
        else
            look_at(&w, i, x->mean_off, x->mean_error + lost, GB_MEAN_BOUND, false);
        if (!is_reliable(&j->wide.weights))
            continue;
        if (of_sd)
            look_at(&w, i, x->wide_sd_off, x->wide_sd_error, GB_SD_BOUND, true);
        else
            look_at(&w, i, x->wide_mean_off, x->wide_mean_error, GB_MEAN_BOUND, true);
    }
    return w;
}

/* A k that another batch of draws might show on the other side of the threshold is settled by more draws. */
static standing of_k(const gb_psis *w)
{
    if (w->status != GB_OK)
        return BEYOND;
    return w->k < w->threshold - 0.1 ? WITHIN : w->k > w->threshold + 0.5 ? BEYOND : OPEN;
}

/* Wider draws that stand in for q's own must have weights with a third moment. */
bool gb_judge_may_be_harmless(const gb_own_judgement *j)
{
    return j->own.weights.status == GB_OK && !is_reliable(&j->own.weights) &&
           j->wide.weights.status == GB_OK && j->wide.weights.k < THIRD_MOMENT && j->far_away == 0;
}

bool gb_judge_is_harmless(const gb_own_judgement *j)
{
    return gb_judge_may_be_harmless(j) && j->has_climbed && j->beyond.share == 0;
}

bool gb_judge_needs_draws(const gb_own_judgement *j)
{
    if (gb_judge_is_harmless(j))
        return false;
    return of_k(&j->own.weights) == OPEN ||
           (of_k(&j->own.weights) == WITHIN && !is_reliable(&j->wide.weights));
}

/* How far a difference is beyond its bound for sure: by four standard errors, since there may be thousands of
 * numbers. */
static double surely(double off, double error, double bound)
{
    return fabs(off) - 4 * error - bound;
}

/* The free numbers along which the ELBO rises most: of locations, and of scales. j->n: none. */
typedef struct slopes {
    size_t move, stretch;
} slopes;

static slopes slopes_of(const gb_own_judgement *j)
{
    slopes found = {j->n, j->n};
    double most[2] = {0, 0};
    for (size_t i = 0; i < j->n; i++) {
        const gb_judged *const x = &j->judged[i];
        const double move = surely(x->move, x->move_error, GB_MEAN_BOUND),
                     stretch = surely(x->stretch, x->stretch_error, 2 * GB_SD_BOUND);
        if (move > most[0])
            found.move = i, most[0] = move;
        if (stretch > most[1])
            found.stretch = i, most[1] = stretch;
    }
    return found;
}

bool gb_judge_is_settled(const gb_own_judgement *j)
{
    const standing k = of_k(&j->own.weights), mean = worst_of(j, false).standing,
                   sd = worst_of(j, true).standing;
    const slopes rising = slopes_of(j);
    if (j->beyond.share > 0 || (k == BEYOND && !gb_judge_is_harmless(j)) || mean == BEYOND ||
        rising.move < j->n || rising.stretch < j->n)
        return true;
    return !gb_judge_needs_draws(j) && mean != OPEN && sd != OPEN;
}

/* ---- words ---- */

static void write(gb_own_judgement *j, const char *format, ...) GB_PRINTF(2, 3);
static void write(gb_own_judgement *j, const char *format, ...)
{
    const size_t used = strlen(j->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->words + used, sizeof j->words - used, format, arguments);
    va_end(arguments);
}

/* A reason, which makes the verdict no better than `most`. */
static void reason(gb_own_judgement *j, gb_verdict most, const char *format, ...) GB_PRINTF(3, 4);
static void reason(gb_own_judgement *j, gb_verdict most, const char *format, ...)
{
    const size_t used = strlen(j->words);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(j->words + used, sizeof j->words - used, format, arguments);
    va_end(arguments);
    write(j, "\n");
    j->shown.verdict = most < j->shown.verdict ? most : j->shown.verdict;
}

/* ---- reasons ---- */

static void look_at_weights(gb_own_judgement *j)
{
    const gb_psis *const w = &j->own.weights;
    char name[GB_DENSITY_TEXT];
    if (w->status != GB_OK)
        reason(j, GB_VERDICT_NOT_TRUSTED, "the draws of q cannot be weighted: %s", w->words);
    else if (w->k < w->threshold)
        reason(j, GB_VERDICT_GOOD, "k is %.2f, below %.2f: the weights of %zu draws are reliable",
               floor(100 * w->k) / 100, w->threshold, w->count);
    else if (j->far_away != 0)
        reason(j, GB_VERDICT_NOT_TRUSTED,
               "k is %.2f, not below %.2f, and an ascent from the largest weights leads to another mode, "
               "where %s is %+.2g sd away",
               w->k, w->threshold, gb_judge_name(j, j->far_number, name), j->far_away);
    else if (gb_judge_is_harmless(j))
        reason(j, GB_VERDICT_GOOD,
               "k is %.2f, not below %.2f; but wider draws, whose k is %.2f, show how far q is from the "
               "posterior, and ascents from the largest weights find no other mode",
               w->k, w->threshold, j->wide.weights.k);
    else
        reason(j, GB_VERDICT_NOT_TRUSTED,
               "k is %.2f, not below %.2f: %zu draws of q do not show how far it is from the posterior", w->k,
               w->threshold, w->count);
}

static void look_at_moments(gb_own_judgement *j, bool of_sd)
{
    const worst w = worst_of(j, of_sd);
    char name[GB_DENSITY_TEXT];
    const char *const from = w.is_wide ? " by wider draws" : "";
    if (j->own.weights.status != GB_OK)
        return;
    gb_judge_name(j, w.number, name);
    if (w.standing == WITHIN && of_sd)
        reason(j, GB_VERDICT_GOOD, "standard deviations are within %.1f %% of the corrected ones (%s%s)",
               100 * (fabs(w.off) + 2 * w.error), name, from);
    else if (w.standing == WITHIN)
        reason(j, GB_VERDICT_GOOD, "means are within %.3f sd of the corrected ones (%s%s)",
               fabs(w.off) + 2 * w.error, name, from);
    else if (!has_weights(j, w.number) && !w.is_wide)
        reason(j, of_sd ? GB_VERDICT_MEANS : GB_VERDICT_NOT_TRUSTED,
               "the %s of %s cannot be compared: its own k is %.2f, not below %.2f",
               of_sd ? "standard deviation" : "mean", name, j->judged[w.number].corrected_mean.k,
               j->own.weights.threshold);
    else if (!isfinite(w.off) || !isfinite(w.error))
        reason(j, of_sd ? GB_VERDICT_MEANS : GB_VERDICT_NOT_TRUSTED,
               "the %s of %s cannot be compared: under the weights there is none",
               of_sd ? "standard deviation" : "mean", name);
    else if (of_sd)
        reason(j, GB_VERDICT_MEANS,
               "the standard deviation of %s is %+.0f %% off (± %.0f %%%s), and %.0f %% are allowed", name,
               100 * w.off, 100 * w.error, from, 100 * GB_SD_BOUND);
    else
        reason(j, GB_VERDICT_NOT_TRUSTED, "the mean of %s is %+.2f sd off (± %.2f%s), and %.1f are allowed",
               name, w.off, w.error, from, GB_MEAN_BOUND);
}

static void look_beyond(gb_own_judgement *j)
{
    const gb_beyond *const b = &j->beyond;
    char name[GB_DENSITY_TEXT];
    if (b->share == 0)
        return;
    if (b->is_part)
        reason(j, GB_VERDICT_NOT_TRUSTED,
               "the posterior has another part, which q does not cover: %.2g %% of it, by draws from "
               "that part; with it, the mean of %s is at %+.2g of q's sd, and the sd is %.2g times q's",
               100 * b->share, gb_judge_name(j, b->number, name), b->mean, b->sd);
    else if (b->is_around)
        reason(
            j, GB_VERDICT_NOT_TRUSTED,
            "the posterior goes on where no draw reaches: in all directions, %.2g %% of it is more than %.2g "
            "sd from q's mean, and its sd is about %.2g times q's",
            100 * b->share, b->from, b->sd);
    else
        reason(
            j, GB_VERDICT_NOT_TRUSTED,
            "the posterior goes on where no draw reaches: along %s, %.2g %% of it is more than %.2g sd from "
            "q's mean, and there its mean is at %+.2g sd and its sd %.2g times q's",
            gb_judge_name(j, b->number, name), 100 * b->share, b->from, b->mean, b->sd);
}

/* q could be better within its family. */
static void look_at_slope(gb_own_judgement *j)
{
    const slopes rising = slopes_of(j);
    char name[GB_DENSITY_TEXT];
    if (rising.move < j->n)
        reason(j, GB_VERDICT_NOT_CONVERGED,
               "the ELBO still rises along the location of %s: a natural step is %+.2g sd (± %.1g)",
               gb_judge_name(j, rising.move, name), j->judged[rising.move].move,
               j->judged[rising.move].move_error);
    if (rising.stretch == j->n)
        return;
    const gb_judged *const x = &j->judged[rising.stretch];
    gb_judge_name(j, rising.stretch, name);
    if (x->stretch > 0.98)
        reason(j, GB_VERDICT_NOT_CONVERGED,
               "the scale of %s is near 0 beside the posterior's: its draws see no curvature", name);
    else
        reason(j, GB_VERDICT_NOT_CONVERGED,
               "the ELBO still rises along the scale of %s: its derivative in log scale is %+.2g (± %.1g)",
               name, x->stretch, x->stretch_error);
}

static void look_at_nuts(gb_own_judgement *j)
{
    const gb_nuts *const r = j->nuts;
    char name[GB_DENSITY_TEXT];
    if (!r)
        return;
    if (r->words[0])
        reason(j, GB_VERDICT_GOOD, "the reference by NUTS has warnings: %.*s", (int)strcspn(r->words, "\n"),
               r->words);
    worst mean = {0}, sd = {0};
    for (size_t i = 0; i < j->n; i++) {
        if (j->is_point[i])
            continue;
        const gb_chains chains = {.x = r->z + i,
                                  .chains = r->chains,
                                  .length = r->draws,
                                  .chain_stride = r->draws * j->n,
                                  .draw_stride = j->n,
                                  .memory = gb_watched_memory(&j->watched)};
        const gb_convergence c = gb_chains_convergence(&chains);
        const double own = j->judged[i].sd / sqrt((double)j->own.count);
        look_at(&mean, i, (j->judged[i].mean - c.mean) / c.sd, hypot(c.mean_error, own) / c.sd, GB_MEAN_BOUND,
                false);
        look_at(&sd, i, j->judged[i].sd / c.sd - 1,
                j->judged[i].sd / c.sd * hypot(c.sd_error / c.sd, own / j->judged[i].sd), GB_SD_BOUND, false);
    }
    gb_judge_name(j, mean.number, name);
    reason(j, mean.standing == WITHIN ? GB_VERDICT_GOOD : GB_VERDICT_NOT_TRUSTED,
           "against NUTS the mean of %s is %+.2f sd off (± %.2f)", name, mean.off, mean.error);
    gb_judge_name(j, sd.number, name);
    reason(j, sd.standing == WITHIN ? GB_VERDICT_GOOD : GB_VERDICT_MEANS,
           "against NUTS the standard deviation of %s is %+.0f %% off (± %.0f %%)", name, 100 * sd.off,
           100 * sd.error);
}

/* The starts of one kind: how many there are, and the one that tells most. */
typedef struct tally {
    size_t count;
    gb_start_found most;
} tally;

static void count_starts(const gb_own_judgement *j, tally of[GB_START_KINDS])
{
    memset(of, 0, GB_START_KINDS * sizeof *of);
    for (size_t i = 0; i < j->options.start_count; i++) {
        const gb_start_found found = gb_judge_start_look(j, &j->options.starts[i]);
        tally *const t = &of[found.kind];
        if (t->count++ == 0 || found.higher > t->most.higher)
            t->most = found;
    }
}

/* Below a hundredth of a nat it is the same. */
static const char *elbo_of(const gb_start_found *found, char text[40])
{
    if (isnan(found->higher))
        return "of an unknown ELBO";
    if (fabs(found->higher) < 0.01)
        return "of the same ELBO";
    snprintf(text, 40, "of an ELBO %.2g %s", fabs(found->higher), found->higher < 0 ? "lower" : "higher");
    return text;
}

static void look_at_starts(gb_own_judgement *j)
{
    char name[GB_DENSITY_TEXT], elbo[40];
    tally of[GB_START_KINDS];
    count_starts(j, of);
    const size_t all = j->options.start_count, used = all - of[GB_START_LOST].count;
    const gb_start_found *const higher = &of[GB_START_HIGHER].most, *const other = &of[GB_START_OTHER].most;
    j->shown.starts = used;
    if (of[GB_START_LOST].count > 0)
        reason(j, GB_VERDICT_GOOD, "%zu of %zu other starts found no optimum, and do not count",
               of[GB_START_LOST].count, all);
    if (of[GB_START_HIGHER].count > 0)
        reason(j, GB_VERDICT_NOT_CONVERGED, "%zu of %zu other starts reached a higher ELBO, by up to %.2g",
               of[GB_START_HIGHER].count, used, higher->higher);
    j->shown.misses_mode = j->far_away != 0 || of[GB_START_OTHER].count > 0 || of[GB_START_HIGHER].count > 0;
    if (of[GB_START_OTHER].count > 0)
        reason(
            j, GB_VERDICT_NOT_TRUSTED,
            "%zu of %zu other starts ended elsewhere, where the posterior may have a share (%s): the mean of "
            "%s is %+.2g sd away, its sd %+.0f %%",
            of[GB_START_OTHER].count, used, elbo_of(other, elbo), gb_judge_name(j, other->number, name),
            other->mean_off, 100 * other->sd_off);
    if (of[GB_START_COVERED].count > 0)
        reason(j, GB_VERDICT_GOOD,
               "%zu of %zu other starts ended where draws of q reach, and their weights count",
               of[GB_START_COVERED].count, used);
    if (of[GB_START_NEGLIGIBLE].count > 0)
        reason(j, GB_VERDICT_GOOD,
               "%zu of %zu other starts ended at places of negligible weight (ELBO lower by %.2g)",
               of[GB_START_NEGLIGIBLE].count, used, -of[GB_START_NEGLIGIBLE].most.higher);
    if (used == 0)
        reason(j, GB_VERDICT_GOOD_HERE, "starts not compared: a mode that this fit missed cannot be seen");
    else if (used < GB_STARTS_NEEDED)
        reason(j, GB_VERDICT_GOOD_HERE, "only %zu other start%s compared, and %d should be", used,
               used == 1 ? "" : "s", GB_STARTS_NEEDED);
    else if (of[GB_START_AGREES].count > 0)
        reason(j, GB_VERDICT_GOOD, "%zu other starts agree", of[GB_START_AGREES].count);
}

static void look_at_draws(gb_own_judgement *j)
{
    if (j->shown.lost > 0)
        reason(j, GB_VERDICT_GOOD, "%zu of %zu draws of q have no density under the model", j->shown.lost,
               j->own.count);
    if (j->a_point)
        reason(j, GB_VERDICT_GOOD,
               "%s is a point: the others are judged as if it were known; how far it is from the posterior "
               "is not judged",
               j->a_point);
}

/* Puts the verdict before its reasons. */
static void begin_words(gb_own_judgement *j)
{
    const char *const text = gb_verdict_text(j->shown.verdict);
    const bool is_one = j->shown.starts == 0 && j->shown.verdict == GB_VERDICT_MEANS;
    char first[64];
    const int length = snprintf(first, sizeof first, "%s%s\n", text, is_one ? ", if no mode was missed" : "");
    const size_t used = strlen(j->words), room = sizeof j->words - 1 - (size_t)length;
    memmove(j->words + length, j->words, used < room ? used : room);
    memcpy(j->words, first, (size_t)length);
    j->words[(used < room ? used : room) + (size_t)length] = '\0';
    j->words[strlen(j->words) - 1] = '\0'; /* the last end of line */
}

void gb_judge_decide(gb_own_judgement *j)
{
    j->shown.verdict = GB_VERDICT_GOOD;
    j->words[0] = '\0';
    if (j->options.unfinished)
        reason(j, GB_VERDICT_NOT_CONVERGED, "%s", j->options.unfinished);
    gb_judge_look_for_pathologies(j, reason);
    if (!j->broken) {
        look_at_slope(j);
        look_at_weights(j);
        look_at_moments(j, false);
        look_at_moments(j, true);
        look_beyond(j);
        look_at_nuts(j);
        look_at_starts(j);
        look_at_draws(j);
        if (j->shown.verdict < GB_VERDICT_MEANS)
            gb_judge_look_for_standstill(j, reason);
    }
    begin_words(j);
    j->shown.words = j->words;
}
