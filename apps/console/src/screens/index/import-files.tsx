import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { importFiles, type ImportOutcome } from "./import-file.ts";
import { say } from "../../words/say.ts";
import { tell } from "../../words/tell.tsx";

/** Takes files by choice or by dropping them, one after the other, and says what became of each. */
export function ImportFiles({ onImported }: { readonly onImported?: () => void }): ReactNode {
  const queries = useQueryClient();
  const inputId = useId();
  const [outcomes, setOutcomes] = useState<readonly ImportOutcome[]>([]);
  const [isOver, setOver] = useState(false);
  const read = useMutation({
    mutationFn: async (files: readonly File[]) => {
      setOutcomes([]);
      for await (const sofar of importFiles(files, new AbortController().signal)) setOutcomes(sofar);
    },
    onSuccess: () => {
      onImported?.();
      return queries.invalidateQueries({ queryKey: ["index"] });
    },
  });
  return (
    <div className="stack">
      <div
        className={isOver ? "notice good" : "notice"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          read.mutate([...event.dataTransfer.files]);
        }}
      >
        <Icon name="upload" />
        <div className="grow stack">
          <label htmlFor={inputId}>
            <strong>{say("index.chooseFilesOrDropThem")}</strong>
            <span className="soft"> {say("index.hTMLMarkdownTextPDFDOCX")}</span>
          </label>
          <input
            id={inputId}
            type="file"
            multiple
            disabled={read.isPending}
            onChange={(event) => {
              read.mutate([...(event.target.files ?? [])]);
              event.target.value = "";
            }}
          />
        </div>
      </div>
      <div role="status">
        <ul className="stack" aria-label={say("index.importedFiles")}>
          {outcomes.map((outcome) => (
            <li key={outcome.name} className={outcome.problems.length === 0 ? "notice good" : "notice bad"}>
              <Icon name={outcome.problems.length === 0 ? "good" : "warn"} />
              <div className="wrap">
                {tell("index.savedUnchanged", {
                  strong: <strong>{outcome.name}</strong>,
                  saved: formatNumber(outcome.saved),
                  unchanged: formatNumber(outcome.unchanged),
                })}
                {outcome.isFindable ? null : <p>{say("index.foundSoon")}</p>}
                {outcome.problems.map((problem) => (
                  <p key={problem}>{problem}</p>
                ))}
              </div>
            </li>
          ))}
          {read.isPending ? <li className="soft">{say("index.reading")}</li> : null}
        </ul>
      </div>
    </div>
  );
}
