import type { DeliveryReason, SuppressionReason } from '@tidings/contracts';

/** A status update from the provider about an accepted message, in terms of our delivery states. */
export type SmsStatusUpdate =
  | { readonly state: 'sent' | 'delivered' | 'expired'; readonly suppression?: never }
  | {
      readonly state: 'failed';
      readonly reason: DeliveryReason;
      /** Suppresses the number for this reason. */
      readonly suppression?: SuppressionReason;
    };

export type CallbackForm = Readonly<Record<string, string>>;

/** A received callback. */
export type SmsCallback = {
  /** The exact public URL that was called; it is part of the signature. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly form: CallbackForm;
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

/** A provider of SMS as client-api needs it: checks and parses callbacks. */
export type SmsCallbackProvider = {
  /** Its name in URLs and metrics. */
  readonly slug: string;
  /** Whether the provider signed this callback with these secrets of the account. */
  readonly isSigned: (
    callback: SmsCallback,
    secrets: Readonly<Record<string, string>> | null,
  ) => boolean;
  readonly readStatus: (form: CallbackForm) => SmsStatusReport;
  /** The account that an inbound message came to. */
  readonly readAccount: (form: CallbackForm) => string;
  readonly readInbound: (form: CallbackForm) => InboundSms;
  /** The response to an inbound message. */
  readonly inboundAnswer: { readonly type: string; readonly body: string };
};
