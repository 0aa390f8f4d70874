"""How a good answer is spoiled: its values, its shape, its bytes, its headers and its framing. Everything is drawn from one generator."""

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.hostile.sources.good import Answer, encoded
from tests.hostile.sources.peer import Bytes

_MIB = 1024 * 1024
_NUMBERS = (
    "0", "-1", "-0.0", "1e400", "-1e400", "1e-400", "NaN", "Infinity", str(2**31), str(2**63), str(2**64), str(2**70), "9" * 5000,
    "1.5", "1e15", "0.1e1", "00", "0x10", "253402300800000", "-62135596800001", "9" * 18, "true", "false", "null",
)  # fmt: skip
_TEXTS = (
    "", " ", "\0", "a\0b", "\x1b[31mred\x1b[0m", "two\nlines", "\u202etxt.exe", "\ud800", "²", "６.２", "6.²", "6." + "9" * 5000,
    "../../etc/passwd", "<script>alert(1)</script>", "'; DROP TABLE source; --", "%s%n{0}", "n" * 2000, "東京" * 300, "naa.",
    "2.99999", "-1", "99999999999999999999", "host-1", "*", "\ufeff", "a/b/c", "~1",
)  # fmt: skip
_DATES = (
    "Fri, 20 Nov 99999999999999999999 22:17:12 GMT", "Fri, 20 Nov 2026 22:17:12 +99999999999999999999", "²",
    "Thu, 01 Jan 0001 00:00:00 GMT",
    "Fri, 31 Dec 9999 23:59:59 -2359", "", "yesterday", "Fri, 20 Nov 2026 22:17:12 GMT", "Mon, 32 Foo 2026 25:61:61 GMT", "0", "-5", "1e9",
    "٣", "9" * 400, "Fri, 20 Nov 2026", "Sun, 06 Nov 1994 08:49:37 GMT",
)  # fmt: skip
_STATUSES = (200, 200, 200, 206, 207, 204, 301, 302, 304, 400, 401, 403, 404, 429, 500, 502, 503, 599, 999, 100, 101)


