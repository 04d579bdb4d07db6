// The search and the filters of the interaction log. On a narrow screen the filters open with a button.

import { FilterX, SlidersHorizontal } from "lucide-react";
import { type ReactNode, type RefObject, useState } from "react";
import { useAgents } from "../../app/agents";
import { useText } from "../../app/language";
import { Button, FilterSelect, SearchField } from "../../ui";
import { PeriodFields } from "../../ui/period";
import { type Filters, countOf } from "./filters";
import { typeWords, words } from "./words";

interface Props {
  filters: Filters;
  set(change: Partial<Filters>): void;
  clear(): void;
  box: RefObject<HTMLInputElement | null>;
  /** The types of the turns that were listed so far. */
  types: readonly string[];
}

export function FilterFields({ filters, set, clear, box, types }: Props): ReactNode {
  const say = useText(words);
  const named: Record<string, string> = useText(typeWords);
  const agents = useAgents();
  const [open, setOpen] = useState(false);
  // The chosen type stays in the list when its turns are left out by another filter.
  const shown = [...new Set([...types, ...(filters.type ? [filters.type] : [])])];
  const active = countOf(filters);
  return (
    <div className="filters logs-filters" data-open={open}>
      <SearchField box={box} most={1000} label={say.search} value={filters.q} onChange={(q) => set({ q })} />
      <Button className="logs-toggle" icon={SlidersHorizontal} aria-expanded={open} onClick={() => setOpen(!open)}>
        {active > 0 ? say.filtersOn(active) : say.filters}
      </Button>
      <FilterSelect
        label={say.agent}
        value={filters.agent}
        onChange={(agent) => set({ agent })}
        any={say.allAgents}
        choices={(agents.data ?? []).map((each) => [each.name, each.title])}
      />
      <FilterSelect
        label={say.outcome}
        value={filters.success}
        onChange={(success) => set({ success })}
        any={say.anyOutcome}
        choices={[
          ["true", say.succeeded],
          ["false", say.failed],
        ]}
      />
      <FilterSelect
        label={say.type}
        value={filters.type}
        onChange={(type) => set({ type })}
        any={say.anyType}
        choices={shown.map((each) => [each, named[each] ?? each])}
      />
      <PeriodFields value={filters} onChange={set} />
      <label className="filters-day">
        <input
          type="checkbox"
          title={say.trialsHint}
          checked={filters.trials !== ""}
          onChange={(event) => set({ trials: event.target.checked ? "true" : "" })}
        />
        {say.trials}
      </label>
      {filters.session && (
        <label className="filters-day">
          {say.session}
          <input
            className="input"
            maxLength={200}
            value={filters.session}
            onChange={(event) => set({ session: event.target.value })}
          />
        </label>
      )}
      {active > 0 && (
        <Button look="quiet" icon={FilterX} onClick={clear}>
          {say.clear}
        </Button>
      )}
    </div>
  );
}
