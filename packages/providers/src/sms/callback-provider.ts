import type { DeliveryReason, SuppressionReason } from '@tidings/contracts';

/** What a provider says of a message after it took it, in the words of a delivery. */
export type SmsStatusUpdate =
  | { readonly state: 'sent' | 'delivered' | 'expired'; readonly suppression?: undefined }
  | {
      readonly state: 'failed';
      readonly reason: DeliveryReason;
      /** Nothing is sent to the number any more, for this reason. */
      readonly suppression?: SuppressionReason;
    };

export type CallbackForm = Readonly<Record<string, string>>;

/** A callback as it came in. */
export type SmsCallback = {
  /** The public address that was called, to the letter. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly form: CallbackForm;
};

export type SmsStatusReport = {
  /** Null while the callback says nothing new. */
  readonly update: SmsStatusUpdate | null;
  readonly providerCode: string;
  readonly providerId?: string;
  /** The number that the message went to. */
  readonly address: string;
};

export type OptOutKeyword = 'stop' | 'start' | 'help';

export type InboundSms = {
  readonly address: string;
  readonly keyword: OptOutKeyword | null;
  /** Whether an application with these settings sends from where the phone wrote to. */
  readonly isSender: (settings: Readonly<Record<string, unknown>>) => boolean;
};

/** What client-api knows of a provider of SMS: how to check and read its callbacks. */
export type SmsCallbackProvider = {
  /** Its name in addresses and metrics. */
  readonly slug: string;
  /** Whether the provider signed this callback for the account with these secrets. */
  readonly isSigned: (
    callback: SmsCallback,
    secrets: Readonly<Record<string, string>> | null,
  ) => boolean;
  readonly readStatus: (form: CallbackForm) => SmsStatusReport;
  /** The account that a message of a phone came to. */
  readonly readAccount: (form: CallbackForm) => string;
  readonly readInbound: (form: CallbackForm) => InboundSms;
  /** The answer to a message of a phone. */
  readonly inboundAnswer: { readonly type: string; readonly body: string };
};
