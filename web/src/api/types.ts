// The response types of the API, derived from its specification. Types only: the bundle contains none of them.

import type { AnswerOf, ItemOf } from '@tidings/api-spec/endpoint';
import type {
  createTokenEndpoint,
  listTokensEndpoint,
} from '@tidings/api-spec/endpoints/administrator-tokens';
import type { readAllowListEndpoint } from '@tidings/api-spec/endpoints/allow-list';
import type { readApplicationEndpoint } from '@tidings/api-spec/endpoints/applications';
import type { listAuditEndpoint } from '@tidings/api-spec/endpoints/audit';
import type {
  listRunsEndpoint,
  listUserRunsEndpoint,
  readAutomationUserEndpoint,
  readRunEndpoint,
} from '@tidings/api-spec/endpoints/automation-runs';
import type {
  listAutomationsEndpoint,
  listAutomationVersionsEndpoint,
  readAutomationEndpoint,
  readAutomationReportEndpoint,
  writeAutomationEndpoint,
} from '@tidings/api-spec/endpoints/automations';
import type { readRehearsalEndpoint } from '@tidings/api-spec/endpoints/rehearsals';
import type {
  listCampaignWebhooksEndpoint,
  readReportEndpoint,
} from '@tidings/api-spec/endpoints/campaign-reports';
import type {
  listCampaignEventsEndpoint,
  listDeliveriesEndpoint,
  readCampaignEndpoint,
} from '@tidings/api-spec/endpoints/campaigns';
import type {
  compareTemplatesEndpoint,
  renderCampaignEndpoint,
} from '@tidings/api-spec/endpoints/campaign-templates';
import type { channelEndpoints } from '@tidings/api-spec/endpoints/channels';
import type {
  listDeadLettersEndpoint,
  readDeadLetterEndpoint,
} from '@tidings/api-spec/endpoints/dead-letters';
import type {
  listDefinitionsEndpoint,
  readChartEndpoint,
  readDefinitionEndpoint,
  readRevenueEndpoint,
} from '@tidings/api-spec/endpoints/definitions';
import type { listDraftsEndpoint, readDraftEndpoint } from '@tidings/api-spec/endpoints/drafts';
import type {
  askFunnelEndpoint,
  listFunnelsEndpoint,
  listFunnelVersionsEndpoint,
} from '@tidings/api-spec/endpoints/funnels';
import type { listEventsEndpoint } from '@tidings/api-spec/endpoints/events';
import type {
  listIngestEndpoint,
  readIngestEndpoint,
  readMessageEndpoint,
} from '@tidings/api-spec/endpoints/ingest';
import type { createKeyEndpoint, listKeysEndpoint } from '@tidings/api-spec/endpoints/keys';
import type { listMembersEndpoint } from '@tidings/api-spec/endpoints/members';
import type { readOverviewEndpoint } from '@tidings/api-spec/endpoints/overview';
import type { searchEndpoint } from '@tidings/api-spec/endpoints/search';
import type {
  countSegmentEndpoint,
  explainSegmentEndpoint,
  listConditionMembersEndpoint,
  listSegmentsEndpoint,
  listSegmentVersionsEndpoint,
  listUserSegmentsEndpoint,
  previewSegmentEndpoint,
  readSegmentEndpoint,
  readSegmentUsesEndpoint,
} from '@tidings/api-spec/endpoints/segments';
import type { readSentMessageEndpoint } from '@tidings/api-spec/endpoints/sent-messages';
import type { listSuggestionsEndpoint } from '@tidings/api-spec/endpoints/suggestions';
import type { listSuppressionsEndpoint } from '@tidings/api-spec/endpoints/suppressions';
import type {
  listBlockVersionsEndpoint,
  readBlockEndpoint,
} from '@tidings/api-spec/endpoints/blocks';
import type {
  listTemplateVersionsEndpoint,
  previewTemplateEndpoint,
  readTemplateEndpoint,
} from '@tidings/api-spec/endpoints/templates';
import type {
  readTestAddressesEndpoint,
  sendTestEndpoint,
} from '@tidings/api-spec/endpoints/test-sends';
import type {
  listUserEventsEndpoint,
  listUsersEndpoint,
  readTimelineEndpoint,
  readUserEndpoint,
} from '@tidings/api-spec/endpoints/users';
import type {
  createWebhookEndpointEndpoint,
  listWebhookDeliveriesEndpoint,
  listWebhooksEndpoint,
} from '@tidings/api-spec/endpoints/webhooks';

