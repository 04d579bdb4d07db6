"""Text out of documents, and images for models that see: read within limits in a confined process, pages kept."""

from graphwright.files.documents.reader import Document, Part, Picture, read_document, read_documents, read_image
from graphwright.files.limits import DocumentLimits, ImageLimits

__all__ = [
    "read_document",
    "read_documents",
    "read_image",
    "Document",
    "Part",
    "Picture",
    "DocumentLimits",
    "ImageLimits",
]
