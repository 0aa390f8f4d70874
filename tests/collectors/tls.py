"""Certificates and small misbehaving TLS servers on loopback, for the tests of everything that speaks TLS."""

import datetime as dt
import hashlib
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.waiting import join


@dataclass(frozen=True)
class Identity:
    """A self-signed certificate for 127.0.0.1 in a file together with its key."""

    path: Path
    pem: str
    fingerprint: str


def make_identity(folder: Path, name: str = "lab") -> Identity:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(dt.datetime(1970, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2100, 1, 1, tzinfo=dt.UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / f"{name}.pem"
    path.write_bytes(secret + pem)
    der = certificate.public_bytes(serialization.Encoding.DER)
    return Identity(path, pem.decode(), hashlib.sha256(der).hexdigest())


@dataclass
class Server:
    """`address` is where it listens; `received` is everything that arrived above TLS."""

    address: str
    received: bytearray


def stay_silent(connection: socket.socket, received: bytearray) -> None:
    """Read until the peer hangs up, and never answer."""
    while chunk := connection.recv(65536):
        received += chunk


def drip(connection: socket.socket, received: bytearray, piece: bytes = b"H") -> None:
    """Send `piece` again and again until the peer hangs up."""
    connection.settimeout(0.02)
    while True:
        connection.sendall(piece)
        with suppress(TimeoutError):
            if not (chunk := connection.recv(65536)):
                return
            received += chunk


@contextmanager
def tls_server(identity: Identity, talk: Callable[[ssl.SSLSocket, bytearray], None]) -> Iterator[Server]:
    """Serves every connection with `talk` in its own thread until the block ends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.path)

    def wrapped(raw: socket.socket, received: bytearray) -> None:
        with context.wrap_socket(raw, server_side=True) as secured:
            talk(secured, received)

    with tcp_server(wrapped) as server:
        yield server


@contextmanager
def tcp_server(talk: Callable[[socket.socket, bytearray], None]) -> Iterator[Server]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(f"127.0.0.1:{listener.getsockname()[1]}", bytearray())
    connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with suppress(OSError, ssl.SSLError), connection:
            talk(connection, server.received)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connections.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    acceptor = threading.Thread(target=accept, daemon=True)
    acceptor.start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in connections:
            # A close alone would not wake the thread that reads from it.
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        join(acceptor)
