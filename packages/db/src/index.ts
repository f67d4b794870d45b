export {
  connectDatabase,
  dataErrorState,
  databaseConfig,
  databaseFrom,
  isDatabaseAway,
  isMissingPartition,
  isTransactionConflict,
  loadPrisma,
  publicDatabaseConfig,
  type Database,
  type DatabaseSettings,
  type Sql,
} from './database.ts';
export { MIGRATIONS_DIR, concurrentIndexesIn, migrate, migrateFrom } from './migrate.ts';
export { PUBLIC_ROLE } from './public-role.ts';
export { untilMigrated } from './schema-version.ts';
export {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
  revokeAdminTokenText,
  useAdminToken,
  type AdminToken,
} from './admin-tokens.ts';
export {
  closeAuditEntry,
  listAuditEntries,
  openAuditEntry,
  type AuditActor,
  type AuditEntry,
  type AuditQuery,
  type NewAuditEntry,
} from './audit-log.ts';
export { forgetExpired } from './members/forget-expired.ts';
export {
  admitIdentity,
  findMemberByIdentity,
  withdrawRole,
  type Identity as MemberIdentity,
} from './members/identities.ts';
export { type Member } from './members/member.ts';
export {
  addMember,
  changeMember,
  deleteMember,
  findMemberByEmail,
  hasOwner,
  listMembers,
  readMember,
  setPassword,
  type MemberRefusal,
} from './members/members.ts';
export {
  beginSession,
  endSession,
  useSession,
  SESSION_AGE_MAX_MS,
  SESSION_IDLE_MS,
} from './members/sessions.ts';
export {
  rememberPlace,
  returnGuess,
  takeGuess,
  type SignInPlace,
} from './members/sign-in-failures.ts';
export {
  isLinkLive,
  issueFirstLink,
  issueInvitation,
  takeFirstLink,
  takeInvitation,
} from './members/welcome-links.ts';
export {
  createApplication,
  getApplication,
  listApplications,
  readAllowList,
  updateApplication,
  writeAllowList,
  type Application,
  type ApplicationSettings,
  type RateName,
  type SettingsChange,
} from './applications.ts';
export {
  changeKeyToClient,
  createApiKey,
  findKeyGrant,
  listApiKeys,
  noteKeyUses,
  revokeApiKey,
  type ApiKey,
  type KeyGrant,
} from './api-keys.ts';
export {
  listChannelStatuses,
  listSendingChannels,
  markChannelReady,
  readChannelSettings,
  readSettingsVersion,
  readSmsSettingsOfAccount,
  readVapidPublicKey,
  writeChannelSettings,
  type ChannelSettings,
  type ChannelStatus,
} from './channel-settings.ts';
export { countDefinitions } from './definitions/budgets.ts';
export { changeDefinition, mergeDefinition } from './definitions/change-definitions.ts';
export { deleteDefinition } from './definitions/delete-definition.ts';
export {
  createDefinition,
  listDefinitions,
  readDefinition,
  type Definition,
} from './definitions/definitions.ts';
export { NO_USAGE, readDefinitionUsage, type DefinitionUsage } from './definitions/usage.ts';
export {
  readChart,
  readRevenue,
  type Chart,
  type ChartPoint,
  type ChartQuery,
  type CurrencyRevenue,
} from './definitions/charts.ts';
export { resolveDefinitions, type EventNaming } from './definitions/resolve-definitions.ts';
export { messageOf, type IngestRecord, type MessageRef } from './ingest/record.ts';
export { takeRecords, type IngestConsumer } from './ingest/take-records.ts';
export { resolveIdentities, type Identity } from './ingest/identities.ts';
export { renewPhoneNumbers } from './ingest/phone-renewals.ts';
export { applyUserUpdates, type UserUpdate } from './ingest/profiles.ts';
export { claimMessageKeys, type KeyClaim } from './ingest/message-keys.ts';
export { userTimeClaims } from './ingest/user-time-claims.ts';
export { insertEvents, type AcceptedEvent, type EventRecord } from './ingest/events.ts';
export { insertRefusals, type RefusedRequest } from './ingest/refused-requests.ts';
export { reopenReceipts, writeReceipts, type Receipt } from './ingest/receipts.ts';
export {
  fromStoredHeaders,
  insertDeadLetter,
  returnReplay,
  takeReplay,
  type NewDeadLetter,
  type Replay,
} from './ingest/dead-letters.ts';
export {
  askForReplay,
  discardDeadLetter,
  listDeadLetters,
  readDeadLetter,
  withdrawReplay,
  type LetterReader,
  type LetterToReplay,
} from './ingest/dead-letters-desk.ts';
export { findStrangers, forgetStrangers, type Strangers } from './ingest/forget-strangers.ts';
export {
  deleteEventsOf,
  deleteHeldEvents,
  FIRST_RECEIPT,
  type ReceiptPlace,
} from './ingest/due-events.ts';
export {
  deleteDueRows,
  readDatabaseTime,
  shorterEventRetentions,
  TABLES_OF_TRACES,
  type TableOfDueRows,
} from './retention/due-rows.ts';
export { asOnly } from './as-only.ts';
export {
  foldChart,
  foldSums,
  TABLES_OF_CHARTS,
  TABLES_OF_SUMS,
  type TableOfSums,
} from './retention/fold-sums.ts';
export { recountEvents } from './retention/recount-events.ts';
export { asOnlyRetention } from './retention/only-retention.ts';
export {
  dropPartitions,
  endOfDuePartitions,
  makePartitions,
  type SplitTable,
} from './retention/partitions.ts';
export { parseArrivalCursor, type ArrivalPage } from './log/arrival.ts';
export { listEvents, type EventsQuery, type ListedEvent } from './log/events.ts';
export { listIngestLog } from './log/ingest-log.ts';
export { readIngestReport, type IngestReport } from './log/ingest-report.ts';
export { type IngestLogQuery, type LogEntry, type Whose } from './log/log-entry.ts';
export { readWhose } from './log/whose.ts';
export { findMessages } from './log/find-message.ts';
export { readMessageDetail, type MessageDetail } from './log/message-detail.ts';
export { isRefused } from './log/refused.ts';
export { searchUsers, type ListedUser } from './search-users.ts';
export { readReachability, whyUnreachable, type Reachability } from './reachability.ts';
export { listUserEvents, readUser, type UserRecord } from './users.ts';
export { toE164 } from './ingest/e164.ts';
export {
  forgetUnseenDevices,
  listUserDevices,
  readDevice,
  type Device,
  type DeviceAddress,
  type DeviceFacts,
  type DeviceRef,
} from './devices/devices.ts';
export {
  beginToForgetRecipients,
  deleteRecipientRows,
  forgetCampaigns,
} from './campaigns/campaign-retention.ts';
export { renewSeals, SEALED_TABLE_NAMES, type RenewedSeals } from './renew-seals.ts';
export { publicDeviceId } from './devices/public-device-id.ts';
export {
  deleteDevice,
  identifyDevice,
  logOutDevice,
  registerDevice,
} from './devices/device-users.ts';
export {
  readUserTokenSecrets,
  rotateUserTokenSecret,
  type UserTokenSecret,
} from './user-token-secrets.ts';
export {
  addSuppression,
  deleteSuppression,
  findSubscriber,
  liftSuppression,
  listSuppressions,
  readSuppressedChannels,
  suppressAddress,
  type Subscriber,
  type Suppression,
} from './suppressions.ts';
export {
  forgetLinkVisits,
  judgeLinkVisits,
  LINK_VISIT_DECISION_MS,
  noteLinkVisits,
  settleLinkVisits,
  type DecidedVisit,
  type LinkVisit,
} from './links/link-visits.ts';
export { noteDelivery, type DeliveryNote } from './campaigns/note-delivery.ts';
export { deleteUser } from './delete-user.ts';
export { exportUser, type ExportedDelivery, type UserExport } from './export-user.ts';
export {
  acceptCampaign,
  acceptCampaigns,
  type AcceptedCampaign,
  type NewCampaign,
} from './campaigns/accept.ts';
export { forgetIdempotencyKeys, type IdempotencyKey } from './campaigns/idempotency-keys.ts';
export { carryOutActions, type ChunkPosition } from './campaigns/chunk-actions.ts';
export { controlCampaign, type ControlOutcome } from './campaigns/control.ts';
export { changeDeliveryStates, type StateChange } from './campaigns/change-states.ts';
export {
  applyProviderNews,
  findDeliveryOwner,
  type ProviderNews,
} from './campaigns/provider-news.ts';
export { applyLaterOutcomes, type LaterOutcomeResult } from './campaigns/later-outcomes.ts';
export { unsubscribeByOlderLink } from './campaigns/unsubscribe-by-older-link.ts';
export { type LaterOutcome } from './campaigns/outcome-rules.ts';
export {
  confirmLeases,
  findOwnDeliveries,
  leaseMessages,
  readMessageTexts,
  releaseLeases,
  type InboxAnswer,
  type InboxQuestion,
  type LeasedMessage,
  type OwnDelivery,
} from './campaigns/inbox.ts';
export { offerDeliveries, type OfferedDelivery } from './campaigns/offer.ts';
export {
  forgetOpenOutcomes,
  forgetProviderIds,
  knownProviderIds,
  takeUnknownDeliveries,
  type LookUpTimes,
  type UnknownDelivery,
} from './campaigns/look-ups.ts';
export {
  CHUNKS_PER_SWEEP,
  dueChunks,
  markAnnounced,
  postponeChunks,
  putOffChunk,
  scheduleChunks,
  takeChunks,
  type AnnouncedChunk,
  type ChunkDoneWith,
  type DueChunk,
  type PointerPosition,
} from './campaigns/chunks.ts';
export { bulkCampaignsToExpand, dueBulkChunks } from './campaigns/bulk.ts';
export { expandNextChunks, expandSmallCampaigns, startCampaign } from './campaigns/expand.ts';
export {
  armDeliveries,
  armGroups,
  claimChunk,
  claimChunks,
  releaseClaims,
  type Claim,
  type ClaimedDelivery,
  type ClaimedDevice,
  type Fenced,
} from './campaigns/claims.ts';
export { readCampaignsToSend, type CampaignToSend } from './campaigns/campaigns-to-send.ts';
export { unitKey, unitOf, type SendUnit } from './campaigns/send-unit.ts';
export { readDeviceKinds } from './devices/live-devices.ts';
export {
  armWithinCaps,
  forgetCountedSends,
  returnDailyUnits,
  type Arm,
  type CappedArming,
  type SendCaps,
} from './campaigns/arm-within-caps.ts';
export {
  pauseChannel,
  readChannelPause,
  resumeChannel,
  type ChannelPause,
} from './campaigns/channel-pauses.ts';
export {
  forgetBreakersOf,
  noteClosedBreaker,
  noteOpenBreaker,
  readOpenBreakers,
  type BreakerCause,
  type BreakerKey,
  type OpenBreakers,
} from './campaigns/open-breakers.ts';
export { rescheduleWrittenAhead, type WrittenAhead } from './campaigns/reschedule-written-ahead.ts';
export { resolveUnknownRecipients } from './campaigns/unknown-recipients.ts';
export {
  CAMPAIGNS_PER_SWEEP,
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireInbox,
  expireSendingLeases,
  ROWS_PER_SWEEP,
} from './campaigns/sweeps.ts';
export { listCampaignEvents, type CampaignEvent } from './campaigns/list-campaign-events.ts';
export {
  findDeliveries,
  type DeliveriesPage,
  type DeliveriesQuery,
} from './campaigns/find-deliveries.ts';
export {
  listDeliveries,
  type AddressRecord,
  type DeliveryRecord,
} from './campaigns/list-deliveries.ts';
export { measureBacklog, type ChannelBacklog } from './campaigns/measure-backlog.ts';
export {
  reconcileCounters,
  type CounterDifference,
  type Reconciliation,
  type ReconciliationBounds,
} from './campaigns/reconcile.ts';
export { listCampaigns, readCampaign, readCampaignProgress } from './campaigns/reports.ts';
export { traceparentsOf } from './campaigns/traceparents.ts';
export {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  rotateWebhookSecret,
  type WebhookEndpoint,
  type WebhookEndpointChange,
} from './webhooks/endpoints.ts';
export {
  listWebhookDeliveries,
  queueWebhookPing,
  readWebhookDelivery,
  replayWebhookDelivery,
  type WebhookDeliveryRecord,
} from './webhooks/log.ts';
export {
  claimWebhooks,
  failWebhooksOfDisabled,
  recordWebhookOutcomes,
  rescheduleWebhooksWrittenAhead,
  type ClaimedWebhook,
  type DisabledEndpoint,
  type WebhookOutcome,
  type WebhookRoom,
} from './webhooks/queue.ts';
export { endpointsBehind, longestWebhookWait, type EndpointBehind } from './webhooks/waits.ts';
export { listCampaignWebhooks, type CampaignWebhook } from './webhooks/list-campaign-webhooks.ts';
export {
  countWaitingLetters,
  listFailingCampaigns,
  listRefusedAddresses,
  listTroubledWebhooks,
  type FailingCampaign,
  type RefusedAddress,
  type TroubledWebhook,
} from './overview/attention.ts';
export { readChannelHealth, type ChannelHealth } from './overview/channel-health.ts';
export {
  OUTCOME_GROUPS,
  readChannelOutcomes,
  type ChannelOutcomes,
  type OutcomeCounts,
} from './overview/channel-outcomes.ts';
export {
  readDeliveryBacklog,
  readFirstSteps,
  type DeliveryBacklog,
  type FirstSteps,
} from './overview/progress.ts';
export { readThroughput, type Minute } from './overview/throughput.ts';
export { listHeldEvents, type HeldEvents } from './timeline/held-events.ts';
export {
  parseTimelineCursor,
  readTimeline,
  type TimelineItem,
  type TimelinePage,
} from './timeline/timeline.ts';
export { readUserIds } from './timeline/user-ids.ts';
