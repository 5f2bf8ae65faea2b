import { AppError, editDistance, nearestName } from "@quarry/base";
import { pathsOf } from "./mount-route.ts";
import type { Route } from "./route.ts";

const MAX_COMPARED_CHARACTERS = 120;

/** Makes the explanation of requests that meet no route: the method to use, or the nearest path. */
export function createRouteFinder(routes: readonly Route[]): (method: string, path: string) => AppError {
  const known = routes.flatMap((route) => pathsOf(route).map((path) => ({ route, path, pattern: toPattern(path) })));
  const suggestible = known.filter(({ route }) => route.hidden !== true);

  return (method, path) => {
    const matching = known.filter(({ pattern }) => pattern.test(path));
    if (matching.length > 0) {
      const allowed = [...new Set(matching.map(({ route }) => route.method))];
      return new AppError(
        "not_found",
        `${show(method)} is not possible on ${show(path)}; use ${allowed.join(" or ")}`,
        {
          details: { status: 405, tag: "METHOD_NOT_ALLOWED", headers: { allow: allowed.join(", ") } },
        },
      );
    }
    const compared = path.slice(0, MAX_COMPARED_CHARACTERS);
    const nearest = nearestName(
      compared,
      suggestible.map((one) => one.path),
    );
    const isNear = nearest !== undefined && editDistance(compared, nearest) <= Math.max(2, nearest.length / 3);
    const suggestion = isNear
      ? `did you mean ${suggestible.find((one) => one.path === nearest)?.route.method ?? ""} ${nearest}?`
      : "see /docs for all routes";
    return new AppError("not_found", `there is no ${show(method)} ${show(path)}; ${suggestion}`);
  };
}

function show(text: string): string {
  return text.length > MAX_COMPARED_CHARACTERS ? `${text.slice(0, MAX_COMPARED_CHARACTERS)}…` : text;
}

function toPattern(path: string): RegExp {
  const source = path
    .split("/")
    .map((part) => (part.startsWith(":") ? "[^/]+" : part === "*" ? ".*" : part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")))
    .join("/");
  return new RegExp(`^${source}$`);
}
