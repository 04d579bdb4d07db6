"""Writers of documents and images for the tests: PDF by hand, Office by the libraries' own writers."""

from __future__ import annotations

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from graphwright_files import FileError
from graphwright_files.documents import Document, DocumentLimits, read_document

Page = str | None
"""The text of a page, its lines separated by line feeds; None for a page that is a picture."""


def pdf(
    pages: Sequence[Page],
    info: Mapping[str, str] | None = None,
    outline: Sequence[tuple[int, str, int]] = (),
) -> bytes:
    """A PDF file: each page its lines in Helvetica, or one image.

    `outline` is (level from 0, title, page from 1).
    """
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    catalog, tree = add(b""), add(b"")
    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    image = add(
        _stream(
            b"/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
            b"\x00\xff\xff\x00",
        )
    )
    kids = []
    for page in pages:
        if page is None:
            content = b"q 500 0 0 700 50 50 cm /I Do Q"
        else:
            lines = b" T* ".join(b"(" + _escaped(line) + b") Tj" for line in page.split("\n"))
            content = b"BT /F 11 Tf 14 TL 50 780 Td " + lines + b" ET" if page else b""
        body = add(_stream(b"", content))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F %d 0 R >> /XObject << /I %d 0 R >> >> >>" % (tree, body, font, image)
            )
        )
    objects[tree - 1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    marks = _outlined(objects, outline, kids)
    objects[catalog - 1] = b"<< /Type /Catalog /Pages %d 0 R%s >>" % (
        tree,
        b" /Outlines %d 0 R" % marks if marks else b"",
    )
    trailer = b"/Root %d 0 R" % catalog
    if info:
        entry = add(b"<< " + b" ".join(b"/%s (%s)" % (n.encode(), _escaped(v)) for n, v in info.items()) + b" >>")
        trailer += b" /Info %d 0 R" % entry
    return _assembled(objects, trailer)


def _assembled(objects: Sequence[bytes], trailer: bytes) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start))
    return out.getvalue()


def _outlined(objects: list[bytes], outline: Sequence[tuple[int, str, int]], kids: Sequence[int]) -> int:
    """The number of the outline's root; 0 without outline."""
    if not outline:
        return 0
    root = len(objects) + 1
    numbers = [root + 1 + place for place in range(len(outline))]
    parents: list[int] = []
    open_marks: list[int] = []
    for number, (level, _, _) in zip(numbers, outline, strict=True):
        del open_marks[level:]
        parents.append(open_marks[-1] if open_marks else root)
        open_marks.append(number)

    def family(parent: int) -> bytes:
        own = [number for number, above in zip(numbers, parents, strict=True) if above == parent]
        return b"/First %d 0 R /Last %d 0 R /Count %d" % (own[0], own[-1], len(own)) if own else b""

    objects.append(b"<< /Type /Outlines %s >>" % family(root))
    for place, (_, title, page) in enumerate(outline):
        later = [n for n, above in zip(numbers, parents, strict=True) if above == parents[place] and n > numbers[place]]
        after = b"/Next %d 0 R" % later[0] if later else b""
        objects.append(
            b"<< /Title (%s) /Parent %d 0 R /Dest [%d 0 R /Fit] %s %s >>"
            % (_escaped(title), parents[place], kids[page - 1], after, family(numbers[place]))
        )
    return root


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(content), content)


def _escaped(text: str) -> bytes:
    return text.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


ENCRYPTED = zlib.decompress(
    base64.b85decode(
        "c-n<i!EV$r5bZe<5;s&%Bcwf+IF9WkVpWN5yHEk@Y6}Im>cNR8+pM<9%JEh$f543sAHfeGt{i&hz>yn8aIW}(VrSd#N<kuuqWJl}ndg~tXRz5{3m"
        "$T>^W);{H!lDJRXX;%UGQI?O%eQ_G;&gnz#qsF)<7*`2<z(}mdX)nOEBm8y=qn(2*7_<s2UE0(;Y4e!<MjLS%JShOHH$Mpp|dP8s|GtadLvD$Rzk"
        "%Wmc)8w60zk<>Rt0Zh=Jt)=KbZCmmz9oMZdgnsq^xIkHEyDT>jNaeuvPQt92P%<T3io)j5A(eljNDNH>;-K&nLRf*PC4E}R0M^?{V^4e&W$KJ}-)"
        "rvE6y}Y)>7nT+(x+L3s_vy>W?8E-~_;R?izxuxWr~C8t{NmUBa`pF}ff;|ls~>%Sa1S;v+rh;@JK?_C`J6Y-e}Sry8`UWs5DV~xL(J%*J8x+$tp+"
        "~l4Y96fI<uX0@tOuSKM-CIz@nTE-v)MrH}8$9XvtK+m>ATy`bL&YY6bqDn~$L@_W;%y_&d-QQYs-Mjw-}Z38aK(DTxz;iJ)nciHrm)XDXE{5D^!7"
        "nqVwx8WPJQIkUcAK{w^O3_}|up@Qd8oYO>PlCUVIN~ARBfr=!Ls6eIyo@5MT6eL$76NDv+T0X+5#@r(id*t>3!Fk9bhg&SLWovfI1twSv3uw^7Xb"
        "`usP_*MQ-sTAsEij{HF+ttbdbfCsZZwBg<t|~<QhP`A+0;NZUv6*0K{pkF6pAyNCoU-`skGG~L1t@72<GeXf6C!}fTcD~sbWICPG@VU@BIa6Ogb_"
    )
)
"""A PDF of one page, encrypted with a password (40 bits, the oldest way)."""


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(paragraphs: Sequence[tuple[str, str]], extra: Mapping[str, bytes] | None = None, body: str = "") -> bytes:
    """A Word document: each paragraph its style (`Heading1`, empty for none) and its text; `body` is XML after them."""
    styled = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    names = "".join(
        f'<w:style w:type="paragraph" w:styleId="{ident}"><w:name w:val="{name}"/></w:style>'
        for ident, name in (("Heading1", "heading 1"), ("berschrift2", "heading 2"), ("Titel", "Title"))
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        'ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATED}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATED}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{names}</w:styles>',
        "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>{styled}{body}</w:body></w:document>',
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="urn:dc"><dc:title>Beam notes</dc:title>'
        "<dc:creator>A. Nother</dc:creator></cp:coreProperties>",
    }
    return zipped({name: text.encode() for name, text in parts.items()} | dict(extra or {}))


def zipped(parts: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def ole(stream: str) -> bytes:
    """The beginning of an old Office file with a stream of this name in its directory."""
    return (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + stream.encode("utf-16-le")).ljust(4_096, b"\0")


def png_of(width: int, height: int) -> bytes:
    """A PNG that declares this size, with almost no data."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    )


def read(folder: Path, name: str, content: str | bytes, limits: DocumentLimits | None = None) -> Document:
    """The document of a file with this content."""
    return read_document(written(folder, name, content), limits)


def refused(folder: Path, name: str, content: str | bytes, limits: DocumentLimits | None = None) -> FileError:
    """The error for reading a file with this content; it names the file and has a hint."""
    path = written(folder, name, content)
    with pytest.raises(FileError) as raised:
        read_document(path, limits)
    return checked(raised.value, path)


def checked(error: FileError, path: Path) -> FileError:
    assert error.message.startswith(path.name)
    assert error.hint
    assert "\n" not in error.message
    assert "Traceback" not in error.message
    assert error.path == path
    return error


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def outlined(document: Document) -> list[tuple[tuple[str, ...], str]]:
    """Headings and texts."""
    return [(part.heading, part.text) for part in document.parts]
