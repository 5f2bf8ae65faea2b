import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore, type ReactNode } from "react";
import { send } from "../api/send.ts";
import { chooseTheme, readTheme, THEMES, watchTheme } from "../shell/theme.ts";
import { useMe } from "../shell/use-me.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatTime } from "../ui/format.ts";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { Page } from "../ui/page.tsx";
import { Trouble } from "../ui/states.tsx";
import { say } from "../words/say.ts";
import { tell } from "../words/tell.tsx";

/** This browser's choices, who is signed in, and the server's settings where it shows them. */
export function SettingsScreen(): ReactNode {
  const theme = useSyncExternalStore(watchTheme, readTheme);
  return (
    <Page title={say("settings.settings")} lead={say("settings.whatThisBrowserRemembersAnd")}>
      <section className="card" aria-labelledby="appearance">
        <div className="card-head">
          <h2 id="appearance">{say("settings.appearance")}</h2>
        </div>
        <fieldset className="chips">
          <legend className="hidden-label">{say("settings.theme")}</legend>
          {THEMES.map((one) => (
            <label key={one} className="chip">
              <input type="radio" name="theme" checked={theme === one} onChange={() => chooseTheme(one)} />
              {one === "system"
                ? say("settings.asTheSystem")
                : one === "light"
                  ? say("settings.light")
                  : say("settings.dark")}
            </label>
          ))}
        </fieldset>
      </section>
      <SessionCard />
      <ServerCard />
      <section className="card" aria-labelledby="backup">
        <div className="card-head">
          <h2 id="backup">{say("settings.backup")}</h2>
          <a className="button small" href="/quarry/v1/backup" download="quarry.backup">
            {say("settings.downloadABackup")}
          </a>
        </div>
        <p className="soft">
          {tell("settings.everythingAsOfOneMoment", { code: <code>npx quarry restore quarry.backup</code> })}
        </p>
      </section>
    </Page>
  );
}

function SessionCard(): ReactNode {
  const { data: me } = useMe();
  const queries = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => send("/quarry/v1/sign-out", { method: "POST" }),
    onSuccess: () => queries.resetQueries(),
  });
  const link = useMutation({
    mutationFn: () => send<{ url: string; expiresAt: string }>("/quarry/v1/sign-in-links", { method: "POST" }),
  });
  return (
    <section className="card stack" aria-labelledby="session">
      <div className="row spread">
        <h2 id="session">{say("settings.session")}</h2>
        {me?.via === "session" ? (
          <button type="button" className="button small" onClick={() => signOut.mutate()}>
            {say("settings.signOut")}
          </button>
        ) : null}
      </div>
      {me === undefined || me === null ? null : me.via === "none" ? (
        <p>{tell("settings.thisServerAsksForNo", { code: <code>QUARRY_AUTH=none</code> })}</p>
      ) : (
        <p className="soft">
          {tell("settings.signedInToAsWith", {
            strong: <strong>{me.team.name}</strong>,
            strong2: <strong>{me.key.name}</strong>,
            scopes: me.scopes.join(", "),
          })}
        </p>
      )}
      {link.data === undefined ? (
        <div>
          <button type="button" className="button small" onClick={() => link.mutate()} disabled={link.isPending}>
            {say("settings.makeASignInLink")}
          </button>
        </div>
      ) : (
        <div className="stack">
          <code className="code-block">{link.data.url}</code>
          <div className="row">
            <CopyButton text={link.data.url} />
            <span className="hint">
              {say("settings.worksOnceUntil", { expiresAt: formatTime(link.data.expiresAt) })}
            </span>
          </div>
        </div>
      )}
    </section>
  );
}

interface Setting {
  readonly name: string;
  readonly value: string | null;
  readonly origin: string;
  readonly secret: boolean;
}

const SETTING_COLUMNS: readonly Column<Setting>[] = [
  { id: "name", heading: say("settings.setting"), value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  {
    id: "value",
    heading: say("settings.value"),
    isText: true,
    value: ({ value }) => value ?? "",
    cell: ({ value }) => (value === null || value === "" ? say("settings.notSet") : value),
  },
  { id: "origin", heading: say("settings.origin"), isText: true, value: ({ origin }) => origin },
];

/** Every setting of the server, its value and where it came from; shown to whoever runs it. */
function ServerCard(): ReactNode {
  const settings = useQuery({
    queryKey: ["config"],
    queryFn: ({ signal }) => send<{ data: readonly Setting[] }>("/quarry/v1/config", { signal }),
  });
  return (
    <section className="card stack" aria-labelledby="server">
      <h2 id="server">{say("settings.server")}</h2>
      <p className="soft">
        {tell("settings.settingsAreChangedByVariables", {
          code: <code>QUARRY_…</code>,
          code2: <code>quarry.config.json</code>,
        })}
      </p>
      {settings.isError ? <Trouble error={settings.error} /> : null}
      {settings.data === undefined ? null : (
        <DataTable
          label={say("settings.theServersSettings")}
          columns={SETTING_COLUMNS}
          rows={settings.data.data}
          rowKey={({ name }) => name}
          empty={say("settings.noSettings")}
        />
      )}
    </section>
  );
}
