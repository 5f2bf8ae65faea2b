import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { formatNumber } from "../../ui/format.ts";
import { SkeletonLines, Trouble } from "../../ui/states.tsx";
import { say } from "../../words/say.ts";

const FORMATS = ["csv", "json", "jsonl", "xlsx", "parquet"] as const;
const LOOK_AGAIN_MS = 500;

interface Export {
  readonly id: string;
  readonly status: "pending" | "processing" | "completed" | "failed";
  readonly downloadUrl: string | null;
  readonly count: number | null;
  readonly failedMessage: string | null;
}

/** Writes the webset to a file and offers it. */
export function ExportMenu({ websetId }: { readonly websetId: string }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [format, setFormat] = useState<(typeof FORMATS)[number]>();
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        {say("websets.export")}
      </button>
      {isOpen ? (
        <Dialog
          title={say("websets.export")}
          onClose={() => {
            setOpen(false);
            setFormat(undefined);
          }}
        >
          <div className="row" role="group" aria-label={say("websets.kindOfFile")}>
            {FORMATS.map((one) => (
              <button
                key={one}
                type="button"
                className="chip"
                aria-pressed={one === format}
                onClick={() => setFormat(one)}
              >
                {one.toUpperCase()}
              </button>
            ))}
          </div>
          {format === undefined ? null : <ExportFile key={format} websetId={websetId} format={format} />}
        </Dialog>
      ) : null}
    </>
  );
}

function ExportFile({ websetId, format }: { readonly websetId: string; readonly format: string }): ReactNode {
  const base = `/websets/v0/websets/${encodeURIComponent(websetId)}/exports`;
  const begun = useQuery({
    queryKey: ["export", websetId, format],
    queryFn: ({ signal }) => send<Export>(base, { method: "POST", body: { format }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const id = begun.data?.id;
  const file = useQuery({
    queryKey: ["export-file", id],
    queryFn: ({ signal }) => send<Export>(`${base}/${encodeURIComponent(id ?? "")}`, { signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.status === "completed" || state.data?.status === "failed" ? false : LOOK_AGAIN_MS,
  });
  const error = begun.error ?? file.error;
  if (error !== null) return <Trouble error={error} retry={() => void begun.refetch()} />;
  if (file.data?.status === "failed") {
    return <Trouble error={new Error(file.data.failedMessage ?? say("websets.theFileCouldNotBe"))} />;
  }
  if (file.data?.status !== "completed" || file.data.downloadUrl === null) {
    return <SkeletonLines lines={1} label={say("websets.writingTheFile")} />;
  }
  const { pathname, search } = new URL(file.data.downloadUrl, location.href); // of this server, whatever its name outside
  return (
    <p>
      <a className="button primary" href={`${pathname}${search}`} download>
        {say("websets.download", { format: format.toUpperCase() })}
      </a>{" "}
      <span className="soft">{say("websets.itemsOfNumber", { number: formatNumber(file.data.count ?? 0) })}</span>
    </p>
  );
}
