# SPDX-License-Identifier: GPL-3.0-or-later
# What 0.2 renames, for a program that was written for 0.1 (GNU sed):
#
#     sed -E -i -f rename-0.2.sed *.c *.h
#
# Run a second time it changes nothing. What it cannot do the compiler finds: a call f_with(options) of a struct that is a
# variable, which is now f_with(&options), or f_with(required, &options) where an option became an argument.

# ---- options come by pointer; a function of named arguments has its own name ----
# gb_matmul_with(a, b, .transpose_a = true) is gb_matmul(…); so is a call whose line ends before its options.
s/\bgb_(matmul|cumsum|triangular_solve|triangular_solve_vector)_with\((([^()]|\(([^()]|\([^()]*\))*\))*, \.[a-z_]+ =)/gb_\1(\2/g
/\(gb_node /! s/\bgb_(matmul|cumsum|triangular_solve|triangular_solve_vector)_with\((([^()]|\(([^()]|\([^()]*\))*\))*,)$/gb_\1(\2/
s/\bgb_(matmul|cumsum|triangular_solve|triangular_solve_vector)_of\(([^{}]*)\((gb_\w+_options)\)\{/gb_\1_with(\2\&(\3){/g
s/\bgb_triangular_options\b/gb_triangular_solve_options/g
s/\b(gb_\w+_with)\(\((gb_\w+_options)\)\{/\1(\&(\2){/g
s/\bgb_check_(baseline|bound|distribution|estimator|family|op|optimiser|schedule|transform)_settings\b/gb_check_\1_options/g
s/\bgb_shape_with\b/gb_shape_replace/g
