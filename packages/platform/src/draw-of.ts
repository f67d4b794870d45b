import { createHash } from 'node:crypto';

/**
 * Draws a number in [0, 1) for a recipient of a campaign: the same one always gives the same, and
 * those of one campaign are not drawn as those of another. SQL repeats this rule: `draw-of`.
 */
export function drawOf(campaignId: string, customUserId: string): number {
  const hash = createHash('sha256').update(`${campaignId}:${customUserId}`).digest();
  return hash.readUInt32BE() / 2 ** 32;
}
