import { countTallies, Histogram, type Tally } from '@tidings/platform';
import type { ServerResponse } from 'node:http';

const requestsOf = countTallies({
  name: 'tidings_gateway_requests_total',
  help: 'Responses, by route and status.',
  labelNames: ['route', 'status'] as const,
});
const requestSeconds = new Histogram({
  name: 'tidings_gateway_request_duration_seconds',
  help: 'Seconds from the first byte of a request to the end of its response.',
  labelNames: ['route'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const requestsByStatus = {
  ingest: new Map<number, Tally>(),
  push: new Map<number, Tally>(),
} as const;

/** Counts the response to a new request and measures its duration. */
export function countAnswer(route: 'ingest' | 'push', res: ServerResponse): void {
  const startedAt = performance.now();
  res.once('finish', () => {
    requestsWith(route, res.statusCode).value += 1;
    requestSeconds.observe({ route }, (performance.now() - startedAt) / 1000);
  });
}

function requestsWith(route: keyof typeof requestsByStatus, status: number): Tally {
  const byStatus = requestsByStatus[route];
  let tally = byStatus.get(status);
  if (tally === undefined) byStatus.set(status, (tally = requestsOf({ route, status })));
  return tally;
}
