import type { JsonObject } from "@bufbuild/protobuf";
import { AppError, isUrl } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool, ToolContext } from "../../tool.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";
import { runGit } from "./local-git.ts";

/** How much of a change is shown. */
const MAX_DIFF_CHARACTERS = 100_000;
const FIELD = "\u001f";

/**
 * aiserver.v1 FetchPullRequest: a commit or pull request from the workspace's own repository. What only a service
 * knows (comments, labels, assignees, whether a number is an issue) is left empty: no service is asked.
 */
export function fetchPullRequestTool(deps: Pick<WorkspaceDeps, "rootsOf">): Tool {
  return workspaceTool(deps, {
    name: "fetch_pull_request",
    clientTool: ClientSideToolV2.FETCH_PULL_REQUEST,
    title: "Fetch a pull request",
    description: "Fetches a commit by its hash, or a pull request by its number from the repository's origin.",
    tier: "read",
    messages: "FetchPullRequest",
    properties: {
      pullNumberOrCommitHash: { type: "string", minLength: 1, description: "A number, or a commit" },
      repo: { type: "string", description: "owner/name; the workspace's own unless given" },
      isGithub: { type: "boolean", description: "It lives on GitHub" },
    },
    required: ["pullNumberOrCommitHash"],
    pathsOf: () => [],
    look: async (args, context) => {
      const wanted = readWanted(args);
      if (wanted.kind === "commit") return {};
      const origin = await findRepository(deps, args, context);
      const host = origin?.host ?? "";
      return { hosts: host === "" ? [] : [host], askFirst: [`it fetches from ${host === "" ? "the origin" : host}`] };
    },
    run: async (args, context) => {
      const wanted = readWanted(args);
      const repository = await findRepository(deps, args, context);
      if (repository === undefined) return needsGitHub(args, wanted.text);
      if (wanted.kind === "commit") return showCommit(repository, { sha: wanted.text, number: 0 }, context.signal);
      const sha = await fetchPull(repository, wanted.number, context.signal);
      if (sha === undefined) return needsGitHub(args, wanted.text);
      return showCommit(repository, { sha, number: wanted.number }, context.signal);
    },
  });
}

type Wanted =
  | { readonly kind: "commit"; readonly text: string }
  | { readonly kind: "pull"; readonly text: string; readonly number: number };

/** A hash has letters or is long; all else that is a number is a pull request. */
function readWanted(args: JsonObject): Wanted {
  const text = textOf(args, "pullNumberOrCommitHash").trim().replace(/^#/, "");
  if (/^\d{1,8}$/.test(text)) return { kind: "pull", text, number: Number(text) };
  if (/^[0-9a-f]{4,64}$/i.test(text)) return { kind: "commit", text };
  throw new AppError("invalid_request", "pullNumberOrCommitHash: give the number of a pull request or a commit's hash");
}

interface Repository {
  readonly root: string;
  /** Where it came from; empty when nowhere. */
  readonly originUrl: string;
  readonly host: string;
  /** Its page on the web; empty when its origin has none. */
  readonly page: string;
  /** owner/name of its origin. */
  readonly fullName: string;
}

/** The workspace's repository, or of several the one that is asked for; undefined when none is that. */
async function findRepository(
  deps: Pick<WorkspaceDeps, "rootsOf">,
  args: JsonObject,
  context: ToolContext,
): Promise<Repository | undefined> {
  const wanted = textOf(args, "repo")
    .toLowerCase()
    .replace(/\.git$/, "");
  for (const root of deps.rootsOf(context.session)) {
    const inside = await runGit(root, ["rev-parse", "--git-dir"], context.signal);
    if (inside === undefined) continue;
    const url = (await runGit(root, ["remote", "get-url", "origin"], context.signal))?.trim() ?? "";
    const repository = describeOrigin(root, url);
    if (wanted === "" || repository.fullName.toLowerCase() === wanted) return repository;
  }
  if (wanted === "") throw new AppError("not_found", "the workspace is no git repository");
  return undefined;
}

function describeOrigin(root: string, originUrl: string): Repository {
  const [, scpHost, scpPath] = /^(?:[^@/]+@)?([^:/]+):(?!\/)(.+)$/.exec(originUrl) ?? [];
  const url = scpHost === undefined && isUrl(originUrl) ? new URL(originUrl) : undefined;
  const host = scpHost ?? url?.host ?? "";
  const fullName = (scpPath ?? url?.pathname ?? originUrl).replace(/^\/+/, "").replace(/\.git\/?$/, "");
  const shortName = fullName.split("/").slice(-2).join("/");
  return { root, originUrl, host, page: host === "" ? "" : `https://${host}/${fullName}`, fullName: shortName };
}

/** The commit of a pull request, fetched when it is not there; undefined when the origin does not give it out. */
async function fetchPull(repository: Repository, number: number, signal: AbortSignal): Promise<string | undefined> {
  const { root, originUrl } = repository;
  if (originUrl === "") return undefined;
  const ref = `refs/pull/${number}/head`;
  const listed = await runGit(root, ["ls-remote", "--upload-pack=git-upload-pack", originUrl, ref], signal);
  const sha = /^([0-9a-f]{40,64})\s/.exec(listed ?? "")?.[1];
  if (sha === undefined) return undefined;
  const known = await runGit(root, ["cat-file", "-e", `${sha}^{commit}`], signal);
  if (known !== undefined) return sha;
  const args = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--upload-pack=git-upload-pack",
    originUrl,
    ref,
  ];
  const fetched = await runGit(root, args, signal);
  return fetched === undefined ? undefined : sha;
}

