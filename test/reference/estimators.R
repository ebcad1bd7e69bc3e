# Reference values for src/analysis: Rscript test/reference/estimators.R > test/reference/estimators.json
# Only base R and the formulas of the papers named; jsonlite writes the result.
suppressPackageStartupMessages(library(jsonlite))

# Sets are given as values, or for n = 10,000 as a rule that both sides can follow exactly.
residues <- function(n, m, q) (((1:n) * m) %% q) + 1
sets <- list(
  one = c(42),
  two = c(3, 5),
  three = c(1, 1, 4),
  five = c(10.5, 9.25, 11, 10, 10.75),
  six = c(523.1, 519.8, 530.4, 525.0, 521.7, 524.2),
  seven = c(100, 101, 99, 102, 98, 100.5, 99.5),
  eight = c(2.5, 3.1, 2.7, 3.2, 2.6, 2.9, 3.0, 2.8),
  eleven = c(1.8, 3.1, 2.4, 3.4, 2.2, 2.9, 2.05, 2.6, 2.75, 3.0, 2.45),
  ties = c(3, 3, 3, 4, 4, 5, 5, 5, 5, 6, 7, 7),
  constant = rep(157956 * 1024, 9),
  heavy = c(1.02, 0.98, 1.01, 55.3, 0.99, 1.03, 1.00, 0.97, 812.4, 1.04, 0.96, 1.05, 1.06),
  tiny = c(1.1, 1.3, 1.2, 1.25, 1.15, 1.4, 1.35, 1.05, 1.22, 1.18) * 1e-9,
  huge = c(1.1, 1.3, 1.2, 1.25, 1.15, 1.4, 1.35, 1.05, 1.22, 1.18) * 1e15,
  cancelling = 1e14 + c(1, 2, 3, 4, 5, 6, 7, 8),
  negative = c(-5, 3, -2.5, 0, 1, 4, -1, 2, -3),
  wide = 10^seq(-9, 15, length.out = 25)
)
ten_thousand <- list(
  uniform10000 = residues(10000, 7919, 10007) / 10008,
  heavy10000 = local({ v <- residues(10000, 7919, 10007); v / (10008 - v) }),
  ties10000 = residues(10000, 7919, 10007) %% 17
)

# Hettmansperger and Sheather (1986), straight from the paper's formulas.
hs <- function(x, level = 0.95) {
  x <- sort(x); n <- length(x)
  gamma <- function(d) 1 - 2 * pbinom(d - 1, n, 0.5)
  if (gamma(1) < level - 1e-12) return(NULL)
  d <- max(which(sapply(1:floor(n / 2), gamma) >= level - 1e-12))
  I <- (gamma(d) - level) / (gamma(d) - gamma(d + 1))
  lambda <- (n - d) * I / (d + (n - 2 * d) * I)
  c((1 - lambda) * x[d] + lambda * x[d + 1], (1 - lambda) * x[n - d + 1] + lambda * x[n - d])
}
# Where a bound falls into a gap wider than half of the outer interval, the outer order statistic stands.
guarded <- function(x, level = 0.95) {
  plain <- hs(x, level)
  if (is.null(plain)) return(NULL)
  x <- sort(x); n <- length(x)
  d <- max(which(sapply(1:floor(n / 2), function(d) 1 - 2 * pbinom(d - 1, n, 0.5)) >= level - 1e-12))
  half <- (x[n - d + 1] - x[d]) / 2
  c(if (x[d + 1] - x[d] > half) x[d] else plain[1], if (x[n - d + 1] - x[n - d] > half) x[n - d + 1] else plain[2])
}

describe <- function(x) list(
  n = length(x), median = median(x), mean = mean(x), mad = mad(x, constant = 1),
  sd = if (length(x) > 1) sd(x) else NA, cv = if (length(x) > 1) sd(x) / abs(mean(x)) else NA,
  min = min(x), max = max(x),
  quantiles = unname(quantile(x, c(0.01, 0.05, 0.25, 0.75, 0.95, 0.99), type = 7)),
  hs95 = hs(x), interval95 = guarded(x), interval99 = guarded(x, 0.99), interval9875 = guarded(x, 1 - 0.05 / 4)
)

# Two samples
pairs <- list(
  separate = list(a = c(201, 203, 197, 205, 196, 202, 199), b = c(100, 101, 99, 102, 98, 100.5, 99.5)),
  overlapping = list(a = c(1.02, 0.97, 1.05, 1.10, 0.99, 1.01, 1.08, 1.03), b = c(1.00, 0.98, 1.04, 1.02, 1.01, 0.96, 1.03, 0.95)),
  unequal = list(a = c(5.1, 4.7, 6.2, 5.5, 4.9, 5.8, 6.0, 5.3, 4.8), b = c(4.1, 5.2, 4.4, 3.9, 4.6, 5.0)),
  tied = list(a = c(2, 2, 3, 3, 4, 4, 5), b = c(1, 2, 2, 3, 3, 4, 4)),
  scaled = list(a = c(1.3, 1.1, 1.7, 1.2, 1.6, 1.45) * 1e-9, b = c(1.0, 1.15, 0.9, 1.05, 1.25, 0.95) * 1e-9)
)
sign_flip <- function(d) {
  n <- length(d); signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), n)))
  mean(abs(signs %*% d) >= abs(sum(d)) - 1e-12 * sum(abs(d)))
}
compare <- function(p) {
  la <- log(p$a); lb <- log(p$b)
  # Where values tie, R's own interval comes from the normal limit by root finding, which is another method: only the p-value is taken then.
  ties <- anyDuplicated(c(la, lb)) > 0
  w <- suppressWarnings(wilcox.test(la, lb, conf.int = !ties, exact = !ties))
  paired <- length(la) == length(lb)
  d <- if (paired) la - lb else NULL
  list(
    a = p$a, b = p$b,
    cliff = mean(sign(outer(p$a, p$b, "-"))),
    hl = median(outer(la, lb, "-")),
    hl_interval = if (ties) NULL else as.numeric(w$conf.int),
    rank_sum_p = w$p.value,
    ratio = if (paired) exp(median(d)) else NULL,
    ratio_interval = if (paired) exp(guarded(d)) else NULL,
    sign_flip_p = if (paired) sign_flip(d) else NULL
  )
}
big <- list(a = sets$heavy, b = NULL)
large_a <- residues(120, 37, 127) / 128 + 1; large_b <- residues(90, 41, 97) / 98 + 0.9
large <- suppressWarnings(wilcox.test(log(large_a), log(large_b), exact = FALSE, correct = TRUE))

