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

/** This browser's choices, who is signed in, and the server's settings where it shows them. */
export function SettingsScreen(): ReactNode {
  const theme = useSyncExternalStore(watchTheme, readTheme);
  return (
    <Page title="Settings" lead="What this browser remembers, and how this server is set up.">
      <section className="card" aria-labelledby="appearance">
        <div className="card-head">
          <h2 id="appearance">Appearance</h2>
        </div>
        <fieldset className="chips">
          <legend className="hidden-label">Theme</legend>
          {THEMES.map((one) => (
            <label key={one} className="chip">
              <input type="radio" name="theme" checked={theme === one} onChange={() => chooseTheme(one)} />
              {one === "system" ? "As the system" : one === "light" ? "Light" : "Dark"}
            </label>
          ))}
        </fieldset>
      </section>
      <SessionCard />
      <ServerCard />
      <section className="card" aria-labelledby="backup">
        <div className="card-head">
          <h2 id="backup">Backup</h2>
          <a className="button small" href="/quarry/v1/backup" download="quarry.backup">
            Download a backup
          </a>
        </div>
        <p className="soft">
          Everything, as of one moment, while the server runs. Restore it with{" "}
          <code>npx quarry restore quarry.backup</code>.
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
        <h2 id="session">Session</h2>
        {me?.via === "session" ? (
          <button type="button" className="button small" onClick={() => signOut.mutate()}>
            Sign out
          </button>
        ) : null}
      </div>
      {me === undefined || me === null ? null : me.via === "none" ? (
        <p>
          This server asks for no key (<code>QUARRY_AUTH=none</code>): whoever reaches its port may do everything.
        </p>
      ) : (
        <p className="soft">
          Signed in to <strong>{me.team.name}</strong> as <strong>{me.key.name}</strong>, with the scopes{" "}
          {me.scopes.join(", ")}.
        </p>
      )}
      {link.data === undefined ? (
        <div>
          <button type="button" className="button small" onClick={() => link.mutate()} disabled={link.isPending}>
            Make a sign-in link for another browser
          </button>
        </div>
      ) : (
        <div className="stack">
          <code className="code-block">{link.data.url}</code>
          <div className="row">
            <CopyButton text={link.data.url} />
            <span className="hint">Works once, until {formatTime(link.data.expiresAt)}.</span>
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
  { id: "name", heading: "Setting", value: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
  { id: "value", heading: "Value", value: ({ value }) => value ?? "", cell: ({ value }) => value ?? "not set" },
  { id: "origin", heading: "Origin", value: ({ origin }) => origin },
];

/** Every setting of the server, its value and where it came from; shown to whoever runs it. */
function ServerCard(): ReactNode {
  const settings = useQuery({
    queryKey: ["config"],
    queryFn: ({ signal }) => send<{ data: readonly Setting[] }>("/quarry/v1/config", { signal }),
  });
  return (
    <section className="card stack" aria-labelledby="server">
      <h2 id="server">Server</h2>
      <p className="soft">
        Settings are changed by <code>QUARRY_…</code> variables or in <code>quarry.config.json</code>, and hold from the
        next start.
      </p>
      {settings.isError ? <Trouble error={settings.error} /> : null}
      {settings.data === undefined ? null : (
        <DataTable
          label="The server’s settings"
          columns={SETTING_COLUMNS}
          rows={settings.data.data}
          rowKey={({ name }) => name}
          empty="No settings."
        />
      )}
    </section>
  );
}