async function showCommit(
  repository: Repository,
  of: { readonly sha: string; readonly number: number },
  signal: AbortSignal,
): Promise<JsonObject> {
  const { root, page } = repository;
  const format = ["%H", "%an", "%aI", "%s", "%b"].join(FIELD);
  const shown = await runGit(root, ["show", "--no-patch", `--format=${format}`, `${of.sha}^{commit}`], signal);
  if (shown === undefined) {
    throw new AppError("not_found", `there is no commit ${of.sha} in this repository; fetch it or give another`);
  }
  const [sha = "", author = "", date = "", title = "", ...rest] = shown.trimEnd().split(FIELD);
  const body = rest.join(FIELD).trim();
  const isPull = of.number > 0;
  const diff = cut(await diffOf(root, { sha, isPull }, signal));
  const url = page === "" ? "" : isPull ? `${page}/pull/${of.number}` : `${page}/commit/${sha}`;
  const heading = isPull ? `Pull request #${of.number}` : `Commit ${sha}`;
  return {
    content: [`${heading}: ${title}`, `${author}, ${date}`, body, diff].filter((part) => part !== "").join("\n\n"),
    prNumber: of.number,
    title,
    body,
    author,
    date,
    diff,
    sha,
    ...(url === "" ? {} : { url, externalLink: url }),
    // The repository itself knows neither; see above.
    comments: [],
    labels: [],
    assignees: [],
    isIssue: false,
    state: isPull ? "fetched" : "committed",
  };
}

/** What a commit changed; of a pull request, all since it left the branch that is the origin's own. */
async function diffOf(
  root: string,
  of: { readonly sha: string; readonly isPull: boolean },
  signal: AbortSignal,
): Promise<string> {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color"];
  if (of.isPull) {
    const heads = ["refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "HEAD"];
    for (const head of heads) {
      const base = (await runGit(root, ["merge-base", head, of.sha], signal))?.trim();
      if (base !== undefined && base !== "" && base !== of.sha) {
        return (await runGit(root, ["diff", ...plain, base, of.sha], signal)) ?? "";
      }
    }
  }
  return (await runGit(root, ["show", "--format=", ...plain, of.sha], signal))?.trimStart() ?? "";
}

function cut(diff: string): string {
  if (diff.length <= MAX_DIFF_CHARACTERS) return diff;
  const left = diff.length - MAX_DIFF_CHARACTERS;
  return `${diff.slice(0, MAX_DIFF_CHARACTERS)}\n… ${left} more characters are left out`;
}

/** No repository here has it: it could only come from the service that hosts it. */
function needsGitHub(args: JsonObject, wanted: string): JsonObject {
  const repo = textOf(args, "repo");
  const where = repo === "" ? "the workspace's origin" : repo;
  const isGitHub = args["isGithub"] !== false;
  const how = isGitHub ? "Connect GitHub, or fetch it with git" : "Fetch it with git";
  return {
    content: `Nothing was fetched: ${where} does not give ${wanted} out. ${how}, then ask again.`,
    promptConnectGithub: isGitHub,
  };
}
