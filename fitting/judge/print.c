/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/ground/text_impl.h"
#include "fitting/judge/judging_impl.h"

gb_status gb_judgement_print(const gb_judgement *j, FILE *file)
{
    if (!j || !file)
        return GB_EARGUMENT;
    gb_put_lines(file, j->words);
    fputc('\n', file);
    const gb_psis *const w = &j->weights;
    if (w->status == GB_OK && j->draws > 0)
        fprintf(file,
                "%zu draws of q: k %.2f, effective size %.0f, sd of log weights %.3g\n"
                "wider draws (x %.2f): k %.2f, effective size %.0f\n"
                "ELBO %.4f (± %.2g), log evidence %.4f (± %.2g)%s\n",
                j->draws, w->k, w->ess, j->spread, j->wide_factor, j->wide.k, j->wide.ess, j->elbo,
                j->elbo_error, w->log_evidence, w->log_evidence_error,
                w->k < w->threshold ? "" : ", an unreliable error");
    if (j->gain >= 0 && j->draws > 0)
        fprintf(file, "a natural step would raise the ELBO by about %.2g\n", j->gain);
    return gb_flushed(file) ? GB_OK : GB_ESYSTEM;
}
