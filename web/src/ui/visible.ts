// Characters that reverse the direction of writing could disguise a text, so they are made visible.

const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The text with such characters as their names, `[U+202E]`. */
export const visible = (text: string): string =>
  text.replace(TURNS, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase()}]`);
