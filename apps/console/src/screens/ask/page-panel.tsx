import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { AskSearch } from "./ask-search.ts";
import { StoredPage } from "./stored-page.tsx";
import { searchQuery } from "./use-search.ts";

/** The stored page of a result, with the result's quotes marked. */
export function PagePanel(props: {
  readonly search: AskSearch;
  readonly url: string;
  readonly close: () => void;
}): ReactNode {
  const { search, url, close } = props;
  const { data: found } = useQuery(searchQuery(search));
  const result = found?.results.find((one) => one.url === url);
  return (
    <StoredPage
      url={url}
      title={result?.title}
      quotes={result?.highlights ?? NO_QUOTES}
      ranges={result?.quarry?.highlights}
      snapshotId={result?.quarry?.snapshotId}
      close={close}
    />
  );
}

const NO_QUOTES: readonly string[] = [];
