"""Text out of documents, and images for models that see: read within limits in a confined process, pages kept."""

from graphwright.files.documents.document import Document, Part, Picture
from graphwright.files.documents.limits import DocumentLimits, ImageLimits
from graphwright.files.documents.reader import read_document, read_documents, read_image
from graphwright.files.documents.sections import chunks, sections

__all__ = [
    "read_document",
    "read_documents",
    "read_image",
    "sections",
    "chunks",
    "Document",
    "Part",
    "Picture",
    "DocumentLimits",
    "ImageLimits",
]
