import type { Mutant } from './run-mutants.ts';

const INTAKE = 'packages/campaign-intake/src';
const DELIVERY = 'packages/delivery/src';
const WORKER = 'packages/channel-worker/src';

const WHOM = { project: 'unit', pattern: 'services/gateway/src/routes/push/segment' } as const;
const WHEN = { project: 'unit', pattern: 'services/gateway/src/routes/push/schedule' } as const;
const GATEWAY = {
  project: 'integration',
  pattern: 'services/gateway/src/routes/push/segment',
} as const;
const TO_SEGMENT = {
  project: 'integration',
  pattern: 'services/api/src/routes/campaigns/200-send-segment',
} as const;
const FOR_LATER = {
  project: 'integration',
  pattern: 'services/api/src/routes/campaigns/200-schedule',
} as const;
const TAKING = {
  project: 'integration',
  pattern: 'services/campaigns/src/take-snapshots',
} as const;
const SLOW = {
  project: 'integration',
  pattern: 'services/campaigns/src/slow-segments',
} as const;
const RELEASE = {
  project: 'integration',
  pattern: 'services/campaigns/src/release-scheduled',
} as const;
const LOCAL = { project: 'integration', pattern: `${DELIVERY}/local-times` } as const;
const RECHECK = { project: 'integration', pattern: `${WORKER}/recheck-segment` } as const;

/**
 * Mutants of the rules behind whom a push to a segment reaches, and when one for later is sent: to
 * no one else, not earlier, and once.
 */
