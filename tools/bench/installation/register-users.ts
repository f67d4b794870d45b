import type { BenchInstallation } from './bench-installation.ts';
import { drainBacklog } from './drain.ts';

const CONNECTIONS = 10;
const WITHIN_MS = 180_000;

/**
 * Registers all users of a target's tenant, with e-mail and phone, so that their events are
 * processed and not held.
 */
export async function registerUsers(
  bench: BenchInstallation,
  {
    headers = bench.tenant.headers,
    users,
  }: { readonly headers?: BenchInstallation['tenant']['headers']; readonly users?: number } = {},
): Promise<void> {
  const target = bench.target({
    headers,
    content: 'registrations',
    ...(users === undefined ? {} : { users }),
  });
  const arrival = { type: 'closed', connections: CONNECTIONS, requestsMax: target.users } as const;
  const { streams } = await bench.generator.run({
    streams: [{ name: 'registrations', target, arrival }],
    warmUpMs: 0,
    measuredMs: WITHIN_MS,
  });
  if (streams[0]?.accepted !== target.users)
    throw new Error(`not every registration was accepted: ${JSON.stringify(streams)}`);
  if ((await drainBacklog(bench.lag, WITHIN_MS)) > 0)
    throw new Error('the registrations were not stored in time');
}
