import { expect, it } from "vitest";
import { createMetrics } from "./metrics.ts";

it("writes the Prometheus text format", async () => {
  const metrics = createMetrics();
  const requests = metrics.counter("requests_total", "Requests.");
  requests.add({ route: "/search" });
  requests.add({ route: "/search" }, 2);
  requests.add({ route: 'a"b\\c\nd' });
  const seconds = metrics.histogram("seconds", "Latency.", [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 5]) seconds.observe(value, { route: "/" });
  metrics.gauge("depth", "Depth.", () => Promise.resolve([{ labels: { queue: "crawl" }, value: 3 }]));
  metrics.gauge("up", "Up.", () => 1);
  expect(await metrics.render()).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{route="/search"} 3
requests_total{route="a\\"b\\\\c\\nd"} 1
# HELP seconds Latency.
# TYPE seconds histogram
seconds_bucket{route="/",le="0.1"} 2
seconds_bucket{route="/",le="1"} 3
seconds_bucket{route="/",le="+Inf"} 4
seconds_sum{route="/"} 5.65
seconds_count{route="/"} 4
# HELP depth Depth.
# TYPE depth gauge
depth{queue="crawl"} 3
# HELP up Up.
# TYPE up gauge
up 1
`);
});

it("refuses a name twice", () => {
  const metrics = createMetrics();
  metrics.counter("a", "A.");
  expect(() => metrics.gauge("a", "A.", () => 1)).toThrow("registered twice");
});
