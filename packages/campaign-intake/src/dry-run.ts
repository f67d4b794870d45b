import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { DryRunAnswer } from '@tidings/contracts/push/campaigns';
import { readCalledNumbers } from '@tidings/people/called-numbers';
import { readReachability } from '@tidings/people/reachability';
import type { Database } from '@tidings/postgres/database';
import { countLacking } from './count-lacking.ts';
import type { ResolvedPush } from './resolve-templates.ts';
import { withChannelWarning } from './warnings.ts';

const RESULTS_MAX = 1_000;

/**
 * The response of a dry run: who would be reached, and why others would not. Nothing is sent or
 * stored.
 */
export async function dryRun(
  db: Database,
  applicationId: string,
  { channel, purpose, recipients, warnings, templates }: ResolvedPush,
): Promise<DryRunAnswer> {
  const unique = [...new Set(recipients)];
  const { reasons, isUntested } = await readReachability(db, {
    applicationId,
    channel,
    purpose,
    recipients: unique,
  });
  const unrenderable =
    templates === null
      ? null
      : await countLacking(db, { applicationId, channel, templates, customUserIds: unique });
  const shown = unique.slice(0, RESULTS_MAX);
  const numbers =
    CHANNEL_DESCRIPTORS[channel].address.kind === 'phone'
      ? await readCalledNumbers(db.sql, applicationId, shown)
      : null;
  const unreachable: Partial<Record<string, number>> = {};
  for (const reason of reasons)
    if (reason !== null) unreachable[reason] = (unreachable[reason] ?? 0) + 1;
  return {
    dryRun: true,
    channel,
    recipients: { requested: recipients.length, unique: unique.length },
    reachable: reasons.filter((reason) => reason === null).length,
    unreachable,
    ...(unrenderable !== null && { unrenderable }),
    results: shown.map((customUserId, index) => {
      const reason = reasons[index] ?? null;
      return {
        customUserId,
        reachable: reason === null,
        ...(reason !== null && { reason }),
        ...numbers?.get(customUserId),
      };
    }),
    warnings: withChannelWarning(warnings, isUntested),
  };
}
