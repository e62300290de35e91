"""Steps of optimizers: what stands around each of them, also where a `GradScaler` takes or leaves it."""
