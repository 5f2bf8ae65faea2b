import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { openApiQuery } from "../api/openapi-query.ts";
import { listOperations } from "../api/openapi.ts";
import { send } from "../api/send.ts";
import type { Me } from "../api/shapes.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { findCommands, type Command } from "./find-commands.ts";
import { SCREENS, WELCOME } from "./screens.ts";
import { chooseTheme, THEMES } from "./theme.ts";
import { say } from "../words/say.ts";

interface RunnableCommand extends Command {
  readonly icon: IconName;
  readonly run: () => void;
}

/** Finds screens, endpoints and actions by a few letters; what is typed can also be asked as a question. */
export function Palette({ me, close }: { readonly me: Me; readonly close: () => void }): ReactNode {
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const commands = useCommands(me);
  const navigate = useNavigate();
  const found: readonly RunnableCommand[] = [
    ...findCommands(commands, typed),
    ...(typed.trim() === ""
      ? []
      : [
          {
            id: "ask",
            name: say("shell.ask", { typed: typed.trim() }),
            kind: say("shell.search"),
            icon: "ask" as const,
            run: () => void navigate({ to: "/", search: { q: typed.trim() } }),
          },
        ]),
  ];
  const chosen = Math.min(place, found.length - 1);
  const run = (command: RunnableCommand | undefined): void => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={say("shell.goTo")}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <input
        role="combobox"
        aria-label={say("shell.screenEndpointActionOrQuestion")}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[chosen] === undefined ? undefined : `palette-${found[chosen].id}`}
        placeholder={say("shell.goToAScreenAn")}
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setPlace(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setPlace((chosen + step + found.length) % found.length);
          } else if (event.key === "Enter") {
            event.preventDefault();
            run(found[chosen]);
          }
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={say("shell.found")}>
        {found.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            aria-selected={index === chosen}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: "nearest" });
            }}
            onMouseMove={() => setPlace(index)}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span className="clip">{command.name}</span>
            <span className="faint small">{command.kind}</span>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function useCommands(me: Me): readonly RunnableCommand[] {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: document } = useQuery(openApiQuery);
  const signOut = async (): Promise<void> => {
    await send("/quarry/v1/sign-out", { method: "POST" });
    await queries.resetQueries();
  };
  return [
    ...[...SCREENS, WELCOME].map(({ to, name, icon, words }) => ({
      id: `screen${to.replaceAll("/", "-")}`,
      name,
      kind: say("shell.screen"),
      icon,
      words,
      run: () => void navigate({ to }),
    })),
    {
      id: "new-crawl",
      name: say("shell.crawlASite"),
      kind: say("shell.action"),
      icon: "crawl",
      words: say("shell.startNew"),
      run: () => void navigate({ to: "/crawls", search: { dialog: "new" } }),
    },
    {
      id: "new-research",
      name: say("shell.researchAQuestion"),
      kind: say("shell.action"),
      icon: "research",
      words: say("shell.startNewReport"),
      run: () => void navigate({ to: "/research", search: { dialog: "new" } }),
    },
    {
      id: "new-webset",
      name: say("shell.makeAWebset"),
      kind: say("shell.action"),
      icon: "grid",
      words: say("shell.createNewList"),
      run: () => void navigate({ to: "/websets", search: { dialog: "new" } }),
    },
    {
      id: "new-webhook",
      name: say("shell.makeAWebhook"),
      kind: say("shell.action"),
      icon: "hook",
      words: say("shell.createNewEventsEndpoint"),
      run: () => void navigate({ to: "/webhooks", search: { dialog: "new" } }),
    },
    {
      id: "new-key",
      name: say("shell.makeAKey"),
      kind: say("shell.action"),
      icon: "keys",
      words: say("shell.createNewApi"),
      run: () => void navigate({ to: "/keys", search: { dialog: "new" } }),
    },
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      name: say("shell.theme", { theme }),
      kind: say("shell.action"),
      icon: "theme" as const,
      words: say("shell.colourAppearanceMode"),
      run: () => chooseTheme(theme),
    })),
    ...(me.via === "session"
      ? [
          {
            id: "sign-out",
            name: say("shell.signOut"),
            kind: say("shell.action"),
            icon: "out" as const,
            run: () => void signOut(),
          },
        ]
      : []),
    ...(document === undefined ? [] : listOperations(document)).map((operation) => ({
      id: `operation-${operation.id}`,
      name: operation.summary,
      kind: `${operation.method} ${operation.path}`,
      icon: "play" as const,
      words: operation.id,
      run: () => void navigate({ to: "/playground", search: { op: operation.id } }),
    })),
  ];
}