class Spoiler:
    """Spoils answers by the numbers of one seed. `counts`: how often each way was taken."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.counts: dict[str, int] = {}
        self.newest = ""

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def choice(self, options: Any) -> Any:
        return self._random.choice(options)

    def spoiled(self, answer: Answer) -> Bytes:
        """One hostile document in place of a good one."""
        ways = _JSON_WAYS if answer.body.startswith(b"{") else _XML_WAYS if answer.body.startswith(b"<") else _WAYS
        way = self._random.choices(list(ways), weights=list(ways.values()))[0]
        self.newest = way.__name__
        self.counts[way.__name__] = self.counts.get(way.__name__, 0) + 1
        found = way(self._random, answer)
        return found if isinstance(found, Bytes) else Bytes(encoded(found))


_NUMBER_TO_BE = re.compile('"@number([0-9]+)@"')

# --- JSON ----------------------------------------------------------------------------------------------------------------


def json_values(draw: random.Random, answer: Answer) -> Answer:
    """Some values are others: other kinds, numbers beyond every range, texts that no name is."""
    document = json.loads(answer.body)
    for _ in range(draw.choice((1, 1, 2, 8))):
        where, key = _somewhere(draw, document)
        if where is not None:
            where[key] = _anything(draw)
    return _with(answer, document)


def json_shape(draw: random.Random, answer: Answer) -> Answer:
    """Parts are missing, doubled, swapped or nested without end."""
    document = json.loads(answer.body)
    where, key = _somewhere(draw, document)
    if where is None:
        return replace(answer, body=b"[]")
    kind = draw.randrange(5)
    if kind == 0:
        del where[key]
    elif kind == 1 and isinstance(where, list):
        where.extend(where[:50] * draw.choice((1, 40)))
    elif kind == 2:
        where[key] = json.loads(answer.body) if draw.random() < 0.2 and len(answer.body) < 5000 else [where[key]]
    elif kind == 3:
        depth = draw.choice((50, 50, 2000, 2000, 200_000))
        text = _dumped(document).replace(_dumped(where[key]), "[" * depth + "]" * depth, 1)
        return replace(answer, body=text.encode("utf-8", "surrogatepass"))
    else:
        where[key] = {"id": where[key], "name": [where[key]]}
    return _with(answer, document)


def json_paging(draw: random.Random, answer: Answer) -> Answer:
    """The list announces more, by tokens that repeat, by none, or by a million empty items."""
    document = json.loads(answer.body)
    if not isinstance(document, dict) or not isinstance(document.get("items"), list):
        return _with(answer, {"items": [document], "more_items_remaining": True})
    document["more_items_remaining"] = draw.choice((True, True, False, None, "true", 1))
    document["continuation_token"] = draw.choice((None, "", "x", "\0", "t" * 100_000, 5, _token(draw)))
    items = document["items"]
    kind = draw.randrange(6)
    is_bulky = draw.random() < 0.05
    if kind == 0:
        document["items"] = []
    elif kind == 1:
        document["items"] = items * ((12_000 if is_bulky else 100) // max(1, len(items)))
    elif kind == 2:
        document["items"] = [{}] * (100_000 if is_bulky else 1000)
    elif kind == 3:
        document["items"] = [1] * (1_500_000 if is_bulky else 1000)
    return _with(answer, document)


def _token(draw: random.Random) -> str:
    return f"{draw.getrandbits(64):x}"


def _somewhere(draw: random.Random, document: Any) -> tuple[Any, Any]:
    """A container of the document and a key in it."""
    at: tuple[Any, Any] = (None, None)
    here = document
    while isinstance(here, dict | list) and here and (at[0] is None or draw.random() < 0.75):
        key = draw.choice(list(here)) if isinstance(here, dict) else draw.randrange(len(here))
        at = (here, key)
        here = here[key]
    return at


def _anything(draw: random.Random) -> Any:
    kind = draw.randrange(6)
    if kind == 0:
        return draw.choice(_TEXTS)
    if kind == 1:
        return draw.choice(([], {}, [[]], [None] * 3, {"": ""}, {"id": None}))
    if kind == 2:
        return "x" * draw.choice((1023, 1024, 1025, 300_000))
    # A number is written as it stands, however little a number it is.
    return f"@number{draw.randrange(len(_NUMBERS))}@"


def _dumped(document: Any) -> str:
    text = json.dumps(document, ensure_ascii=False)
    return _NUMBER_TO_BE.sub(lambda found: _NUMBERS[int(found[1])], text) if "@number" in text else text


def _with(answer: Answer, document: Any) -> Answer:
    return replace(answer, body=_dumped(document).encode("utf-8", "surrogatepass"))


# --- XML -----------------------------------------------------------------------------------------------------------------

_ELEMENT_TEXT = re.compile(rb">([^<>]{1,60})<")
_TYPES = (b"xsd:int", b"ArrayOfString", b"Nonsense", b"HostSystem")
_TAG = re.compile(rb"<(/?)([\w:]+)([^<>]*)>")


def xml_texts(draw: random.Random, answer: Answer) -> Answer:
    """Some texts between tags are others, written as they are: markup, references and controls too."""
    return replace(answer, body=_replaced(draw, _ELEMENT_TEXT, answer.body, lambda _: b">" + _xml_text(draw) + b"<"))


def xml_tags(draw: random.Random, answer: Answer) -> Answer:
    """Some tags have another name or type, or are missing."""

    def other(tag: re.Match[bytes]) -> bytes:
        kind = draw.randrange(4)
        if kind == 0:
            return b""
        if kind == 1:
            return b"<" + tag[1] + b"other" + tag[3] + b">"
        if kind == 2:
            return b'<%s%s xsi:type="%s">' % (tag[1], tag[2], draw.choice(_TYPES))
        return tag[0] * draw.choice((2, 50))

    return replace(answer, body=_replaced(draw, _TAG, answer.body, other))


def xml_doctype(draw: random.Random, answer: Answer) -> Answer:
    """A document type with entities: none, inner ones that grow, outer ones."""
    kinds = (
        b"<!DOCTYPE x>",
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        b'<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">',
        b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
        b"<!DOCTYPE x ["
        + b"".join(b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10 if i else b"boom") for i in range(12))
        + b"]>",
    )
    body = re.sub(rb"^<\?xml[^>]*\?>\s*", b"", answer.body)
    text = draw.choice((b"&b;", b"&f;", b"&e11;", b"x"))
    return replace(answer, body=draw.choice(kinds) + _replaced(draw, _ELEMENT_TEXT, body, lambda _: b">" + text + b"<"))


def xml_bulk(draw: random.Random, answer: Answer) -> Answer:
    """Deep, or the same part thousands of times."""
    if draw.random() < 0.4:
        depth = draw.choice((100, 100, 5000, 5000, 100_000))
        return replace(
            answer,
            body=_replaced(draw, _ELEMENT_TEXT, answer.body, lambda _: b">" + b"<a>" * depth + b"</a>" * depth + b"<"),
        )
    inner = re.search(rb"<(value|returnval|objectSet|propSet|changeSet)[ >].*?</\1>", answer.body, re.DOTALL)
    if inner is None:
        return replace(answer, body=b"")
    times = draw.choice((2, 2, 100, 100, 5000))
    return replace(answer, body=answer.body.replace(inner[0], inner[0] * min(times, 2 * _MIB // len(inner[0]) + 1), 1))


def _replaced(
    draw: random.Random, pattern: re.Pattern[bytes], body: bytes, other: Callable[[re.Match[bytes]], bytes]
) -> bytes:
    found = list(pattern.finditer(body))
    for match in sorted(draw.sample(found, min(len(found), draw.choice((1, 1, 2, 6)))), key=lambda one: -one.start()):
        body = body[: match.start()] + other(match) + body[match.end() :]
    return body


def _xml_text(draw: random.Random) -> bytes:
    plain = draw.choice((*_TEXTS, *_NUMBERS, *_DATES, "2026-11-20T99:99:99Z", "20,2026-11-20T22:17:00Z", "1,2,3", "-1,-1", "1," * 5000,
                         "99999-01-01T00:00:00Z", "&#0;", "&#27;", "&nope;", "]]>", "<![CDATA[x]]>", "<a/>", "\N{BELL}"))  # fmt: skip
    return str(plain).encode("utf-8", "surrogatepass")


_HEADERS = ("Date", "Date", "Retry-After", "Retry-After", "x-auth-token", "Set-Cookie", "Set-Cookie", "Location", "Content-Type",
            "Connection", "X-" + "h" * 300)  # fmt: skip
_PACKINGS = ("gzip", "deflate", "br", "zstd", "gzip, gzip", "x\x1b")

# --- bytes, headers, framing ---------------------------------------------------------------------------------------------


def flipped_bytes(draw: random.Random, answer: Answer) -> Answer:
    body = bytearray(answer.body or b"x")
    for _ in range(draw.choice((1, 3, 30))):
        body[draw.randrange(len(body))] = draw.randrange(256)
    return replace(answer, body=bytes(body))


def cut_or_spliced(draw: random.Random, answer: Answer) -> Answer:
    body = answer.body
    at, to = sorted((draw.randrange(len(body) + 1), draw.randrange(len(body) + 1)))
    return replace(
        answer,
        body=draw.choice((body[:at], body[at:], body[:at] + body[to:], body[:to] + body[at:], b"", b"\xff\xfe" + body)),
    )


def other_headers(draw: random.Random, answer: Answer) -> Answer:
    value = draw.choice((*_DATES, *_TEXTS))
    name = draw.choice(_HEADERS)
    if name == "Set-Cookie":
        value = f"vmware_soap_session={value}; Path=/"
    if name == "Connection":
        value = draw.choice(("close", "upgrade", "keep-alive"))
    clean = re.sub(r"[\r\n\0]", "" if draw.random() < 0.9 else "\r\n", value)
    headers = {key: known for key, known in answer.headers.items() if key.lower() != name.lower()}
    return replace(answer, status=draw.choice(_STATUSES), headers={**headers, name: clean})


def other_status(draw: random.Random, answer: Answer) -> Answer:
    errors = {"errors": [{"context": draw.choice(_TEXTS), "message": draw.choice(_TEXTS)}] * draw.choice((1, 1, 5000))}
    body = draw.choice((answer.body, b"", b"server is busy", _dumped(errors).encode("utf-8", "surrogatepass")))
    return replace(answer, status=draw.choice(_STATUSES), body=body)


def packed(draw: random.Random, answer: Answer) -> Answer:
    """Compressed although nothing compressed was asked for: rightly, wrongly, or a few bytes for hundreds of megabytes."""
    body = draw.choice((gzip.compress(answer.body, 1, mtime=0), zlib.compress(answer.body, 1), answer.body, _BOMB))
    return replace(
        answer,
        headers={
            **answer.headers,
            "Content-Encoding": draw.choice(("gzip", "deflate", "br", "zstd", "gzip, gzip", "x\x1b")),
        },
        body=body,
    )


def framing(draw: random.Random, answer: Answer) -> Bytes:
    """The bytes around the answer: chunks, lengths, endless or broken heads, 1xx, silence, early ends."""
    body, good = answer.body, encoded(answer)
    chunk = b"%x\r\n" % len(body) + body + b"\r\n"
    cut = good[: draw.randrange(len(good) + 1)]
    head = b"HTTP/1.1 200 OK\r\n"
    kinds: tuple[bytes, ...] = (
        cut, cut, cut, b"", b"\0" * 100, b"HTTP/1.1 200 OK", b"HTTP/9.9 200 OK\r\n\r\n", b"HTTP/1.1 2000000 X\r\n\r\n", b"SSH-2.0-x\r\n",
        head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + b"0\r\n\r\n",
        head + b"Transfer-Encoding: chunked\r\n\r\n" + b"ffffffffffffffffff\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + b"zz\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + b"-5\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + b"1;" + b"x" * 70_000 + b"\r\n{\r\n0\r\n\r\n",
        head + b"Transfer-Encoding: gzip, chunked\r\nContent-Length: 5\r\n\r\n" + chunk + b"0\r\n\r\n",
        head + b"Content-Length: -1\r\n\r\n" + body,
        head + b"Content-Length: 1, 2\r\n\r\n" + body,
        head + b"Content-Length: %d\r\n\r\n" % 10**30 + body,
        head + b"Content-Length: %s\r\n\r\n" % (b"9" * 5000) + body,
        head + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n" + body,
        b"HTTP/1.1 100 Continue\r\n\r\n" * draw.choice((1, 2000)) + good,
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + good,
        head + b"X: y\r\n" * 5000 + b"\r\n" + body,
        head + b"X: " + b"y" * 200_000 + b"\r\n\r\n" + body,
        head + b" folded: x\r\nno colon\r\n: empty\r\n\r\n" + body,
        b"HTTP/1.0 200 OK\r\n\r\n" + body,
        good + good, good + b"\0garbage after it",
    )  # fmt: skip
    return Bytes(draw.choice(kinds), is_silent=draw.random() < 0.3)


_BOMB = gzip.compress(bytes(64 * _MIB), 9, mtime=0)
_WAYS: dict[Callable[..., Any], int] = {
    flipped_bytes: 2,
    cut_or_spliced: 2,
    other_headers: 4,
    other_status: 2,
    packed: 1,
    framing: 4,
}
_JSON_WAYS: dict[Callable[..., Any], int] = {json_values: 12, json_shape: 6, json_paging: 3, **_WAYS}
_XML_WAYS: dict[Callable[..., Any], int] = {xml_texts: 9, xml_tags: 6, xml_doctype: 2, xml_bulk: 2, **_WAYS}
