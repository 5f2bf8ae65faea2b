import { z } from "zod";
import { scopeSchema } from "./keys.ts";
import { timestampSchema } from "./values.ts";

/** Who is calling: reply of `GET /quarry/v1/me` and of a sign-in. */
export const meSchema = z
  .object({
    team: z.object({ id: z.string(), name: z.string() }),
    key: z.object({ id: z.string().nullable(), name: z.string() }),
    scopes: z.array(scopeSchema),
    via: z.enum(["key", "session", "none"]),
  })
  .meta({ id: "Me" });

/** `POST /quarry/v1/sign-in`. */
export const signInSchema = z.strictObject({ apiKey: z.string().min(1).max(512) }).meta({ id: "SignIn" });

/** Reply of `POST /quarry/v1/sign-out`. */
export const signOutReplySchema = z.object({ success: z.literal(true) });

/** A link that signs a browser in once: reply of `POST /quarry/v1/sign-in-links`. */
export const signInLinkSchema = z.object({ url: z.url(), expiresAt: timestampSchema }).meta({ id: "SignInLink" });
