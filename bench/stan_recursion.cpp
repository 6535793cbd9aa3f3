// SPDX-License-Identifier: GPL-3.0-or-later
// The recursions of bench_recursion.c as a Stan program would compute them.
#include <stan/math.hpp>

#include <vector>

#include "stan_recursion.h"

using stan::math::var;

static std::vector<var> parameters(const gb_stan_job *job)
{
    return std::vector<var>(job->at, job->at + job->parameters);
}

static void finish(gb_stan_job *job, const std::vector<var> &p, var value)
{
    value.grad();
    job->value = value.val();
    for (size_t i = 0; i < job->parameters; i++)
        job->gradient[i] = p[i].adj();
    stan::math::recover_memory();
}

void gb_stan_garch(gb_stan_job *job)
{
    std::vector<var> p = parameters(job), terms;
    var h = 0.7;
    terms.reserve(job->steps);
    for (size_t i = 0; i < job->steps; i++) {
        var squared = square(job->data[i] - p[3]);
        terms.push_back(-0.5 * (log(h) + squared / h));
        h = p[0] + p[1] * squared + p[2] * h;
    }
    finish(job, p, sum(terms));
}

void gb_stan_arma(gb_stan_job *job)
{
    std::vector<var> p = parameters(job), terms;
    double last = 0.7;
    var error = 0.7, precision = exp(-p[3]);
    terms.reserve(job->steps);
    for (size_t i = 0; i < job->steps; i++) {
        error = job->data[i] - (p[0] + p[1] * last + p[2] * error);
        last = job->data[i];
        terms.push_back(-0.5 * square(error * precision) - p[3]);
    }
    finish(job, p, sum(terms));
}

void gb_stan_ar(gb_stan_job *job)
{
    std::vector<var> p = parameters(job), terms;
    double last[5] = {0.7, 0.7, 0.7, 0.7, 0.7};
    var precision = exp(-p[5]);
    terms.reserve(job->steps);
    for (size_t i = 0; i < job->steps; i++) {
        var mean = p[0] * last[0];
        for (int k = 1; k < 5; k++)
            mean += p[k] * last[k];
        terms.push_back(-0.5 * square((job->data[i] - mean) * precision) - p[5]);
        for (int k = 4; k > 0; k--)
            last[k] = last[k - 1];
        last[0] = job->data[i];
    }
    finish(job, p, sum(terms));
}

void gb_stan_markov(gb_stan_job *job)
{
    const size_t k = job->size;
    std::vector<var> p = parameters(job), step(k * k), now(k, 0), next(k), from(k);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++)
            from[j] = p[i * k + j];
        var all = log_sum_exp(from);
        for (size_t j = 0; j < k; j++)
            step[i * k + j] = p[i * k + j] - all;
    }
    for (size_t t = 0; t < job->steps; t++) {
        for (size_t j = 0; j < k; j++) {
            for (size_t i = 0; i < k; i++)
                from[i] = now[i] + step[i * k + j];
            next[j] = log_sum_exp(from) - 0.5 * square(job->data[t] - p[k * k + j]);
        }
        now = next;
    }
    finish(job, p, log_sum_exp(now));
}
