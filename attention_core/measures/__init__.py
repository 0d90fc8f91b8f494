"""The registry of measures: every module beside this one that ends in MEASURE, in the order of their places."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

from attention_core.measures.base import Measure


def _collect() -> Mapping[str, Measure]:
    modules = [import_module(f"{__name__}.{entry.name}") for entry in iter_modules(__path__) if entry.name != "base"]
    measures = sorted((module.MEASURE for module in modules), key=lambda measure: (measure.place, measure.name))
    return MappingProxyType({measure.name: measure for measure in measures})


__all__ = ["MEASURES", "Measure"]

MEASURES: Mapping[str, Measure] = _collect()
