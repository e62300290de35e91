"""The programs that the benchmarks run: each makes one training step, to be called again and again."""
