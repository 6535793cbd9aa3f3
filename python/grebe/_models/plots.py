# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures, by matplotlib where it is installed."""
import numpy as np


def axes_of(axes):
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt
    return plt.subplots()[1]


def plot_history(fit, axes=None):
    """The ELBO of a training over its steps, with two standard errors."""
    if not len(fit.history):
        raise ValueError('the fit has no history: it was no training, which an optimiser makes')
    axes = axes_of(axes)
    steps, elbo, error = (fit.history[name] for name in ('step', 'elbo', 'error'))
    axes.plot(steps, elbo)
    axes.fill_between(steps, elbo - 2 * error, elbo + 2 * error, alpha=0.3)
    axes.set_xlabel('step')
    axes.set_ylabel('ELBO')
    return axes


def plot_prediction(prediction, x=None, axes=None):
    """The mean of a prediction and its outer quantiles, over x or the numbers of the rows."""
    if prediction.mean.ndim != 1:
        raise ValueError(f'{prediction.name} has {prediction.mean.shape[1]} numbers in a row; one can be '
                         f'drawn')
    axes = axes_of(axes)
    x = prediction.row if x is None else np.asarray(x)
    order = np.argsort(x)
    axes.plot(x[order], prediction.mean[order])
    if prediction.quantile is not None and len(prediction.level) > 1:
        low, high = prediction.quantile[order, 0], prediction.quantile[order, -1]
        axes.fill_between(x[order], low, high, alpha=0.3,
                          label=f'{prediction.level[0]:g} to {prediction.level[-1]:g}')
        axes.legend()
    if prediction.outcome is not None:
        axes.plot(x, prediction.outcome, 'o')
    axes.set_ylabel(prediction.name)
    return axes


def plot_comparison(comparison, axes=None):
    """The variance of each estimator, with two standard errors, on a logarithmic scale."""
    axes = axes_of(axes)
    shown = [each for each in comparison.estimators if each.parameters]
    places = np.arange(len(shown))
    variance = [each.total_variance for each in shown]
    axes.errorbar(variance, places, xerr=[2 * each.total_variance_stderr for each in shown], fmt='o')
    axes.set_yticks(places)
    axes.set_yticklabels([each.text for each in shown])
    axes.set_xscale('log')
    axes.set_xlabel('variance of one gradient')
    return axes
