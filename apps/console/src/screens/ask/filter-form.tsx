import { useState, type ReactNode } from "react";
import { CATEGORIES, type AskSearch } from "./ask-search.ts";
import { say } from "../../words/say.ts";

type TextFilter = "only" | "without" | "phrase";

/** Which pages may be among the results. A change holds when its field is left, or at Enter. */
export function FilterForm(props: {
  readonly search: AskSearch;
  readonly onChange: (next: Partial<AskSearch>) => void;
}): ReactNode {
  const { search, onChange } = props;
  const [typed, setTyped] = useState<Readonly<Record<TextFilter, string>>>({
    only: search.only ?? "",
    without: search.without ?? "",
    phrase: search.phrase ?? "",
  });
  const textField = (name: TextFilter, label: string, placeholder: string): ReactNode => (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        className="input"
        placeholder={placeholder}
        value={typed[name]}
        onChange={(event) => setTyped({ ...typed, [name]: event.target.value })}
        onBlur={() => {
          const value = typed[name].trim() === "" ? undefined : typed[name].trim();
          if (value !== search[name]) onChange({ [name]: value });
        }}
      />
    </div>
  );
  const dayField = (name: "from" | "to", label: string): ReactNode => (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        className="input"
        type="date"
        value={search[name] ?? ""}
        onChange={(event) => onChange({ [name]: event.target.value === "" ? undefined : event.target.value })}
      />
    </div>
  );
  return (
    <form
      className="card stack"
      aria-label={say("ask.filters")}
      onSubmit={(event) => {
        event.preventDefault();
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      }}
    >
      <div className="grid">
        {textField("only", say("ask.onlyTheseSites"), say("ask.exampleComExampleOrgDocs"))}
        {textField("without", say("ask.withoutTheseSites"), "example.net")}
        {textField("phrase", say("ask.pagesThatSay"), say("ask.aPhraseOfUpTo"))}
        <div className="field">
          <label htmlFor="filter-category">{say("ask.category")}</label>
          <select
            id="filter-category"
            className="input"
            value={search.category ?? ""}
            onChange={(event) => onChange({ category: event.target.value === "" ? undefined : event.target.value })}
          >
            <option value="">{say("ask.any")}</option>
            {CATEGORIES.map((category) => (
              <option key={category}>{category}</option>
            ))}
          </select>
        </div>
        {dayField("from", say("ask.publishedFrom"))}
        {dayField("to", say("ask.publishedTo"))}
        <div className="field">
          <label htmlFor="filter-n">{say("ask.results")}</label>
          <select
            id="filter-n"
            className="input"
            value={search.n ?? 10}
            onChange={(event) => onChange({ n: event.target.value === "10" ? undefined : Number(event.target.value) })}
          >
            {[5, 10, 25, 50, 100].map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
        </div>
      </div>
      <div className="row">
        <button type="submit" className="button small">
          {say("ask.apply")}
        </button>
        <button
          type="button"
          className="button quiet small"
          onClick={() => {
            setTyped({ only: "", without: "", phrase: "" });
            onChange({
              only: undefined,
              without: undefined,
              phrase: undefined,
              category: undefined,
              from: undefined,
              to: undefined,
              n: undefined,
            });
          }}
        >
          {say("ask.clearAll")}
        </button>
      </div>
    </form>
  );
}
