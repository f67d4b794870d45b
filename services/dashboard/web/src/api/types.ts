// What the service answers, in its own types. They vanish when the pages are built: nothing else of the service gets into them.

import type { AdminToken } from '@tidings/accounts/admin-tokens';
import type { ApiKey as ListedKey } from '@tidings/accounts/api-keys';
import type {
  CampaignRecord,
  Channel,
  DeadLetterDetail as LetterDetail,
  DeadLetterRecord,
  DeliveryReason,
  SuppressionRecord,
} from '@tidings/contracts';
import type { DeliveryRecord } from '@tidings/delivery/list-deliveries';
import type { Definition as PlainDefinition } from '@tidings/events/definitions/definitions';
import type { DefinitionUsage } from '@tidings/events/definitions/usage';
import type { EventRecord } from '@tidings/events/events';
import type { LogEntry } from '@tidings/events/log/log-entry';
import type { UserRecord } from '@tidings/people/users';
import type { WebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import type { WebhookDeliveryRecord } from '@tidings/webhook-queue/log';
import type { CampaignWebhook as EmittedWebhook } from '../../../src/queries/campaigns/list-campaign-webhooks.ts';
import type { ChannelHealth } from '../../../src/queries/overview/channel-health.ts';
import type { Chart, ChartPoint, CurrencyRevenue } from '../../../src/queries/charts/charts.ts';
import type { ListedEvent } from '../../../src/queries/log/events.ts';
import type { reportOf } from '../../../src/routes/campaigns/funnel.ts';
import type { toListedDevice } from '../../../src/routes/users/listed-device.ts';

export type { Application } from '@tidings/accounts/applications';
export type { AuditEntry } from '@tidings/accounts/audit-log';
export type { CampaignEvent } from '@tidings/delivery/list-campaign-events';
export type { IngestReport } from '@tidings/events/log/ingest-report';
export type { ListedUser } from '../../../src/queries/users/search-users.ts';
export type { Member } from '@tidings/accounts/members/member';
export type { MessageDetail } from '../../../src/queries/log/message-detail.ts';
export type { TimelineItem } from '../../../src/queries/timeline/timeline.ts';
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
