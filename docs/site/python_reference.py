"""The reference of the Python package as Markdown, made from its docstrings."""

import inspect
import pathlib
import sys
import textwrap

WIDTH = 84
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "bindings/python/src"


def prose(text):
    """A docstring; its examples become blocks of code."""
    out, in_code = [], False
    for line in inspect.cleandoc(text).splitlines():
        starts = line.lstrip().startswith(">>>")
        if starts and not in_code:
            out += ["", "```python"]
            in_code = True
        elif in_code and not line.strip():
            out.append("```")
            in_code = False
        out.append(line)
    return "\n".join(out + (["```"] if in_code else []))


def signature(name, value):
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parameters = [one.replace(annotation=inspect.Parameter.empty) for one in found.parameters.values()]
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    words = [str(one) for one in found.replace(parameters=parameters).parameters.values()]
    # What stands behind a star is given by name only.
    kinds = [one.kind for one in parameters]
    only_named = inspect.Parameter.KEYWORD_ONLY
    if only_named in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        words.insert(kinds.index(only_named), "*")
    line = f"{name}({', '.join(words)})"
    return line if len(line) <= WIDTH else textwrap.fill(line, WIDTH, subsequent_indent=" " * (len(name) + 1))


def entry(level, name, value):
    """A heading, the signature and the docstring; nothing if there is no docstring."""
    text = value.__doc__
    if not text:
        return []
    out = [f"{'#' * level} {name}", ""]
    called = None if isinstance(value, property) else signature(name, value)
    if called and not (inspect.isclass(value) and issubclass(value, BaseException)):
        out += ["```python", called, "```", ""]
    return out + [prose(text), ""]


def methods(name, value):
    out = []
    for method, found in vars(value).items():
        function = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        if not method.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
            out += entry(4, f"{name}.{method}", function)
    return out


def markdown():
    """All public names of the package: functions, then classes with their methods, then errors."""
    sys.path.insert(0, str(SOURCE))
    try:
        import matcha  # pylint: disable=import-outside-toplevel
        import matcha.nx  # pylint: disable=import-outside-toplevel
    finally:
        sys.path.remove(str(SOURCE))
    values = {name: getattr(matcha, name) for name in matcha.__all__}
    classes = {name: value for name, value in values.items() if inspect.isclass(value)}
    errors = {name: value for name, value in classes.items() if issubclass(value, BaseException)}
    out = ["## Functions", ""]
    for name in sorted(set(values) - set(classes)):
        if callable(values[name]):
            out += entry(3, name, values[name])
    out += ["## Classes", ""]
    for name in sorted(set(classes) - set(errors)):
        out += entry(3, name, classes[name]) + methods(name, classes[name])
    out += ["## Errors", ""]
    for name in sorted(errors):
        out += entry(3, name, errors[name])
    out += ["## matcha.nx", ""] + entry(3, "GraphMatcher", matcha.nx.GraphMatcher)
    out += methods("GraphMatcher", matcha.nx.GraphMatcher)
    return "\n".join(out)
