import type { BenchInstallation } from '../installation/bench-installation.ts';
import type { IngestBench } from './ingest-bench.ts';

/** Messages per request of a back end that batches a little. */
export const TYPICAL_MESSAGES = 10;
const CONNECTIONS = 50;

/**
 * Requests per second that the gateway accepts from a closed loop, while the consumers run and fall
 * behind.
 */
export async function findAcceptancePeak(
  bench: BenchInstallation,
  { warmUpMs, measuredMs }: { readonly warmUpMs: number; readonly measuredMs: number },
): Promise<number> {
  console.error('  acceptance peak …');
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES });
  const stream = {
    name: 'peak',
    target,
    arrival: { type: 'closed', connections: CONNECTIONS },
  } as const;
  const { streams } = await bench.generator.run({ streams: [stream], warmUpMs, measuredMs });
  const found = streams[0]?.acceptedPerSecond ?? 0;
  if (found === 0) throw new Error(`nothing was accepted: ${JSON.stringify(streams)}`);
  return found;
}

const SEARCH_STEPS = 5;
const SEARCH_FROM_SHARE = 0.2;
const CONNECTIONS_MAX = 500;
/**
 * Maximum backlog at the end of a load, in seconds of that load; with more, the consumers did not
 * keep up.
 */
const BEHIND_SECONDS_MAX = 1;

/**
 * The sustained peak: requests per second at a constant rate that are all accepted while the
 * consumers keep up. Found by bisection below the acceptance peak.
 */
export async function findSustainedPeak(
  { bench, durations, settle }: Pick<IngestBench, 'bench' | 'durations' | 'settle'>,
  acceptancePeak: number,
): Promise<number> {
  let kept = acceptancePeak * SEARCH_FROM_SHARE;
  let lost = acceptancePeak;
  for (let step = 1; step <= SEARCH_STEPS; step += 1) {
    const requestsPerSecond = (kept + lost) / 2;
    await settle();
    const stream = {
      name: 'sustained',
      target: bench.target({ messagesPerRequest: TYPICAL_MESSAGES }),
      arrival: { type: 'open', requestsPerSecond, connectionsMax: CONNECTIONS_MAX },
    } as const;
    const { streams } = await bench.generator.run({
      streams: [stream],
      warmUpMs: durations.warmUpMs,
      measuredMs: durations.peakMs,
    });
    const behind = await bench.lag.read();
    const isKept =
      streams[0] !== undefined &&
      streams[0].accepted === streams[0].due &&
      behind <= requestsPerSecond * BEHIND_SECONDS_MAX;
    console.error(
      `  ${Math.round(requestsPerSecond)} requests a second: ${isKept ? 'kept up' : `not kept up, ${behind} behind`}`,
    );
    if (isKept) kept = requestsPerSecond;
    else lost = requestsPerSecond;
  }
  return kept;
}
