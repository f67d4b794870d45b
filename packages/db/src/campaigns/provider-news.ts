import type { Channel, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Database, Sql } from '../database.ts';
import { changeDeliveryStates, type StateChange } from './change-states.ts';

/** What a provider says later of a message that it was given: in a callback, or when it is asked. */
export type ProviderNews = {
  readonly deliveryId: string;
  /** The fence of the attempt that it speaks of: news of an earlier one changes nothing. */
  readonly fence: number;
  readonly state: Extract<DeliveryState, 'sent' | 'delivered' | 'failed' | 'expired'>;
  readonly reason?: DeliveryReason;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage'>;

/** Not yet recorded, or recorded as nobody knows, or taken for not accepted: the provider knows better. */
const UNSETTLED: readonly DeliveryState[] = ['sending', 'unknown', 'retry_wait'];

/** The states that each news may change. News come late, twice and in any order: an outcome never moves back. */
const CHANGES_FROM = {
  sent: UNSETTLED,
  delivered: [...UNSETTLED, 'sent'],
  failed: [...UNSETTLED, 'sent'],
  expired: [...UNSETTLED, 'sent'],
} as const satisfies Record<ProviderNews['state'], readonly DeliveryState[]>;

/** Whether it changed anything. @callers client-api, channel-worker */
export async function applyProviderNews(sql: Sql, news: ProviderNews): Promise<boolean> {
  return (await changeDeliveryStates(sql, CHANGES_FROM[news.state], [news])).size > 0;
}

/** Whose delivery it is; null when there is none. */
export async function findDeliveryOwner(db: Database, deliveryId: string): Promise<{ readonly applicationId: string; readonly channel: Channel } | null> {
  const row = await db.prisma.delivery.findUnique({ where: { id: deliveryId }, select: { applicationId: true, channel: true } });
  return row && { applicationId: row.applicationId, channel: row.channel as Channel };
}
