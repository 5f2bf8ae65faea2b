import type { ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { say } from "../words/say.ts";

const SHORTCUTS = [
  [[say("shell.ctrl"), "K"], say("shell.goToAnyScreenEndpoint")],
  [["/"], say("shell.toTheSearchBox")],
  [["j"], say("shell.nextResult")],
  [["k"], say("shell.resultBefore")],
  [[say("shell.enter")], say("shell.openTheStoredPageOf")],
  [["w"], say("shell.whyTheResultRanksThere")],
  [["s"], say("shell.pagesSimilarToTheResult")],
  [[say("shell.ctrl"), say("shell.enter")], say("shell.sendTheRequestOfThe")],
  [["e"], say("shell.putTheCellRight")],
  [["r"], say("shell.fillTheCellAgain")],
  [["u"], say("shell.undoInTheGrid")],
  [[say("shell.esc")], say("shell.closeWhatIsOpen")],
  [["?"], say("shell.thisList")],
] as const;

/** What the keys do. */
export function ShortcutList({ close }: { readonly close: () => void }): ReactNode {
  return (
    <Dialog title={say("shell.keyboard")} onClose={close}>
      <table>
        <tbody>
          {SHORTCUTS.map(([keys, what]) => (
            <tr key={what}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
