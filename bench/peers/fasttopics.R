# Updates of fastTopics, one by one, from a given start: Rscript fasttopics.R LIBRARY FOLDER SECONDS THREADS.
# The clock stands still while factors are saved.
words <- commandArgs(TRUE)
.libPaths(c(words[1], .libPaths()))
suppressMessages({
  library(Matrix)
  library(fastTopics)
})
folder <- words[2]
budget <- as.numeric(words[3])
threads <- as.integer(words[4])

numbers <- function(name, what = "double") {
  path <- file.path(folder, name)
  size <- if (what == "integer") 4 else 8
  readBin(path, what, file.size(path) / size)
}
shape <- numbers("shape", "integer")
rank <- shape[3]
if (file.exists(file.path(folder, "dense"))) {
  y <- matrix(numbers("dense"), shape[1], shape[2])
} else {
  y <- new("dgCMatrix", i = numbers("indices", "integer"), p = numbers("starts", "integer"), x = numbers("values"), Dim = shape[1:2])
}
x <- matrix(numbers("x"), shape[1], rank)
a <- t(matrix(numbers("a"), shape[2], rank))

core <- asNamespace("fastTopics")
control <- core$fit_poisson_nmf_control_default()
control$extrapolate <- TRUE
control$nc <- core$initialize.multithreading(threads)
fit <- core$init_poisson_nmf(y, F = t(a), L = x, verbose = "none")
fit <- core$safeguard.fit(core$rescale.fit(fit), control$minval)
features <- seq(1, ncol(y))
samples <- seq(1, nrow(y))

points <- character()
spent <- 0
pass <- 0
pause <- 1
while (spent < budget) {
  begin <- proc.time()["elapsed"]
  for (at in seq_len(pause)) {
    pass <- pass + 1
    extrapolates <- fit$beta > 0 && pass %% control$extrapolate.reset != 0
    update <- if (extrapolates) core$update_poisson_nmf_extrapolated else core$update_poisson_nmf
    fit <- update(y, fit, features, samples, "scd", control)
  }
  took <- proc.time()["elapsed"] - begin
  spent <- spent + took
  writeBin(as.vector(fit$L), file.path(folder, paste0("x", pass)))
  writeBin(as.vector(fit$F), file.path(folder, paste0("a", pass)))
  points <- c(points, sprintf("%d %.6f", pass, spent))
  left <- (budget - spent) / (took / pause + 1e-9)
  pause <- max(1, min(2 * pause, round(left)))
}
writeLines(points, file.path(folder, "points"))
