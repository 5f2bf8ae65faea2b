import { useMemo, type ReactNode } from "react";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { hostOf } from "../../ui/format.ts";
import { Badge } from "../../ui/states.tsx";
import type { Research } from "./research-shapes.ts";
import { listDisputes } from "./list-disputes.ts";
import { listMetPages } from "./research-tree.ts";
import { say } from "../../words/say.ts";

interface Source {
  readonly url: string;
  readonly use: "used" | "conflicting" | "read" | "seen";
  readonly title: string;
  readonly quote: string;
}

/** Every page the run met: which ones the report rests on, which contradict each other, and which were of no use. */
export function ResearchSources(props: {
  readonly research: Research;
  readonly onOpen: (url: string) => void;
}): ReactNode {
  const { research, onOpen } = props;
  const sources = useMemo(() => listSources(research), [research]);
  const columns: readonly Column<Source>[] = [
    { id: "use", heading: say("research.use"), value: ({ use }) => use, cell: ({ use }) => <UseBadge use={use} /> },
    {
      id: "page",
      heading: say("research.page"),
      isText: true,
      value: ({ title }) => title,
      cell: ({ url, title }) => (
        <button type="button" className="link wrap" onClick={() => onOpen(url)}>
          {title}
        </button>
      ),
    },
    { id: "site", heading: say("research.site"), value: ({ url }) => hostOf(url) },
    { id: "quote", heading: say("research.quote"), isText: true, value: ({ quote }) => quote },
  ];
  return (
    <section className="card flush" aria-label={say("research.sourcesOfTheReport")}>
      <DataTable
        label={say("research.sources")}
        columns={columns}
        rows={sources}
        rowKey={({ url }) => url}
        empty={say("research.noPageHasBeenMet")}
      />
    </section>
  );
}

const USES: Readonly<Record<Source["use"], string>> = {
  used: say("research.used"),
  conflicting: say("research.conflicting"),
  read: say("research.readNotUsed"),
  seen: say("research.seenNotRead"),
};

function UseBadge({ use }: { readonly use: Source["use"] }): ReactNode {
  return <Badge tone={use === "used" ? "good" : use === "conflicting" ? "warn" : "idle"}>{USES[use]}</Badge>;
}

function listSources({ citations = [], events = [], output }: Research): readonly Source[] {
  const disputed = listDisputes(output?.content ?? "");
  const cited = new Set(citations.map(({ url }) => url));
  return [
    ...citations.map(({ url, title, snippet }) => ({
      url,
      title: title === "" ? url : title,
      use: disputed.has(url) ? ("conflicting" as const) : ("used" as const),
      quote: [snippet, ...(disputed.get(url) ?? []).map((claim) => say("research.but", { claim }))].join(" "),
    })),
    ...[...listMetPages(events)]
      .filter(([url]) => !cited.has(url))
      .map(([url, kind]) => ({
        url,
        title: url,
        use: kind,
        quote: "",
      })),
  ];
}
