import type {
  Channel as ChannelName,
  DeliveryReason,
  Purpose,
  SuppressionReason,
} from '@tidings/contracts';
import type { PollTimes, UnknownDelivery } from '@tidings/delivery/outcome-polling';
import type { StatusUpdate } from '@tidings/delivery/status-updates';
import type { Egress, EgressConfigSpec } from '@tidings/egress';
import type { ConfigOf, ConfigSpec, Logger } from '@tidings/platform';

/** One armed delivery to one address, with all that is needed to send it; where a user has several, each is sent by itself. */
export type OutgoingDelivery = {
  readonly deliveryId: string;
  /** Of this attempt: what is said later of an earlier one changes nothing. */
  readonly fence: number;
  readonly campaignId: string;
  readonly applicationId: string;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  /** On channels of devices the browser's subscription as JSON, or the app's token. */
  readonly address: string;
  /** Whose address it is; absent on other channels and in a test send. */
  readonly deviceId?: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly purpose: Purpose;
  /** Whether the application wants to be told that its mails are opened and their links followed. */
  readonly isTracked: boolean;
  /** The application's subject for e-mails without a title. */
  readonly defaultSubject: string | null;
  /** After this the message is not to reach anybody any more: milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Tells one version of the application's settings from the next: clients are kept by it. */
  readonly settingsKey: string;
  /** Asked immediately before the provider is called: false when the arming is too old to act upon. */
  readonly mayBegin: () => boolean;
  /** Aborted when the lease of the send ends, or the process has to: the channel gives the send up, and with it the connection. */
  readonly signal: AbortSignal;
};

/** What a provider said, in its own words, for the report. */
export type ProviderAnswer = {
  readonly providerId?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  /** It is about this recipient alone: it says nothing of the account, and holds up none of its other deliveries. */
  readonly isOfRecipient?: true;
  /** The channel's map has no row for the provider's code: it is counted, and the result is one that does no harm. */
  readonly isUnmapped?: true;
};

/** What became of one send. */
export type SendResult = ProviderAnswer &
  (
    | { readonly status: 'sent' }
    /** Never for this message, whatever is tried. */
    | { readonly status: 'permanent'; readonly reason: DeliveryReason }
    /** Never for this address. */
    | {
        readonly status: 'invalid_address';
        readonly reason: DeliveryReason;
        /** The provider will not take it later either: nor do we, for this reason. */ readonly suppression?: SuppressionReason;
      }
    /** Provably not accepted; worth another try. */
    | {
        readonly status: 'transient';
        readonly reason: DeliveryReason;
        readonly retryAfterMs?: number;
        /** Given up after so many attempts, whatever the channel's schedule. */ readonly attemptsMax?: number;
      }
    /** A deferral that costs no attempt. */
    | { readonly status: 'rate_limited'; readonly retryAfterMs?: number }
    /** Credentials or settings are wrong: the delivery is kept until somebody mends them. */
    | { readonly status: 'configuration'; readonly reason: DeliveryReason }
    /** It may have been accepted: nobody knows. */
    | { readonly status: 'unknown' }
    /** `mayBegin` said no: nothing left the process. */
    | { readonly status: 'not_sent' }
  );

/** A delivery whose outcome is unknown, with what its provider can be asked by. */
export type DeliveryToPoll = UnknownDelivery &
  Pick<OutgoingDelivery, 'address' | 'settings' | 'secrets'>;

/** Asks a provider; it never guesses. */
export type OutcomePoller = PollTimes & {
  /** What the provider says of it; null when it knows nothing, or not for certain. It throws when the provider cannot be asked. */
  find(delivery: DeliveryToPoll, isKnown: KnownProviderIds): Promise<PolledStatus | null>;
};

/** What a provider says when it is asked; `suppression` as in the result of a send. */
export type PolledStatus = Omit<StatusUpdate, 'deliveryId' | 'fence'> & {
  readonly suppression?: SuppressionReason;
};

/** Which of these ids of the provider belong to deliveries that are known already. */
export type KnownProviderIds = (providerIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** A channel: everything but the sending is the worker's. */
export interface Channel {
  /** Returns every outcome it knows; it throws only on a bug. */
  send(delivery: OutgoingDelivery): Promise<SendResult>;
  /** The receiver that a message names instead of the settings': it fails and recovers by itself. */
  receiverOf?(message: Readonly<Record<string, unknown>>): string | undefined;
  /** Where the provider can be asked what became of a send whose outcome is unknown. */
  readonly outcomePoller?: OutcomePoller;
  close?(): Promise<void>;
}

/** What a worker's `main.ts` names: its channel, its own settings, and how the channel is made. */
export type ChannelDefinition<S extends ConfigSpec & EgressConfigSpec> = {
  readonly channel: ChannelName;
  readonly config: S;
  readonly create: (
    config: ConfigOf<S>,
    tools: { readonly egress: Egress; readonly logger: Logger; readonly concurrency: number },
  ) => Channel;
};
