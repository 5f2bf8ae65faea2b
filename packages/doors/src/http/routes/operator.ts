import { AppError } from "@quarry/base";
import { hasScope, type Caller } from "@quarry/contract";

/** Who runs this server: some things are about every team, and no other team may ask for them. */
export interface OperatorDeps {
  readonly operatorTeamId: string;
}

/** Whether the caller speaks for the team that runs the server, with the admin scope. */
export function isOperator({ operatorTeamId }: OperatorDeps, { teamId, scopes }: Caller): boolean {
  return teamId === operatorTeamId && hasScope(scopes, "admin");
}

/** Throws `forbidden` unless the caller runs the server; `why` says what makes it the operator's alone. */
export function requireOperator(deps: OperatorDeps, caller: Caller, why: string): void {
  if (isOperator(deps, caller)) return;
  throw new AppError("forbidden", `${why}: only a key with the admin scope of the team that runs the server may ask`);
}
