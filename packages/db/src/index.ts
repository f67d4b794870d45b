export { connectDatabase, dataErrorState, databaseConfig, databaseFrom, isDatabaseAway, type Database, type DatabaseSettings, type Sql } from './database.ts';
export { migrate } from './migrate.ts';
export { createAdminToken, findAdminToken } from './admin-tokens.ts';
export { createApplication, getApplication, listApplications, updateApplication, type Application, type ApplicationSettings, type Rate, type RatedPath } from './applications.ts';
export { changeKeyToClient, createApiKey, findKeyGrant, listApiKeys, revokeApiKey, type ApiKey, type KeyGrant } from './api-keys.ts';
export {
  listChannelStatuses,
  markChannelReady,
  readChannelSettings,
  writeChannelSettings,
  type ChannelSettings,
  type ChannelStatus,
} from './channel-settings.ts';
export { createDefinition, listDefinitions, type Definition } from './definitions.ts';
export { resolveDefinitions, type EventNaming } from './resolve-definitions.ts';
export { messageOf, type IngestRecord, type MessageRef } from './ingest/record.ts';
export { takeRecords, type IngestConsumer } from './ingest/take-records.ts';
export { resolveIdentities, type Identity } from './ingest/identities.ts';
export { applyUserUpdates, type UserUpdate } from './ingest/profiles.ts';
export { claimMessageKeys, type KeyClaim } from './ingest/message-keys.ts';
export { insertEvents, type AcceptedEvent, type EventRecord } from './ingest/events.ts';
export { readIngestReport, writeReceipts, type IngestReport, type Receipt } from './ingest/receipts.ts';
export { readReachability, whyUnreachable, type Reachability } from './reachability.ts';
export { listUserEvents, readUser, type UserRecord } from './users.ts';
export { acceptCampaign, type NewCampaign } from './campaigns/accept.ts';
export { changeDeliveryStates, type StateChange } from './campaigns/change-states.ts';
export { dueChunks, markAnnounced, postponeChunks, scheduleChunk, takeChunks, type AnnouncedChunk, type DueChunk } from './campaigns/chunks.ts';
export { expandNextChunks, startCampaign } from './campaigns/expand.ts';
export {
  armDeliveries,
  claimChunk,
  readCampaignToSend,
  releaseClaims,
  type CampaignToSend,
  type ClaimedDelivery,
  type Fenced,
} from './campaigns/claims.ts';
export {
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireSendingLeases,
  resolveUnknownRecipients,
  ROWS_PER_SWEEP,
} from './campaigns/sweeps.ts';
export { listCampaignEvents, type CampaignEvent } from './campaigns/list-campaign-events.ts';
export { listDeliveries, type DeliveryRecord } from './campaigns/list-deliveries.ts';
export { listCampaigns, readCampaign } from './campaigns/reports.ts';
