import {
  SUCCESS_STATES,
  type DeliveryReason,
  type DeliveryState,
  type DeliveryUpdateName,
  type SuccessState,
} from '@tidings/contracts';
import type { StateChange } from './change-states.ts';

/** What became known of a delivery after it was handed over (or while it was, from whoever is quicker). */
export type DeliveryUpdate = {
  readonly deliveryId: string;
  readonly outcome: DeliveryUpdateName;
  /** The claim whose attempt it speaks of: of an earlier attempt it changes nothing. Absent where it is of the message, whatever attempt brought it. */
  readonly fence?: number;
  /** When it happened, by whatever clock: milliseconds since the epoch; now, when absent. */
  readonly at?: number;
  /** A scanner or a proxy did it (`opened`, `clicked`): noted, and not counted as a person's. */
  readonly isMachine?: boolean;
  /** Of `failed` and `bounced`. */
  readonly reason?: DeliveryReason;
  /** For the event log: the link that was clicked, the button. Never an address. */
  readonly detail?: string;
} & Pick<StateChange, 'providerId' | 'providerCode' | 'providerMessage'>;

/** What is told but once, and when: each has a column of the delivery. */
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

/** A delivery as it is when something becomes known of it. */
export type DeliverySoFar = {
  readonly state: DeliveryState;
  readonly fence: number;
  readonly attempts: number;
  /** It goes to several addresses: it is pending, and its attempts are not told, while the first of them is sent to. */
  readonly isAddressed?: boolean;
  readonly noted: ReadonlySet<Note>;
};

export type Consequences = {
  readonly change?: StateChange;
  readonly note?: { readonly note: Note; readonly event: string };
};

type Step = {
  readonly note?: Note;
  /** How far the message must have come, when this could happen to it. */
  readonly proves: SuccessState;
  /** In the event log. */
  readonly event: string;
  /** It is the caller's wish: it stands, whatever became of the message. */
  readonly isAlwaysNoted?: true;
};

const STEPS = {
  sent: { proves: 'sent', event: 'delivery.sent' },
  delivered: { note: 'delivered', proves: 'delivered', event: 'delivery.delivered' },
  displayed: { note: 'displayed', proves: 'displayed', event: 'delivery.displayed' },
  opened: { note: 'opened', proves: 'opened', event: 'delivery.opened' },
  clicked: { note: 'clicked', proves: 'clicked', event: 'delivery.clicked' },
  dismissed: { note: 'dismissed', proves: 'displayed', event: 'delivery.dismissed' },
  // Names that no webhook has: nobody is told that a message was read when it was scanned.
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

/** How far a success came; -1 for what is none. */
const rankOf = (state: DeliveryState): number =>
  (SUCCESS_STATES as readonly DeliveryState[]).indexOf(state);

/** Under way, with an outcome that is not recorded yet, or not known, or was taken for a refusal: whoever saw the message knows better. */
function isOpen(
  { state, attempts, isAddressed = false }: DeliverySoFar,
  { fence }: DeliveryUpdate,
): boolean {
  if (state === 'sending' || state === 'unknown' || state === 'retry_wait') return true;
  // About to be sent once more; what speaks of one attempt speaks of an earlier one.
  return (
    fence === undefined &&
    (attempts > 0 || isAddressed) &&
    (state === 'pending' || state === 'claimed')
  );
}

/** What follows from it: a state never moves back, and whatever is told again changes nothing. */
export function consequencesOf(delivery: DeliverySoFar, outcome: DeliveryUpdate): Consequences {
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
  // A state that is reached has its entry and its time by that.
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

/** The change to a success that is further than what is known; undefined where that is none. */
function raise(
  delivery: DeliverySoFar,
  outcome: DeliveryUpdate,
  proves: SuccessState,
): StateChange | undefined {
  const rank = rankOf(proves);
  // What waits for a client to show it is a success when it was displayed, not before.
  const isReached =
    delivery.state === 'waiting'
      ? rank >= rankOf('displayed')
      : isOpen(delivery, outcome) || (rankOf(delivery.state) >= 0 && rankOf(delivery.state) < rank);
  return isReached ? changeOf(outcome, { state: proves }) : undefined;
}

/** A success that goes no further than the provider's word may turn out to be none; what a person saw has arrived. */
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
  };
}

/** The delivery as it is then. */
export function after(delivery: DeliverySoFar, { change, note }: Consequences): DeliverySoFar {
  const noted = new Set(delivery.noted);
  if (note !== undefined) noted.add(note.note);
  if (change !== undefined && (NOTES as readonly string[]).includes(change.state))
    noted.add(change.state as Note);
  return { ...delivery, state: change?.state ?? delivery.state, noted };
}
