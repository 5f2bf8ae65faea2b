import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { send } from "../api/send.ts";
import type { Me } from "../api/shapes.ts";

/** Shown instead of any screen to a browser without a session; the address stays, and with it the way back. */
export function SignIn(): ReactNode {
  const queries = useQueryClient();
  const [apiKey, setApiKey] = useState("");
  useEffect(() => {
    document.title = "Sign in · Quarry";
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
          Quarry
        </div>
        <div>
          <h1>Sign in</h1>
          <p className="soft">Open the one-time link that the server printed when it started, or paste an API key.</p>
        </div>
        <div className="field">
          <label htmlFor="api-key">API key</label>
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
            No link and no key? <code>npx quarry keys create console</code> on the server’s machine makes a key.
          </p>
          {signIn.isError ? (
            <p className="error-text" role="alert">
              {signIn.error.message}
            </p>
          ) : null}
        </div>
        <button type="submit" className="button primary" disabled={signIn.isPending}>
          {signIn.isPending ? "Signing in…" : "Sign in"}
        </button>
      </form>
    </main>
  );
}
