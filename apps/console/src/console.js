// Fills the console page from the API of the server that served it, with the session's cookie.
const REFRESH_MS = 5_000;
const byId = (id) => document.getElementById(id);

async function call(path, options = {}) {
  const reply = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  const body = await reply.json();
  if (!reply.ok)
    throw Object.assign(new Error(body.error ?? `the server answered ${reply.status}`), { status: reply.status });
  return body;
}

/** An element with text in it; text is never read as HTML. */
function element(tag, text, className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}

function row(...cells) {
  const made = document.createElement("tr");
  made.append(...cells);
  return made;
}

function showHealth(health) {
  byId("components").replaceChildren(
    ...health.components.map((component) => {
      const card = document.createElement("li");
      card.dataset.status = component.status;
      const figures = Object.entries(component.figures ?? {}).map(([name, value]) => `${name} ${value}`);
      card.append(
        element("strong", component.name),
        element("span", [component.status, component.detail, ...figures].filter(Boolean).join(" · ")),
      );
      return card;
    }),
  );
}

function showUsage(usage) {
  const rows = usage.data.map((use) =>
    row(
      element("td", use.endpoint),
      element("td", String(use.requests), "number"),
      element("td", String(use.errors), "number"),
      element("td", use.latencyMs.p50.toFixed(1), "number"),
      element("td", use.latencyMs.p95.toFixed(1), "number"),
    ),
  );
  byId("usage-rows").replaceChildren(
    ...(rows.length > 0 ? rows : [row(element("td", "Nothing yet: run the curl that the server printed."))]),
  );
}

function showKeys(keys) {
  byId("key-rows").replaceChildren(
    ...keys.data.map((key) =>
      row(
        element("td", key.name),
        element("td", key.hint),
        element("td", key.scopes.join(", ")),
        element("td", key.status),
        element("td", key.lastUsedAt === null ? "never" : new Date(key.lastUsedAt).toLocaleString()),
      ),
    ),
  );
}

function showSections(signedIn) {
  for (const id of ["health", "usage", "keys", "sign-out"]) byId(id).hidden = !signedIn;
  byId("sign-in").hidden = signedIn;
}

async function refresh() {
  try {
    const me = await call("/quarry/v1/me");
    byId("who").textContent =
      me.via === "none" ? `${me.team.name} · no key is asked (QUARRY_AUTH=none)` : `${me.team.name} · ${me.key.name}`;
    const from = new Date(Date.now() - 24 * 3_600_000).toISOString();
    const [health, usage, keys] = await Promise.all([
      call("/quarry/v1/health"),
      call(`/quarry/v1/usage?groupBy=endpoint&from=${from}`),
      call("/quarry/v1/keys"),
    ]);
    showHealth(health);
    showUsage(usage);
    showKeys(keys);
    showSections(true);
    byId("sign-out").hidden = me.via !== "session";
    byId("trouble").textContent = "";
  } catch (error) {
    if (error.status === 401) {
      byId("who").textContent = "";
      showSections(false);
      byId("trouble").textContent = "";
    } else {
      byId("trouble").textContent = `${error.message}. Trying again every ${REFRESH_MS / 1_000} s.`;
    }
  }
}

byId("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = byId("api-key");
  try {
    await call("/quarry/v1/sign-in", { method: "POST", body: JSON.stringify({ apiKey: input.value.trim() }) });
    input.value = "";
    byId("sign-in-error").textContent = "";
    await refresh();
  } catch (error) {
    byId("sign-in-error").textContent = error.message;
  }
});

byId("sign-out").addEventListener("click", async () => {
  await call("/quarry/v1/sign-out", { method: "POST" });
  await refresh();
});

await refresh();
setInterval(() => {
  if (document.visibilityState === "visible") void refresh();
}, REFRESH_MS);
