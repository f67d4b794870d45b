"""Verifies the mails that `npm run mails -- FOLDER` wrote: signatures by dkimpy, content by email."""

import json
import re
import sys
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.utils import parseaddr
from pathlib import Path

import dkim

# Each mail has its own links: the expected texts have those of another one.
LINK = re.compile(r"(https://tidings\.example/(?:u|t/c|t/o)/)[\w.-]+")


def lines(text):
    """Line ends are not compared, nor the one that ends a text."""
    if text is None:
        return None
    text = LINK.sub(r"\1*", text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n")


def verdicts(source, records):
    """Per signature: its algorithm, and whether it holds."""
    message = dkim.DKIM(source, minkey=1024)

    def record(name, timeout=5):
        return records.get(name.decode().rstrip("."), "").encode()

    found = []
    for index, (name, value) in enumerate(
        field for field in message.headers if field[0].lower() == b"dkim-signature"
    ):
        algorithm = re.search(rb"\ba=([\w-]+)", value).group(1).decode()
        try:
            found.append((algorithm, message.verify(idx=index, dnsfunc=record)))
        except dkim.DKIMException as error:
            found.append((algorithm, f"{type(error).__name__}: {error}"))
    return found


def decoded(field):
    """Not read from the parsed address: it keeps the space between two encoded words (RFC 2047, 6.2)."""
    return str(make_header(decode_header(field)))


def reading(source):
    message = message_from_bytes(source, policy=policy.default)
    bodies = {
        kind: None if body is None else body.get_content()
        for kind in ("plain", "html")
        for body in [message.get_body(preferencelist=(kind,))]
    }
    raw = message_from_bytes(source)
    name, address = parseaddr(re.sub(r"\r?\n", "", raw["From"]))
    return {
        "subject": decoded(re.sub(r"\r?\n", "", raw["Subject"])).strip(),
        "from": {"name": decoded(name), "address": address},
        "to": parseaddr(raw["To"])[1],
        "text": lines(bodies["plain"]),
        "html": lines(bodies["html"]),
    }


def differences(source, expected):
    read = reading(source)
    wanted = {
        "subject": expected["subject"],
        "from": expected["from"],
        "to": expected["to"],
        "text": lines(expected["text"]),
        "html": lines(expected["html"]),
    }
    return [
        f"{field}: {str(read[field])[:200]!r} instead of {str(value)[:200]!r}"
        for field, value in wanted.items()
        if read[field] != value
    ]


def main(folder):
    records = json.loads((folder / "dns.json").read_text())
    failed = 0
    for path in sorted(folder.glob("*.eml")):
        source = path.read_bytes()
        expected = json.loads(path.with_suffix(".json").read_text())
        signatures = verdicts(source, records)
        wrong = differences(source, expected)
        if signatures != [(algorithm, True) for algorithm in expected["signedBy"]]:
            wrong.append(f"signatures: {signatures}")
        algorithms = " and ".join(algorithm for algorithm, _ in signatures)
        print(f"{path.stem}: " + ("; ".join(wrong) or f"reads the same, {algorithms} verified"))
        failed += bool(wrong)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
