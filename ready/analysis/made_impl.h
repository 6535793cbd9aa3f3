/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An analysis while it is made, and afterwards. */
#ifndef GREBE_READY_ANALYSIS_MADE_IMPL_H
#define GREBE_READY_ANALYSIS_MADE_IMPL_H

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
    const char *noted_posterior; /* its text, with .noted */
    int new_rows;                /* how many batches of new rows were made, for their names */
};

/* Makes nodes of the arrays of the training: inputs or constants. Returns false on error. */
bool gb_analysis_make_nodes(gb_analysis *a);

/* Makes batches that feed rows to these inputs. NULL on error. */
gb_batches *gb_analysis_feed(const gb_analysis *a, const gb_row_arrays *rows, bool are_new, const char *name);

/* Returns the name of a note: "analysis.WHAT", or that of the analysis in the place of "analysis". The tape
 * keeps it. */
const char *gb_analysis_note_name(const gb_analysis *a, const char *what);

/* Records the error "analysis: WORDS" if something is wrong. Returns whether nothing is. */
bool gb_analysis_expect(gb_tape *tape, bool is_wrong, const char *words);

/* Find means, deviations and classes of the training rows, and the names of columns. Return false on
 * error. */
bool gb_analysis_know(gb_analysis *a);
bool gb_analysis_name_columns(gb_analysis *a);

/* Writes what is known to a note of the tape, after recording; reads it in the place of rows, before
 * recording; compares the posterior that was recorded with the noted one. Return false on error. */
bool gb_analysis_note(gb_analysis *a, gb_model model);
bool gb_analysis_recall(gb_analysis *a, gb_model model);
bool gb_analysis_is_as_noted(const gb_analysis *a);

/* Names classes that are numbers. */
bool gb_analysis_number_classes(gb_model_site *site);

#endif
