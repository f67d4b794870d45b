import { takeDraft } from '@tidings/campaign-drafts/drafts';
import { acceptCampaigns, type AcceptedCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';

/** The draft that a campaign is made of, as its sender has seen it. */
export type DraftToSend = { readonly draftId: string; readonly version: number };

/**
 * Stores a campaign and deletes its draft, both or none: of two people who send the same draft, one
 * does. A repeated request finds its draft gone and gets its first response.
 * @throws AppError `conflict` when the draft is gone or has another version
 */
export function acceptDraft(
  db: Database,
  campaign: NewCampaign,
  draft: DraftToSend,
): Promise<AcceptedCampaign> {
  return db.transaction(async (sql) => {
    const [accepted] = await acceptCampaigns({ sql }, [campaign]);
    if (accepted === undefined) throw new Error('a campaign has no outcome');
    const { applicationId } = campaign;
    if (accepted.outcome === 'accepted' && !(await takeDraft(sql, { applicationId, ...draft })))
      throw new AppError(
        'conflict',
        'The draft was changed, sent or deleted meanwhile. Nothing was sent.',
      );
    return accepted;
  });
}
