import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { send } from "../../api/send.ts";
import { say } from "../../words/say.ts";

/** Asks one more question of every item. */
export function NewColumnForm({ websetId }: { readonly websetId: string }): ReactNode {
  const queries = useQueryClient();
  const [description, setDescription] = useState("");
  const add = useMutation({
    mutationFn: () =>
      send(`/websets/v0/websets/${encodeURIComponent(websetId)}/enrichments`, {
        method: "POST",
        body: { description: description.trim() },
      }),
    onSuccess: async () => {
      setDescription("");
      await queries.invalidateQueries({ queryKey: ["webset", websetId] });
      await queries.invalidateQueries({ queryKey: ["webset-items", websetId] });
    },
  });
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <input
        className="input"
        aria-label={say("websets.questionForEveryItem")}
        placeholder={say("websets.askOfEveryItem")}
        required
        maxLength={5_000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <button type="submit" className="button" disabled={add.isPending}>
        {say("websets.addAColumn")}
      </button>
    </form>
  );
}
