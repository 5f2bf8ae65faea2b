import { AppError } from "@quarry/base";
import { describeWorkflows, workflowNames } from "@quarry/workflows";

/** A prompt as data: what it takes and what it says. */
export interface McpPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  readonly render: (args: Readonly<Record<string, string>>) => string;
  /** What an argument may be, for completion. */
  readonly complete?: Readonly<Record<string, readonly string[]>>;
}

/** Prompts for the common jobs. */
export const prompts: readonly McpPrompt[] = [
  {
    name: "research",
    description: "A cited report on a question",
    arguments: [{ name: "question", description: "What to find out", required: true }],
    render: ({ question = "" }) =>
      `Find out: ${question}\nUse research_start, then research_check until it is completed. Check the two most important claims with search and fetch before you answer, and cite urls.`,
  },
  {
    name: "find_entities",
    description: "A list of companies, people or papers that meet criteria",
    arguments: [
      { name: "query", description: "What to look for", required: true },
      { name: "entity", description: "company, person, article, research_paper or custom", required: false },
      { name: "criteria", description: "What each must meet, separated by ;", required: false },
    ],
    complete: { entity: ["company", "person", "article", "research_paper", "custom"] },
    render: ({ query = "", entity = "company", criteria = "" }) =>
      `Make a webset with websets_create: query "${query}", entity type ${entity}${criteria === "" ? "" : `, criteria ${criteria}`}. Wait until websets_get says idle, read websets_items (tier card), and look at single items in full only where you must decide.`,
  },
  {
    name: "verify_claim",
    description: "Weigh a claim against its opposite",
    arguments: [{ name: "claim", description: "The claim", required: true }],
    render: ({ claim = "" }) =>
      `Weigh this claim: ${claim}\nUse workflow_start with retrieval.verifiedAnswer {"query": …}; for contested ones adversarial.verify with thesis and antithesis. Say what supports it, what counters it, and what nobody has written about.`,
  },
  {
    name: "read_site",
    description: "Read a site into the index and answer from it",
    arguments: [
      { name: "url", description: "Where to begin", required: true },
      { name: "question", description: "What to answer from it", required: true },
    ],
    render: ({ url = "", question = "" }) =>
      `Call crawl with url ${url} and waitSeconds 60 until it is completed, then answer from its pages alone (search with includeDomains): ${question}`,
  },
  {
    name: "workflows",
    description: "Which whole jobs there are, and what each takes",
    arguments: [{ name: "workflow", description: "One of them", required: false }],
    complete: { workflow: workflowNames },
    render: ({ workflow }) => describeWorkflows(workflow),
  },
];

/** The prompt of that name with its arguments filled in. Throws `invalid_request` for a missing one. */
export function renderPrompt(prompt: McpPrompt, args: Readonly<Record<string, string>>): string {
  const missing = prompt.arguments.find(({ name, required }) => required && (args[name] ?? "") === "");
  if (missing !== undefined) {
    throw new AppError("invalid_request", `${missing.name}: this prompt needs it (${missing.description})`);
  }
  return prompt.render(args);
}
