import { createHash } from 'node:crypto';

/**
 * Which of the shares of a campaign a user has: by a hash of both, so the same user always has the
 * same one, and users of one campaign are not split as those of another. The report repeats this
 * rule in SQL.
 */
export function chooseShare(
  campaignId: string,
  customUserId: string,
  shares: readonly number[],
): number {
  if (shares.length <= 1) return 0;
  const total = shares.reduce((sum, share) => sum + share, 0);
  const hash = createHash('sha256').update(`${campaignId}:${customUserId}`).digest().readUInt32BE();
  let left = Math.floor((hash / 2 ** 32) * total);
  for (const [index, share] of shares.entries()) {
    if (left < share) return index;
    left -= share;
  }
  return shares.length - 1;
}
