import type { Mutant } from './run-mutants.ts';

const SNAPSHOT = 'packages/delivery/src/insert-snapshot.ts';
const SNAPSHOTS = {
  project: 'integration',
  pattern: 'packages/segments/src/snapshot-is-exact',
} as const;
const TAKING = {
  project: 'integration',
  pattern: 'services/campaigns/src/take-snapshots',
} as const;

/** Mutants of the rules behind exact conditions, and behind the recipients of a campaign. */
/** Who of a segment gets a campaign. */
export const SNAPSHOT_MUTANTS: readonly Mutant[] = [
  {
    name: 'of a snapshot, users without a registration are recipients',
    file: 'packages/segments/src/members.ts',
    find: '\n      where ${compiled.isRegistered} and ${compiled.truth}`',
    replace: '\n      where u.application_id = ${compiled.application} and ${compiled.truth}`',
    tests: SNAPSHOTS,
  },
  {
    name: 'a snapshot writes recipients beyond the maximum',
    file: SNAPSHOT,
    find: 'from member where (select n from counted) <= ${max}',
    replace: 'from member where true',
    tests: TAKING,
  },
  {
    name: 'a snapshot leaves out one recipient too many',
    file: SNAPSHOT,
    find: 'm limit ${max + 1}',
    replace: 'm limit ${max}',
    tests: TAKING,
  },
  {
    name: 'chunks of a snapshot are larger than a chunk',
    file: SNAPSHOT,
    find: '(n / ${CHUNK_ROWS_MAX})::int',
    replace: '(n / (${CHUNK_ROWS_MAX} + 1))::int',
    tests: SNAPSHOTS,
  },
  {
    name: 'numbers of a snapshot begin with one',
    file: SNAPSHOT,
    find: 'row_number() over () - 1 as n',
    replace: 'row_number() over () as n',
    tests: SNAPSHOTS,
  },
  {
    name: 'chunks of a large snapshot are express',
    file: SNAPSHOT,
    find: "then 'express' else 'bulk' end",
    replace: "then 'express' else 'express' end",
    tests: TAKING,
  },
  {
    name: 'an excluded segment is not left out',
    file: 'packages/segments/src/audience.ts',
    find: '{ all: [members, { not: excluded }] }',
    replace: 'members',
    tests: SNAPSHOTS,
  },
  {
    name: 'a canceled campaign gets its recipients',
    file: 'packages/delivery/src/sql/snapshots.sql',
    block: 'finish-snapshot',
    find: "and status = 'queued'",
    replace: 'and true',
    tests: TAKING,
  },
  {
    name: 'an expired campaign gets its recipients',
    file: 'packages/delivery/src/sql/snapshots.sql',
    block: 'finish-snapshot',
    find: 'and expires_at > clock_timestamp()',
    replace: 'and true',
    tests: TAKING,
  },
  {
    name: 'a snapshot that came too late is kept',
    file: 'packages/delivery/src/snapshot-tries.ts',
    find: 'if (rowCount !== 1) throw new CampaignGone();',
    replace: 'if (rowCount === null) throw new CampaignGone();',
    tests: TAKING,
  },
  {
    name: 'two processes read the same recipients',
    file: 'packages/delivery/src/snapshots.ts',
    find: 'return rows[0]?.is_locked === true;',
    replace: 'return true;',
    tests: TAKING,
  },
  {
    name: 'users who left are sent to',
    file: 'packages/channel-worker/src/recheck-segment.ts',
    find: 'isUserGone === true || answer.has(customUserId)',
    replace: 'true',
    tests: { project: 'integration', pattern: 'packages/channel-worker/src/recheck-segment' },
  },
];
