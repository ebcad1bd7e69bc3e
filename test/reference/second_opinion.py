"""A second opinion from SciPy: python3 test/reference/second_opinion.py > test/reference/second_opinion.json"""

import json
import sys

import numpy as np
import scipy
from scipy import stats

with open("test/reference/estimators.json") as file:
    reference = json.load(file)

median_intervals = {}
for name, found in reference["sets"].items():
    values = np.array(found["values"], dtype=float)
    if len(values) < 6:
        continue
    # Exact order statistics, not interpolated: at level 1 - 2^(1-n) the range.
    interval = stats.quantile_test(values, q=np.median(values), p=0.5).confidence_interval(0.95)
    median_intervals[name] = [interval.low, interval.high]

pairs = {}
for name, pair in reference["pairs"].items():
    a, b = np.log(pair["a"]), np.log(pair["b"])
    ties = len(np.unique(np.concatenate([a, b]))) < len(a) + len(b)
    found = {
        "rank_sum_p": stats.mannwhitneyu(a, b, method="asymptotic" if ties else "exact").pvalue,
        "cliff": 2 * stats.mannwhitneyu(a, b).statistic / (len(a) * len(b)) - 1,
    }
    if len(a) == len(b):
        test = stats.permutation_test(
            (a - b,), lambda d: np.sum(d), permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
        )
        found["sign_flip_p"] = test.pvalue
    pairs[name] = found

nested = reference["nested"]["values"]
json.dump(
    {
        "versions": {"scipy": scipy.__version__, "numpy": np.__version__, "python": sys.version.split()[0]},
        "order_statistics": median_intervals,
        "pairs": pairs,
        "mad": {name: stats.median_abs_deviation(found["values"]) for name, found in reference["sets"].items()},
        "heavy10000": dict(
            zip(
                ["median", "sd"],
                (lambda v: [float(np.median(v)), float(np.std(v, ddof=1))])(
                    (lambda r: r / (10008 - r))((np.arange(1, 10001) * 7919) % 10007 + 1)
                ),
            )
        ),
        "clopper": list(stats.binomtest(3, 20).proportion_ci(method="exact")),
    },
    sys.stdout,
    indent=2,
)
print()
