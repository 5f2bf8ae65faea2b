/** Words that tie a file to one machine: home directories, build directories, package mirrors. */
const TRACES: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /(?<![\w.$}-])\/(?:home|Users)\/[A-Za-z][\w.-]*\//, what: "a home directory" },
  { pattern: /(?<![\w.$}-])\/(?:root|work|workspace)\/[\w.-]/, what: "a machine path" },
  { pattern: /\b[A-Z]:\\(?:Users|Documents and Settings)\\/, what: "a home directory" },
  { pattern: /\bregistry\.(?!example\b)[a-z0-9-]+\.[a-z]{2,}\b(?!\()/i, what: "a package registry" },
  { pattern: /\b(?:artifactory|verdaccio|nexus)\.[a-z0-9.-]+\.[a-z]{2,}\b/i, what: "a package mirror" },
];

/** `file:line: what` for each line of `text` that names a machine's path or a package registry. */
export function findMachineTraces(file: string, text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line, index) =>
      TRACES.filter(({ pattern }) => pattern.test(line)).map(({ what }) => `${file}:${index + 1}: ${what}`),
    );
}
