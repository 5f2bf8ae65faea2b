const COOKIE = "quarry_session";

/** The session token in a Cookie header. */
export function readSessionToken(header: string | undefined): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === COOKIE && value !== undefined && value !== "") return value;
  }
  return undefined;
}

/** The header that gives a browser its session: out of reach of scripts and of other sites. */
export function sessionCookie(token: string, options: { readonly expiresAt: Date; readonly isHttps: boolean }): string {
  return `${COOKIE}=${token}; ${attributes(options.isHttps)}; Expires=${options.expiresAt.toUTCString()}`;
}

/** The header that takes it away. */
export function endedSessionCookie(options: { readonly isHttps: boolean }): string {
  return `${COOKIE}=; ${attributes(options.isHttps)}; Max-Age=0`;
}

function attributes(isHttps: boolean): string {
  return `Path=/; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;
}
