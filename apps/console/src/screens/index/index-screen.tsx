import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { openApiQuery } from "../../api/openapi-query.ts";
import { send } from "../../api/send.ts";
import { BarList } from "../../ui/charts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatBytes, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { DocumentList } from "./document-list.tsx";
import { ImportFiles } from "./import-files.tsx";
import { indexStatsQuery, nameOfLanguage, type IndexStats } from "./index-stats.ts";

/** What is indexed: counts, languages, sites, disk; and the documents themselves. */
export function IndexScreen(): ReactNode {
  const stats = useQuery(indexStatsQuery);
  const [isImporting, setImporting] = useState(false);
  const importButton = (
    <button type="button" className="button primary" onClick={() => setImporting(true)}>
      <Icon name="upload" />
      Import files
    </button>
  );
  return (
    <Page
      title="Index"
      lead="Everything that search can find."
      actions={
        <>
          <OptimiseButton />
          <a className="button" href="/quarry/v1/index/export?format=ndjson" download="quarry-index.ndjson">
            Export
          </a>
          {importButton}
        </>
      }
    >
      {stats.isError ? <Trouble error={stats.error} retry={() => void stats.refetch()} /> : null}
      {stats.data === undefined ? (
        stats.isPending && <SkeletonLines lines={8} />
      ) : stats.data.documents === 0 ? (
        <section className="card">
          <EmptyState
            icon="index"
            title="The index is empty"
            actions={
              <>
                <Link className="button primary" to="/crawls" search={{ dialog: "new" }}>
                  Crawl a site
                </Link>
                <Link className="button" to="/welcome">
                  Get started
                </Link>
              </>
            }
          >
            <p>Crawl a site, or import files: HTML, Markdown, PDF, DOCX, NDJSON or WARC.</p>
          </EmptyState>
        </section>
      ) : (
        <Charts stats={stats.data} />
      )}
      <DocumentList />
      {isImporting ? (
        <Dialog title="Import files" onClose={() => setImporting(false)}>
          <ImportFiles />
        </Dialog>
      ) : null}
    </Page>
  );
}

function Charts({ stats }: { readonly stats: IndexStats }): ReactNode {
  const { languages, hosts, hostCount } = stats;
  return (
    <>
      <dl className="figures">
        <Figure name="Documents" value={formatNumber(stats.documents)} />
        <Figure name="Words" value={formatNumber(stats.words)} />
        <MoreFigures stats={stats} />
        <Figure name="Near copies" value={formatNumber(stats.duplicates)} />
        <Figure name="Sites" value={formatNumber(hostCount)} />
        <Figure
          name="Stored pages"
          value={formatNumber(stats.snapshots.count)}
          note={formatBytes(stats.snapshots.bytes)}
        />
        <Figure name="Waiting to be searchable" value={formatNumber(stats.outbox)} />
        <Figure
          name="Last change"
          value={stats.lastChangedAt === null ? "never" : formatAgo(stats.lastChangedAt, new Date())}
        />
      </dl>
      <div className="grid">
        <section className="card" aria-labelledby="languages">
          <div className="card-head">
            <h2 id="languages">Languages</h2>
          </div>
          <BarList
            label="Documents by language"
            format={formatNumber}
            rows={languages.map(({ language, documents }) => ({ name: nameOfLanguage(language), value: documents }))}
          />
        </section>
        <section className="card" aria-labelledby="sites">
          <div className="card-head">
            <h2 id="sites">Sites</h2>
            {hostCount > hosts.length ? <span className="soft small">the largest {hosts.length}</span> : null}
          </div>
          <BarList
            label="Documents by site"
            format={formatNumber}
            rows={hosts.map(({ host, documents }) => ({ name: host, value: documents }))}
          />
        </section>
      </div>
    </>
  );
}

function Figure(props: { readonly name: string; readonly value: string; readonly note?: string }): ReactNode {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>
        {props.value} {props.note === undefined ? null : <small>{props.note}</small>}
      </dd>
    </div>
  );
}

/** Figures of the search index, as far as the server gives them: chunks, vectors, bytes on disk. */
function MoreFigures({ stats }: { readonly stats: IndexStats }): ReactNode {
  const { chunks } = stats;
  return typeof chunks === "number" ? <Figure name="Chunks" value={formatNumber(chunks)} /> : null;
}

/** Shown once the server has a route that makes the index smaller and quicker. */
function OptimiseButton(): ReactNode {
  const queries = useQueryClient();
  const { data: document } = useQuery(openApiQuery);
  const path = ["/quarry/v1/index/optimize", "/quarry/v1/index/optimise"].find(
    (one) => document?.paths[one]?.["post"] !== undefined,
  );
  const optimise = useMutation({
    mutationFn: (route: string) => send(route, { method: "POST" }),
    onSuccess: () => {
      showToast({ kind: "good", title: "The index is optimised" });
      return queries.invalidateQueries({ queryKey: ["index"] });
    },
  });
  return path === undefined ? null : (
    <button type="button" className="button" disabled={optimise.isPending} onClick={() => optimise.mutate(path)}>
      {optimise.isPending ? "Optimising…" : "Optimise"}
    </button>
  );
}
