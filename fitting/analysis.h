/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An analysis (ready/analysis.h) after its fit: what it has to show, and how well it predicts.
 *
 *     gb_fit_result r = gb_fit(gb_analysis_elbo(a), .data = gb_analysis_data(a));
 *     gb_summary_table *s = gb_analysis_summary(a, &r);
 *     gb_loo l = gb_analysis_loo(a, &r);
 *
 * Both take the judgement of the fit. If there is none, as after a training, and for NULL, they judge q with
 * all rows of the analysis. gb_summary(e, .nuts = …) and gb_elbo_loo take draws of NUTS. */
#ifndef GREBE_FITTING_ANALYSIS_H
#define GREBE_FITTING_ANALYSIS_H

#include "../ready/analysis.h"
#include "loo.h"
#include "summary.h"

GB_BEGIN_DECLS

/* Returns a table of gb_analysis_nodes alone: gb_summary(e, .judgement = r.judgement, .nodes =
 * gb_analysis_nodes(a), .only_nodes = true). NULL on error, as for models without draws of a density:
 * autoencoders, belief networks, latents of rows that are drawn, dropout, points, ensembles. For these
 * gb_predictive_node evaluates each of the nodes. */
GB_API gb_summary_table *gb_analysis_summary(const gb_analysis *a, const gb_fit_result *fitted);

/* Returns PSIS-LOO of the rows: gb_elbo_loo(e, gb_roots(gb_analysis_log_likelihood(a)), .judgement =
 * r.judgement). It has the sums; .pointwise of that call has the k of each row. It fails as these do; the
 * error is on the tape. */
GB_API gb_loo gb_analysis_loo(const gb_analysis *a, const gb_fit_result *fitted);

GB_END_DECLS
#endif
