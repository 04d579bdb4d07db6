// A choice of one value among several.

import * as Ariakit from "@ariakit/react";
import { Check, ChevronsUpDown } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "./classes";

export interface Choice {
  value: string;
  title: string;
  icon?: LucideIcon;
  /** The heading of the choices that begin here. */
  group?: string;
}

interface Props {
  label: string;
  value: string;
  choices: readonly Choice[];
  onChoose(value: string): void;
  className?: string;
  disabled?: boolean;
}

export function Select({ label, value, choices, onChoose, className, disabled }: Props): ReactNode {
  const chosen = choices.find((each) => each.value === value);
  return (
    <Ariakit.SelectProvider value={value} setValue={onChoose} placement="bottom-start">
      <Ariakit.Select className={classes("select", className)} aria-label={label} disabled={disabled}>
        {chosen?.icon && <chosen.icon size={14} aria-hidden />}
        <span className="cut">{chosen?.title ?? value}</span>
        <ChevronsUpDown size={13} aria-hidden />
      </Ariakit.Select>
      <Ariakit.SelectPopover className="menu" gutter={4} sameWidth={false} portal unmountOnHide>
        {choices.map((each) => (
          <div key={each.value} role="presentation">
            {each.group && (
              <div className="menu-group" role="presentation">
                {each.group}
              </div>
            )}
            <Ariakit.SelectItem className="menu-item" value={each.value}>
              {each.icon && <each.icon size={15} aria-hidden />}
              <span>{each.title}</span>
              {each.value === value && <Check size={14} aria-hidden />}
            </Ariakit.SelectItem>
          </div>
        ))}
      </Ariakit.SelectPopover>
    </Ariakit.SelectProvider>
  );
}
