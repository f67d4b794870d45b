// What the service answers, in its own types. They vanish when the pages are built: nothing else of the service gets into them.

import type {
  AdminToken,
  ApiKey as ListedKey,
  CampaignWebhook as EmittedWebhook,
  ChannelHealth,
  Chart,
  ChartPoint,
  CurrencyRevenue,
  Definition as PlainDefinition,
  DefinitionUsage,
  DeliveryRecord,
  EventRecord,
  ListedEvent,
  LogEntry,
  UserRecord,
  WebhookDeliveryRecord,
  WebhookEndpoint,
} from '@tidings/db';
import type {
  CampaignRecord,
  Channel,
  DeadLetterDetail as LetterDetail,
  DeadLetterRecord,
  DeliveryReason,
  SuppressionRecord,
} from '@tidings/contracts';
import type { reportOf } from '../../../src/routes/campaigns/funnel.ts';
import type { toListedDevice } from '../../../src/routes/users/listed-device.ts';

export type {
  Application,
  AuditEntry,
  CampaignEvent,
  IngestReport,
  ListedUser,
  Member,
  MessageDetail,
  TimelineItem,
} from '@tidings/db';
export type { Overview } from '../../../src/overview/read-overview.ts';
export type { Attention } from '../../../src/overview/attention.ts';
export type { AllowList } from '../../../src/routes/allow-list/handlers.ts';
export type { TestSendResult } from '../../../src/routes/channels/test-send.ts';

export type Campaign = CampaignRecord;
export type CampaignReport = ReturnType<typeof reportOf>;
export type CampaignWebhook = EmittedWebhook;
export type Delivery = DeliveryRecord;
export type DeliveryAddress = NonNullable<DeliveryRecord['addresses']>[number];

export type IngestEntry = LogEntry;
export type IngestRefusal = Extract<LogEntry, { readonly outcome: 'refused' }>;
export type StoredEvent = EventRecord;
export type ArrivedEvent = ListedEvent;

export type User = Omit<UserRecord, 'userId' | 'phoneE164' | 'profile'> & {
  readonly profile: UserRecord['profile'] & {
    readonly customAttributes: Readonly<Record<string, unknown>>;
  };
  readonly reachable: Readonly<
    Record<Channel, { readonly ok: boolean; readonly reason?: DeliveryReason }>
  >;
  readonly devices: readonly ReturnType<typeof toListedDevice>[];
};

export type Definition = PlainDefinition & DefinitionUsage;
export type DefinitionDetail = Definition & { readonly samples: readonly ListedEvent[] };
type ChartOf<T> = Pick<Chart, 'outside' | 'byArrival' | 'countedFrom'> & {
  readonly timeZone: string;
  readonly items: readonly T[];
};
export type EventChart = ChartOf<ChartPoint>;
export type Revenue = ChartOf<Pick<ChartPoint, 'at' | 'revenue'>> & {
  readonly currencies: readonly CurrencyRevenue[];
};
export type CurrencySum = CurrencyRevenue;

export type ListedChannel = ChannelHealth;
export type ChannelState = ChannelHealth & { readonly settings: Readonly<Record<string, unknown>> };

export type ApiKey = ListedKey;
export type NewKey = ListedKey & { readonly key: string };
export type Token = AdminToken;
export type NewToken = AdminToken & { readonly token: string };
export type Webhook = WebhookEndpoint;
export type WebhookWithSecret = WebhookEndpoint & { readonly secret: string };
export type WebhookDelivery = WebhookDeliveryRecord;
export type DeadLetter = DeadLetterRecord;
export type DeadLetterDetail = LetterDetail;
export type Suppression = SuppressionRecord;
