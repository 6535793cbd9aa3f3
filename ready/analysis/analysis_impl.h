/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GREBE_READY_ANALYSIS_ANALYSIS_IMPL_H
#define GREBE_READY_ANALYSIS_ANALYSIS_IMPL_H

#include "ready/analysis.h"
#include "ready/analysis/rows_impl.h"
#include "ready/model/parts_impl.h"

struct gb_analysis {
    gb_analysis_options options;
    const gb_model_type *type;
    gb_option_block model; /* the options of the model */
    gb_design *design, *groups;
    gb_row_arrays rows;
    gb_model_site site;
    gb_batches *data;
    int new_rows; /* how many batches of new rows were made, for their names */
};

/* Makes nodes of the arrays of the training: inputs or constants. Returns false on error. */
bool gb_analysis_make_nodes(gb_analysis *a);

/* Makes batches that feed rows to these inputs. NULL on error. */
gb_batches *gb_analysis_feed(const gb_analysis *a, const gb_row_arrays *rows, bool are_new, const char *name);

#endif
