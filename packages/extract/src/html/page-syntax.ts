/** The syntax of a page by its media type, without parameters: XHTML only where the server says so, as in browsers. */
export function syntaxOfType(mediaType: string): "html" | "xhtml" | undefined {
  if (mediaType === "text/html") return "html";
  return mediaType === "application/xhtml+xml" ? "xhtml" : undefined;
}
