import type { SuccessState } from '../push/deliveries.ts';
import type { SuppressionReason } from './suppression-reasons.ts';
import type { ComposerFields } from './composer.ts';
import type { MessageSchema } from './message-schema.ts';
import type { ChannelProviders } from './provider.ts';
import type { TemplatedFields } from './templated-fields.ts';

/** Where a message goes: to a contact of the profile, to the devices of a user, or to the user by id. */
export type ChannelAddress =
  | { readonly kind: 'phone' }
  | { readonly kind: 'mailbox' }
  | { readonly kind: 'device'; readonly deviceKind: 'web_push' | 'fcm' }
  | { readonly kind: 'identity' };

export type ProfileAddressField = 'phoneNumber' | 'phoneE164' | 'email';

/** How long a delivery may wait for its send. */
export type ChannelExpiry = {
  readonly defaultMs: number;
  /** The field `ttl` of the message replaces the default. */
  readonly hasTtl: boolean;
};

/** Retries end when both minimums are passed, or when the campaign expires. */
export type RetryPolicy = {
  readonly baseMs: number;
  readonly capMs: number;
  readonly attemptsMin: number;
  readonly ageMinMs: number;
};

/**
 * Whether a send with an unknown outcome may be repeated. A repeat is idempotent if the receiver
 * recognises its id or if it replaces the first message. Otherwise a person gets a second message:
 * the application must opt in, and the repeat waits `afterMs`, so callbacks and polling can report
 * the first outcome.
 */
export type RepeatRule =
  | { readonly isIdempotent: true }
  | { readonly isIdempotent: false; readonly afterMs: number };

export type MessagePreview = 'text' | 'mail' | 'notification' | 'screen' | 'json';

/** One for each message, or one for each segment of a text message. */
export type CapUnit = 'message' | 'segment';

/** Everything about a channel that is data. Its worker holds the code. */
export type ChannelDescriptor = {
  /** The name in lower case: topics, folders, metrics. */
  readonly slug: string;
  readonly labels: ChannelLabels;
  /** The schema of `message` in `POST /push`. Other fields are ignored with a warning. */
  readonly message: MessageSchema;
  /** Its fields that are templates when the message is personalised. */
  readonly templated: TemplatedFields;
  /** The fields of the composer. */
  readonly composer: ComposerFields;
  /** How a message is shown before it is sent, and in its report. */
  readonly preview: MessagePreview;
  /** Its providers, each with the settings of an account there. */
  readonly providers: ChannelProviders;
  readonly address: ChannelAddress;
  /** The profile fields that take the address of a test send, which has no user. */
  readonly testAddressFields: readonly ProfileAddressField[];
  readonly expiry: ChannelExpiry;
  readonly retries: RetryPolicy;
  readonly repeat: RepeatRule;
  /** What a daily cap counts. */
  readonly capUnit: CapUnit;
  /** Messages are not sent: devices of the user fetch them. */
  readonly isInbox: boolean;
  /** A provider can be polled for the outcome of a message, by recipient and time. */
  readonly hasOutcomePolling: boolean;
  /** What does not arrive is reported as a bounce: what was sent and did not bounce was delivered. */
  readonly hasBounces: boolean;
  /** Suppression reasons. Empty if the channel has no addresses to suppress. */
  readonly suppressionReasons: readonly SuppressionReason[];
  /** The success states that the channel can report. */
  readonly reportedStates: readonly SuccessState[];
};

/** Texts of the dashboard. */
export type ChannelLabels = {
  readonly name: string;
  readonly purpose: string;
  readonly testTo: {
    readonly label: string;
    readonly placeholder: string;
    /** A whole address, for the description of the interface. */
    readonly example: string;
    readonly isLong?: boolean;
  };
};
