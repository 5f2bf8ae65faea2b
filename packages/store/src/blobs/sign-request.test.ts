import { expect, it } from "vitest";
import { signRequest } from "./sign-request.ts";

/** The examples of Amazon's "Authenticating Requests: Using the Authorization Header (AWS Signature Version 4)". */
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const now = new Date("2013-05-24T00:00:00Z");

it.each([
  ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
  ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
])("signs GET /%s as Amazon's example does", (query, signature) => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${query}`);
  const headers = signRequest({ method: "GET", url, body: new Uint8Array() }, credentials, now);
  expect(headers["authorization"]).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, " +
      `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
  );
  expect(headers["x-amz-date"]).toBe("20130524T000000Z");
});

it("signs the session's token, too", () => {
  const url = new URL("https://examplebucket.s3.amazonaws.com/key");
  const body = Buffer.from("x");
  const headers = signRequest({ method: "PUT", url, body }, { ...credentials, sessionToken: "token" }, now);
  expect(headers["authorization"]).toContain("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token");
  expect(headers["x-amz-security-token"]).toBe("token");
});
