import type { BenchInstallation } from '../installation/bench-installation.ts';
import type { Durations } from './durations.ts';

/** As an application's back end sends them when it gathers a little. */
export const TYPICAL_MESSAGES = 10;
const CONNECTIONS = 50;

/** Requests per second that the gateway accepts from a closed loop while the consumers do their work beside it. */
export async function findPeak(bench: BenchInstallation, { warmUpMs, peakMs }: Pick<Durations, 'warmUpMs' | 'peakMs'>): Promise<number> {
  console.error('  the peak …');
  const target = bench.target({ messagesPerRequest: TYPICAL_MESSAGES });
  const stream = { name: 'peak', target, arrival: { type: 'closed', connections: CONNECTIONS } } as const;
  const { streams } = await bench.generator.run({ streams: [stream], warmUpMs, measuredMs: peakMs });
  const found = streams[0]?.acceptedPerSecond ?? 0;
  if (found === 0) throw new Error(`nothing was accepted: ${JSON.stringify(streams)}`);
  return found;
}
