import { requirements } from "../requirement.ts";

/** What the http part promises. */
export const httpRequirements = requirements({
  "exa-api 1.1": {
    "http:paths:duplicate-slashes": "duplicate slashes in a path are tolerated",
    "http:paths:websets-alias": "/v0 answers the same as /websets/v0",
  },
  "exa-api 1.2": {
    "http:auth:x-api-key": "every API route takes the key as x-api-key",
    "http:auth:bearer": "every API route takes the key as Authorization: Bearer",
    "http:auth:bearer-preferred": "with both headers the Bearer key counts",
    "http:auth:bearer-with-empty-x-api-key": "a Bearer key counts beside an empty x-api-key",
    "http:auth:missing-401": "without a key the answer is 401 in the shape of that family",
    "http:auth:wrong-401": "with a wrong key the answer is 401 with tag INVALID_API_KEY",
  },
  "exa-api 1.3": {
    "http:headers:unknown-accepted": "unknown request headers are never a reason to refuse",
    "http:headers:json-type-without-body": "Content-Type application/json on GET, DELETE and bodyless POST is accepted",
    "http:headers:exa-beta-accepted": "Exa-Beta with any list of tokens is accepted",
    "http:headers:websets-priority": "x-exa-websets-priority low, medium or high is honoured",
  },
  "exa-api 1.4": {
    "http:reply:json-utf8": "replies are application/json; charset=utf-8",
    "http:reply:request-id-in-body": "the search family puts a requestId of 32 hex characters in the body",
    "http:reply:request-id-header":
      "every reply carries x-request-id, equal to the body's requestId where there is one",
    "http:reply:websets-request-id": "websets replies carry X-Request-Id with the prefix req_",
  },
  "exa-api 1.5": {
    "http:ids:ulid-with-prefix": "ids are a prefix and a lower-case ULID",
    "http:ids:sortable": "ids made later sort after earlier ones",
  },
  "exa-api 1.6": {
    "http:dates:iso-milliseconds": "dates are ISO 8601 UTC with milliseconds and Z",
  },
  "exa-api 1.7": {
    "http:paging:shape": "a list is data, hasMore and nextCursor",
    "http:paging:walks-all": "following nextCursor visits every row once",
    "http:paging:last-page": "the last page has hasMore false and nextCursor null",
    "http:paging:limit-range": "a limit outside the list's range is a 400 that names it",
    "http:paging:default-limit": "each list has the default limit of the specification",
    "http:paging:bad-cursor": "a cursor that is not ours is a 400 that says what to pass",
    "http:paging:newest-first": "lists are sorted newest first",
    "http:paging:stable-under-inserts": "rows added while paging neither repeat nor skip rows already there",
  },
  "exa-api 1.8": {
    "http:errors:search-shape": "the search family's errors are requestId, error and tag",
    "http:errors:websets-shape": "websets errors are statusCode, timestamp, path, error and message",
    "http:errors:agent-envelope": "errors below /agent are the envelope with type, code and message",
    "http:errors:error-is-string": "outside /agent the error field is a string",
    "http:errors:invalid-body-tag": "a wrong body gives tag INVALID_REQUEST_BODY and names the path of the field",
    "http:errors:invalid-body-prefix": "its message begins with the words clients look for",
    "http:errors:invalid-query-tag": "a wrong query gives tag INVALID_REQUEST_QUERY",
    "http:errors:invalid-json": "a body that is not JSON is a 400 that says so",
    "http:errors:wrong-type": "a value of the wrong type is a 400 with the field and what was expected",
    "http:errors:body-too-large": "a body over the limit is a 413 that gives the limit",
    "http:errors:unknown-route": "an unknown route is a 404 in the shape of its family",
    "http:errors:wrong-method": "a known path with another method is a 404 or 405 in the family's shape",
    "http:errors:internal-without-stack":
      "an unexpected error is a 500 with DEFAULT_ERROR or INTERNAL_ERROR and no stack",
    "http:errors:overload-tag": "overload is a 503 SERVICE_OVERLOADED with Retry-After",
    "http:errors:quarry-shape": "our own routes' errors say what went wrong and what to do",
    "http:errors:details-for-validation": "websets validation errors list their issues in details",
  },
  "exa-api 12 trap 1": {
    "http:trap:empty-body": "a POST with a JSON content type and no body is accepted where no body is needed",
  },
  "exa-api 12 trap 2": {
    "http:trap:never-204": "every reply has a JSON body; 204 and 202 are never sent",
  },
  "exa-api 12 trap 3": {
    "http:trap:streams-are-200": "streams answer with status 200",
  },
  "exa-api 12 trap 4": {
    "http:trap:error-bodies-are-objects": "every error body is a JSON object",
  },
  "exa-api 12 trap 5": {
    "http:trap:null-is-absent": "an optional field given as null counts as absent",
  },
  "exa-api 12 trap 6": {
    "http:trap:repeated-query-keys": "repeated query keys are read as a list",
    "http:trap:bare-question-mark": "a bare trailing question mark is ignored",
    "http:trap:python-booleans": "True and False in a query are read whatever their case",
  },
  "exa-api 12 trap 22": {
    "http:trap:cors-switch": "with CORS on, the headers browser clients send are allowed",
  },
  "exa-api 1.9": {
    "http:limits:unlimited-by-default": "no rate limit applies unless one is configured",
    "http:limits:preset-exa-2026-02":
      "preset exa-2026-02 allows 5 search, 50 contents, 5 answer and 5 websets requests a second",
    "http:limits:preset-exa": "preset exa allows 10 search, 100 contents and 10 answer requests a second",
    "http:limits:429-tag": "over a limit the answer is 429 RATE_LIMIT_EXCEEDED",
    "http:limits:retry-after": "a 429 carries Retry-After",
    "http:limits:per-key": "one key's limit does not slow another",
    "http:limits:research-15": "a key runs at most 15 research tasks at once, always",
  },
  "exa-api 1.10": {
    "http:cost:total-present": "costDollars is returned with a total, 0 by default",
    "http:cost:preset-exa": "with price preset exa the total follows the published prices",
  },
  "issue 2 point 8": {
    "http:usage:every-request": "every request writes key, endpoint, status, latency, tokens and cost",
    "http:usage:grouped": "GET /quarry/v1/usage groups by hour, day, month, key and endpoint",
    "http:usage:own-team": "usage shows the caller's team alone",
    "http:idempotency:same-body": "the same Idempotency-Key and body give the same reply and one effect",
    "http:idempotency:other-body": "the same key with another body is a 409",
    "http:idempotency:every-creating-post": "every POST that creates honours Idempotency-Key",
    "http:idempotency:concurrent": "concurrent calls with one key have one effect",
    "http:idempotency:kept-a-day": "a key is remembered for at least 24 hours",
    "http:idempotency:per-team": "one team's keys do not meet another's",
  },
  "design conventions": {
    "http:routes:quarry-v1-health": "GET /quarry/v1/health says version, role and the state of each part",
  },
  "features 3": {
    "http:usage:export": "usage can be read as CSV",
  },
});
