import { call } from '../shared/api.ts';
import {
  deleteReceipts,
  storeReceipt,
  readReceipts,
  readSettings,
  type Receipt,
} from '../shared/worker-storage.ts';

/** Maximum receipts per request. */
const RECEIPTS_MAX = 100;

/**
 * Sends a receipt, and those that could not be sent before. Repeats are harmless, so each is stored
 * until the service responds: the worker can be terminated at any time. After 403 they stay too: a
 * page may fix the settings.
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
