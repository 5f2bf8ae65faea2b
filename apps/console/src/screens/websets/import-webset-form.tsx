import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Field, Form } from "../../ui/form.tsx";
import { decodeText, readCsv } from "../../ui/read-csv.ts";
import { say } from "../../words/say.ts";
import { sayCount } from "../../words/say-count.ts";
import { EntityFields } from "./entity-fields.tsx";
import { importWebset } from "./import-webset.ts";
import { guessRoles, isMapped, ROLES, setRole, type Role } from "./map-columns.ts";
import { toLines } from "./to-lines.ts";
import type { WebsetEntity } from "./webset-shapes.ts";

const ROWS_SHOWN = 3;
/** What an import takes at most. */
const MOST_BYTES = 50_000_000;
const ROLE_WORDS: Readonly<Record<Role, string>> = {
  url: say("websets.roleUrl"),
  name: say("websets.roleName"),
  keep: say("websets.roleKeep"),
  leave: say("websets.roleLeave"),
};

interface Chosen {
  readonly name: string;
  readonly rows: readonly (readonly string[])[];
  readonly roles: readonly Role[];
}

/** A file of rows that become the items of a webset: which column is what, and what to ask of each. */
export function ImportWebsetForm(): ReactNode {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<Chosen>();
  const [entity, setEntity] = useState<WebsetEntity>({ type: "company" });
  const [questions, setQuestions] = useState("");
  const leave = useRef(new AbortController());
  useEffect(() => {
    const stop = new AbortController();
    leave.current = stop;
    return () => stop.abort(); // the form was closed
  }, []);
  const read = useMutation({
    mutationFn: async (file: File): Promise<Chosen> => {
      if (file.size > MOST_BYTES) throw new Error(say("websets.theFileIsTooLarge"));
      const rows = readCsv(decodeText(new Uint8Array(await file.arrayBuffer())));
      if (rows.length < 2) throw new Error(say("websets.theFileHasNoRows"));
      return { name: file.name.replace(/\.\w+$/, ""), rows, roles: guessRoles(rows) };
    },
    meta: { quiet: true },
    onSuccess: setChosen,
  });
  const make = useMutation({
    mutationFn: ({ name, rows, roles }: Chosen) =>
      importWebset({ title: name, rows, roles, entity, questions: toLines(questions) }, leave.current.signal),
    meta: { quiet: true },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ["websets"] });
      void navigate({ to: "/websets/$id", params: { id } });
    },
  });
  return (
    <Form
      onSubmit={() => chosen !== undefined && make.mutate(chosen)}
      error={make.error ?? read.error}
      submit={make.isPending ? say("websets.importing") : say("websets.importTheRows")}
      isDisabled={chosen === undefined || !isMapped(chosen.roles) || make.isPending}
    >
      <Field id="import-file" label={say("websets.csvFile")}>
        <input
          id="import-file"
          className="input"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          required
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) read.mutate(file);
          }}
        />
      </Field>
      {chosen === undefined ? null : (
        <>
          <p className="soft">{sayCount("websets.rowsInFile", chosen.rows.length - 1)}</p>
          <ColumnMap
            chosen={chosen}
            onChange={(column, role) => setChosen({ ...chosen, roles: setRole(chosen.roles, column, role) })}
          />
          {isMapped(chosen.roles) ? null : <p className="error-text">{say("websets.mapNameOrUrl")}</p>}
          <EntityFields entity={entity} onChange={setEntity} />
          <Field id="import-questions" label={say("websets.whatToAskOfEach")}>
            <textarea
              id="import-questions"
              className="input"
              rows={3}
              value={questions}
              onChange={(event) => setQuestions(event.target.value)}
            />
          </Field>
        </>
      )}
    </Form>
  );
}

/** The columns of the file, a few cells of each, and what each is. */
function ColumnMap(props: {
  readonly chosen: Chosen;
  readonly onChange: (column: number, role: Role) => void;
}): ReactNode {
  const { rows, roles } = props.chosen;
  const [header = [], ...records] = rows;
  return (
    <div className="table-scroll" role="region" aria-label={say("websets.columnsOfTheFile")} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say("websets.column")}</th>
            <th scope="col">{say("websets.itIs")}</th>
            <th scope="col">{say("websets.forInstance")}</th>
          </tr>
        </thead>
        <tbody>
          {header.map((heading, column) => (
            <tr key={column}>
              <th scope="row">{heading}</th>
              <td>
                <select
                  className="input"
                  aria-label={say("websets.roleOf", { column: heading })}
                  value={roles[column]}
                  onChange={({ target }) =>
                    props.onChange(column, ROLES.find((role) => role === target.value) ?? "keep")
                  }
                >
                  {ROLES.map((role) => (
                    <option key={role} value={role}>
                      {ROLE_WORDS[role]}
                    </option>
                  ))}
                </select>
              </td>
              <td className="soft wrap">
                {records
                  .slice(0, ROWS_SHOWN)
                  .map((record) => record[column]?.trim() ?? "")
                  .filter((cell) => cell !== "")
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
