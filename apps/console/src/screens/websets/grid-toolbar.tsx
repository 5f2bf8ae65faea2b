import type { ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import { say } from "../../words/say.ts";
import { SHOWN, type Arrangement, type Shown } from "./arrange-items.ts";
import type { WebsetColumn } from "./webset-columns.ts";

const SHOWN_WORDS: Readonly<Record<Shown, string>> = {
  all: say("websets.showAll"),
  gaps: say("websets.showGaps"),
  "by-hand": say("websets.showByHand"),
  pending: say("websets.showPending"),
};

/** Which items the grid shows, in which order and under which headings. */
export function GridToolbar(props: {
  readonly columns: readonly WebsetColumn[];
  readonly arrangement: Arrangement;
  readonly onArrange: (change: Arrangement) => void;
}): ReactNode {
  const { columns, arrangement, onArrange } = props;
  const { words = "", show = "all", sort = "", group = "", isDescending = false } = arrangement;
  const choice = (name: string, value: string, options: ReactNode, onChoose: (chosen: string) => void): ReactNode => (
    <label className="tool">
      <span>{name}</span>
      <select className="input" value={value} onChange={(event) => onChoose(event.target.value)}>
        {options}
      </select>
    </label>
  );
  const ofColumns = columns.map(({ key, heading }) => (
    <option key={key} value={key}>
      {heading}
    </option>
  ));
  return (
    <div className="tools" role="toolbar" aria-label={say("websets.arrange")}>
      <input
        className="input"
        type="search"
        aria-label={say("websets.onlyItemsWith")}
        placeholder={say("websets.onlyItemsWith")}
        value={words}
        onChange={(event) => onArrange({ words: event.target.value === "" ? undefined : event.target.value })}
      />
      {choice(
        say("websets.show"),
        show,
        SHOWN.map((one) => (
          <option key={one} value={one}>
            {SHOWN_WORDS[one]}
          </option>
        )),
        (chosen) => onArrange({ show: SHOWN.find((one) => one === chosen && one !== "all") }),
      )}
      {choice(
        say("websets.sort"),
        sort,
        <>
          <option value="">{say("websets.sortByArrival")}</option>
          <option value="name">{say("websets.sortByName")}</option>
          {ofColumns}
        </>,
        (chosen) => onArrange({ sort: chosen === "" ? undefined : chosen }),
      )}
      {sort === "" ? null : (
        <button
          type="button"
          className="button icon-only"
          aria-label={say("websets.turnOrder")}
          aria-pressed={isDescending}
          title={isDescending ? say("websets.descending") : say("websets.ascending")}
          onClick={() => onArrange({ isDescending: isDescending ? undefined : true })}
        >
          <Icon name={isDescending ? "down" : "up"} />
        </button>
      )}
      {choice(
        say("websets.group"),
        group,
        <>
          <option value="">{say("websets.groupByNothing")}</option>
          {ofColumns}
        </>,
        (chosen) => onArrange({ group: chosen === "" ? undefined : chosen }),
      )}
    </div>
  );
}
