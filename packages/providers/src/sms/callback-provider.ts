import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';

/** A status update from the provider about an accepted message, in terms of our delivery states. */
export type SmsStatusUpdate =
  | { readonly state: 'sent' | 'delivered' | 'expired'; readonly suppression?: never }
  | {
      readonly state: 'failed';
      readonly reason: DeliveryReason;
      /** Suppresses the number for this reason. */
      readonly suppression?: SuppressionReason;
    };

/** A received callback. */
export type SmsCallback = {
  /** The exact public URL that was called. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
  /** In milliseconds since the epoch: old signatures count no more. */
  readonly receivedAt: number;
};

/** The account of an application at the provider, from its channel settings. */
export type SmsAccount = {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Null: they cannot be decrypted. */
  readonly secrets: Readonly<Record<string, string>> | null;
};

export type SmsStatusReport = {
  /** Null when the status is unknown. */
  readonly update: SmsStatusUpdate | null;
  readonly providerCode: string;
  readonly providerId?: string;
  /** The number that the message was sent to. */
  readonly address: string;
};

export type OptOutKeyword = 'stop' | 'start' | 'help';

export type InboundSms = {
  readonly address: string;
  readonly keyword: OptOutKeyword | null;
  /** Whether an application with these settings sends from the number that the phone wrote to. */
  readonly isSender: (settings: Readonly<Record<string, unknown>>) => boolean;
};

/** A callback whose form is right. Nothing in it is trusted before `isSigned`. */
export type ReadCallback = {
  /** Whether the provider signed it for this account. */
  readonly isSigned: (account: SmsAccount) => boolean;
  /** The settings that name the account. */
  readonly account: Readonly<Record<string, string>>;
  readonly readStatus: () => SmsStatusReport;
  readonly readInbound: () => InboundSms;
};

/** A provider of SMS as client-api needs it: checks and reads callbacks. */
export type SmsCallbackProvider = {
  /** Null if the provider sends no such request. */
  readonly read: (callback: SmsCallback) => ReadCallback | null;
  /** The response to an inbound message. */
  readonly inboundAnswer: { readonly type: string; readonly body: string };
};
