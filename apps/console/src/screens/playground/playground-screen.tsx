import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { openApiQuery } from "../../api/openapi-query.ts";
import { listOperations, type OpenApiDocument, type Operation } from "../../api/openapi.ts";
import { groupBy } from "../../ui/group-by.ts";
import { Page } from "../../ui/page.tsx";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { OperationBench } from "./operation-bench.tsx";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

const route = getRouteApi("/playground");

/** Every endpoint the server describes, each with a form from its schema. */
export function PlaygroundScreen(): ReactNode {
  const document = useQuery(openApiQuery);
  return (
    <Page
      title={say("playground.playground")}
      lead={
        <>
          {tell("playground.everyEndpointOfWithThe", {
            a: <a href="/openapi.json">{say("playground.openapiJson")}</a>,
          })}
        </>
      }
    >
      {document.isError ? <Trouble error={document.error} retry={() => void document.refetch()} /> : null}
      {document.data === undefined ? (
        document.isPending && <SkeletonLines lines={10} />
      ) : (
        <Workbench document={document.data} />
      )}
    </Page>
  );
}

function Workbench({ document }: { readonly document: OpenApiDocument }): ReactNode {
  const { op, input } = route.useSearch();
  const operations = listOperations(document);
  const chosen = operations.find(({ id }) => id === op) ?? firstOf(operations);
  return (
    <div className="workbench">
      <OperationList operations={operations} chosen={chosen?.id} />
      {chosen === undefined ? (
        <p className="soft">{say("playground.theServerDescribesNoEndpoint")}</p>
      ) : (
        <OperationBench key={chosen.id} document={document} operation={chosen} given={input} />
      )}
    </div>
  );
}

/** Search is what people come for; the first of the list otherwise. */
function firstOf(operations: readonly Operation[]): Operation | undefined {
  return operations.find(({ path }) => path === "/search") ?? operations[0];
}

function OperationList(props: {
  readonly operations: readonly Operation[];
  readonly chosen: string | undefined;
}): ReactNode {
  const [typed, setTyped] = useState("");
  const wanted = typed.toLowerCase().trim();
  const shown = props.operations.filter(({ id, path, summary, tag }) =>
    `${id} ${path} ${summary} ${tag}`.toLowerCase().includes(wanted),
  );
  const groups = [...groupBy(shown, ({ tag }) => tag)];
  return (
    <nav className="operations" aria-label={say("playground.endpoints")}>
      <input
        className="input"
        type="search"
        aria-label={say("playground.findAnEndpoint")}
        placeholder={say("playground.findAmong", { count: props.operations.length })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {groups.length === 0 ? <p className="soft small">{say("playground.noEndpointHasInIt", { typed })}</p> : null}
      {groups.map(([tag, operations]) => (
        <section key={tag}>
          <h3>{tag}</h3>
          <ul>
            {operations.map(({ id, method, path, summary }) => (
              <li key={id}>
                <Link
                  to="/playground"
                  search={{ op: id }}
                  aria-current={id === props.chosen ? "page" : undefined}
                  title={summary}
                >
                  <span className="method">{method}</span>
                  <span className="wrap">{path.replace("/quarry/v1", "")}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
