export { applyRecords, type RecordApplier } from './apply-records.ts';
export {
  configureChannel,
  configureEmail,
  createSendingApplication,
  createSendingCampaign,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  setAttributes,
  someIds,
  testSecretBox,
} from './campaigns.ts';
export { countCompiledSchemas, LOGS_COMPILATIONS } from './compiled-schemas.ts';
export { openTestCoordination } from './coordination.ts';
export {
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
  publicTestDatabaseUrl,
  testDatabaseUrl,
  transactUntilDone,
  untilBlockedBy,
} from './database.ts';
export { createPushCampaign, giveDevices, someDevices, type DevicesOfUsers } from './devices.ts';
export { eventually, Hopeless } from './eventually.ts';
export { actionMessage, ingestRecord, userMessage } from './factories.ts';
export { createFakeClock, type FakeClock } from '@tidings/platform/testing';
export { createRecordingLogger } from './logger.ts';
export { propertyRuns } from './property-runs.ts';
export { randomFrom } from './random.ts';
export { casesOfRun, seedsOfRun } from './seeds-of-run.ts';
export { expectSecondsLeft } from './seconds-left.ts';
export { createOwnDatabase } from './own-database.ts';
export { createRelay, type Relay } from './relay.ts';
export { spawnService, type SpawnedService } from './spawn-service.ts';
export { changesOf } from './user-changes.ts';
