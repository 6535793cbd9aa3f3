/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log joint density of an ELBO as a function of one vector:
 *
 *     log p(z) = log p(data, w(z)) + log |dw/dz|
 *
 * z has the free numbers of all latents (models/family.h) in the order in which they were recorded, and w(z)
 * maps them onto the supports. All terms count: priors, data, factors; a latent without prior has a flat one
 * over its support. q, its estimators and the weight of KL do not enter. A term that varies over rows is
 * multiplied by data_size / rows, as in the ELBO. A point is a parameter like any other latent.
 *
 *     gb_density *d = gb_density_new(e);
 *     double z[8 * n], log_p[8], gradient[8 * n];
 *     gb_density_evaluate(d, 8, z, log_p, gradient, NULL);
 *
 * A call evaluates many points in one run, which costs much less than as many runs. Points are independent of
 * each other: one where the model has no density (an argument is rejected, a value is NaN) has log p = −∞ and
 * gradient 0, and does not change the others. Variables that belong to no latent have their current values.
 *
 * The tape owns a density until the tape is reset or freed. Errors are recorded on the tape. A NULL density
 * means that an earlier call failed; the function does nothing. */
#ifndef GREBE_FITTING_DENSITY_H
#define GREBE_FITTING_DENSITY_H

#include "../models/batches.h"
#include "../models/elbo.h"

GB_BEGIN_DECLS

typedef struct gb_density gb_density;

typedef struct gb_density_options {
    size_t size;
    /* The data: a density is summed over all batches. They are fed in the order of epoch 0, and afterwards
     * stand where they stood. NULL: the inputs have been fed, and are the same in each call. */
    gb_batches *data;
    /* The rows are only a part of the data set, and stand for all of its .data_size rows. Without it, and
     * unless the last gb_fit of the ELBO was told so, log p of another number of rows is an error; of more
     * rows it always is. */
    bool part_of_data;
    /* Points are without Jacobian. Then log p is highest where gb_fit with gb_point ends, in whatever free
     * numbers; as a density of z it has no meaning. */
    bool points_by_height;
} gb_density_options;

/* Records the density of the latents and terms that the ELBO has now, before or after gb_elbo_loss. Returns
 * NULL on error. Without data a density that was recorded before is returned again, as long as no term was
 * added. These are rejected by name:
 *   - discrete latents, dropout, and latents whose support no transform reaches;
 *   - latents of each row (gb_posterior_of with rows), unless all .data_size rows are in one batch, or were
 *     fed. Then their numbers are those of row 0, row 1 …, in an axis before their own. gb_row_by_row is not
 *     such a family: its latent is one, with a draw for each row;
 *   - terms that depend on noise of the model, or on several samples at once. */
#define gb_density_new(...) GB_NEW_1(gb_density, __VA_ARGS__, .size = sizeof(gb_density_options))
GB_API gb_density *gb_density_new_with(gb_elbo *e, const gb_density_options *options);

/* Return the number of free numbers (n), and of values: all numbers of all latents, constrained. A simplex of
 * 3 has 2 free numbers and 3 values. 0 for NULL. */
GB_API size_t gb_density_count(const gb_density *d);
GB_API size_t gb_density_value_count(const gb_density *d);

/* Stores log p and its gradient (n numbers for each point) at `points` points z, one after the other. Either
 * result may be NULL. `lost`, if not NULL, receives the number of points where log p or an element of its
 * gradient is not finite; there they are −∞ and 0. Returns the error code of the tape. */
GB_API gb_status gb_density_evaluate(gb_density *d, size_t points, const double *z, double *log_p,
                                     double *gradient, size_t *lost);

/* Stores H v for each point: H is the matrix of second derivatives of log p at z, and v has n numbers for
 * each point. Where a product is not finite it is NaN, all n numbers of it. Fails with GB_EGRADIENT if an
 * operation of the model has no second derivative. */
GB_API gb_status gb_density_hessian_times(gb_density *d, size_t points, const double *z, const double *v,
                                          double *product);

/* Stores the n × n matrix H at one point, made exactly symmetric. */
GB_API gb_status gb_density_hessian(gb_density *d, const double *z, double *hessian);

/* Stores the band of a latent: the largest |i − j| of two of its free numbers that log p couples, which have
 * a second derivative other than 0 at one of two draws of q. It is what gb_banded (models/family.h) needs to
 * follow the model: 1 for a random walk, 0 if the numbers are independent given all others. `latent` is the
 * name of a latent, a block, or a part of one ("block.part"). It costs a product with H for each free number
 * of the latent. So the band is found once, with any q, and the model is recorded again:
 *
 *     int64_t band;
 *     gb_density_band(gb_density_new(e), "level", &band);
 *
 * A coupling that is 0 at both draws, as behind a threshold that they do not pass, is not seen. */
GB_API gb_status gb_density_band(gb_density *d, const char *latent, int64_t *band);

/* Evaluates log p and its gradient at one point as runs of their own, which fail where one is not finite: the
 * tape then has the error, with the datum or the operation that is the reason. GB_OK: both are finite. */
GB_API gb_status gb_density_explain(gb_density *d, const double *z);

/* Stores the values at each point: those of all latents, each in its shape. */
GB_API gb_status gb_density_values(gb_density *d, size_t points, const double *z, double *values);

/* The inverse: stores the free numbers of each point from its values. A value outside its support gives NaN,
 * one at an end of it ±∞. */
GB_API gb_status gb_density_free_numbers(gb_density *d, size_t points, const double *values, double *z);

/* Stores points drawn from q of each latent, and log q of them as a density of z, in which log p − log q
 * are log weights. Either may be NULL. `step`, below 2³¹, decides the draws: another step, other draws.
 * Points have the values that they have, with log q = 0. Fails if some q has no density. */
GB_API gb_status gb_density_draw(gb_density *d, uint64_t step, size_t points, double *z, double *log_q);

/* Returns a program with the value of each node of `nodes` at points z: a prediction, a generated
 * quantity, anything that depends on draws of the latents. A node may use noise (gb_sample): each run has
 * its own. NULL on error. Run it by gb_density_run; then gb_read_root(program, i, values) stores for each
 * point the elements of node i, rows first; NaN where an operation rejects its argument. Batches of the
 * density are not fed for it. gb_density_run rejects other programs. */
GB_API gb_program *gb_density_program(gb_density *d, gb_node_list nodes);
GB_API gb_status gb_density_run(gb_density *d, gb_program *program, size_t points, const double *z);

/* ---- what the numbers are ---- */

/* A latent, or a part of a block. */
typedef struct gb_density_part {
    const char *name;
    gb_shape shape; /* of its values */
    size_t first_value, values;
    size_t first, count; /* of its free numbers */
    bool is_point;
    bool is_free; /* the values are the free numbers */
} gb_density_part;

/* Returns the parts in the order of z; `count` receives how many. NULL for NULL. */
GB_API const gb_density_part *gb_density_parts(const gb_density *d, size_t *count);

/* Write the name of value number i, such as "tau" or "theta.slope[2]" (indices count from 0), and of free
 * number i. The latter is that of the value, if they are the same, else "tau.free". Control
 * characters, and bytes that are no UTF-8, are written as "\n", "\x1b". Return `text`; it is "" if there is
 * no such number. */
enum { GB_DENSITY_TEXT = 320 };
GB_API const char *gb_density_value_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT]);
GB_API const char *gb_density_free_name(const gb_density *d, size_t i, char text[GB_DENSITY_TEXT]);

/* Returns the tape that owns it; NULL for NULL. */
GB_API gb_tape *gb_density_tape(const gb_density *d);

GB_END_DECLS
#endif
