import { expect, it } from "vitest";
import { needsRendering } from "./needs-rendering.ts";

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(" ");
const bundle = '<script src="/assets/main.js"></script>';

it.each<[string, string]>([
  ["an empty root and a bundle", `<title>App</title><div id="root"></div>${bundle}`],
  ["a module", `<body><script type="module" src="/a.js"></script></body>`],
  ["a long inline program", `<body><script>${"render();".repeat(100)}</script></body>`],
  ["a shell that asks for JavaScript", `<p>${words(120)}</p><noscript><p>You need JavaScript.</p></noscript>${bundle}`],
  ["a root with some navigation around it", `<nav>${words(120)}</nav><div class="x" id="app"></div>${bundle}`],
  ["text that is only code", `<body>${bundle}<script>const text = "${words(500)}";</script></body>`],
  ["text in a template", `<template>${words(500)}</template>${bundle}`],
  ["text in a comment", `<!-- ${words(500)} -->${bundle}`],
])("asks for a browser: %s", (_name, html) => {
  expect(needsRendering(html)).toBe(true);
});

it.each<[string, string]>([
  ["a page with text and scripts", `<p>${words(300)}</p>${bundle}`],
  ["a text beside no root", `<p>${words(120)}</p>${bundle}`],
  ["a short page without scripts", "<p>Moved to the new site.</p>"],
  ["a short page with data alone", `<p>Short.</p><script type="application/ld+json">${"x".repeat(1_000)}</script>`],
  ["a short page with a line of script", "<p>Short.</p><script>document.title='x'</script>"],
  ["an application rendered by its server", `<div id="__next"><p>${words(300)}</p></div>${bundle}`],
  ["nothing", ""],
])("does without: %s", (_name, html) => {
  expect(needsRendering(html)).toBe(false);
});

it.each([
  ["unclosed scripts", "<script src=a>".repeat(100_000)],
  ["open brackets", "<".repeat(1_000_000)],
  ["a root that never ends", `<div id=root ${"a ".repeat(500_000)}`],
  ["noscripts", "<noscript>".repeat(100_000)],
  ["comments", "<!--".repeat(200_000)],
])("takes no time over %s", (_name, html) => {
  const began = performance.now();
  needsRendering(`${html}${bundle}`);
  expect(performance.now() - began).toBeLessThan(1_000);
});
