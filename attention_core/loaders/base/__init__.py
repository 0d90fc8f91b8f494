"""What every loader shares; `Loader`, `Contents`, `Limits` and `Source` are all that a new format needs."""

from attention_core.loaders.base.choices import Choices
from attention_core.loaders.base.limits import Limits, Progress
from attention_core.loaders.base.loader import Contents, Loader
from attention_core.loaders.base.source import Source

__all__ = ["Choices", "Contents", "Limits", "Loader", "Progress", "Source"]
