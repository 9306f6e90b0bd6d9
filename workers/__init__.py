"""Background work: the dispatcher turns events into jobs, workers carry them out."""
