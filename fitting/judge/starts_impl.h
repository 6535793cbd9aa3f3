/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_FITTING_JUDGE_STARTS_IMPL_H
#define GREBE_FITTING_JUDGE_STARTS_IMPL_H

#include "fitting/judge/judging_impl.h"

enum { GB_STARTS_NEEDED = 3 /* besides the fit itself */ };

typedef enum gb_start_kind {
    GB_START_AGREES,
    GB_START_NEGLIGIBLE, /* another place, which would move no mean */
    GB_START_COVERED,    /* a place that draws of q reach, so their weights count it */
    GB_START_OTHER,      /* another place, which may have a share of the posterior */
    GB_START_HIGHER,     /* a better member of the family */
    GB_START_LOST,       /* no optimum, or no numbers */
    GB_START_KINDS
} gb_start_kind;

typedef struct gb_start_found {
    gb_start_kind kind;
    size_t number; /* the free number that differs most */
    double mean_off, sd_off;
    double higher; /* its ELBO − q's */
} gb_start_found;

gb_start_found gb_judge_start_look(const gb_own_judgement *j, const gb_judge_start *start);

#endif
