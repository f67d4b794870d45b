import type { PushRequest } from '@tidings/contracts';
import { readReachability, type Database } from '@tidings/db';

const RESULTS_MAX = 1_000;

/** The answer of a dry run: who would be reached and why others would not. Nothing is sent or stored. */
export async function dryRun(db: Database, applicationId: string, { channel, recipients }: PushRequest) {
  const unique = [...new Set(recipients)];
  const results = await readReachability(db, { applicationId, channel, recipients: unique });
  const unreachable: Record<string, number> = {};
  for (const { reason } of results) {
    if (reason !== null) unreachable[reason] = (unreachable[reason] ?? 0) + 1;
  }
  return {
    dryRun: true,
    channel,
    recipients: { requested: recipients.length, unique: unique.length },
    reachable: results.filter(({ reason }) => reason === null).length,
    unreachable,
    results: results
      .slice(0, RESULTS_MAX)
      .map(({ customUserId, reason }) => (reason === null ? { customUserId, reachable: true } : { customUserId, reachable: false, reason })),
  };
}
