// Who is at the page, and what they may do.

import { createContext, useContext } from "react";
import type { Me } from "../api";

const NOBODY: Me = { user: "", role: "viewer", login: true };

/** Who is at the page; the shell provides it. */
export const MeContext = createContext<Me>(NOBODY);

export const useMe = (): Me => useContext(MeContext);

/** Whether they may talk to agents and change anything. Who may not is not offered what the service would refuse. */
export const useMayWrite = (): boolean => useMe().role !== "viewer";
