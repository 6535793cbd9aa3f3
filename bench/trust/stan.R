# SPDX-License-Identifier: GPL-3.0-or-later
# Stan on the shared posteriors: ADVI, a normal at the mode by optimizing(hessian = TRUE), and NUTS, with their
# usual options. Times are without compiling.
#
#     Rscript bench/trust/stan.R FOLDER SEEDS [MODEL...]
#
# It writes FOLDER/beside-stan.tsv, as bench_trust --beside writes beside-grebe.tsv. Debian: r-cran-rstan,
# r-cran-jsonlite, libboost-dev.
library(rstan)
rstan_options(boost_lib = "/usr/include") # where Debian has it

argument <- commandArgs(TRUE)
folder <- argument[1]
seeds <- as.integer(argument[2])
chosen <- argument[-(1:2)]
shared <- "../shared/data/posteriors"

linear <- function(prior) paste0("
data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters { vector[K] beta; real<lower=0> sigma; }
model { ", prior, " y ~ normal(x * beta, sigma); }")

schools_data <- "data { int J; vector[J] y; vector<lower=0>[J] sigma; }"

# Each: the folder of the data, the program, and its data.
models <- list(
    kidiq = list("kidiq-kidscore_interaction", linear(prior = "sigma ~ cauchy(0, 2.5);"), function(d)
        list(y = d$kid_score, x = cbind(1, d$mom_hs, d$mom_iq, d$mom_hs * d$mom_iq))),
    earnings = list("earnings-logearn_height", linear(prior = ""), function(d)
        list(y = log(d$earn), x = cbind(1, d$height))),
    mesquite = list("mesquite-logmesquite", linear(prior = ""), function(d)
        list(y = log(d$weight), x = cbind(1, log(d$diam1), log(d$diam2), log(d$canopy_height),
                                          log(d$total_height), log(d$density), d$group))),
    blr = list("sblri-blr", linear(prior = "beta ~ normal(0, 10); sigma ~ normal(0, 10);"), function(d)
        list(y = d$y, x = d$X)),
    schools = list("eight_schools-eight_schools_noncentered", paste(schools_data, "
parameters { vector[J] z; real mu; real<lower=0> tau; }
transformed parameters { vector[J] theta = mu + tau * z; }
model { z ~ normal(0, 1); mu ~ normal(0, 5); tau ~ cauchy(0, 5); y ~ normal(theta, sigma); }"), identity),
    schools_centred = list("eight_schools-eight_schools_centered", paste(schools_data, "
parameters { vector[J] theta; real mu; real<lower=0> tau; }
model { theta ~ normal(mu, tau); mu ~ normal(0, 5); tau ~ cauchy(0, 5); y ~ normal(theta, sigma); }"),
        identity),
    arK = list("arK-arK", "
data { int K; int T; vector[T] y; }
parameters { real alpha; vector[K] beta; real<lower=0> sigma; }
model {
    alpha ~ normal(0, 10); beta ~ normal(0, 10); sigma ~ cauchy(0, 2.5);
    { vector[T - K] level = rep_vector(alpha, T - K);
      for (k in 1:K) level += beta[k] * y[(K + 1 - k):(T - k)];
      y[(K + 1):T] ~ normal(level, sigma); }
}", identity),
    mixture = list("low_dim_gauss_mix-low_dim_gauss_mix", "
data { int N; vector[N] y; }
parameters { ordered[2] mu; vector<lower=0>[2] sigma; real<lower=0, upper=1> theta; }
model {
    sigma ~ normal(0, 2); mu ~ normal(0, 2); theta ~ beta(5, 5);
    for (n in 1:N) target += log_mix(theta, normal_lpdf(y[n] | mu[1], sigma[1]),
                                     normal_lpdf(y[n] | mu[2], sigma[2]));
}", identity))

# Worst distances from the reference, in its sds and relative; of tau, which has a heavy tail, by quantiles.
distances <- function(draws, reference) {
    means <- sds <- 0
    for (i in seq_len(nrow(reference))) {
        r <- reference[i, ]
        x <- draws[, r$parameter]
        if (any(!is.finite(x))) return(c(Inf, Inf))
        q <- quantile(x, c(0.05, 0.5, 0.95), names = FALSE)
        heavy <- r$parameter == "tau"
        means <- max(means, if (heavy) abs(q[2] - r$q50) / ((r$q95 - r$q05) / 3.29)
                            else abs(mean(x) - r$mean) / r$sd)
        sds <- max(sds, if (heavy) abs((q[3] - q[1]) / (r$q95 - r$q05) - 1) else abs(sd(x) / r$sd - 1))
    }
    c(means, sds)
}

report <- function(name, method, seed, seconds, says, draws, reference, ess) {
    off <- if (is.null(draws)) c(Inf, Inf) else distances(draws, reference)
    cat(sprintf("%s\t%s\t%d\t%.4g\t%s\t%.4g\t%.4g\t%.4g\n", name, method, seed, seconds, says, off[1], off[2],
                ess / seconds), file = file.path(folder, "beside-stan.tsv"), append = TRUE)
}

# The processor time of a call, its result, and what it says.
timed <- function(call) {
    now <- function() sum(proc.time()[c("user.self", "sys.self")])
    began <- now()
    out <- tryCatch(call(), error = function(e) e)
    seconds <- now() - began
    failed <- inherits(out, "error")
    list(seconds = max(seconds, 1e-3), value = if (failed) NULL else out,
         says = if (failed) "error" else "done")
}

for (name in if (length(chosen) > 0) chosen else names(models)) {
    m <- models[[name]]
    data <- jsonlite::fromJSON(file.path(shared, m[[1]], "data.json"))
    data <- m[[3]](data)
    if (!is.null(data$x)) data <- c(data, N = nrow(data$x), K = ncol(data$x))
    reference <- read.csv(file.path(shared, m[[1]], "reference.csv"), stringsAsFactors = FALSE)
    program <- stan_model(model_code = m[[2]])
    for (seed in seq_len(seeds)) {
        for (family in c("meanfield", "fullrank")) {
            fit <- timed(function() suppressWarnings(vb(program, data, algorithm = family, seed = seed,
                                                        refresh = 0, output_samples = 20000)))
            report(name, paste("Stan ADVI,", family), seed, fit$seconds, fit$says,
                   if (is.null(fit$value)) NULL else as.matrix(fit$value), reference, NaN)
        }
        fit <- timed(function() {
            best <- optimizing(program, data, hessian = TRUE, draws = 20000, seed = seed)
            if (best$return_code != 0 || is.null(best$theta_tilde)) stop("no optimum")
            best
        })
        report(name, "Stan optimizing + Hessian", seed, fit$seconds, fit$says, fit$value$theta_tilde,
               reference, NaN)
        fit <- timed(function() suppressWarnings(sampling(program, data, seed = seed, chains = 4, cores = 1,
                                                          refresh = 0)))
        if (is.null(fit$value)) next
        ess <- min(apply(rstan::extract(fit$value, permuted = FALSE), 3, ess_bulk)[
            setdiff(fit$value@sim$fnames_oi, "lp__")], na.rm = TRUE)
        divergent <- get_num_divergent(fit$value)
        report(name, "Stan NUTS", seed, fit$seconds, paste(divergent, "divergences"), as.matrix(fit$value),
               reference, ess)
    }
}
