/** The names of classes that are set. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(" ");
