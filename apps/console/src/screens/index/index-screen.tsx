import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { BarList } from "../../ui/charts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { formatAgo, formatBytes, formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, SkeletonLines, Trouble } from "../../ui/states.tsx";
import { showToast } from "../../ui/toasts.ts";
import { DocumentList } from "./document-list.tsx";
import { ImportFiles } from "./import-files.tsx";
import { countSearchable, indexStatsQuery, nameOfLanguage, optimiseIndex, type IndexStats } from "./index-stats.ts";
import { say } from "../../words/say.ts";

/** What is indexed: counts, languages, sites, disk; and the documents themselves. */
export function IndexScreen(): ReactNode {
  const stats = useQuery(indexStatsQuery);
  const [isImporting, setImporting] = useState(false);
  const importButton = (
    <button type="button" className="button primary" onClick={() => setImporting(true)}>
      <Icon name="upload" />
      {say("index.importFiles")}
    </button>
  );
  return (
    <Page
      title={say("index.index")}
      lead={say("index.everythingThatSearchCanFind")}
      actions={
        <>
          <OptimiseButton />
          <a className="button" href="/quarry/v1/index/export?format=ndjson" download="quarry-index.ndjson">
            {say("index.export")}
          </a>
          {importButton}
        </>
      }
    >
      {stats.isError ? <Trouble error={stats.error} retry={() => void stats.refetch()} /> : null}
      {stats.data === undefined ? (
        stats.isPending && <SkeletonLines lines={8} />
      ) : countSearchable(stats.data) === 0 ? (
        <section className="card">
          <EmptyState
            icon="index"
            title={say("index.theIndexIsEmpty")}
            actions={
              <>
                <Link className="button primary" to="/crawls" search={{ dialog: "new" }}>
                  {say("index.crawlASite")}
                </Link>
                <Link className="button" to="/welcome" search={{ step: "fill" }}>
                  {say("index.getStarted")}
                </Link>
              </>
            }
          >
            <p>{say("index.crawlASiteOrImport")}</p>
          </EmptyState>
        </section>
      ) : (
        <Charts stats={stats.data} />
      )}
      <DocumentList />
      {isImporting ? (
        <Dialog title={say("index.importFiles")} onClose={() => setImporting(false)}>
          <ImportFiles />
        </Dialog>
      ) : null}
    </Page>
  );
}

function Charts({ stats }: { readonly stats: IndexStats }): ReactNode {
  const { languages, hosts, hostCount, searchIndex: whole = null } = stats;
  return (
    <>
      <dl className={whole === null ? "figures" : "figures eight"}>
        {whole === null ? null : <Figure name="Searchable pages" value={formatNumber(whole.pages)} />}
        <Figure name="Your team’s documents" value={formatNumber(stats.documents)} />
        <Figure name="Words" value={formatNumber(stats.words)} />
        {whole === null ? null : <Figure name="Chunks with vectors" value={formatNumber(whole.chunks)} />}
        <Figure name="Near copies" value={formatNumber(stats.duplicates)} />
        <Figure name="Sites" value={formatNumber(hostCount)} />
        <Figure name="Waiting to be searchable" value={formatNumber(stats.outbox)} />
        <Figure
          name="Last change"
          value={stats.lastChangedAt === null ? "never" : formatAgo(stats.lastChangedAt, new Date())}
        />
      </dl>
      <div className="grid three">
        <section className="card" aria-labelledby="languages">
          <div className="card-head">
            <h2 id="languages">{say("index.languages")}</h2>
          </div>
          <BarList
            label={say("index.documentsByLanguage")}
            format={formatNumber}
            rows={languages.map(({ language, documents }) => ({ name: nameOfLanguage(language), value: documents }))}
          />
        </section>
        <section className="card" aria-labelledby="sites">
          <div className="card-head">
            <h2 id="sites">{say("index.sites")}</h2>
            {hostCount > hosts.length ? (
              <span className="soft small">{say("index.theLargest", { count: hosts.length })}</span>
            ) : null}
          </div>
          <BarList
            label={say("index.documentsBySite")}
            format={formatNumber}
            rows={hosts.map(({ host, documents }) => ({ name: host, value: documents }))}
          />
        </section>
        <section className="card" aria-labelledby="disk">
          <div className="card-head">
            <h2 id="disk">{say("index.disk")}</h2>
            {whole === null ? null : (
              <span className="soft small">{say("index.vectorsOf", { model: whole.model })}</span>
            )}
          </div>
          <BarList
            label={say("index.bytesOnDisk")}
            format={formatBytes}
            rows={[
              { name: say("index.storedPages"), value: stats.snapshots.bytes },
              ...(whole === null
                ? []
                : [
                    { name: say("index.searchIndex"), value: whole.diskBytes },
                    { name: say("index.cacheInMemory"), value: whole.cacheBytes },
                  ]),
            ]}
          />
          {whole === null || whole.unindexedPages + whole.unindexedChunks === 0 ? null : (
            <p className="small soft after-bars">
              {say("index.pagesAndChunksAreSearched", {
                unindexedPages: formatNumber(whole.unindexedPages),
                unindexedChunks: formatNumber(whole.unindexedChunks),
              })}
            </p>
          )}
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

/** Makes the index smaller and quicker; the server does it beside its other work. */
function OptimiseButton(): ReactNode {
  const queries = useQueryClient();
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const optimise = useMutation({
    mutationFn: () => optimiseIndex((leaving.current = new AbortController()).signal),
    onSuccess: () => {
      showToast({ kind: "good", title: say("index.theIndexIsOptimised") });
      return queries.invalidateQueries({ queryKey: ["index"] });
    },
  });
  return (
    <button type="button" className="button" disabled={optimise.isPending} onClick={() => optimise.mutate()}>
      {optimise.isPending ? say("index.optimising") : say("index.optimise")}
    </button>
  );
}
