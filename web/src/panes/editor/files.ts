// Files that the editor gives to the user.

/** Saves a text as a file of the user. */
export function saveText(name: string, text: string, type = "text/plain"): void {
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function saveBlob(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const MOST_PIXELS = 8_000; // of one side; browsers refuse larger canvases

/** A picture in SVG as PNG, twice as large. */
export async function pngOf(svg: string): Promise<Blob> {
  const picture = new Image();
  picture.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    await picture.decode();
    const canvas = document.createElement("canvas");
    const scale = Math.min(2, MOST_PIXELS / Math.max(picture.width, picture.height, 1));
    canvas.width = Math.ceil(picture.width * scale);
    canvas.height = Math.ceil(picture.height * scale);
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large.")))),
    );
  } finally {
    URL.revokeObjectURL(picture.src);
  }
}
