// The properties of a pane, whether it is built in or comes from another package.

/** The parts of the address after its name. */
export interface PaneProps {
  rest: string[];
  query: URLSearchParams;
  /** It is next to the conversation, in half of the width, for the thread in `rest[0]`. */
  beside?: boolean;
}
