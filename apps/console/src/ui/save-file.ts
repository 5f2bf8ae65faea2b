/** Gives the browser a file to keep. */
export function saveFile(name: string, mediaType: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the bytes by the next turn.
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
