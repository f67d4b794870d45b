import { call } from '../shared/api.ts';
import {
  deleteReceipts,
  storeReceipt,
  readReceipts,
  readSettings,
  type Receipt,
} from '../shared/worker-storage.ts';

/** As many as the service takes in one request. */
const RECEIPTS_MAX = 100;

/**
 * Tells what became of a notification, and whatever could not be told before. To be told twice changes nothing, so each is
 * kept until the service has answered: the worker may be ended at any moment. What a page may put right is kept, too.
 */
export async function sendReceipt(receipt: Receipt): Promise<void> {
  const settings = await readSettings();
  if (settings === undefined) return;
  await storeReceipt(receipt);
  const kept = await readReceipts();
  for (let at = 0; at < kept.length; at += RECEIPTS_MAX) {
    const receipts = kept.slice(at, at + RECEIPTS_MAX);
    const answer = await call(settings, '/sdk/v1/receipts', {
      body: { deviceId: settings.deviceId, receipts },
    });
    if (answer.status === 'later' || (answer.status === 'refused' && answer.httpStatus === 403))
      return;
    await deleteReceipts(receipts);
  }
}