export type Application = AnswerOf<typeof readApplicationEndpoint>;
export type AuditEntry = ItemOf<typeof listAuditEndpoint>;
export type Automation = AnswerOf<typeof readAutomationEndpoint>;
export type Rehearsal = AnswerOf<typeof readRehearsalEndpoint>;
/** What a change of one answers. */
export type ChangedAutomation = AnswerOf<typeof writeAutomationEndpoint>;
export type ListedAutomation = ItemOf<typeof listAutomationsEndpoint>;
export type AutomationVersion = ItemOf<typeof listAutomationVersionsEndpoint>;
export type AutomationReport = AnswerOf<typeof readAutomationReportEndpoint>;
export type AutomationUser = AnswerOf<typeof readAutomationUserEndpoint>;
export type ListedRun = ItemOf<typeof listRunsEndpoint>;
export type UserRun = ItemOf<typeof listUserRunsEndpoint>;
export type Run = AnswerOf<typeof readRunEndpoint>;
export type Campaign = AnswerOf<typeof readCampaignEndpoint>;
export type CampaignEvent = ItemOf<typeof listCampaignEventsEndpoint>;
export type CampaignReport = AnswerOf<typeof readReportEndpoint>;
export type CampaignWebhook = ItemOf<typeof listCampaignWebhooksEndpoint>;
export type Delivery = ItemOf<typeof listDeliveriesEndpoint>;
export type DeliveryAddress = NonNullable<Delivery['addresses']>[number];
export type StoredDraft = AnswerOf<typeof readDraftEndpoint>;
export type ListedDraft = ItemOf<typeof listDraftsEndpoint>;
export type TestAddresses = AnswerOf<typeof readTestAddressesEndpoint>;
export type SentTests = AnswerOf<typeof sendTestEndpoint>;
export type Funnel = ItemOf<typeof listFunnelsEndpoint>;
export type FunnelResult = AnswerOf<typeof askFunnelEndpoint>;
export type FunnelVersion = ItemOf<typeof listFunnelVersionsEndpoint>;
export type IngestReport = AnswerOf<typeof readIngestEndpoint>;
export type IngestEntry = ItemOf<typeof listIngestEndpoint>;
export type IngestRejection = Extract<IngestEntry, { readonly outcome: 'rejected' }>;
export type MessageDetail = AnswerOf<typeof readMessageEndpoint>;
export type StoredEvent = ItemOf<typeof listUserEventsEndpoint>;
export type ArrivedEvent = ItemOf<typeof listEventsEndpoint>;
export type ListedUser = ItemOf<typeof listUsersEndpoint>;
export type User = AnswerOf<typeof readUserEndpoint>;
export type TimelineItem = ItemOf<typeof readTimelineEndpoint>;
export type Member = ItemOf<typeof listMembersEndpoint>;
export type Overview = AnswerOf<typeof readOverviewEndpoint>;
export type Attention = Overview['attention'][number];
export type AllowList = AnswerOf<typeof readAllowListEndpoint>;
export type Definition = ItemOf<typeof listDefinitionsEndpoint>;
export type DefinitionDetail = AnswerOf<typeof readDefinitionEndpoint>;
export type EventChart = AnswerOf<typeof readChartEndpoint>;
export type Revenue = AnswerOf<typeof readRevenueEndpoint>;
export type CurrencySum = Revenue['currencies'][number];
export type ListedChannel = Overview['channels'][number];
export type ChannelState = AnswerOf<ReturnType<typeof channelEndpoints>['read']>;
export type ChannelAccount = NonNullable<ChannelState['accounts']>[number];
export type TestSendResult = AnswerOf<ReturnType<typeof channelEndpoints>['test']>;
export type ApiKey = ItemOf<typeof listKeysEndpoint>;
export type NewKey = AnswerOf<typeof createKeyEndpoint>;
export type Token = ItemOf<typeof listTokensEndpoint>;
export type NewToken = AnswerOf<typeof createTokenEndpoint>;
export type Webhook = ItemOf<typeof listWebhooksEndpoint>;
export type WebhookWithSecret = AnswerOf<typeof createWebhookEndpointEndpoint>;
export type WebhookDelivery = ItemOf<typeof listWebhookDeliveriesEndpoint>;
export type DeadLetter = ItemOf<typeof listDeadLettersEndpoint>;
export type DeadLetterDetail = AnswerOf<typeof readDeadLetterEndpoint>;
export type SearchAnswer = AnswerOf<typeof searchEndpoint>;
export type SearchItem = ItemOf<typeof searchEndpoint>;
export type ListedSegment = ItemOf<typeof listSegmentsEndpoint>;
export type Segment = AnswerOf<typeof readSegmentEndpoint>;
export type Uses = AnswerOf<typeof readSegmentUsesEndpoint>;
export type SegmentVersion = ItemOf<typeof listSegmentVersionsEndpoint>;
/** A registered user in a list of people. */
export type Person = ItemOf<typeof listConditionMembersEndpoint>;
export type UserSegment = ItemOf<typeof listUserSegmentsEndpoint>;
export type Suggestions = AnswerOf<typeof listSuggestionsEndpoint>;
export type SegmentPreview = AnswerOf<typeof previewSegmentEndpoint>;
export type SegmentCount = AnswerOf<typeof countSegmentEndpoint>;
export type SegmentExplanation = AnswerOf<typeof explainSegmentEndpoint>;
export type ExplainedPart = SegmentExplanation['tree'][number];
export type Block = AnswerOf<typeof readBlockEndpoint>;
export type BlockVersion = ItemOf<typeof listBlockVersionsEndpoint>;
export type Template = AnswerOf<typeof readTemplateEndpoint>;
export type TemplateVersion = ItemOf<typeof listTemplateVersionsEndpoint>;
export type TemplatePreview = AnswerOf<typeof previewTemplateEndpoint>;
export type RenderedMessage = AnswerOf<typeof renderCampaignEndpoint>;
export type SentMessage = AnswerOf<typeof readSentMessageEndpoint>;
export type TemplateComparison = AnswerOf<typeof compareTemplatesEndpoint>;
export type ComparedTemplate = TemplateComparison['items'][number];
export type Suppression = ItemOf<typeof listSuppressionsEndpoint>;
