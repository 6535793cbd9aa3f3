# SPDX-License-Identifier: GPL-3.0-or-later
# Writes reference_table.h with R's loo (2.5.1) and posterior (1.4.0): Rscript reference.R > reference_table.h
# The numbers that it judges are those of numbers.h, which makes them by the same formulas.
suppressMessages({library(loo); library(posterior)})

uniforms <- function(count, seed) { # Park and Miller 1988
  u <- numeric(count)
  for (i in seq_len(count)) {
    seed <- (16807 * seed) %% 2147483647
    u[i] <- seed / 2147483647
  }
  u
}
normals <- function(count, seed) { # nearly: sums of twelve
  u <- matrix(uniforms(12 * count, seed), nrow = 12)
  z <- rep(-6, count)
  for (j in 1:12) z <- z + u[j, ]
  z
}
pareto <- function(u, k) if (k == 0) -log1p(-u) else expm1(-k * log1p(-u)) / k
log_ratios <- function(count, k, seed, offset) log(pareto(uniforms(count, seed), k) + 0.1) + offset
show <- function(...) {
  row <- paste0("{", paste(sprintf("%.15g", c(...)), collapse = ", "), "},")
  cat(strwrap(row, 105, indent = 4, exdent = 5), sep = "\n")
}
khat <- function(values, tail) { # posterior::pareto_khat of later versions, with loo's fit
  values <- sort(values)
  n <- length(values)
  loo:::gpdfit(values[(n - tail + 1):n] - values[n - tail], sort_x = FALSE)$k
}

cat("/* SPDX-License-Identifier: GPL-3.0-or-later */\n/* Made by reference.R. */\n")

# count, k, seed, offset, r_eff; k hat, ess, log evidence, largest weight, sum of w x, error, sum of
# w (x - m)^2, 5 % quantile, k of the mean, checksum of log weights
cat("static const double psis_table[][15] = {\n")
seed <- 1
for (count in c(100, 1000, 10000)) for (k in c(-1, -0.3, 0, 0.3, 0.7, 1, 1.5)) {
  seed <- seed + 1
  offset <- c(0, 700, -1e5)[seed %% 3 + 1]
  r_eff <- c(1, 0.4, 1.7)[seed %% 3 + 1]
  lr <- log_ratios(count, k, seed, offset)
  x <- normals(count, seed + 100) * 3 + 5
  p <- suppressWarnings(psis(lr, r_eff = r_eff))
  lw <- weights(p)[, 1]
  w <- exp(lw)
  m <- loo:::.wmean(x, w)
  tail <- attr(p, "tail_len")
  hr <- x * exp(lr - max(lr))
  show(count, k, seed, offset, r_eff, p$diagnostics$pareto_k, p$diagnostics$n_eff,
       matrixStats::logSumExp(p$log_weights) - log(count), max(w), m, sqrt(loo:::.wvar(x, w, r_eff)),
       sum(w * (x - m)^2), loo:::.wquant(x, w, 0.05),
       max(p$diagnostics$pareto_k, khat(hr, tail), khat(-hr, tail)), sum(lw * (seq_len(count) %% 7)) / count)
}
cat("};\n\n")

# seed, chains (0: independent draws), with log ratios?; elpd, se, p, se, ic, se; of datum 3: elpd, error, k,
# ess
draws <- 800; data <- 9
cat("static const double loo_table[][13] = {\n")
for (seed in 1:4) {
  mu <- normals(draws, seed) * 0.5
  if (seed == 2) for (s in 2:draws) mu[s] <- 0.8 * mu[s - 1] + 0.6 * mu[s]
  y <- normals(data, seed + 50) * c(1, 1, 1, 1.5)[seed]
  y[4] <- y[4] + c(0, 1, 3, 6)[seed]
  ll <- sapply(y, function(y) -0.5 * (y - mu)^2 - 0.9)
  chains <- if (seed == 2) 4 else 0
  r_eff <- if (chains) relative_eff(exp(ll), rep(1:4, each = draws / 4)) else rep(1, data)
  log_p <- -0.7 * mu^2; log_g <- -0.5 * abs(mu) - 0.3 * mu^2
  l <- suppressWarnings(if (seed == 3) loo_approximate_posterior(ll, log_p = log_p, log_g = log_g)
                        else loo(ll, r_eff = r_eff))
  e <- l$estimates
  p <- c(e["p_loo", 1], e["p_loo", 2])
  if (seed == 3) { # see loo.h: not from equal weights
    base <- weights(suppressWarnings(psis(log_p - log_g, r_eff = 1)))[, 1]
    own <- matrixStats::colLogSumExps(ll + base) - l$pointwise[, "elpd_loo"]
    p <- c(sum(own), sqrt(data * var(own)))
  }
  show(seed, chains, seed == 3, e["elpd_loo", 1], e["elpd_loo", 2], p, e["looic", 1], e["looic", 2],
       l$pointwise[4, "elpd_loo"], l$pointwise[4, "mcse_elpd_loo"], l$diagnostics$pareto_k[4],
       l$diagnostics$n_eff[4])
}
cat("};\n\n")

# chains, length, seed, correlation, shift, stretch, digits; rhat, rhat of ranks, of folded ranks, basic; ess
# bulk, tail, mean, sd; mean, error, sd, error; of 5 %, 50 %, 99 %: quantile, error, ess
cat("static const double chains_table[][28] = {\n")
cases <- rbind(c(4, 1000, 1, 0, 0, 1, 0), c(4, 1000, 2, 0.9, 0, 1, 0), c(4, 501, 3, 0.3, 0.5, 1, 0),
               c(4, 400, 4, 0.5, 0, 3, 0), c(1, 2000, 5, 0.7, 0, 1, 0), c(2, 12, 6, 0, 0, 1, 0),
               c(3, 31, 7, -0.6, 0, 1, 0), c(4, 2000, 8, 1, 0, 1, 0), c(4, 1001, 9, 0.95, 10, 1, 0),
               c(4, 250, 10, 0.5, 0, 1, 1), c(2, 5000, 11, 0.995, 0, 1, 0), c(4, 300, 12, -0.9, 0, 1, 0))
for (row in seq_len(nrow(cases))) {
  a <- cases[row, ]
  z <- normals(a[1] * a[2], a[3])
  x <- matrix(z, ncol = a[1])
  for (c in seq_len(a[1])) {
    for (i in 2:a[2]) x[i, c] <- a[4] * x[i - 1, c] + x[i, c]
    if (c == 1) x[, c] <- x[, c] * a[6] + a[5]
  }
  if (a[7]) x <- floor(x * 2)
  p <- c(0.05, 0.5, 0.99)
  q <- suppressWarnings(cbind(quantile(x, p), mcse_quantile(x, p), ess_quantile(x, p)))
  ns <- asNamespace("posterior")
  show(a, suppressWarnings(c(rhat(x), ns$.rhat(ns$z_scale(ns$.split_chains(x))),
       ns$.rhat(ns$z_scale(ns$.split_chains(ns$fold_draws(x)))), rhat_basic(x), ess_bulk(x), ess_tail(x),
       ess_mean(x), ess_sd(x), mean(x), mcse_mean(x), sd(x), mcse_sd(x))), t(q))
}
cat("};\n")
