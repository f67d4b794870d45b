import { drawnShares, type Trial } from '@tidings/contracts/push/push-winner';
import { drawOf } from '@tidings/platform';

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
  let left = Math.floor(drawOf(campaignId, customUserId) * total);
  for (const [index, share] of shares.entries()) {
    if (left < share) return index;
    left -= share;
  }
  return shares.length - 1;
}

/** A campaign as far as it decides which template a recipient has. */
export type Drawn = {
  readonly campaignId: string;
  readonly templates: readonly { readonly share: number }[];
  readonly trial?: Trial | null;
};

/** The place of the template of a recipient; null: it is not chosen yet. */
export function chooseTemplate(
  { campaignId, templates, trial = null }: Drawn,
  customUserId: string,
): number | null {
  const shares = templates.map(({ share }) => share);
  const index = chooseShare(campaignId, customUserId, drawnShares(shares, trial));
  return index < shares.length ? index : (trial?.choice ?? null);
}
