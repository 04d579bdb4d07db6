// Signs that turn writing around: they would let a text read as something else than it is, so they are shown themselves.

const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text with such signs as their names, `[U+202E]`. */
export const visible = (text: string): string =>
  text.replace(TURNS, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase()}]`);
