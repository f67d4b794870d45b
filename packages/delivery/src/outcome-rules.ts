import {
  SUCCESS_STATES,
  type DeliveryReason,
  type DeliveryState,
  type DeliveryUpdateName,
  type SuccessState,
} from '@tidings/contracts/push/deliveries';
import type { StateChange } from './change-states.ts';

/** An update of a delivery after it was sent, or during the send if the update is faster. */
export type DeliveryUpdate = {
  readonly deliveryId: string;
  readonly outcome: DeliveryUpdateName;
  /**
   * Fence of the attempt: updates for an earlier attempt are ignored. Absent if the update is about
   * the message, whichever attempt delivered it.
   */
  readonly fence?: number;
  /** Time of the event, in milliseconds since the epoch; now if absent. */
  readonly at?: number;
  /**
   * A scanner or proxy caused it (`opened`, `clicked`): recorded, but not counted as a person's.
   */
  readonly isMachine?: boolean;
  /** For `failed` and `bounced`. */
  readonly reason?: DeliveryReason;
  /** For the event log: the clicked link or button. Must not contain an address. */
  readonly detail?: string;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage' | 'bounce'>;

/** Outcomes recorded once with their time; each has a column of the delivery. */
export const NOTES = [
  'delivered',
  'displayed',
  'opened',
  'clicked',
  'dismissed',
  'machine_opened',
  'machine_clicked',
  'complained',
  'unsubscribed',
] as const;
export type Note = (typeof NOTES)[number];

/** The delivery's state before the update. */
export type DeliverySoFar = {
  readonly state: DeliveryState;
  readonly fence: number;
  readonly attempts: number;
  /** It goes to several addresses: during the first send it is pending and shows no attempts. */
  readonly isAddressed?: boolean;
  readonly noted: ReadonlySet<Note>;
  /** An automation waits for outcomes of its campaign. */
  readonly isHeard?: boolean;
};

export type Consequences = {
  readonly change?: StateChange;
  readonly note?: { readonly note: Note; readonly event: string };
};

type Step = {
  readonly note?: Note;
  /** The state that this outcome proves. */
  readonly proves: SuccessState;
  /** Event-log name. */
  readonly event: string;
  /** A request of the recipient: recorded in any state of the delivery. */
  readonly isAlwaysNoted?: true;
};

const STEPS = {
  sent: { proves: 'sent', event: 'delivery.sent' },
  delivered: { note: 'delivered', proves: 'delivered', event: 'delivery.delivered' },
  displayed: { note: 'displayed', proves: 'displayed', event: 'delivery.displayed' },
  opened: { note: 'opened', proves: 'opened', event: 'delivery.opened' },
  clicked: { note: 'clicked', proves: 'clicked', event: 'delivery.clicked' },
  dismissed: { note: 'dismissed', proves: 'displayed', event: 'delivery.dismissed' },
  // Events without a webhook: a scan is not an open.
  machine_opened: { note: 'machine_opened', proves: 'sent', event: 'delivery.machine_opened' },
  machine_clicked: { note: 'machine_clicked', proves: 'sent', event: 'delivery.machine_clicked' },
  complained: {
    note: 'complained',
    proves: 'sent',
    event: 'delivery.complained',
    isAlwaysNoted: true,
  },
  unsubscribed: {
    note: 'unsubscribed',
    proves: 'sent',
    event: 'user.unsubscribed',
    isAlwaysNoted: true,
  },
} as const satisfies Record<string, Step>;

/** Rank of a success state; -1 for other states. */
const rankOf = (state: DeliveryState): number =>
  (SUCCESS_STATES as readonly DeliveryState[]).indexOf(state);

/**
 * States whose outcome is not recorded, unknown or taken for a rejection. A proof that a person saw
 * the message overrides them.
 */
function isOpen(
  { state, attempts, isAddressed = false }: DeliverySoFar,
  { fence }: DeliveryUpdate,
): boolean {
  if (state === 'sending' || state === 'unknown' || state === 'retry_wait') return true;
  // Waits for a retry; updates with a fence are about an earlier attempt.
  return (
    fence === undefined &&
    (attempts > 0 || isAddressed) &&
    (state === 'pending' || state === 'claimed')
  );
}

/**
 * Returns the consequences of an update. States never move back; repeated updates change nothing.
 */
export function decideConsequences(delivery: DeliverySoFar, outcome: DeliveryUpdate): Consequences {
  if (outcome.fence !== undefined && outcome.fence !== delivery.fence) return {};
  const name = outcome.outcome;
  if (name === 'failed' || name === 'expired' || name === 'bounced')
    return failureOf(delivery, outcome, name);
  const step: Step =
    STEPS[
      outcome.isMachine && (name === 'opened' || name === 'clicked')
        ? (`machine_${name}` as const)
        : name
    ];
  const change = raise(delivery, outcome, step.proves);
  // A reached state implies its entry and time.
  if (change !== undefined && step.proves === name) return { change };
  const isNoted =
    step.note !== undefined &&
    !delivery.noted.has(step.note) &&
    (change !== undefined || rankOf(delivery.state) >= 0 || step.isAlwaysNoted === true);
  return {
    ...(change && { change }),
    ...(isNoted && step.note && { note: { note: step.note, event: step.event } }),
  };
}

/** The change to a later success state; undefined if there is none. */
function raise(
  delivery: DeliverySoFar,
  outcome: DeliveryUpdate,
  proves: SuccessState,
): StateChange | undefined {
  const rank = rankOf(proves);
  // A message in an inbox succeeds when it is displayed, not before.
  const isReached =
    delivery.state === 'waiting'
      ? rank >= rankOf('displayed')
      : isOpen(delivery, outcome) || (rankOf(delivery.state) >= 0 && rankOf(delivery.state) < rank);
  return isReached ? changeOf(outcome, { state: proves }) : undefined;
}

/**
 * A success that rests on the provider's response may still fail; a message seen by a person has
 * arrived.
 */
function failureOf(
  delivery: DeliverySoFar,
  outcome: DeliveryUpdate,
  name: 'failed' | 'expired' | 'bounced',
): Consequences {
  const isPossible =
    isOpen(delivery, outcome) ||
    delivery.state === 'sent' ||
    (name === 'bounced' && delivery.state === 'delivered');
  if (!isPossible) return {};
  return {
    change:
      name === 'bounced'
        ? changeOf(outcome, { state: 'failed', event: 'bounced' })
        : changeOf(outcome, { state: name }),
  };
}

function changeOf(
  {
    deliveryId,
    fence,
    at,
    reason,
    detail,
    providerId,
    providerCode,
    providerMessage,
    bounce,
  }: DeliveryUpdate,
  to: Pick<StateChange, 'state' | 'event'>,
): StateChange {
  return {
    deliveryId,
    fence: fence ?? null,
    ...to,
    ...(at !== undefined && { at }),
    ...(to.state === 'failed' && { reason: reason ?? 'provider_rejected' }),
    ...(detail !== undefined && { detail }),
    ...(providerId !== undefined && { providerId }),
    ...(providerCode !== undefined && { providerCode }),
    ...(providerMessage !== undefined && { providerMessage }),
    ...(bounce !== undefined && { bounce }),
  };
}

/** The delivery's state after the update. */
export function after(delivery: DeliverySoFar, { change, note }: Consequences): DeliverySoFar {
  const noted = new Set(delivery.noted);
  if (note !== undefined) noted.add(note.note);
  if (change !== undefined && (NOTES as readonly string[]).includes(change.state))
    noted.add(change.state as Note);
  return { ...delivery, state: change?.state ?? delivery.state, noted };
}
