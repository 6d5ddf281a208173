"""Certificates for the phones' door, issued by an authority of this computer's own; made on first use.

Browsers give a page the camera over HTTPS only. The authority's certificate may be installed on a phone; its key never
leaves the folder, which only its owner may read. The library that makes certificates takes 9 MB of memory, so it is
imported where it is needed.
"""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from calibration.atomic_file import read_private, write_private

if TYPE_CHECKING:
    import trustme

VALID = datetime.timedelta(days=397)
"""How long a certificate is valid: Apple's devices refuse those valid for more than 398 days."""
RENEWED = datetime.timedelta(days=30)
"""Time before its end at which a certificate is replaced."""
MAX_FILE_BYTES = 65536
NAME = "Kibitzer"


class CertificateError(RuntimeError):
    """The certificates cannot be read or written; the message names the file and what to do."""


class DoorCertificates:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def authority(self) -> bytes:
        """The authority's certificate in DER, as phones install it. Raises CertificateError."""
        from cryptography import x509
        from cryptography.hazmat.primitives.serialization import Encoding

        return x509.load_pem_x509_certificate(self._authority().cert_pem.bytes()).public_bytes(Encoding.DER)

    def load_into(self, context: ssl.SSLContext, addresses: Sequence[str]) -> None:
        """Gives the context a certificate for these addresses, made anew unless the last one still fits.

        Raises CertificateError.
        """
        path = self.folder / "door.pem"
        authority = self._authority()
        if not _fits(_read(path), authority, addresses):
            ends = datetime.datetime.now(datetime.UTC) + VALID
            leaf = authority.issue_cert(*addresses, "localhost", organization_name=NAME, not_after=ends)
            chain = b"".join(part.bytes() for part in leaf.cert_chain_pems)
            _write(path, leaf.private_key_pem.bytes() + chain)
        try:
            context.load_cert_chain(path)
        except (OSError, ssl.SSLError) as error:
            raise CertificateError(f"{path}: is no certificate ({error}); remove it, and another is made") from None

    def _authority(self) -> trustme.CA:
        import trustme

        path = self.folder / "authority.pem"
        kept = _read(path)
        if not kept:
            made = trustme.CA(organization_name=NAME, organization_unit_name=f"{NAME} on this computer", path_length=0)
            _write(path, made.private_key_pem.bytes() + made.cert_pem.bytes())
            return made
        at = kept.find(b"-----BEGIN CERTIFICATE-----")
        try:
            return trustme.CA.from_pem(kept[max(0, at) :], kept[: max(0, at)])
        except ValueError as error:
            raise CertificateError(f"{path}: is no authority ({error}); remove it, and another is made") from None


def _fits(pem: bytes, authority: trustme.CA, addresses: Sequence[str]) -> bool:
    """Whether a certificate is the authority's, names exactly these addresses, and does not end soon."""
    from cryptography import x509

    at = pem.find(b"-----BEGIN CERTIFICATE-----")
    if at < 0:
        return False
    try:
        leaf = x509.load_pem_x509_certificate(pem[at:])
        leaf.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.cert_pem.bytes()))
        names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except Exception:  # noqa: BLE001 - whatever is wrong with a kept certificate, another is made
        return False
    named = set(names.get_values_for_type(x509.IPAddress))
    soon = datetime.datetime.now(datetime.UTC) + RENEWED
    return named == {ipaddress.ip_address(one) for one in addresses} and leaf.not_valid_after_utc > soon


def _read(path: Path) -> bytes:
    """The file's content; empty if there is none. Raises CertificateError, also if others may read it."""
    try:
        content, is_shown = read_private(path, MAX_FILE_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise CertificateError(f"{path}: cannot be read: {error.strerror or error}") from None
    if is_shown:
        raise CertificateError(f"{path}: others may read this key; remove it, and another is made")
    return content


def _write(path: Path, content: bytes) -> None:
    try:
        write_private(path, content)
    except OSError as error:
        raise CertificateError(f"{path}: cannot be written: {error.strerror or error}") from None