# Trend
steps <- c(1.00, 1.02, 0.99, 1.01, 0.98, 1.03, 1.00, 1.21, 1.19, 1.22, 1.20, 1.18, 1.23, 1.20, 1.21)
rising <- (100 + 1:20 + rep(c(2, -2, 1, 0, -1), 4)) / 100
mann_kendall <- function(x) {
  n <- length(x); s <- sum(sapply(1:(n - 1), function(i) sum(sign(x[(i + 1):n] - x[i]))))
  t <- table(x); v <- (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5))) / 18
  2 * pnorm(-max(0, abs(s) - 1) / sqrt(v))
}
pettitt <- function(x) {
  n <- length(x); r <- rank(x)
  u <- abs(2 * cumsum(r)[1:(n - 1)] - (1:(n - 1)) * (n + 1)); k <- max(u)
  list(at = which.max(u), k = k, p = min(1, 2 * exp(-6 * k^2 / (n^3 + n^2))))
}

# Time series: Geyer's initial monotone sequence on R's own autocovariances
series <- Reduce(function(y, e) 0.6 * y + e, (residues(400, 7919, 10007) / 10008 - 0.5), accumulate = TRUE) + 10
geyer <- function(x) {
  n <- length(x); g <- as.numeric(acf(x, lag.max = n - 1, type = "covariance", plot = FALSE)$acf)
  sum <- -g[1]; last <- Inf
  for (k in seq(1, n - 1, by = 2)) { p <- g[k] + g[k + 1]; if (p <= 0) break; last <- min(last, p); sum <- sum + 2 * last }
  sum <- max(sum, g[1]); ess <- n * g[1] / sum; half <- qt(0.975, max(1, ess - 1)) * sqrt(sum / (n - 1))
  list(ess = ess, mean = mean(x), interval = mean(x) + c(-1, 1) * half)
}

# Nested variance (Kalibera and Jones), balanced
nested <- list(c(10, 12, 11, 13), c(14, 15, 13, 16), c(9, 10, 8, 11), c(12, 12, 14, 13), c(11, 13, 12, 10))
logs <- lapply(nested, log)
s1 <- mean(sapply(logs, var)); s2 <- var(sapply(logs, mean)); t2 <- s2 - s1 / 4

# Slope
x <- c(1, 4, 16, 64); y <- c(10.2, 37.5, 155, 590)

p <- c(1e-12, 1e-6, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.9999)
result <- list(
  versions = list(R = R.version.string, jsonlite = as.character(packageVersion("jsonlite"))),
  sets = lapply(sets, function(x) c(list(values = I(x)), describe(x))),
  ten_thousand = lapply(ten_thousand, describe),
  pairs = lapply(pairs, compare),
  large = list(hl = median(outer(log(large_a), log(large_b), "-")), p = large$p.value),
  distributions = list(
    p = p, qnorm = qnorm(p), z = c(-12, -6, -2, 0, 1.5), pnorm = pnorm(c(-12, -6, -2, 0, 1.5)),
    df = c(1, 2.5, 5, 30, 9999), qt = outer(c(1e-6, 0.0025, 0.025, 0.9), c(1, 2.5, 5, 30, 9999), qt),
    pbeta = outer(c(0.01, 0.2, 0.5, 0.9), 1:3, function(x, i) pbeta(x, c(0.5, 3, 200)[i], c(2, 7.5, 150)[i])),
    lgamma = lgamma(c(0.1, 0.5, 1, 3.3, 50, 10000))
  ),
  clopper = list(zero = binom.test(0, 7)$conf.int[1:2], three = binom.test(3, 20)$conf.int[1:2], all = binom.test(9, 9)$conf.int[1:2]),
  welch = as.numeric(t.test(log(pairs$unequal$a), log(pairs$unequal$b))$conf.int),
  student = as.numeric(t.test(log(pairs$overlapping$a / pairs$overlapping$b), conf.level = 1 - 0.05 / 40)$conf.int),
  trend = list(steps = steps, rising = rising, mk_steps = mann_kendall(steps), mk_rising = mann_kendall(rising),
               cor_test = suppressWarnings(cor.test(1:20, rising, method = "kendall", exact = FALSE, continuity = TRUE)$p.value),
               pettitt = pettitt(steps)),
  series = c(list(values = I(series)), geyer(series)),
  nested = list(values = nested, s1 = s1, between = t2, share = t2 / s2, best = sqrt(60 / 0.5 * s1 / t2)),
  slope = list(x = x, y = y, slope = unname(coef(lm(log(y) ~ log(x)))[2]),
    rise = unname(coef(lm(y ~ x))[2]))
)
cat(toJSON(result, digits = NA, auto_unbox = TRUE, null = "null", na = "null", pretty = TRUE), "\n")