export const AUDIENCES_MUTANTS: readonly Mutant[] = [
  // Whom a push names
  {
    name: 'recipients beside a segment are ignored',
    file: `${INTAKE}/audience-faults.ts`,
    find: 'return [...both, ...segmentFaults(segment)];',
    replace: 'return segmentFaults(segment);',
    tests: WHOM,
  },
  {
    name: 'an exclusion beside a list is ignored',
    file: `${INTAKE}/audience-faults.ts`,
    find: '[...missingRecipients(push), ...withoutSegment(push)]',
    replace: 'missingRecipients(push)',
    tests: WHOM,
  },
  {
    name: 'an exclusion is not read',
    file: `${INTAKE}/read-push.ts`,
    find: 'exclude: exclude ?? null',
    replace: 'exclude: null',
    tests: TO_SEGMENT,
  },
  {
    name: 'a push is not asked again',
    file: `${INTAKE}/read-push.ts`,
    find: 'recheck: recheck === true',
    replace: 'recheck: false',
    tests: TO_SEGMENT,
  },
  {
    name: 'an exclusion is not stored',
    file: `${INTAKE}/resolve-audience.ts`,
    find: 'exclude: exclude === null ? null : {',
    replace: 'exclude: exclude !== null ? null : {',
    tests: TO_SEGMENT,
  },
  {
    name: 'a dry run is sent',
    file: `${INTAKE}/accept-push.ts`,
    find: 'if (push.isDryRun) {',
    replace: 'if (push.isDryRun === null) {',
    tests: GATEWAY,
  },
  {
    name: 'a repeated push looks for its segment again',
    file: `${INTAKE}/accept-push.ts`,
    find: 'if (audience !== null || ',
    replace: 'if (',
    tests: TO_SEGMENT,
  },

  // Whom it reaches
  {
    name: 'who is in an excluded segment that is gone is sent to',
    file: 'packages/segments/src/audience.ts',
    find: 'if (stored.exclude !== null && excluded === null)',
    replace: 'if (stored.exclude === undefined)',
    tests: TAKING,
  },
  {
    name: 'a condition may name a segment that is gone',
    file: 'packages/segments/src/audience.ts',
    find: '  if (unknown !== undefined) return missing(unknown.slug);\n',
    replace: '',
    tests: TAKING,
  },
  {
    name: 'a campaign asks the segments of its conditions as they are later',
    file: 'packages/segments/src/audience.ts',
    find: 'condition: inlineSegments(condition, context) });',
    replace: 'condition });',
    tests: TAKING,
  },
  {
    name: 'a segment that a campaign will ask may be deleted',
    file: 'packages/segments/src/uses.ts',
    find: '+ campaignIds.length',
    replace: '',
    tests: TAKING,
  },
  {
    name: 'a segment that another one names may be deleted',
    file: 'packages/segments/src/uses.ts',
    find: 'segments.length + campaign',
    replace: 'campaign',
    tests: { project: 'integration', pattern: 'services/api/src/routes/segments/409' },
  },
  {
    name: 'a segment is overwritten by who has not seen its version',
    file: 'packages/segments/src/segments.ts',
    find: "      return 'moved';\n",
    replace: "      if (expectedVersion < 0) return 'moved';\n",
    tests: { project: 'integration', pattern: 'services/api/src/routes/segments/409' },
  },
  // How long its users may take to read
  {
    name: 'the slow lane has a place in each process',
    file: `${DELIVERY}/snapshots.ts`,
    find: "if (isSlow && !(await tryAdvisoryLock(sql, 'slowSnapshots'))) return false;",
    replace: '',
    tests: SLOW,
  },
  {
    name: 'an application stands in the slow lane with all of its campaigns',
    file: `${DELIVERY}/sql/slow-lane.sql`,
    block: 'next-in-slow-lane',
    find: 'order by s.since, s.application_id',
    replace: 'order by c.snapshot_slow_at',
    tests: SLOW,
  },
  {
    name: 'an application has more than one first try at a time',
    file: 'services/campaigns/src/take-snapshots.ts',
    find: 'running.add(applicationId);',
    replace: '',
    tests: SLOW,
  },
  {
    name: 'tries have no bound',
    file: `${DELIVERY}/snapshots.ts`,
    find: 'campaign.tries > triesMax',
    replace: 'campaign.tries < 0',
    tests: SLOW,
  },
  {
    name: 'a try that ended with its process in order counts',
    file: `${DELIVERY}/snapshots.ts`,
    find: 'if (isCounted && signal.aborted) await returnTry(keyedDb, campaignId);',
    replace: '',
    tests: SLOW,
  },
  {
    name: 'a statement goes on after its campaign was canceled',
    file: 'services/campaigns/src/take-snapshots.ts',
    find: 'canceling.abort();\n',
    replace: '',
    tests: SLOW,
  },
  {
    name: 'recipients are read although they were read',
    file: `${DELIVERY}/sql/snapshot-tries.sql`,
    block: 'begin-snapshot-try',
    find: "  and lane = 'snapshot'\n",
    replace: '',
    tests: TAKING,
  },
  {
    name: 'no campaign asks its segment again',
    file: `${DELIVERY}/sql/campaigns-to-send.sql`,
    block: 'read-campaigns-to-send',
    find: "when (c.audience ->> 'recheck')::boolean then",
    replace: 'when false then',
    tests: RECHECK,
  },
  {
    name: 'who is excluded meanwhile is sent to',
    file: `${WORKER}/recheck-segment.ts`,
    find: 'recheck.exclude?.condition ?? null',
    replace: 'null',
    tests: RECHECK,
  },
  {
    name: 'while the question takes too long all are sent to',
    file: `${WORKER}/recheck-segment.ts`,
    find: "if (answer === 'timed_out') return answer;",
    replace: "if (answer === 'timed_out') return { staying: claimed, left: [] };",
    tests: RECHECK,
  },
  {
    // Their rows are settled before others are marked as sending, so both must be missing.
    name: 'a worker does not ask a segment again',
    file: `${WORKER}/send-chunk.ts`,
    find: 'const { staying, left } = rechecked;',
    replace: 'const { staying, left } = { staying: claimed, left: [] };',
    tests: RECHECK,
  },
  {
    name: 'the inbox delivers to those who left too',
    file: `${WORKER}/deliver-to-inbox.ts`,
    find: 'checkRecipients(deps, campaign, staying)',
    replace: 'checkRecipients(deps, campaign, claimed)',
    tests: RECHECK,
  },

  // When one for later is sent
  {
    name: 'a local time beside an instant is ignored',
    file: `${INTAKE}/schedule.ts`,
    find: 'if (sendAt !== undefined && sendAt !== null)',
    replace: "if (sendAt === '')",
    tests: WHEN,
  },
  {
    name: 'a time that has long passed is now',
    file: `${INTAKE}/schedule.ts`,
    find: 'last >= now - LIMITS.sendLateMinutesMax * MINUTE_MS &&',
    replace: 'last >= now - 1e18 &&',
    tests: FOR_LATER,
  },
  {
    name: 'each push is for now',
    file: `${INTAKE}/schedule.ts`,
    find: 'isLater: first > now,',
    replace: 'isLater: false,',
    tests: FOR_LATER,
  },
  {
    name: 'a campaign for later is queued at once',
    file: `${INTAKE}/accept-push.ts`,
    find: "if (answer.status === 'queued')",
    replace: "if (answer.status !== 'failed')",
    tests: FOR_LATER,
  },
  {
    name: 'a repeated push compares its time again',
    file: `${INTAKE}/accept-push.ts`,
    find: 'push.schedule !== null || ',
    replace: '',
    tests: FOR_LATER,
  },
  {
    name: 'a campaign for later is stored as one for now',
    file: `${DELIVERY}/accept.ts`,
    find: '  if (schedule?.isLater === true) return SCHEDULED_LANE;\n',
    replace: '',
    tests: RELEASE,
  },
  {
    name: 'campaigns are released before their time',
    file: `${DELIVERY}/sql/schedules.sql`,
    block: 'release-scheduled',
    find: 'and send_at <= now()',
    replace: 'and send_at is not null',
    tests: RELEASE,
  },
  {
    name: 'a campaign whose queue record comes early begins',
    file: `${DELIVERY}/sql/expand.sql`,
    block: 'lock-small-campaigns',
    find: "      and lane = 'express'\n",
    replace: '',
    tests: RELEASE,
  },
  {
    name: 'a canceled campaign is released',
    file: `${DELIVERY}/sql/schedules.sql`,
    block: 'release-scheduled',
    find: " and status = 'queued'",
    replace: '',
    tests: RELEASE,
  },
  {
    name: 'a campaign is released by each process',
    file: `${DELIVERY}/sql/schedules.sql`,
    block: 'release-scheduled',
    find: '  for no key update skip locked\n',
    replace: '',
    tests: RELEASE,
  },
  {
    name: 'a campaign to a segment begins without its recipients',
    file: `${DELIVERY}/sql/schedules.sql`,
    block: 'release-scheduled',
    find: "    when c.audience is not null then 'snapshot'\n",
    replace: '',
    tests: RELEASE,
  },
  {
    name: 'a campaign that began gets another time',
    file: `${DELIVERY}/change-campaign.ts`,
    find: "if (campaign.status !== 'scheduled')",
    replace: "if (campaign.status === 'failed')",
    tests: RELEASE,
  },
  {
    name: 'a local time is that of the first zone for all',
    file: `${DELIVERY}/expand.ts`,
    find: 'const due = await holdUntilLocalTime(sql, local);',
    replace: 'const due = new Set(local.map(chunkKey));',
    tests: LOCAL,
  },
  {
    name: 'who registers late gets a message before its local time',
    file: `${DELIVERY}/unknown-recipients.ts`,
    find: 'row.is_ready && row.is_local === true',
    replace: 'row.is_ready && row.is_local === null',
    tests: LOCAL,
  },
  {
    name: 'a device whose proof is of another user decides the local time',
    file: 'packages/people/src/sql/parts.sql',
    block: 'proves',
    find: ' and v.user_id_at_proof = v.user_id',
    replace: '',
    tests: LOCAL,
  },
];
