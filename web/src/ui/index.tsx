// The components of all panes. Their styles are in styles/ui.css.

export { Button, CopyButton, IconButton, Keys } from "./buttons";
export { classes } from "./classes";
export { Dialog, DialogActions } from "./dialog";
export { FilterSelect, SearchField } from "./filters";
export { Menu, MenuAt, MenuItem, MenuLine } from "./menu";
export { Age, Badge, Disclosure, Marked, StatusDot, Table, type Tone } from "./parts";
export { Select } from "./select";
export { Empty, Failure, Loaded, Loading, Missing, MoreButton, Skeleton } from "./states";
export type { Shape } from "./states";
