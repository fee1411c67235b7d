"""Which certificates of authorities are trusted: those of certifi and the system, and the person's own besides them."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

# Where other programs look for further certificates: OpenSSL and Python, requests, curl, Node.
_CA_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


class NotUsable(Exception):
    """A proxy or certificate setting cannot be used; str() is the cause, `hint` the next step."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


def tls_context(ca_bundle: str = "") -> ssl.SSLContext:
    """Certificates of certifi and the system, and those in `ca_bundle` and where the environment says. Raises
    NotUsable."""
    import certifi

    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    named = [(name, os.environ.get(name, "").strip()) for name in _CA_VARIABLES]
    for name, path in (("llm.ca_bundle", ca_bundle), *named):
        if not path:
            continue
        place = Path(path).expanduser()
        try:
            context.load_verify_locations(**{"capath" if place.is_dir() else "cafile": str(place)})
        except OSError as error:
            raise NotUsable(
                f"cannot read the certificates in {path}: {error.strerror or error}", f"correct {name}"
            ) from None
    return context


def own(ca_bundle: str = "") -> bool:
    """Whether the person has named certificates of their own."""
    return bool(ca_bundle or any(os.environ.get(name, "").strip() for name in _CA_VARIABLES))


def in_one_file(ca_bundle: str, folder: Path) -> Path:
    """All of them as one file below `folder`, for programs that take one file in the place of their own. Raises
    NotUsable."""
    from hashlib import sha256

    context = tls_context(ca_bundle)
    found = {ssl.DER_cert_to_PEM_cert(one) for one in context.get_ca_certs(binary_form=True)}
    for path in (ca_bundle, *(os.environ.get(name, "").strip() for name in _CA_VARIABLES)):
        place = Path(path).expanduser()
        if path and place.is_dir():  # a context reads those of a folder only when it needs one
            found |= {text for file in sorted(place.iterdir()) if (text := _certificate(file))}
    text = "".join(sorted(found))
    file = folder / f"certificates-{sha256(text.encode()).hexdigest()[:16]}.pem"
    try:
        if not file.is_file():
            from oi_tui.paths import private_dir

            private_dir(folder)
            draft = file.with_suffix(f".{os.getpid()}")
            draft.write_text(text)
            draft.replace(file)
    except OSError as error:
        raise NotUsable(f"cannot write {file}: {error.strerror or error}", "free some space") from None
    return file


def _certificate(file: Path) -> str:
    try:
        text = file.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
    return text if "BEGIN CERTIFICATE" in text else ""
