"""SVG markup as a walk over its elements, by expat: no document type, no entity, no file and no network.

The markup is parsed inside of an element of ours, so that a bare list of elements is as good as a document. That also
makes every document type declaration, and with it every entity bomb and external reference, a plain syntax error.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

from designgym.envs.canvas.svg.shapes import Attributes

MAX_BYTES = 2**20
MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 100

_NAMESPACE = "http://www.w3.org/2000/svg"
_OURS = "designgym"
_PREAMBLE = re.compile(r"[\ufeff\s]*(?:<\?xml\s[^>]*\?>)?")
_NOTHING: Attributes = {}


class NotMarkup(ValueError):
    """Markup that cannot be read; the message is a sentence that says where and why."""


class OverLimit(ValueError):
    """Markup beyond a limit of size or number; the message is a sentence that names the limit."""


def walk(markup: str, enter: Callable[[str, Attributes], bool], leave: Callable[[], None]) -> None:
    """Go through all elements, in the order of the markup.

    A byte order mark, white space and an XML declaration at the start are passed over. So are text between elements,
    comments and processing instructions, which draw nothing. The prefixes of attributes need no declaration.

    Args:
        markup: A whole document, or elements one after the other.
        enter: Called with tag and attributes at the start of each element. The tag has no prefix if the element is one
            of SVG: without a prefix, with one that is bound to SVG's namespace, or with an unbound ``svg:``. If it
            returns False, the element is passed over with all that it holds.
        leave: Called at the end of each element that was entered.

    Raises:
        NotMarkup: For what is not well-formed, or declares a document type.
        OverLimit: For more than 1 MB or 1,000,000 characters, or elements nested deeper than 100.
    """
    if len(markup) > MAX_CHARACTERS:
        raise OverLimit(f"The markup has {len(markup):,} characters; at most {MAX_CHARACTERS:,} are allowed.")
    # Half of a surrogate pair is no character; expat says so.
    data = _PREAMBLE.sub("", markup, count=1).encode("utf-8", "surrogatepass")
    if len(data) > MAX_BYTES:
        raise OverLimit(f"The markup has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed.")
    _Walk(data, enter, leave).run()


class _Walk:
    def __init__(self, data: bytes, enter: Callable[[str, Attributes], bool], leave: Callable[[], None]) -> None:
        self._data = data
        self._enter, self._leave = enter, leave
        self._open: list[str] = []
        self._declared: list[Attributes] = []  # the prefixes that each open element declares
        self._passed_over = 0  # depth of the element whose contents are passed over; 0 if none is

    def run(self) -> None:
        parser = expat.ParserCreate("utf-8")
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        try:
            parser.Parse(f"<{_OURS}>\n".encode(), False)
            parser.Parse(self._data, False)
            if len(self._open) > 1:
                raise NotMarkup(f"The markup is not well-formed XML: <{self._open[-1][:40]}> is not closed.")
            parser.Parse(f"</{_OURS}>".encode(), True)
        except expat.ExpatError as error:
            raise NotMarkup(self._sentence(error, parser.ErrorByteIndex - len(_OURS) - 3)) from None

    def _sentence(self, error: expat.ExpatError, at: int) -> str:
        # The error is that "<!" is followed by a letter.
        if self._data[max(at - 2, 0) : at + 7].upper() == b"<!DOCTYPE":
            return "The markup declares a document type (<!DOCTYPE ...>), which is not read. Leave it out."
        # The start of our own element is on a line before.
        where = f"line {error.lineno - 1}, column {error.offset + 1}"
        inside = f", inside of <{self._open[-1][:40]}>" if len(self._open) > 1 else ""
        return f"The markup is not well-formed XML: {expat.ErrorString(error.code)} ({where}{inside})."

    def _start(self, tag: str, attributes: Attributes) -> None:
        self._open.append(tag)
        depth = len(self._open)
        if depth > MAX_DEPTH + 1:
            raise OverLimit(f"The elements are nested deeper than {MAX_DEPTH}.")
        if self._passed_over or depth == 1:
            return
        self._declared.append(_declarations(attributes))
        if not self._enter(self._resolved(tag), attributes):
            self._passed_over = depth
            self._declared.pop()

    def _end(self, tag: str) -> None:
        depth = len(self._open)
        self._open.pop()
        if self._passed_over == depth:
            self._passed_over = 0
        elif not self._passed_over and depth > 1:
            self._declared.pop()
            self._leave()

    def _resolved(self, tag: str) -> str:
        prefix, colon, local = tag.partition(":")
        if not colon:
            return tag
        bound = next((known[prefix] for known in reversed(self._declared) if prefix in known), None)
        return local if bound == _NAMESPACE or (bound is None and prefix == "svg") else tag


def _declarations(attributes: Attributes) -> Attributes:
    names = [name for name in attributes if name.startswith("xmlns:")]
    return {name[6:]: attributes[name] for name in names} if names else _NOTHING
