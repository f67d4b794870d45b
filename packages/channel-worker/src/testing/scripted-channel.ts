import type { Channel, OutgoingDelivery, SendResult } from '../channel.ts';

export type ScriptedChannel = Channel & {
  /** Every call, in order. */
  readonly calls: OutgoingDelivery[];
  /** How often each delivery was handed over, by customUserId. */
  timesSent(customUserId: string): number;
};

/** A provider that answers as the test says; `nth` counts the calls for this delivery from 1. */
export function scriptedChannel(
  answer: (delivery: OutgoingDelivery, nth: number) => SendResult | Promise<SendResult> = () => ({
    status: 'sent',
  }),
): ScriptedChannel {
  const calls: OutgoingDelivery[] = [];
  const timesSent = (customUserId: string): number =>
    calls.filter((call) => call.customUserId === customUserId).length;
  return {
    calls,
    timesSent,
    async send(delivery) {
      if (!delivery.mayBegin()) return { status: 'not_sent' };
      calls.push(delivery);
      return answer(delivery, timesSent(delivery.customUserId));
    },
  };
}
