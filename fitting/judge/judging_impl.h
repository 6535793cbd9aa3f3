/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A judgement while it is made. */
#ifndef GREBE_FITTING_JUDGE_JUDGING_IMPL_H
#define GREBE_FITTING_JUDGE_JUDGING_IMPL_H

#include "fitting/judge.h"
#include "fitting/judge/watched_impl.h"

enum { GB_JUDGE_WORDS = 4096 };

/* Within these bounds q is called good. */
#define GB_MEAN_BOUND 0.2
#define GB_SD_BOUND 0.2

/* Draws of q, or wider ones, with their weights. */
typedef struct gb_weighed {
    double factor; /* c: 1 for draws of q */
    size_t count, room;
    double *z, *value, *log_ratio, *log_weight;
    gb_psis weights;
} gb_weighed;

/* What p weighs where q's draws do not reach: along one number. */
typedef struct gb_beyond {
    size_t number;      /* free numbers, then values */
    double share, from; /* of the weight that is more than `from` sd from q's mean; 0: p does not go on */
    double mean, sd;    /* of p along the line, in q's sd, from q's mean */
    bool is_around;     /* in all directions, of no number */
    bool is_part;       /* a part of p that is wide in some directions: mean and sd of the number with it */
} gb_beyond;

/* What is shown has pointers to the arrays here. */
typedef struct gb_own_judgement {
    gb_judgement shown; /* first: gb_judgement_free gets a pointer to it */
    gb_memory memory;
    gb_watched watched; /* the same, for numbers in, numbers out */
    gb_judge_options options;
    gb_tape *tape;
    size_t n, values, spread; /* `spread`: free numbers that are not points */
    bool *is_point;           /* of each free number, then of each value */
    const char *a_point;      /* the name of one; NULL: there is none */
    gb_weighed own, wide;
    double *centre;           /* of the wider draws */
    double *gradient, *log_q; /* of the first batch; of a batch */
    size_t gradients;         /* draws that have one */
    size_t batches, most;
    double height; /* the largest |log p| */
    uint64_t step;
    gb_judged *judged; /* free numbers, then values */
    gb_nuts *nuts;
    /* What was found, for the verdict. */
    const char *broken; /* draws that are no numbers: of which latent; NULL: none */
    bool has_climbed;   /* another mode was looked for: how far it is, and along which number; 0: none */
    double far_away;
    size_t far_number;
    gb_beyond beyond;
    char words[GB_JUDGE_WORDS];
    bool is_owned; /* by the tape */
} gb_own_judgement;

/* Draws until there are `count`, with weights; the first time with gradients, if `gradient` is there. Returns
 * false on error. Sets `broken` if there are no numbers to go on with. */
bool gb_judge_draw(gb_own_judgement *j, gb_weighed *w, size_t count);

/* Fills what is known of number i (free numbers, then values) by draws of q, and by wider ones. */
void gb_judge_number(gb_own_judgement *j, size_t i);

/* Finds where the gradient of the ELBO points, from the draws that have one. Returns false on error. */
bool gb_judge_slope(gb_own_judgement *j, size_t draws);

/* Looks for another mode, where the largest weights point to. Returns false on error. */
bool gb_judge_climb(gb_own_judgement *j);

/* Follow p far beyond q: along lines, along rays, and by its curvature; and set `beyond`. Return false on
 * error. */
bool gb_judge_look_along_lines(gb_own_judgement *j);
bool gb_judge_look_at_shells(gb_own_judgement *j);
bool gb_judge_look_for_parts(gb_own_judgement *j);

/* Writes the free numbers along which lines through q's mean are looked at; returns how many. */
enum { GB_JUDGE_LINES = 32 };
size_t gb_judge_lines(const gb_own_judgement *j, size_t number[GB_JUDGE_LINES]);

/* Writes how all free numbers move in q if number i moves by one sd: C eᵢ / sd, without what is chance. */
void gb_judge_direction(const gb_own_judgement *j, size_t i, double *to);

/* Writes the numbers of the `count` draws with the largest weights, the largest first. There are more. */
void gb_judge_heaviest(const gb_weighed *of, size_t count, size_t *draw);

/* Whether a k above its threshold may be no reason against q: wider draws, whose weights are reliable, show
 * what q's own do not; and whether it is none, since ascents from the largest weights find no other mode. */
bool gb_judge_may_be_harmless(const gb_own_judgement *j);
bool gb_judge_is_harmless(const gb_own_judgement *j);

/* Whether the weights are not settled yet; whether all that a verdict needs is known as exactly as it must
 * be, or another fault decides. */
bool gb_judge_needs_draws(const gb_own_judgement *j);
bool gb_judge_is_settled(const gb_own_judgement *j);

/* Sets the verdict and its words. */
void gb_judge_decide(gb_own_judgement *j);

/* Writes the name of number i: free numbers, then values. */
const char *gb_judge_name(const gb_own_judgement *j, size_t i, char text[GB_DENSITY_TEXT]);

#endif
