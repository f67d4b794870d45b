export {
  CHANNELS,
  CHANNEL_SLUGS,
  EXPRESS_RECIPIENTS_MAX,
  INBOX_CHANNELS,
  LANES,
  POLLED_CHANNELS,
  RETRY_IF_UNKNOWN,
  isInboxChannel,
  chooseLane,
  type Channel,
  type InboxChannel,
  type Lane,
} from './channels.ts';
export { CHANNEL_DESCRIPTORS, mapChannels, type ProviderName } from './channels/descriptors.ts';
export type {
  CapUnit,
  ChannelAddress,
  ChannelDescriptor,
  MessagePreview,
  RetryPolicy,
} from './channels/descriptor.ts';
export type { ComposerField } from './channels/composer.ts';
export { VISIBLE, type FieldSchema } from './channels/message-schema.ts';
export type { TemplatedFields, TemplatedKind } from './channels/templated-fields.ts';
export {
  DEVICES_SENT_TO_MAX,
  DEVICE_CHANNELS,
  DEVICE_KIND_OF,
  isDeviceChannel,
  type DeviceChannel,
} from './device-channels.ts';
export {
  ADDRESS_OF,
  CONTACT_FIELDS,
  isE164,
  isMailbox,
  isTestAddress,
  TEST_ADDRESS_CHARS_MAX,
  type AddressLookup,
} from './addresses.ts';
export { STORABLE, STORABLE_LINE, STORABLE_NOT_BLANK } from './storable-text.ts';
export {
  listSecretSettings,
  type Setting,
  type SettingsForm,
} from './channels/settings/setting.ts';
export {
  buildSettingsSchema,
  hasSeveralProviders,
  PROVIDER_SETTING,
  providerNameOf,
  providerOf,
  type ChannelProvider,
} from './channels/provider.ts';
export {
  MARKETING_SUPPRESSION,
  SUPPRESSION_REASONS,
  type SuppressionReason,
} from './suppression-reasons.ts';
export {
  SUPPRESSIBLE_CHANNELS,
  type SuppressibleChannel,
  type SuppressionRecord,
} from './suppressions.ts';
export {
  DEFAULT_TIME_ZONE,
  FREQUENCY_WINDOW_HOURS_MAX,
  POLICY_ACTIONS,
  TIME_ZONE_ATTRIBUTE,
  type FrequencyCap,
  type PolicyAction,
  type QuietHours,
  type WithDefault,
} from './policies.ts';
export {
  APP_PUSH_PAYLOAD_BYTES_MAX,
  WEB_PUSH_PAYLOAD_BYTES_MAX,
  isDeviceToken,
  parseWebPushSubscription,
  type AppPushData,
  type WebPushNotification,
  type WebPushSubscription,
} from './push-notifications.ts';
export {
  LINK_PATHS,
  LINK_PURPOSES,
  RETURN_LOCAL_PART,
  MAIL_FALLBACK_SUBJECT,
  RETURN_TOKEN_HEADER,
  UNSUBSCRIBE_PLACEHOLDER,
  isWebAddress,
} from './links.ts';
export { RETRY_UNKNOWN_AFTER_MS, shouldRetryUnknown } from './retry-unknown.ts';
export { type PushShare, type PushTemplateFields } from './push-templates.ts';
export {
  RENDER_FAULTS,
  TEMPLATE_ATTRIBUTES,
  TEMPLATE_USER_FIELDS,
  type CampaignTemplate,
  type NamedCampaignTemplate,
  type RenderFaultCode,
  type TemplateContent,
  type TemplateVariant,
} from './templates.ts';
export { isTimeZone } from './time-zones.ts';
export { smsSegments, type SmsSegments } from './sms-segments.ts';
export {
  CONSUMER_GROUPS,
  TOPICS,
  TOPIC_SPECS,
  dispatchTopic,
  workerName,
  type TopicSpec,
} from './topics.ts';
export {
  DEAD_LETTER_ERROR_CLASSES,
  DEAD_LETTER_STATUSES,
  REPLAY_HEADERS,
  replayHeaders,
  type DeadLetterDetail,
  type DeadLetterErrorClass,
  type DeadLetterRecord,
  type DeadLetterStatus,
} from './dead-letters.ts';
export {
  ERROR_CODES,
  FIELD_CODES,
  FIELD_ERRORS_MAX,
  WARNINGS_MAX,
  WARNING_CODES,
  type ErrorCode,
  type FieldCode,
  type FieldError,
  type Problem,
  type Warning,
  type WarningCode,
} from './error-codes.ts';
export {
  CONDITION_KEYS,
  nodeOf,
  type Condition,
  type ConditionKey,
  type ConditionNode,
} from './conditions.ts';
export type { LeafDescriptor, Phrases } from './leaves/descriptor.ts';
export {
  LEAF_DESCRIPTORS,
  LEAF_KINDS,
  type FactCondition,
  type FactKind,
  type LeafCondition,
  type LeafKind,
  type LeafOf,
  type LeafWith,
} from './leaves/descriptors.ts';
export type { FollowingEvent } from './leaves/event.ts';
export { DERIVED_FIELDS, type ConditionField } from './leaves/field.ts';
export type { LeafField } from './leaves/fields.ts';
export { MESSAGE_MILESTONES, type MessageMilestone } from './leaves/message.ts';
export {
  COMPARISON_GROUPS,
  type AttributeComparison,
  type AttributePath,
  type Comparison,
  type ConditionInstant,
  type ConditionValue,
  type Duration,
  type EventReference,
  type EventWindow,
  type NumberRange,
} from './leaves/parts.ts';
export { ConditionSchema } from './condition-schema.ts';
export { COUNTRIES } from './countries.ts';
export { CURRENCIES, EVENT_CURRENCIES, WITHDRAWN_CURRENCIES } from './currencies.ts';
export { isEmptyUuid, isSuspiciousId } from './suspicious-ids.ts';
export { LIMITS, LONG_MAX, LONG_MIN, type Rate, type RateName } from './limits.ts';
export {
  MEMBER_ROLES,
  PASSWORD_CHARS,
  MANAGEABLE_ROLES,
  SIGN_IN_FAULTS,
  invitationUrl,
  setupUrl,
  type MemberRole,
  type SignInFault,
} from './members.ts';
export {
  ENVELOPE_FIELDS,
  EVENT_KINDS,
  IngestEnvelope,
  IngestMessage,
  MESSAGE_FIELDS,
  MESSAGE_OUTCOMES,
  MESSAGE_TYPES,
  PROFILE_FIELDS,
  PROFILE_STRING_FIELDS,
  RECEIPT_REASONS,
  type EventKind,
  type EventMessage,
  type IngestAccepted,
  type RejectedMessage,
  type MessageOutcome,
  type MessageType,
  type ProfileField,
  type ProfileUpdate,
  type ReceiptReason,
} from './ingest.ts';
export { PURPOSES, type Purpose } from './purposes.ts';
export {
  PUSH_FIELDS,
  PUSH_ITEM_FIELDS,
  PUSH_MESSAGES,
  PUSH_MESSAGE_FIELDS,
  PUSH_WITHOUT_SEGMENT,
  PushRequest,
  channelInNames,
  messageSchema,
  type PushMessage,
} from './push.ts';
export {
  PUSH_AUDIENCE_FIELDS,
  type CampaignAudience,
  type PushSegment,
  type StoredAudience,
} from './push-audience.ts';
export { looksLikeSeconds } from './seconds.ts';
export { SLUG_DESCRIPTION, SLUG_PATTERN } from './slug.ts';
export {
  LOCAL_TIME,
  PUSH_SCHEDULE_FIELDS,
  localTimeBounds,
  localTimeMs,
  sendTimeExpected,
  type CampaignSchedule,
} from './push-schedule.ts';
export { BOUNCE_CLASSES, type Bounce, type BounceClass, type BounceCounts } from './bounces.ts';
export {
  CAMPAIGN_ACTIONS,
  CAMPAIGN_FAILURE_REASONS,
  CAMPAIGN_SOURCES,
  CAMPAIGN_STATUSES,
  CAMPAIGN_VERDICTS,
  UNKNOWN_RECIPIENT_RETRY_SECONDS,
  type CampaignAction,
  type CampaignCounts,
  type CampaignFailureReason,
  type CampaignRecord,
  type CampaignResult,
  type CampaignSource,
  type CampaignStatus,
  type CampaignVerdict,
  type DeliveryAttempts,
  type FailureCounts,
  type DryRunAnswer,
  type PushAccepted,
  type SegmentDryRunAnswer,
  type SegmentEstimate,
  type SegmentPushAccepted,
} from './campaigns.ts';
export {
  ATTEMPT_OUTCOMES,
  DELIVERY_REASONS,
  DELIVERY_STATES,
  DELIVERY_UPDATES,
  STATE_GROUPS,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
  type AttemptOutcome,
  type DeliveryReason,
  type DeliveryState,
  type DeliveryUpdateName,
  type SuccessState,
} from './deliveries.ts';
export {
  countAttempts,
  computeCampaignResult,
  isReported,
  countNotReachable,
  decideVerdict,
} from './campaign-result.ts';
export {
  CHUNK_ROWS_MAX,
  INGEST_HEADERS,
  KEY_TYPES,
  ingestRecordHeaders,
  ingestRecordIndexes,
  ingestRecordKinds,
  type CampaignQueueRecord,
  type ChunkRef,
  type DispatchRecord,
  type IngestRecordHeaders,
  type KeyType,
} from './records.ts';
export {
  WEBHOOK_ATTEMPT_ERRORS,
  WEBHOOK_DELIVERY_STATES,
  WEBHOOK_DISABLED_REASONS,
  WEBHOOK_FAILURE_REASONS,
  WEBHOOK_KINDS,
  WEBHOOK_ROTATION_HOURS,
  type WebhookAttempt,
  type WebhookAttemptError,
  type WebhookDeliveryState,
  type WebhookDisabledReason,
  type WebhookEvent,
  type WebhookFailureReason,
  type WebhookKind,
} from './webhooks.ts';
export {
  ClaimedUserId,
  ClientConfigAnswer,
  DEVICE_KINDS,
  DeviceAnswer,
  DeviceId,
  DeviceRegistration,
  Identification,
  InboxMessages,
  LogOut,
  MessageReceipts,
  RECEIPT_EVENTS,
  RECEIPT_STATUSES,
  ReceiptResults,
  USER_TOKEN_ROTATION_HOURS,
  USER_TOKEN_RULES,
  type ClientConfig,
  type DeviceAnswerBody,
  type DeviceKind,
  type DeviceRegistrationBody,
  type IdentificationBody,
  type LogOutBody,
  type MessageReceipt,
  type MessageReceiptsBody,
  type ReceiptEvent,
  type ReceiptResult,
  type UserClaim,
  type UserTokenRule,
} from './client-side.ts';
export { ATTENTION_KINDS, type AttentionKind } from './attention.ts';
export { EXPLANATIONS } from './explanations/explanations.ts';
export type { Explanation } from './explanations/explanation.ts';
export { messageIndexOf, messageOf, type IngestRecord, type MessageRef } from './ingest-record.ts';
export { API_VERSION, PROBLEM_TYPE } from './http.ts';
export { type ApplicationSettings } from './application-settings.ts';
