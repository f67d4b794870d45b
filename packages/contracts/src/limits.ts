/** Limits that the interface promises (see README.md). Sizes are in bytes unless the name says otherwise. */
export const LIMITS = {
  ingestBodyBytesMax: 1024 * 1024,
  pushBodyBytesMax: 8 * 1024 * 1024,
  messagesMax: 1000,
  messageBytesMax: 32 * 1024,
  messageKeysMax: 1000,
  messageDepthMax: 16,
  /** Images, or buttons, of a message. */
  messageListItemsMax: 10,
  customUserIdCharsMax: 256,
  messageIdCharsMax: 128,
  nameCharsMax: 64,
  customNameCharsMax: 256,
  recipientsMax: 100_000,
  emailBodyBytesMax: 256 * 1024,
  smsBodyCharsMax: 1600,
  /** Maximum time that push services keep a message; a longer ttl counts as this. */
  ttlSecondsMax: 2_419_200,
  idempotencyKeyCharsMax: 128,
  definitionsMax: 2000,
  /** Live definitions first sent by Client keys, in addition to those of Server keys. */
  clientDefinitionsMax: 500,
  /** Burst size of `clientDefinitionsPerHour`. */
  clientDefinitionsBurst: 100,
  clientDefinitionsPerHour: 20,
  /**
   * serviceUserIds that Client keys and their devices may join to one person without a user token.
   */
  clientServiceUserIdsMax: 50,
  keysMax: 16,
  webhooksMax: 16,
  webhookUrlCharsMax: 2048,
  pageMax: 500,
  sdkBodyBytesMax: 64 * 1024,
  deviceIdCharsMax: 128,
  deviceTokenCharsMax: 4096,
  userTokenCharsMax: 4096,
  receiptsMax: 100,
  segmentsMax: 200,
  segmentNameCharsMax: 256,
  /** Leaves of a condition, and of one with the segments that it names. */
  conditionLeavesMax: 50,
  expandedLeavesMax: 200,
  /** Of an estimate that counts each condition by itself; with more it counts none. */
  conditionCountedLeavesMax: 20,
  conditionDepthMax: 6,
  conditionBytesMax: 16 * 1024,
  conditionTextCharsMax: 1024,
  /** Values of `in`. */
  conditionValuesMax: 1000,
  funnelsMax: 100,
  funnelStepsMin: 2,
  funnelStepsMax: 10,
  funnelWindowDaysMax: 365,
  /** Each with one window, also those of the segments that a condition names. */
  conditionFunnelsMax: 2,
  /** From the first instant that a question about all users asks for to its last. */
  analyticsRangeDaysMax: 400,
  trendSeriesMax: 5,
  trendPointsMax: 1000,
  /** Cells of a cohort. */
  retentionPeriodsMax: 60,
  /** Segments within segments. */
  segmentDepthMax: 3,
  /** Recipients of a campaign to a segment. */
  snapshotMax: 10_000_000,
  /** A campaign may begin this much later, and its time may lie this far in the past. */
  sendAheadDaysMax: 366,
  sendLateMinutesMax: 5,
  templatesMax: 200,
  templateNameCharsMax: 256,
  /** All texts of a message together. */
  templateBytesMax: 256 * 1024,
  /** A message with its variants, as JSON. */
  templateContentBytesMax: 1024 * 1024,
  templateVariantsMax: 20,
  blocksMax: 100,
  /** Of the HTML of a block, and of its plain text. */
  blockCharsMax: 64 * 1024,
  /** What the templates that name a block say together: a change of it writes them all. */
  blockTemplatesBytesMax: 16 * 1024 * 1024,
  /** What a campaign keeps of its templates, as JSON, with the conditions of segments. */
  campaignTemplatesBytesMax: 4 * 1024 * 1024,
  /** Templates that a campaign splits its recipients between, and the highest share of one. */
  splitTemplatesMax: 10,
  splitShareMax: 1000,
  /** How many of a hundred recipients get the templates first, and when the better one is sent. */
  winnerPercentMin: 5,
  winnerPercentMax: 80,
  winnerAfterMinutesMin: 15,
  winnerAfterDaysMax: 7,
  campaignNameCharsMax: 200,
  campaignTagsMax: 10,
  campaignTagCharsMax: 50,
  /** Whom a member sends tests of a message. */
  testAddressesMax: 5,
  /** Drafts of an application. */
  draftsMax: 200,
  /** A draft as JSON. */
  draftBytesMax: 256 * 1024,
  /** A draft that is not changed for so long is deleted. */
  draftDaysMax: 90,
  /** Automations of an application, and those of them that are active or paused. */
  automationsMax: 500,
  activeAutomationsMax: 100,
  automationNameCharsMax: 256,
  /** An automation as JSON. */
  automationBytesMax: 512 * 1024,
  automationNodesMax: 100,
  /** Nodes within nodes. */
  automationDepthMax: 6,
  automationBranchesMax: 10,
  automationExitsMax: 10,
  /** Of a delay, a timeout and the time after which a person may enter again. */
  automationDelayDaysMax: 365,
  /** Between the instants of a schedule. */
  automationScheduleMinutesMin: 15,
  /** Runs of a person at a time, one for each value of `entry.key`. */
  automationRunsOfPersonMax: 10,
  automationKeyCharsMax: 256,
  /** Runs of an application that have not ended. */
  automationRunsMax: 5_000_000,
  /** Of the period of a rehearsal. */
  rehearsalPeriodDaysMax: 92,
  /** Stored events that a rehearsal reads, and for how long it runs. */
  rehearsalEventsMax: 1_000_000,
  rehearsalMinutesMax: 5,
  /** Runs that it shows line by line. */
  rehearsalTracesMax: 100,
  /** Rehearsals are deleted after. */
  rehearsalDaysMax: 7,
  /** Of an application: with the next one the oldest goes. */
  rehearsalsMax: 100,
  /** When branches of a split are compared, and how many runs each of them has had by then. */
  splitWinnerAfterMinutesMin: 15,
  splitWinnerAfterDaysMax: 30,
  splitWinnerMinimumMin: 10,
  splitWinnerMinimumMax: 1_000_000,
  splitWinnerMinimum: 100,
  /** Messages within the time of a throttle. */
  automationThrottleMax: 1_000_000,
} as const;

/** A token bucket: holds up to `burst` tokens and refills `perSecond`. */
export type Rate = { readonly perSecond: number; readonly burst: number };

/** The range of a Long, the type of `time` and `birthday`. */
export const LONG_MIN = -(2n ** 63n);
export const LONG_MAX = 2n ** 63n - 1n;

/**
 * Rates: requests to `/` by Server keys and by Client keys, requests by Client keys from one
 * network address, body bytes by key type, requests to `/push`, to `/sdk`, and to `/sdk` from one
 * device.
 */
export type RateName =
  | 'ingest'
  | 'ingestClient'
  | 'ingestClientAddress'
  | 'ingestBytes'
  | 'push'
  | 'sdk'
  | 'sdkDevice';
