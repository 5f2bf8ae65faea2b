import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { send } from "../../api/send.ts";
import type { Crawl } from "../../api/shapes.ts";
import { toCrawlBody, type CrawlWish } from "./crawl-wish.ts";
import { say } from "../../words/say.ts";

const EMPTY: CrawlWish = {
  url: "",
  isSitemap: false,
  maxPages: "100",
  maxDepth: "10",
  scope: "host",
  delayMs: "1000",
  include: "",
  exclude: "",
};

/** Asks where to start and how far to go, begins the crawl and shows it; `onBegun` instead of showing it. */
export function NewCrawlForm({ onBegun }: { readonly onBegun?: (crawl: Crawl) => void }): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [wish, setWish] = useState(EMPTY);
  const begin = useMutation({
    mutationFn: () => send<Crawl>("/quarry/v1/crawls", { method: "POST", body: toCrawlBody(wish) }),
    meta: { quiet: true },
    onSuccess: (crawl) => {
      void queries.invalidateQueries({ queryKey: ["crawls"] });
      if (onBegun === undefined) void navigate({ to: "/crawls/$id", params: { id: crawl.id } });
      else onBegun(crawl);
    },
  });
  const field = (
    name: "url" | "maxPages" | "maxDepth" | "delayMs" | "include" | "exclude",
    label: string,
    attributes: React.InputHTMLAttributes<HTMLInputElement>,
  ): ReactNode => (
    <Field id={`crawl-${name}`} label={label}>
      <input
        id={`crawl-${name}`}
        className="input"
        value={wish[name]}
        onChange={(event) => setWish({ ...wish, [name]: event.target.value })}
        {...attributes}
      />
    </Field>
  );
  return (
    <Form
      onSubmit={() => begin.mutate()}
      error={begin.error}
      submit={say("crawl.beginTheCrawl")}
      isDisabled={begin.isPending}
    >
      {field("url", say("crawl.address"), {
        type: "url",
        required: true,
        autoFocus: true,
        placeholder: say("crawl.httpsExampleComDocs"),
      })}
      <label className="check">
        <input
          type="checkbox"
          checked={wish.isSitemap}
          onChange={(event) => setWish({ ...wish, isSitemap: event.target.checked })}
        />
        {say("crawl.itIsASitemapVisit")}
      </label>
      <div className="grid">
        {field("maxPages", say("crawl.pagesAtMost"), { type: "number", min: 1, max: 1_000_000, required: true })}
        <Field id="crawl-scope" label={say("crawl.stayOn")}>
          <select
            id="crawl-scope"
            className="input"
            value={wish.scope}
            onChange={(event) => setWish({ ...wish, scope: event.target.value })}
          >
            <option value="path">{say("crawl.thisPath")}</option>
            <option value="host">{say("crawl.thisHost")}</option>
            <option value="domain">{say("crawl.thisDomain")}</option>
          </select>
        </Field>
      </div>
      <details>
        <summary>{say("crawl.more")}</summary>
        <div className="stack">
          <div className="grid">
            {field("maxDepth", say("crawl.linksFromTheStart"), { type: "number", min: 0, max: 1_000, required: true })}
            {field("delayMs", say("crawl.pauseAtAHostIn"), { type: "number", min: 0, max: 600_000, required: true })}
          </div>
          {field("include", say("crawl.onlyAddressesLike"), { placeholder: say("crawl.docsRegex") })}
          {field("exclude", say("crawl.noAddressesLike"), { placeholder: say("crawl.tag") })}
        </div>
      </details>
    </Form>
  );
}
