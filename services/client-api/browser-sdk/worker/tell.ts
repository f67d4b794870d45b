import { call } from '../shared/api.ts';
import {
  forgetReceipts,
  keepReceipt,
  keptReceipts,
  readSettings,
  type Receipt,
} from '../shared/worker-notes.ts';

/** As many as the service takes in one request. */
const RECEIPTS_MAX = 100;

/**
 * Tells what became of a notification, and whatever could not be told before. To be told twice changes nothing, so each is
 * kept until the service has answered: the worker may be ended at any moment. What a page may put right is kept, too.
 */
export async function tell(receipt: Receipt): Promise<void> {
  const settings = await readSettings();
  if (settings === undefined) return;
  await keepReceipt(receipt);
  const kept = await keptReceipts();
  for (let at = 0; at < kept.length; at += RECEIPTS_MAX) {
    const receipts = kept.slice(at, at + RECEIPTS_MAX);
    const answer = await call(settings, '/sdk/v1/receipts', {
      body: { deviceId: settings.deviceId, receipts },
    });
    if (answer.status === 'later' || (answer.status === 'refused' && answer.httpStatus === 403))
      return;
    await forgetReceipts(receipts);
  }
}
