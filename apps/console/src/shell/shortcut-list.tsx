import type { ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";

const SHORTCUTS = [
  [["Ctrl", "K"], "Go to any screen, endpoint or action"],
  [["/"], "To the search box"],
  [["j"], "Next result"],
  [["k"], "Result before"],
  [["Enter"], "Open the stored page of the result"],
  [["w"], "Why the result ranks there"],
  [["s"], "Pages similar to the result"],
  [["Ctrl", "Enter"], "Send the request of the playground"],
  [["Esc"], "Close what is open"],
  [["?"], "This list"],
] as const;

/** What the keys do. */
export function ShortcutList({ close }: { readonly close: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard" onClose={close}>
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
