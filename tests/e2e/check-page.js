// Runs inside a page and returns what a person with a keyboard, a screen reader or weak eyes would stumble over, as
// sentences. A part of what axe checks: names, references, doubled ids, headings, images, tables, contrast.
(() => {
  const complaints = [];
  const describe = (element) => {
    const text = (element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${text}`;
  };
  const isShown = (element) =>
    element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
    element.closest("[aria-hidden=true]") === null;
  // Only what is on top counts: a dialog makes everything else inert.
  const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body;
  const all = (selector) => [...top.querySelectorAll(selector)].filter(isShown);

  const nameOf = (element) => {
    const referred = (element.getAttribute("aria-labelledby") ?? "")
      .split(/\s+/)
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" ")
      .trim();
    if (referred !== "") return referred;
    const label = element.getAttribute("aria-label")?.trim();
    if (label) return label;
    const labels = [...(element.labels ?? [])]
      .map((one) => one.textContent ?? "")
      .join(" ")
      .trim();
    if (labels !== "") return labels;
    const alt = [...element.querySelectorAll("img[alt]")].map((image) => image.alt).join(" ");
    return `${element.tagName === "INPUT" ? "" : (element.textContent ?? "")} ${alt}`.trim() || (element.title ?? "");
  };
  for (const element of all("button, a[href], input, select, textarea, [role=button], [role=tab], [role=option]")) {
    if (nameOf(element) === "") complaints.push(`no name: ${describe(element)}`);
  }
  for (const element of all("section[aria-labelledby], article, dialog, [role=region], [role=table], [role=img]")) {
    if (nameOf(element) === "") complaints.push(`no name: ${describe(element)}`);
  }
  for (const image of all("img")) if (!image.hasAttribute("alt")) complaints.push(`no alt: ${image.src}`);
  for (const name of ["aria-labelledby", "aria-controls", "aria-describedby", "aria-activedescendant"]) {
    for (const element of all(`[${name}]`)) {
      for (const id of element.getAttribute(name).split(/\s+/)) {
        if (document.getElementById(id) === null)
          complaints.push(`${name} points nowhere (${id}): ${describe(element)}`);
      }
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((one, index) => ids.indexOf(one) !== index)))
    complaints.push(`doubled id: ${id}`);
  if (top === document.body) {
    if (document.querySelectorAll("h1").length !== 1) complaints.push("expected one h1");
    if (document.querySelectorAll("main").length !== 1) complaints.push("expected one main");
  }
  if (document.title.trim() === "" || document.documentElement.lang === "") complaints.push("no title or no language");
  for (const list of all("ul, ol")) {
    for (const child of list.children) {
      const isOption = list.getAttribute("role") === "listbox" && child.getAttribute("role") === "option";
      if (child.tagName !== "LI" && !isOption) complaints.push(`a list holds ${describe(child)}`);
    }
  }
  for (const table of all("table")) {
    if (table.querySelector("th[scope]") === null) complaints.push(`a table without headings: ${describe(table)}`);
  }
  for (const element of all("[tabindex]")) {
    if (Number(element.getAttribute("tabindex")) > 0) complaints.push(`tabindex above 0: ${describe(element)}`);
  }

  // Contrast, as WCAG 2 counts it: 4.5, or 3 for large text.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const toRgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const over = ([r, g, b, a], [r2, g2, b2]) => {
    const share = a / 255;
    return [r * share + r2 * (1 - share), g * share + g2 * (1 - share), b * share + b2 * (1 - share), 255];
  };
  const backgroundOf = (element) => {
    const layers = [];
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = toRgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 255) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), toRgba("Canvas"));
  };
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if ((walker.currentNode.textContent ?? "").trim() === "" || element === null || seen.has(element)) continue;
    seen.add(element);
    if (!isShown(element) || element.closest(".hidden-label, :disabled, option, svg, .skip-link") !== null) continue;
    const style = getComputedStyle(element);
    const background = backgroundOf(element);
    const [lighter, darker] = [luminance(over(toRgba(style.color), background)), luminance(background)].sort(
      (a, b) => b - a,
    );
    const ratio = (lighter + 0.05) / (darker + 0.05);
    const size = Number.parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) complaints.push(`contrast ${ratio.toFixed(2)}: ${describe(element)}`);
  }
  return complaints;
})();
