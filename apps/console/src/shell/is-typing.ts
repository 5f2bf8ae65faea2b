/** Whether a key press belongs to a field, a dialog or a shortcut of the browser, and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.metaKey || event.ctrlKey || event.altKey) return true;
  if (document.querySelector("dialog[open]") !== null) return true;
  return target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
}
