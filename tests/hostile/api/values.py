"""Values that no page sends."""

from typing import Any

# As text of a query or a path; most are refused, some are searched for like any other.
TEXTS: tuple[str, ...] = (
    "", " ", "\x00", "a\x00b", "\x01", "\x1b[31m", "\x7f", "\x85", "\t", "\n", "\r\nX-Injected: 1", "%", "%00", "_", "\\", "'", '"',
    "' OR 1=1 --", "'; DROP TABLE vm; --", "1) UNION SELECT token_hash FROM access_token --", "${jndi:ldap://127.0.0.1/a}", "{{7*7}}",
    "<script>alert(1)</script>", "../../../../etc/passwd", "..%2f..%2f", "/", "//", ".", "-1", "0", "1", "2147483647", "2147483648",
    "9223372036854775807", "9223372036854775808", "1e400", "NaN", "Infinity", "-0", "0x10", "１２", "²", "٣",
    "\u202e", "\ufeff", "😀", "a" * 5000,
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z", "2026-01-01T00:00:00+99:99", "-99999w", "now", "true", "null",
    "[]", "{}",
)  # fmt: skip
assert len(TEXTS) >= 45

# In the place of a value of a JSON body.
LEAVES: tuple[Any, ...] = (
    *TEXTS, None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, 10**400, -(10**30), 1.5, -0.0, 1e308, [], {}, [[]], [None], {"": None},
    {"a": {"b": {"c": [1, "\x00"]}}}, ["\ud800"], "\ud800", "\udfff", [0] * 3000, {"__proto__": 1, "constructor": 2},
)  # fmt: skip

# Instead of a body.
BYTES: tuple[bytes, ...] = (
    b"", b"{", b"}", b"null", b"[]", b'"text"', b"\x00", b"\xff\xfe", b"\xef\xbb\xbf{}", b"{'a': 1}", b"[" * 100_000, b'{"a":' * 5000,
    b'{"token": NaN}', b'{"token": 1e999}', b'{"token": "\\ud800"}', b'{"token": "\\u0000"}', b'{"a": 1, "a": 2}',
    b'{"token": "' + b"a" * 1_000_000 + b'"}', b"\x1f\x8b\x08\x00\x00", b"<xml/>", b"a=b&c=d", b"--x\r\n", b"9" * 5000,
)  # fmt: skip

KINDS: tuple[str, ...] = (
    "application/json", "Application/JSON", "application/json; charset=utf-16", "application/jsonx", "text/plain", "", "*/*",
    "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/json\x00",
)  # fmt: skip

HOSTS: tuple[str, ...] = (
    "[", "]", "[::1", "[::zz]", "a[b]", "", " ", "evil.example", "127.0.0.1.evil.example", "127.0.0.1:99999999", "127.0.0.1:x",
    "@127.0.0.1", "localhost@evil.example", "127.0.0.1#", "xn--a", "0x7f.1", "2130706433", "127.1", "a" * 300, "\x00", "é",
)  # fmt: skip

ORIGINS: tuple[str, ...] = (
    "http://[",
    "null",
    "",
    "http://evil.example",
    "file://",
    "http://127.0.0.1:1",
    "data:,",
    "http://[::zz]",
    "\x00",
)

METHODS: tuple[str, ...] = (
    "HEAD",
    "OPTIONS",
    "PUT",
    "PATCH",
    "DELETE",
    "POST",
    "TRACE",
    "PROPFIND",
    "BREW",
    "get",
    "G" * 200,
)

HEADERS: tuple[tuple[str, str], ...] = (
    ("Authorization", "Bearer"), ("Authorization", "Basic Y"), ("Authorization", "Bearer " + "a" * 999), ("Authorization", "Bearer \xff"),
    ("Cookie", "=;=;;"), ("Cookie", "gavel_session=" + "a" * 3000), ("Sec-Fetch-Site", "\xff"), ("Sec-Fetch-Site", "cross-site"),
    ("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", "x" * 2000), ("Forwarded", "for=\"[::1"), ("X-Forwarded-Proto", "https"),
    ("Accept", "text/html"), ("Accept-Encoding", "gzip, br;q=\x00"), ("Range", "bytes=0-,-1"), ("If-None-Match", "*"),
    ("Content-Length", "-1"), ("Content-Length", "99999999999999999999"), ("Content-Length", "１"), ("Transfer-Encoding", "chunked"),
    ("Transfer-Encoding", "gzip, chunked"), ("Expect", "100-continue"), ("Upgrade", "websocket"), ("Connection", "upgrade"), ("X\x00", "1"),
)  # fmt: skip
