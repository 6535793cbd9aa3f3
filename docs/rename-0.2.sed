# SPDX-License-Identifier: GPL-3.0-or-later
# What 0.2 renames, for a program that was written for 0.1. It needs GNU sed; run it once:
#
#     sed -E -i -f rename-0.2.sed *.c *.h
#
# The compiler finds what it cannot do:
#   - gb_f_with(options), where the options are a variable, is gb_f_with(&options);
#   - what was an option and is required is now an argument: gb_check_op_with(&op, &options) where the options
#     had .op = &op, gb_expect_new_with(tape, &options) where they had .tape = tape;
#   - gb_fit_each_seed takes a gb_fit_seeds, with `.tape` and a `.make` that returns the gb_elbo;
#   - a column of integers is {input, gb_int64s(values)}, and not gb_doubles;
#   - such an argument stands in parentheses where it is a compound literal with commas.

# ---- options come by pointer: gb_matmul(a, b, .transpose_a = true) is a macro over gb_matmul_with ----

# gb_matmul_with(a, b, .transpose_a = true).
s/\bgb_(matmul|cumsum|triangular_solve|triangular_solve_vector)_with\(/gb_\1(/g
# gb_matmul_of(a, b, (gb_matmul_options){…}), and gb_adam_with((gb_adam_options){…}), on one line or on two.
s/\bgb_(matmul|cumsum|triangular_solve|triangular_solve_vector)_of\(/gb_\1_with(/g
s/, \((gb_(matmul|cumsum|triangular)_options)\)\{/, \&(\1){/g
s/\b(gb_\w+_with)\(\((gb_\w+_options)\)\{/\1(\&(\2){/g
s/^( +)\((gb_\w+_options)\)\{/\1\&(\2){/

# ---- options are called after their function ----
s/\bgb_check_([a-z]+)_settings\b/gb_check_\1_options/g
s/\bgb_triangular_options\b/gb_triangular_solve_options/g
s/\bgb_matching_options\b/gb_mean_field_matching_options/g
s/\bgb_relaxation_options\b/gb_relaxed_draws_options/g
s/\bgb_dropout_options\b/gb_dropout_draws_options/g

# ---- what something has, or is, begins with its name ----
s/\bgb_entropy\b/gb_dist_entropy/g
s/\bgb_posterior(_mean|_sd|_read)?\b/gb_elbo_posterior\1/g
s/\bgb_samples_are_independent\b/gb_expect_samples_independent/g
s/\bgb_node_op\b/gb_node_op_name/g
s/\bgb_node_operation\b/gb_node_op/g
s/\bgb_known_range\b/gb_node_range/g
s/\bgb_variables_of\b/gb_node_variables/g
s/\bgb_learned_by\b/gb_node_learned/g
s/(\.|->)refusal\b/\1rejection/g
s/(\.|->)tell\b/\1each/g
# gb_compare(…, .progress = f, .context = p), on one line or on several.
/\.progress = /s/\.context = /.user = /g
/\.progress = [^;]*$/,/;/s/\.context = /.user = /g
s/\bgb_check_node\b/gb_node_check/g
s/\bgb_average_of\b/gb_variable_average/g
s/\bgb_has_variable\b/gb_tape_has_variable/g
s/\bgb_dump_tape\b/gb_tape_dump/g
s/\bgb_dump\b/gb_program_dump/g
s/\bgb_step\b/gb_program_step/g
s/\bgb_set_step\b/gb_program_set_step/g
s/\bgb_set_samples\b/gb_program_set_samples/g
s/\bgb_plan_look\b/gb_program_plan/g
s/\bgb_scheduled\b/gb_schedule_factor/g
s/\bgb_fenced\b/gb_site_fenced/g
s/\bgb_reduce_infer\b/gb_infer_reduce/g
s/\bgb_pass_adjoint\b/gb_vjp_pass/g

# ---- gb_KIND_find, gb_KINDs, gb_check_KIND and gb_NAME_KIND_type, with the KIND of gb_KIND_type ----
s/\bgb_distribution_find\b/gb_dist_find/g
s/\bgb_distributions\b/gb_dists/g
s/\bgb_check_distribution(_with|_options)?\b/gb_check_dist\1/g
s/\bGB_DISTRIBUTION_LIST\b/GB_DIST_LIST/g
s/\bgb_(pathwise|score|vargrad|sticking_the_landing|enumerate|quadrature)_type\b/gb_\1_estimator_type/g
s/\bgb_(measure|relaxed|straight_through|arm|disarm|rebar|relax|dropout)_type\b/gb_\1_estimator_type/g
s/\bgb_(sgd|adagrad|rmsprop|adam|adamw|lbfgs|natural)_type\b/gb_\1_optimiser_type/g
s/\bgb_(steady|step_decay|cosine|robbins_monro|cyclical|warm_up)_type\b/gb_\1_schedule_type/g

# ---- gb_X_of makes a value of what it is given; gb_X_find looks it up; gb_X_same compares two ----
s/\bgb_dist_new\b/gb_dist_of/g
s/\bgb_slot_for\b/gb_slot_of/g
s/\bgb_values_from\b/gb_values_of/g
s/\bgb_axis_list_of\b/gb_axis_of/g
s/\bgb_optimiser_reference_of\b/gb_optimiser_reference_find/g
s/\bgb_shape_equal\b/gb_shape_same/g
s/\bgb_shape_with\b/gb_shape_replace/g

# ---- _along is for axes of the shape, _over for hidden ones ----
s/\bgb_draw_along\b/gb_draw_over/g

# ---- plug-ins are chosen by calls; nested ones are values like any other ----
s/\bgb_no_baseline\b([^_(]|$)/gb_no_baseline()\1/g
s/\bgb_moving_average_of\(/gb_moving_average(.decay = /g
s/\bgb_(moving_average|leave_one_out|leave_one_row_out|fitted|delta)\b([^_(]|$)/gb_\1()\2/g
s/\bgb_chosen\(/(/g
s/\bgb_site_options\(([a-z_]+)\)/\1->options/g
s/\bgb_param\b/gb_option/g
s/\.bound = &gb_evidence_bound_type\b/.bound = gb_evidence_bound()/g
s/\.positive = &gb_gamma_type\b/.positive = GB_MATCHING_GAMMA/g
s/\.positive = &gb_lognormal_type\b/.positive = GB_MATCHING_LOGNORMAL/g
s/\.unit = &gb_beta_type\b/.unit = GB_MATCHING_BETA/g
s/\.unit = &gb_kumaraswamy_type\b/.unit = GB_MATCHING_KUMARASWAMY/g
s|grebe/estimators/parse\.h|grebe/plugins/plugin.h|g

# ---- columns of batches say which type their numbers have ----
/\bGB_COLUMNS\(/s/\{([^{},]+), ([^{},]+)\}/{\1, gb_doubles(\2)}/g
