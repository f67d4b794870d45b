import { readMessageTexts, type LeasedMessage } from '@tidings/delivery/inbox';
import type { Database } from '@tidings/postgres/database';
import { LRUCache } from 'lru-cache';

const ENTRIES_MAX = 1_000;
const CHARS_MAX = 8 * 1024 * 1024;

/** A leased message, as JSON for the device. */
export type MessageText = { readonly json: string; readonly lease: LeasedMessage };

/**
 * Adds the message to each lease: the one that was rendered for the user, or the campaign's. Those
 * of campaigns are shared by all recipients and never change, so they are cached: at most 1,000
 * messages or 8 MiB of text.
 */
export function createMessageTexts(
  db: Pick<Database, 'sql'>,
): (leases: readonly LeasedMessage[]) => Promise<(lease: LeasedMessage) => MessageText> {
  const known = new LRUCache<string, string>({
    max: ENTRIES_MAX,
    maxSize: CHARS_MAX,
    sizeCalculation: (text) => text.length,
  });
  return async (leases) => {
    const texts = new Map<string, string>();
    const missing = new Set<string>();
    for (const { campaignId, message } of leases) {
      if (message !== null) continue;
      const text = known.get(campaignId);
      if (text === undefined) missing.add(campaignId);
      else texts.set(campaignId, text);
    }
    if (missing.size > 0) {
      for (const [campaignId, text] of await readMessageTexts(db, [...missing])) {
        known.set(campaignId, text);
        texts.set(campaignId, text);
      }
    }
    return (lease) => {
      const { deliveryId, campaignId, channel, expiresAt, message } = lease;
      // Inserts the stored text unparsed: it may contain integers beyond 2^53.
      return {
        lease,
        json: `${JSON.stringify({ deliveryId, campaignId, channel, expiresAt }).slice(0, -1)},"message":${message ?? texts.get(campaignId) ?? 'null'}}`,
      };
    };
  };
}
