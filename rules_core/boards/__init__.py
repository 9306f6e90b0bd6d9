"""The outsides of boards: labels, texts and drawings, by their kind."""
