import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import { LINK_PURPOSES, RETURN_TOKEN_HEADER } from '@tidings/contracts/push/links';
import type { Purpose } from '@tidings/contracts/push/purposes';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import {
  attemptParts,
  createIdSigner,
  createReturnTokens,
  createSealedAddresses,
  linkParts,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createSendingCampaign } from '@tidings/testing';
import { ENCRYPTION_KEY } from './test-client-api.ts';

const signers = {
  open: createIdSigner(ENCRYPTION_KEY, LINK_PURPOSES.open),
  click: createIdSigner(ENCRYPTION_KEY, LINK_PURPOSES.click),
  olderUnsubscribe: createIdSigner(ENCRYPTION_KEY, LINK_PURPOSES.unsubscribe),
};
const sealedAddresses = createSealedAddresses(ENCRYPTION_KEY, LINK_PURPOSES.unsubscribe);
const returnTokens = createReturnTokens(ENCRYPTION_KEY, LINK_PURPOSES.bounce);

/** A user agent of a person. */
export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

export type MailFacts = {
  readonly state?: DeliveryState;
  readonly purpose?: Purpose;
  readonly email?: string;
  readonly phoneE164?: string;
  /** Age since it was sent. */
  readonly ageMs?: number;
};

/** Creates an application and a mail that a worker sent some time ago, with signed links. */
export async function createMail(
  db: Database,
  {
    state = 'sent',
    purpose = 'marketing',
    email = 'Ada@example.org',
    phoneE164,
    ageMs = 60_000,
  }: MailFacts = {},
) {
  const { applicationId, campaignId } = await createSendingCampaign(db, {
    channel: 'EMAIL',
    purpose,
    message: { body: 'Hello' },
  });
  await db.sql.query(
    `update users set fields = fields || jsonb_build_object('email', $2::text), phone_e164 = $3 where application_id = $1`,
    [applicationId, email, phoneE164 ?? null],
  );
  const [claimed] = await claimChunk(db, {
    campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (claimed === undefined) throw new Error('nothing to send');
  const { deliveryId, fence } = claimed;
  await markSending(db, [claimed], 60_000);
  if (state !== 'sending')
    await changeDeliveryStates(db.sql, ['sending'], [{ deliveryId, fence, state }]);
  await db.sql.query(
    `update deliveries set sent_at = now() - $2::float8 * interval '1 ms' where id = $1`,
    [deliveryId, ageMs],
  );
  const attempt = { deliveryId, fence };
  const parts = attemptParts(attempt);
  const returnToken = returnTokens.sign(attempt, email);
  return {
    ...attempt,
    applicationId,
    campaignId,
    openPath: `/t/o/${signers.open.sign(...parts)}`,
    clickPath: (url: string, linkCount = 1) =>
      `/t/c/${signers.click.sign(...linkParts({ ...attempt, url, linkCount }))}`,
    unsubscribePath: `/u/${sealedAddresses.seal({ ...attempt, address: email })}`,
    /** A link of an older version, which does not contain the address. */
    olderUnsubscribePath: `/u/${signers.olderUnsubscribe.sign(...parts)}`,
    returnToken,
    returnHeader: `${RETURN_TOKEN_HEADER}: ${returnToken}`,
    read: async () => (await listDeliveries(db, campaignId, { limit: 1 }))[0],
    record: () => readCampaign(db, applicationId, campaignId),
    counts: async () => (await readCampaign(db, applicationId, campaignId))?.counts,
    events: async () =>
      (await listCampaignEvents(db, campaignId, { limit: 100 })).map(({ type }) => type),
  };
}
