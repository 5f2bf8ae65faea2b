import { expect, it } from "vitest";
import { sampleRoutes, withHttpApp } from "../testing.ts";

it("names the rate of a key that may come less than once a second", () =>
  withHttpApp(
    async ({ call, makeKey }) => {
      const { key, secret } = await makeKey();
      await call("PATCH", `/quarry/v1/keys/${key.id}`, { body: { rateLimitPerSecond: 0.5 } });
      const ask = () => call("POST", "/search", { key: secret, body: { query: "owls" } });
      expect((await ask()).statusCode).toBe(200);
      const refused = await ask();
      expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "2"]);
      expect(refused.json<{ error: string }>().error).toBe(
        "this key may make 0.5 search requests a second; wait and try again",
      );
    },
    { routes: sampleRoutes({ made: [], gate: undefined, failure: undefined }) },
  ));
