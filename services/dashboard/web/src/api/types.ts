import type {
  CampaignRecord,
  Channel,
  DeliveryReason,
  DeliveryState,
  DeadLetterRecord,
  EventKind,
  FieldError,
  MessageOutcome,
  MessageType,
  WebhookAttempt,
  WebhookDeliveryState,
  WebhookDisabledReason,
  WebhookKind,
} from '@tidings/contracts';

/** A campaign's record; what a younger service adds may be absent. */
export type Campaign = CampaignRecord & { readonly funnel?: Readonly<Partial<Record<string, number>>> };

export type DeliveryAddress = {
  readonly addressNo: number;
  readonly deviceId: string | null;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly providerCode: string | null;
  readonly providerMessage: string | null;
  readonly attempts: number;
  readonly sentAt: number | null;
  readonly updatedAt: number;
};
export type Delivery = {
  readonly deliveryId: string;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly providerCode: string | null;
  readonly providerMessage: string | null;
  readonly attempts: number;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  readonly displayedAt: number | null;
  readonly openedAt: number | null;
  readonly clickedAt: number | null;
  readonly updatedAt: number;
  readonly addresses?: readonly DeliveryAddress[];
};
export type CampaignEvent = {
  readonly seq: string;
  readonly at: number;
  readonly type: string;
  readonly deliveryId?: string;
  readonly addressNo?: number;
  readonly attempt?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly detail?: string;
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly traceId?: string;
};

export type IngestEntry = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly outcome: MessageOutcome | 'refused';
  readonly reason?: string;
  readonly index?: number;
  readonly id?: string;
  readonly type?: MessageType;
  readonly status?: number;
  readonly code?: string;
  readonly path?: string;
  readonly errors?: readonly FieldError[];
  readonly address?: string;
  readonly unlisted?: number;
};
export type IngestReport = {
  readonly requestId: string;
  readonly receivedAt: number;
  readonly complete: boolean;
  readonly messages: readonly { readonly index: number; readonly id: string; readonly type: MessageType; readonly outcome: MessageOutcome; readonly reason?: string }[];
};
export type StoredEvent = {
  readonly id: string;
  readonly type: EventKind;
  readonly slug: string;
  readonly name: string;
  readonly time: number | bigint;
  readonly receivedAt: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly revenue?: number;
  readonly currency?: string;
  readonly requestId?: string;
  readonly customUserId?: string;
};

export type ListedUser = {
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly registeredAt: number;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly phoneNumber: string | null;
};
export type User = {
  readonly customUserId: string;
  readonly serviceUserIds: readonly string[];
  readonly registeredAt: number;
  readonly updatedAt: number;
  readonly profile: Readonly<Record<string, unknown>> & { readonly customAttributes: Readonly<Record<string, unknown>> };
  readonly reachable: Readonly<Record<Channel, { readonly ok: boolean; readonly reason?: string }>>;
  readonly devices: readonly {
    readonly deviceId: string;
    readonly kind: string;
    readonly timeZone: string | null;
    readonly locale: string | null;
    readonly seenAt: number;
    readonly reachable: boolean;
  }[];
};

export type Definition = {
  readonly slug: string;
  readonly name: string;
  readonly kind: EventKind;
  readonly origin: 'auto' | 'predefined';
  readonly discarded: boolean;
  readonly createdAt: number;
  readonly mergedInto?: string;
  readonly events?: number;
  readonly lastReceivedAt?: number | null;
};

export type ChannelStatus = 'not_configured' | 'untested' | 'ready';
export type ChannelState = {
  readonly channel: Channel;
  readonly status: ChannelStatus;
  readonly testedAt?: number | null;
  readonly pause?: { readonly reason: string; readonly providerCode?: string; readonly providerMessage?: string; readonly pausedAt: number };
  readonly breaker?: { readonly cause: string; readonly openedAt: number; readonly probeAt: number; readonly workers: number };
  readonly settings: Readonly<Record<string, unknown>>;
};
export type TestSendAnswer = { readonly ok: boolean; readonly status: string; readonly reason?: string; readonly providerCode?: string; readonly providerMessage?: string; readonly durationMs: number };

export type ApiKey = {
  readonly id: string;
  readonly type: 'server' | 'client';
  readonly name: string;
  readonly prefix: string;
  readonly allowedOrigins: readonly string[];
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
};
export type Webhook = {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly kinds: readonly WebhookKind[];
  readonly channels: readonly Channel[];
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: WebhookDisabledReason | null;
  readonly disabledAt: number | null;
  readonly failingSince: number | null;
  readonly previousSecretUntil: number | null;
  readonly createdAt: number;
};
export type WebhookDelivery = {
  readonly id: string;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: WebhookDeliveryState;
  readonly reason: string | null;
  readonly attempts: number;
  readonly attemptLog: readonly WebhookAttempt[];
  readonly lastAnswer: string | null;
  readonly nextAttemptAt: number | null;
  readonly replayOf: string | null;
  readonly createdAt: number;
};
export type DeadLetter = Omit<DeadLetterRecord, 'offset'> & { readonly offset: number };
export type Suppression = { readonly id: string; readonly channel: string; readonly address: string; readonly reason: string; readonly createdAt: number };
export type Application = { readonly applicationId: string; readonly name: string; readonly settings: Readonly<Record<string, unknown>>; readonly createdAt: number };
