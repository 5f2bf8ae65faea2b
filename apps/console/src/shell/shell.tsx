import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useState, type ReactNode } from "react";
import { Icon } from "../ui/icon.tsx";
import { Trouble } from "../ui/states.tsx";
import { ToastList } from "../ui/toast-list.tsx";
import { Palette } from "./palette.tsx";
import { SCREENS, WELCOME } from "./screens.ts";
import { ShortcutList } from "./shortcut-list.tsx";
import { SignIn } from "./sign-in.tsx";
import { useMe } from "./use-me.ts";
import { isTyping } from "./is-typing.ts";
import { say } from "../words/say.ts";
import { tell } from "../words/tell.tsx";

/** Everything around a screen: who is signed in, the way to the others, the palette, messages. */
export function Shell(): ReactNode {
  const me = useMe();
  const [overlay, setOverlay] = useState<"palette" | "shortcuts">();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) {
        event.preventDefault();
        setOverlay((open) => (open === "palette" ? undefined : "palette"));
      } else if (event.key === "?" && !isTyping(event)) {
        setOverlay("shortcuts");
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);

  if (me.data === undefined || me.data === null) {
    return (
      <>
        {me.data === null ? <SignIn /> : <Waiting error={me.error} retry={() => void me.refetch()} />}
        <ToastList />
      </>
    );
  }
  return (
    <>
      <a className="skip-link" href="#main">
        {say("shell.skipToTheScreen")}
      </a>
      <div className="shell">
        <Sidebar team={me.data.team.name} openPalette={() => setOverlay("palette")} />
        <div>
          {me.error === null ? null : (
            <p className="lost" role="alert">
              <Icon name="warn" />
              {say("shell.theServerDoesNotAnswer")}
            </p>
          )}
          {me.data.via === "none" ? (
            <p className="lost" role="note" aria-label={say("shell.noKeyIsAsked")}>
              <Icon name="warn" />
              <span>{tell("shell.noKeyIsAskedHere", { code: <code>QUARRY_AUTH=none</code> })}</span>
            </p>
          ) : null}
          <main id="main" className="main" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      {overlay === "palette" ? <Palette me={me.data} close={() => setOverlay(undefined)} /> : null}
      {overlay === "shortcuts" ? <ShortcutList close={() => setOverlay(undefined)} /> : null}
      <ToastList />
    </>
  );
}

function Waiting({ error, retry }: { readonly error: Error | null; readonly retry: () => void }): ReactNode {
  return <main className="sign-in">{error === null ? null : <Trouble error={error} retry={retry} />}</main>;
}

function Sidebar({ team, openPalette }: { readonly team: string; readonly openPalette: () => void }): ReactNode {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [openedAt, setOpenedAt] = useState<string>();
  const isOpen = openedAt === path; // going somewhere closes it
  return (
    <header className="sidebar">
      <Link to="/" className="brand">
        <img src="/console/quarry.svg" alt="" />
        {say("shell.quarry")}
      </Link>
      <button
        type="button"
        className="button quiet icon-only menu-button"
        aria-label={say("shell.menu")}
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setOpenedAt(isOpen ? undefined : path)}
      >
        <Icon name={isOpen ? "close" : "menu"} />
      </button>
      <div id="navigation" className={isOpen ? "nav-body open" : "nav-body"}>
        <button type="button" className="palette-button" onClick={openPalette}>
          <Icon name="ask" />
          {say("shell.goToLabel")}
          <kbd>{navigator.userAgent.includes("Mac") ? say("shell.k") : say("shell.ctrlK")}</kbd>
        </button>
        <nav aria-label={say("shell.screens")}>
          <ul className="nav-list">
            {SCREENS.map(({ to, name, icon }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }}>
                  <Icon name={icon} />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="nav-foot">
          <ul className="nav-list">
            <li>
              <Link to={WELCOME.to}>
                <Icon name={WELCOME.icon} />
                {WELCOME.name}
              </Link>
            </li>
            <li>
              <a href="/docs" target="_blank" rel="noreferrer">
                <Icon name="out" />
                {say("shell.aPIPage")}
              </a>
            </li>
          </ul>
          <p className="who" title={team}>
            {team}
          </p>
        </div>
      </div>
    </header>
  );
}
