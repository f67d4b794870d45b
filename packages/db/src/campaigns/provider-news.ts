import type { Channel, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Database } from '../database.ts';
import type { StateChange } from './change-states.ts';
import { applyLaterOutcomes } from './later-outcomes.ts';

/** What a provider says later of a message that it was given: in a callback, or when it is asked. */
export type ProviderNews = {
  readonly deliveryId: string;
  /** The fence of the attempt that it speaks of: news of an earlier one changes nothing. */
  readonly fence: number;
  readonly state: Extract<DeliveryState, 'sent' | 'delivered' | 'failed' | 'expired'>;
  readonly reason?: DeliveryReason;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage'>;

/** Whether it changed anything. @callers client-api, channel-worker */
export async function applyProviderNews(db: Database, { state, ...news }: ProviderNews): Promise<boolean> {
  const [result] = await applyLaterOutcomes(db, [{ ...news, outcome: state }]);
  return result === 'changed';
}

/** Whose delivery it is; null when there is none. */
export async function findDeliveryOwner(db: Database, deliveryId: string): Promise<{ readonly applicationId: string; readonly channel: Channel } | null> {
  const row = await db.prisma.delivery.findUnique({ where: { id: deliveryId }, select: { applicationId: true, channel: true } });
  return row && { applicationId: row.applicationId, channel: row.channel as Channel };
}
