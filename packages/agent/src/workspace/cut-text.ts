/** The beginning of a text, cut without splitting a character in two. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  const last = text.charCodeAt(room - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? room - 1 : room);
}
