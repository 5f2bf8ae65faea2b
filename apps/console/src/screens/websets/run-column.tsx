import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { send } from "../../api/send.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toasts.ts";
import { sayCount } from "../../words/say-count.ts";
import { say } from "../../words/say.ts";
import { ownPath } from "./use-websets.ts";
import type { WebsetColumn } from "./webset-columns.ts";

/** Which cells of a column are filled again. */
export interface RunWish {
  readonly scope?: "all" | "empty" | "failed";
  readonly count?: number;
  readonly itemIds?: readonly string[];
}

const CHOICES: readonly (readonly [name: string, words: string, wish: RunWish])[] = [
  ["first", say("websets.runFirstTen"), { scope: "all", count: 10 }],
  ["all", say("websets.runAll"), { scope: "all" }],
  ["empty", say("websets.runEmpty"), { scope: "empty" }],
  ["failed", say("websets.runFailed"), { scope: "failed" }],
];

/** Fills cells of a column again and says how many. */
export function useRunColumn(websetId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ key, wish }: { readonly key: string; readonly wish: RunWish }) =>
      send<{ readonly opened: number }>(`${ownPath(websetId)}/enrichments/${encodeURIComponent(key)}/run`, {
        method: "POST",
        body: wish,
      }),
    onSuccess: async ({ opened }) => {
      showToast({
        kind: "good",
        title: opened === 0 ? say("websets.noCellToRun") : sayCount("websets.cellsRun", opened),
      });
      await queries.invalidateQueries({ queryKey: ["webset", websetId] });
      await queries.invalidateQueries({ queryKey: ["webset-items", websetId] });
    },
  });
}

/** Asks which cells of a column to fill again. */
export function RunColumn(props: {
  readonly websetId: string;
  readonly column: WebsetColumn;
  readonly close: () => void;
}): ReactNode {
  const run = useRunColumn(props.websetId);
  return (
    <Dialog title={say("websets.runColumn", { column: props.column.heading })} onClose={props.close}>
      <p className="soft">{say("websets.runKeepsHandValues")}</p>
      <div className="stack">
        {CHOICES.map(([name, words, wish]) => (
          <button
            key={name}
            type="button"
            className="button"
            disabled={run.isPending}
            onClick={() => run.mutate({ key: props.column.key, wish }, { onSuccess: props.close })}
          >
            {words}
          </button>
        ))}
      </div>
    </Dialog>
  );
}
