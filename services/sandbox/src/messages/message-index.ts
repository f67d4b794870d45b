import type { Channel } from '@tidings/contracts/channels/channels';
import type { LinePlace } from './journal.ts';
import type { MessageCounts, MessageFilter } from './message.ts';

/** In-memory entry of a message: fields to filter and count, and its position on disk. */
export type IndexEntry = {
  readonly channel: Channel;
  readonly to: string;
  readonly campaignId: string | null;
  readonly deliveryId: string | null;
  readonly place: LinePlace;
};

/** Messages of one channel and campaign, counted by delivery. */
type Group = {
  readonly channel: Channel;
  readonly campaignId: string | null;
  total: number;
  withoutDelivery: number;
  readonly deliveries: Map<string, number>;
};

/**
 * Counting takes one step per campaign, not per message. Listing scans from the newest message: a
 * few milliseconds at 200,000. An entry takes about 0.5 KB: 100 MB at the default limit.
 */
export class MessageIndex {
  #entries: IndexEntry[] = [];
  readonly #groups = new Map<string, Group>();

  add(entry: IndexEntry): void {
    const group = this.#groupOf(entry);
    group.total += 1;
    const deliveryId = entry.deliveryId === null ? null : detached(entry.deliveryId);
    if (deliveryId === null) group.withoutDelivery += 1;
    else group.deliveries.set(deliveryId, (group.deliveries.get(deliveryId) ?? 0) + 1);
    this.#entries.push({
      ...entry,
      to: detached(entry.to),
      campaignId: group.campaignId,
      deliveryId,
    });
  }

  dropOldest(entries: number): void {
    for (const entry of this.#entries.splice(0, entries)) {
      const group = this.#groupOf(entry);
      group.total -= 1;
      if (entry.deliveryId === null) {
        group.withoutDelivery -= 1;
        continue;
      }
      const left = (group.deliveries.get(entry.deliveryId) ?? 0) - 1;
      if (left > 0) group.deliveries.set(entry.deliveryId, left);
      else group.deliveries.delete(entry.deliveryId);
    }
    for (const [key, group] of this.#groups) if (group.total === 0) this.#groups.delete(key);
  }

  clear(): void {
    this.#entries = [];
    this.#groups.clear();
  }

  counts(filter: Omit<MessageFilter, 'to'>): MessageCounts {
    let total = 0;
    let unique = 0;
    for (const group of this.#groups.values()) {
      if (!matches(group, filter)) continue;
      total += group.total;
      unique += group.deliveries.size + group.withoutDelivery;
    }
    return { total, unique, repeated: total - unique };
  }

  /** The newest `limit` matches, newest first, and the total number of matches. */
  find(
    { to, ...filter }: MessageFilter,
    limit: number,
  ): { readonly count: number; readonly entries: readonly IndexEntry[] } {
    const wanted = to?.toLowerCase();
    const found: IndexEntry[] = [];
    let count = 0;
    for (let at = this.#entries.length - 1; at >= 0; at -= 1) {
      const entry = this.#entries[at];
      if (entry === undefined || !matches(entry, filter)) continue;
      if (wanted !== undefined && entry.to.toLowerCase() !== wanted) continue;
      count += 1;
      if (found.length < limit) found.push(entry);
      else if (wanted === undefined) break;
    }
    return { count: wanted === undefined ? this.counts(filter).total : count, entries: found };
  }

  #groupOf({ channel, campaignId }: Pick<IndexEntry, 'channel' | 'campaignId'>): Group {
    const key = `${channel} ${campaignId ?? ''}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = {
        channel,
        campaignId: campaignId === null ? null : detached(campaignId),
        total: 0,
        withoutDelivery: 0,
        deliveries: new Map(),
      };
      this.#groups.set(key, group);
    }
    return group;
  }
}

function matches(
  entry: Pick<IndexEntry, 'channel' | 'campaignId'>,
  filter: Omit<MessageFilter, 'to'>,
): boolean {
  return (
    (filter.channel === undefined || entry.channel === filter.channel) &&
    (filter.campaignId === undefined || entry.campaignId === filter.campaignId)
  );
}

/** Copies the text: a substring of the parsed line would keep the whole line in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
