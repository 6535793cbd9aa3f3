/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of an analysis most often, in one call. */
#include "fitting/analysis.h"
#include "fitting/predictive.h"

static const gb_judgement *judgement_of(const gb_fit_result *fitted)
{
    return fitted ? fitted->judgement : NULL;
}

gb_summary_table *gb_analysis_summary(const gb_analysis *a, const gb_fit_result *fitted)
{
    return gb_summary(gb_analysis_elbo(a), .judgement = judgement_of(fitted), .data = gb_analysis_data(a),
                      .nodes = gb_analysis_nodes(a), .only_nodes = true);
}

gb_loo gb_analysis_loo(const gb_analysis *a, const gb_fit_result *fitted)
{
    const gb_node log_p = gb_analysis_log_likelihood(a);
    return gb_elbo_loo(gb_analysis_elbo(a), gb_roots(log_p), .judgement = judgement_of(fitted),
                       .data = gb_analysis_data(a));
}
