import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { send } from "../api/send.ts";
import type { Me } from "../api/shapes.ts";
import { say } from "../words/say.ts";
import { tell } from "../words/tell.tsx";

/** Shown instead of any screen to a browser without a session; the address stays, and with it the way back. */
export function SignIn(): ReactNode {
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState("");
  useEffect(() => {
    document.title = say("shell.signInQuarry");
  }, []);
  const signIn = useMutation({
    mutationFn: () => send<Me>("/quarry/v1/sign-in", { method: "POST", body: { apiKey: apiKey.trim() } }),
    meta: { quiet: true },
    onSuccess: (me) => {
      queries.clear();
      queries.setQueryData(["me"], { ...me, via: "session" });
    },
  });
  return (
    <main className="sign-in">
      <form
        className="card"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <div className="brand">
          <img src="/console/quarry.svg" alt="" />
          {say("shell.quarry")}
        </div>
        <div>
          <h1>{say("shell.signIn")}</h1>
          <p className="soft">{say("shell.openTheOneTimeLink")}</p>
        </div>
        <div className="field">
          <label htmlFor="api-key">{say("shell.aPIKey")}</label>
          <input
            id="api-key"
            className="input code"
            type="password"
            autoComplete="off"
            required
            autoFocus
            value={apiKey}
            aria-invalid={signIn.isError}
            aria-describedby="api-key-help"
            onChange={(event) => setApiKey(event.target.value)}
          />
          <p id="api-key-help" className="hint">
            {tell("shell.noLinkAndNoKey", { code: <code>npx quarry keys create console</code> })}
          </p>
          {signIn.isError ? (
            <p className="error-text" role="alert">
              {signIn.error.message}
            </p>
          ) : null}
        </div>
        <button type="submit" className="button primary" disabled={signIn.isPending}>
          {signIn.isPending ? say("shell.signingIn") : say("shell.signIn")}
        </button>
      </form>
    </main>
  );
}
