import type { Channel as ChannelName } from '@tidings/contracts/channels/channels';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { Bounce } from '@tidings/contracts/push/bounces';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { Purpose } from '@tidings/contracts/push/purposes';
import type { PollTimes, UnknownDelivery } from '@tidings/delivery/outcome-polling';
import type { StatusUpdate } from '@tidings/delivery/status-updates';
import type { Egress, EgressConfigSpec } from '@tidings/egress';
import type { ConfigOf, ConfigSpec, Logger } from '@tidings/platform';

/**
 * One delivery to one address, marked sending, with everything needed to send it. A user's
 * addresses are sent to separately.
 */
export type OutgoingDelivery = {
  readonly deliveryId: string;
  /** Fence of this attempt: updates for an earlier attempt are ignored. */
  readonly fence: number;
  readonly campaignId: string;
  readonly applicationId: string;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  /** On device channels: the browser's push subscription as JSON, or the app's token. */
  readonly address: string;
  /** The device of the address; absent on other channels and in a test send. */
  readonly deviceId?: string;
  /** Of a personalised mail its body, with marks for values; the same object for many mails. */
  readonly message: Readonly<Record<string, unknown>>;
  /** What is this mail's own; absent if all recipients get the same. */
  readonly personal?: PersonalParts;
  readonly purpose: Purpose;
  /** Whether the application tracks opens and clicks of its e-mails. */
  readonly isTracked: boolean;
  /** The application's subject for e-mails without a title. */
  readonly defaultSubject: string | null;
  /** Expiry in milliseconds since the epoch: do not deliver after it. */
  readonly expiresAt: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Identifies the account, over versions of its settings. */
  readonly accountKey: string;
  /** Identifies a version of the account's settings; clients are cached by it. */
  readonly settingsKey: string;
  /**
   * Call immediately before the provider request; false if the row was marked sending too long ago.
   */
  readonly mayBegin: () => boolean;
  /**
   * Aborts when the send lease ends or the process must exit. The channel must then stop the send
   * and close its connection.
   */
  readonly signal: AbortSignal;
};

/** The subject of a personalised mail, and the values for the marks in its body. */
export type PersonalParts = {
  /** Null: the application's default. */
  readonly subject: string | null;
  /** By the number of the mark: escaped for HTML, and as plain text. */
  readonly html: readonly string[];
  readonly text: readonly string[];
};

/** The provider's own response, for the report. */
export type ProviderAnswer = {
  readonly providerId?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  /** Of a mail: what the server’s refusal means. */
  readonly bounce?: Bounce;
  /**
   * The result concerns this recipient only. It does not affect the account or its other
   * deliveries.
   */
  readonly isOfRecipient?: true;
  /**
   * The channel's error map has no row for the code. The code is counted and the result is a safe
   * one.
   */
  readonly isUnmapped?: true;
};

/** The result of one send. */
export type SendResult = ProviderAnswer &
  (
    | { readonly status: 'sent' }
    /** This message can never be delivered. */
    | { readonly status: 'permanent'; readonly reason: DeliveryReason }
    /** This address can never be reached. */
    | {
        readonly status: 'invalid_address';
        readonly reason: DeliveryReason;
        /** The provider will keep rejecting this address; suppress it for this reason. */ readonly suppression?: SuppressionReason;
      }
    /** Certainly not accepted; a retry may succeed. */
    | {
        readonly status: 'transient';
        readonly reason: DeliveryReason;
        readonly retryAfterMs?: number;
        /** Maximum attempts, regardless of the channel's retry schedule. */ readonly attemptsMax?: number;
      }
    /** Deferred by the provider; does not count as an attempt. */
    | { readonly status: 'rate_limited'; readonly retryAfterMs?: number }
    /** Credentials or settings are wrong. The delivery waits until they are corrected. */
    | { readonly status: 'configuration'; readonly reason: DeliveryReason }
    /** The provider may have accepted it. */
    | { readonly status: 'unknown' }
    /** `mayBegin` returned false: nothing was sent. */
    | { readonly status: 'not_sent' }
  );

/** A delivery with an unknown outcome, and what identifies it at the provider. */
export type DeliveryToPoll = Omit<UnknownDelivery, 'message'> &
  Pick<OutgoingDelivery, 'address' | 'settings' | 'secrets' | 'message'>;

/** Polls a provider for outcomes. It never guesses. */
export type OutcomePoller = PollTimes & {
  /**
   * Returns the provider's status, or null if it has none or it is ambiguous. Throws if the
   * provider cannot be reached.
   */
  find(delivery: DeliveryToPoll, isKnown: KnownProviderIds): Promise<PolledStatus | null>;
};

/** A polled status; `suppression` as in `SendResult`. */
export type PolledStatus = Omit<StatusUpdate, 'deliveryId' | 'fence'> & {
  readonly suppression?: SuppressionReason;
};

/** Returns which of these provider ids belong to known deliveries. */
export type KnownProviderIds = (providerIds: readonly string[]) => Promise<ReadonlySet<string>>;

/** A channel sends; the worker does everything else. */
export interface Channel {
  /** Returns every expected outcome; throws only on a bug. */
  send(delivery: OutgoingDelivery): Promise<SendResult>;
  /** The receiver named by a message instead of the settings. It has its own breaker. */
  receiverOf?(message: Readonly<Record<string, unknown>>): string | undefined;
  /** Present if the provider can be polled for unknown outcomes. */
  readonly outcomePoller?: OutcomePoller;
  close?(): Promise<void>;
}

/** What a worker's `service.ts` defines: the channel, its configuration and its constructor. */
export type ChannelDefinition<S extends ConfigSpec & EgressConfigSpec> = {
  readonly channel: ChannelName;
  readonly config: S;
  readonly create: (
    config: ConfigOf<S>,
    tools: { readonly egress: Egress; readonly logger: Logger; readonly concurrency: number },
  ) => Channel;
};
