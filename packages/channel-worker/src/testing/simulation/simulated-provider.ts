import { applyDeliveryUpdates } from '@tidings/delivery/delivery-updates';
import { applyStatusUpdate } from '@tidings/delivery/status-updates';
import type { Database } from '@tidings/postgres/database';
import type { Channel, OutgoingDelivery, SendResult } from '../../channel.ts';
import type { Gates } from './gates.ts';

/** What the provider did with a message, even if its response was lost. */
export type Handled = {
  readonly deliveryId: string;
  /** Where the recipient may have several: which of them. */
  readonly deviceId?: string;
  readonly sentBy: string;
  readonly answer: 'accepted' | 'refused' | 'busy' | 'dead';
  isHeard: boolean;
  readonly isToldLater: boolean;
};

export interface SimulatedProvider {
  /** The channel of one worker. */
  channelOf(who: string): Channel;
  /** In the order in which messages came. */
  readonly handled: readonly Handled[];
}

/** The provider, which never crashes. */
const PROVIDER = 'provider';
const RESULTS: Readonly<Record<Handled['answer'], SendResult>> = {
  accepted: { status: 'sent' },
  refused: { status: 'permanent', reason: 'provider_rejected' },
  busy: { status: 'transient', reason: 'provider_unavailable' },
  dead: { status: 'invalid_address', reason: 'subscription_gone' },
};

/**
 * A provider that accepts most, refuses some for good, is too busy for some, loses some of its answers, and tells some
 * outcomes later: before its answer is heard, long after, or twice. Of devices some are dead, and those that show a message
 * tell so of the delivery, not of the address.
 */
export function createSimulatedProvider({
  gates,
  random,
  db,
  busy,
}: {
  readonly gates: Gates;
  readonly random: () => number;
  readonly db: Database;
  readonly busy: { count: number };
}): SimulatedProvider {
  const handled: Handled[] = [];

  const tell = ({ deliveryId, deviceId, answer }: Handled, fence: number): Promise<unknown> => {
    if (deviceId !== undefined)
      return applyDeliveryUpdates(db, [{ deliveryId, outcome: 'displayed' }]);
    const news =
      answer === 'accepted'
        ? ({ state: 'delivered' } as const)
        : ({ state: 'failed', reason: 'provider_rejected' } as const);
    return applyStatusUpdate(db, { deliveryId, fence, ...news });
  };

  const callBack = async (message: Handled, fence: number): Promise<void> => {
    const times = random() < 0.3 ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      await gates.pass(PROVIDER, `call back: ${message.answer}`);
      busy.count += 1;
      await tell(message, fence);
      busy.count -= 1;
    }
  };

  const send = async (who: string, delivery: OutgoingDelivery): Promise<SendResult> => {
    await gates.pass(who, 'connect');
    // No await between this and the provider, as in a channel.
    if (!delivery.mayBegin()) return { status: 'not_sent' };
    const dice = random();
    const { deliveryId, deviceId } = delivery;
    const refusal = deviceId !== undefined && dice > 0.77 ? 'dead' : 'refused';
    const answer = dice < 0.7 ? 'accepted' : dice < 0.85 ? refusal : 'busy';
    const isTold = deviceId === undefined ? answer !== 'busy' : answer === 'accepted';
    const message: Handled = {
      deliveryId,
      ...(deviceId !== undefined && { deviceId }),
      sentBy: who,
      answer,
      isHeard: false,
      isToldLater: isTold && random() < 0.5,
    };
    handled.push(message);
    if (message.isToldLater) void callBack(message, delivery.fence);
    const isLost = random() < 0.1;
    await gates.pass(who, `hear: ${isLost ? 'nothing' : answer}`);
    // Who has given the send up listens no more.
    message.isHeard = !isLost && !delivery.signal.aborted;
    return isLost ? { status: 'unknown' } : RESULTS[answer];
  };

  return { channelOf: (who) => ({ send: (delivery) => send(who, delivery) }), handled };
}
