import { useEffect, useRef, type ReactNode } from "react";

/** A row of tabs; arrows move between them. */
export function Tabs<Name extends string>(props: {
  readonly label: string;
  readonly tabs: readonly (readonly [name: Name, title: string])[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}): ReactNode {
  const { tabs, chosen, onChoose } = props;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen the chosen one may lie beyond the edge.
    const [strip, tab] = [list.current, list.current?.querySelector<HTMLElement>("[aria-selected=true]")];
    if (strip === null || tab === undefined || tab === null) return;
    strip.scrollLeft = tab.offsetLeft - strip.offsetLeft - (strip.clientWidth - tab.offsetWidth) / 2;
  }, [chosen]);
  return (
    <div
      ref={list}
      className="tabs"
      role="tablist"
      aria-label={props.label}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step === 0) return;
        const at = tabs.findIndex(([name]) => name === chosen);
        const next = (at + step + tabs.length) % tabs.length;
        const [name] = tabs[next] ?? [];
        if (name === undefined) return;
        onChoose(name);
        list.current?.querySelectorAll("button")[next]?.focus();
      }}
    >
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
