"""Progress of training: rows for layers, measures over the steps, and what stands out."""
