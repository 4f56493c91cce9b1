"""What a model's answer may be besides a good one."""

from commonplace.errors import ModelFailed


class Unusable(ModelFailed):
    """A model answered, and the answer cannot be used. Asking once more may help; after silence it
    does not.
    """
