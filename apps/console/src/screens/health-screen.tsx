import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { send } from "../api/send.ts";
import type { Health, HealthComponent } from "../api/shapes.ts";
import { formatBytes, formatDuration, formatNumber } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { Badge, SkeletonLines, Trouble, type Tone } from "../ui/states.tsx";
import { say } from "../words/say.ts";

const LOOK_AGAIN_MS = 3_000;

const TONES: Readonly<Record<Health["status"], Tone>> = { ok: "good", degraded: "warn", down: "bad" };

/** How the server and each of its parts do, looked at every few seconds. */
export function HealthScreen(): ReactNode {
  const health = useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => send<Health>("/quarry/v1/health", { signal }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  return (
    <Page
      title={say("health.health")}
      lead={say("health.howEachPartOfThis")}
      actions={health.data === undefined ? null : <Badge tone={TONES[health.data.status]}>{health.data.status}</Badge>}
    >
      {health.isError ? <Trouble error={health.error} retry={() => void health.refetch()} /> : null}
      {health.data === undefined ? (
        health.isPending && <SkeletonLines lines={6} />
      ) : (
        <>
          <dl className="figures">
            <Figure name="Version" value={health.data.version} />
            <Figure name="Role" value={health.data.role} />
            <Figure name="Up for" value={formatDuration(health.data.uptimeSeconds * 1_000)} />
            <Figure name="Parts" value={String(health.data.components.length)} />
          </dl>
          <ul className="grid">
            {health.data.components.map((component) => (
              <Component key={component.name} component={component} />
            ))}
          </ul>
        </>
      )}
    </Page>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Component({ component }: { readonly component: HealthComponent }): ReactNode {
  const figures = Object.entries(component.figures ?? {});
  return (
    <li className="card stack">
      <div className="row spread">
        <h2>{toTitle(component.name)}</h2>
        <Badge tone={TONES[component.status]}>{component.status}</Badge>
      </div>
      {component.detail === undefined ? null : <p className="soft wrap">{component.detail}</p>}
      {figures.length === 0 ? null : (
        <table>
          <tbody>
            {figures.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{toWords(name)}</th>
                <td className="number">{formatFigure(name, value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  );
}

/** The unit is in the name: freeMegabytes, answerMs, oldestSeconds. */
function formatFigure(name: string, value: number): string {
  if (/megabytes$/i.test(name)) return formatBytes(value * 1024 ** 2);
  if (/bytes$/i.test(name)) return formatBytes(value);
  if (/ms$/i.test(name)) return formatDuration(value);
  if (/seconds$/i.test(name)) return formatDuration(value * 1_000);
  return Number.isInteger(value) ? formatNumber(value) : value.toFixed(2);
}

function toWords(name: string): string {
  const words = name
    .replace(/(megabytes|bytes|ms|seconds)$/i, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]/g, " ")
    .trim()
    .toLowerCase();
  return words === "" ? name : words;
}

function toTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
