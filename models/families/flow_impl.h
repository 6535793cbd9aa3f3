/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows: q is the distribution of centre + spread ⊙ F(x), where x is standard normal. F is a list of maps of
 * one kind, each with an inverse and log |det dF/dx| (Rezende and Mohamed 2015). A kind is two functions; the
 * rest is here, once for all flows. */
#ifndef GREBE_MODELS_FAMILIES_FLOW_IMPL_H
#define GREBE_MODELS_FAMILIES_FLOW_IMPL_H

#include "models/family.h"

typedef struct gb_flow gb_flow;

/* Map number `layer`, of vectors x (…, n). Both return another vector; `forward` also writes
 * log |det dy/dx|, one number for each vector. */
typedef struct gb_flow_kind {
    gb_node (*forward)(const gb_flow *f, int64_t layer, gb_node x, gb_node *log_slope);
    gb_node (*inverse)(const gb_flow *f, int64_t layer, gb_node y);
} gb_flow_kind;

enum { GB_FLOW_WEIGHTS = 4 };

struct gb_flow {
    gb_transform self; /* first: the transform has it as `inner`, by which its functions find the flow */
    const gb_flow_kind *kind;
    gb_tape *tape;
    int64_t numbers, layers, bins;   /* bins 0: no splines */
    gb_node weight[GB_FLOW_WEIGHTS]; /* those of all layers, along a first axis */
    gb_node centre, spread;
};

/* The options that flows have in common. */
#define GB_FLOW_ROWS(options_, layers_)                                                                      \
    GB_FAMILY_PLACE_ROWS(options_), GB_FAMILY_SCALE_ROWS(options_),                                          \
        GB_OPTION_WHOLE(options_, layers, layers_, &gb_flow_count_domain, "maps")
extern const gb_domain gb_flow_count_domain;

/* Start of the centre, and of the spread. */
typedef struct gb_flow_place {
    gb_start start;
    double scale;
    gb_scale_map map;
} gb_flow_place;
#define gb_flow_place_of(options) ((gb_flow_place){gb_start_of(options), (options)->scale, (options)->map})

/* Returns a flow that the tape owns, without weights; NULL on error. */
gb_flow *gb_flow_new(const gb_slot *slot, const gb_flow_kind *kind, int64_t layers);

/* Creates centre and spread, and returns q over the support. A NULL flow gives an inert q. */
gb_dist gb_flow_posterior(const gb_slot *slot, gb_flow *f, gb_flow_place place);

/* The start of all flows, whose maps start as the identity. */
bool gb_flow_starts(gb_flow_place place, gb_family_start *to);

/* ---- networks: `inputs` numbers, one layer of `hidden` units, `outputs` numbers that start at 0 ---- */

/* Creates the weights of the networks of all layers: NAME.weight_in, .bias_in, .weight_out, .bias_out. */
void gb_flow_networks(const gb_slot *slot, gb_flow *f, int64_t inputs, int64_t hidden, int64_t outputs);

/* Returns the outputs of the network of a layer at x (…, inputs). A mask has the shape of the weights that it
 * multiplies; inert: none. x may have fewer numbers than the network has inputs. */
gb_node gb_flow_network(const gb_flow *f, int64_t layer, gb_node x, gb_node mask_in, gb_node mask_out);

/* ---- increasing maps of single numbers: a spline, if the flow has bins; then a scale and a shift ---- */

/* Returns how many parameters a number has. All of them 0 are the identity. */
int64_t gb_flow_parameters(int64_t bins);

/* Maps each number of x (…, m) by its own parameters: raw (…, parameters m or more), the first of all m
 * numbers, then the second, … `log_slope` receives Σ log dy/dx over the m numbers. */
gb_node gb_flow_move(const gb_flow *f, gb_node x, gb_node raw, gb_node *log_slope);
gb_node gb_flow_move_back(const gb_flow *f, gb_node y, gb_node raw);

/* Couplings, with the weights that gb_flow_networks makes for gb_flow_coupling_inputs numbers. */
gb_dist gb_flow_coupled(const gb_slot *slot, int64_t layers, int64_t hidden, int64_t bins,
                        gb_flow_place place);

#endif
