"""Compiled functions as Python runs them, where numpy refuses an index beyond an array."""

from types import FunctionType, ModuleType, SimpleNamespace


def uncompiled(module: ModuleType) -> SimpleNamespace:
    """The functions of a module, which call one another uncompiled too."""
    names = dict(vars(module))
    for name, value in vars(module).items():
        if hasattr(value, "py_func"):
            names[name] = FunctionType(value.py_func.__code__, names, name)
    return SimpleNamespace(**names)
