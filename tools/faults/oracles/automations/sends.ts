import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import type { StoredRuns } from './stored-runs.ts';

export type SendFindings = {
  /** Messages that the provider has twice. */
  readonly twice: readonly string[];
  /** Sends that a run passed, without a message at the provider. */
  readonly missing: readonly string[];
  /** Lines and deliveries without each other. */
  readonly unmatched: readonly string[];
  /** Sends that may have left: neither missing nor sent again. */
  readonly unknown: number;
  readonly mails: number;
};

/** Each send that a run passed made exactly one delivery, by the ledger of the provider. */
export function checkSends(
  { runs, lines, messages }: Omit<StoredRuns, 'counts'>,
  accepted: readonly Pick<AcceptedMessage, 'deliveryId'>[],
): SendFindings {
  const arrived = new Map<string, number>();
  for (const { deliveryId } of accepted)
    if (deliveryId !== null) arrived.set(deliveryId, (arrived.get(deliveryId) ?? 0) + 1);
  const deliveries = new Map(messages.map((message) => [message.deliveryId, message]));
  const people = new Map(runs.map(({ runId, customUserId }) => [runId, customUserId]));
  const sent = lines.filter(({ outcome }) => outcome === 'sent');
  const unmatched: string[] = [];
  const missing: string[] = [];
  const known = new Set<string>();
  const passed = new Set<string>();
  let unknown = 0;
  for (const { runId, node, deliveryId } of sent) {
    const of = `${node} of run ${runId}`;
    const delivery = deliveries.get(deliveryId ?? '');
    if (passed.has(of)) unmatched.push(`${of} was passed twice`);
    passed.add(of);
    if (delivery === undefined || known.has(delivery.deliveryId)) {
      unmatched.push(`${of} has ${delivery === undefined ? 'no delivery' : 'that of another'}`);
      continue;
    }
    known.add(delivery.deliveryId);
    if (delivery.customUserId !== people.get(runId))
      unmatched.push(`the delivery of ${of} is one to ${delivery.customUserId}`);
    if (delivery.state === 'unknown') unknown += 1;
    else if (!arrived.has(delivery.deliveryId))
      missing.push(`the message of ${of} did not arrive, its delivery is ${delivery.state}`);
  }
  for (const { deliveryId } of messages)
    if (!known.has(deliveryId)) unmatched.push(`no run has the delivery ${deliveryId}`);
  const own = [...arrived].filter(([deliveryId]) => deliveries.has(deliveryId));
  return {
    twice: own.filter(([, n]) => n > 1).map(([id, n]) => `the delivery ${id} arrived ${n} times`),
    missing,
    unmatched,
    unknown,
    mails: own.length,
  };
}
