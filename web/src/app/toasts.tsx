// Short messages at the edge of the page: completed actions and errors.

import { CircleAlert, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Toaster, toast } from "sonner";
import { coded } from "../ui/states";
import { visible } from "../ui/visible";
import { texts, useText } from "./language";
import { wordsOfError } from "./problems";
import { useStore } from "./store";
import { theme } from "./theme";

const words = texts({ region: ["Notifications", "Mitteilungen"] });

/** Tells that something was done; `next` leads on. */
export const told = (text: string, next?: ReactNode): void =>
  void toast.success(visible(text), { duration: next ? 5000 : 3500, action: next });

export function failed(error: unknown): void {
  const { text, more } = wordsOfError(error);
  // The page says it already, and not in a part that a narrow screen hides.
  const said = [...document.querySelectorAll(".failure > p:first-child")].filter((each) => each.checkVisibility());
  if (said.some((each) => each.textContent === text)) return;
  toast.error(coded(text), { description: more && coded(more), duration: 9000 });
}

export function Toasts(): ReactNode {
  const say = useText(words);
  return (
    <Toaster
      // Beside what is worked on, and above a field at the end of the page.
      position="bottom-right"
      offset={{ bottom: "var(--toasts)", right: 16 }}
      mobileOffset={{ bottom: "var(--toasts)", left: 16, right: 16 }}
      theme={useStore(theme)}
      visibleToasts={3}
      containerAriaLabel={say.region}
      icons={{
        success: <CircleCheck size={16} aria-hidden />,
        error: <CircleAlert size={16} aria-hidden />,
      }}
      toastOptions={{ classNames: { toast: "toast", description: "muted", error: "toast-bad" }, unstyled: true }}
    />
  );
}
