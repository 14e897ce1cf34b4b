"""Statistics that plans do not compute. Answering another figure in their place would be wrong with confidence."""

import re

_BEYOND = re.compile(
    r"medians|medianas|modas?|variancias?|variances?|desvios?|deviations?|stddev|quartis?|quartil|quartiles?|percentis|percentil"
    r"|percentiles?|correlac(?:ao|oes)|correlations?|acumulad[oa]s?|cumulativ[ae]|projec(?:ao|oes)|projetad[oa]s?|projections?|projected"
    r"|previs(?:ao|oes)|forecasts?|tendencias?|trends?|regress(?:ao|oes|ions?)|extrapol\w+|estimativas?|estimates?"
)


def is_beyond(word: str) -> bool:
    """Whether a folded word asks for one of them."""
    return _BEYOND.fullmatch(word) is not None
