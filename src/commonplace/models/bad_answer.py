"""The error for an answer of a model that cannot be used."""

from commonplace.errors import ModelFailed


class UnusableAnswer(ModelFailed):
    """The model answered, but the answer is unusable. A retry may help, unlike after a timeout."""
