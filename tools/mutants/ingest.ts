import type { Mutant } from './run-mutants.ts';

const MESSAGE_KEYS = {
  project: 'integration',
  pattern: 'packages/events/src/message-keys.integration',
} as const;
const BRIDGED_KEYS = {
  project: 'integration',
  pattern: 'packages/events/src/bridged-keys.integration',
} as const;
const MIGRATION = 'packages/database/migrations/77_baseline.sql';
const DERIVED_RECEIPTS = {
  project: 'integration',
  pattern: 'services/events-consumer/src/derived-receipts',
} as const;
const RECEIPTS_MIGRATION = 'packages/database/migrations/77_baseline.sql';
const PROFILES = { project: 'unit', pattern: 'packages/people/src/profile-merge' } as const;

/** Mutants of the rules behind exactly-once ingest. */
export const INGEST_MUTANTS: readonly Mutant[] = [
  {
    name: 'no unique key of message ids',
    file: MIGRATION,
    find: 'id_key uuid primary key',
    replace: 'id_key uuid',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'no unique key of users and times',
    file: MIGRATION,
    find: 'create unique index duplicate_keys_by_user_time',
    replace: 'create index duplicate_keys_by_user_time',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'one name space of message ids for both types of API key',
    file: 'packages/events/src/decide-duplicates.ts',
    find: '${applicationId}:${origin}:${id}',
    replace: '${applicationId}:${id}',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'ids stored before the migration are not looked up',
    file: 'packages/events/src/sql/message-keys.sql',
    block: 'insert-keys',
    find: 'k.application_id = x.application_id\n      and k.message_id = x.message_id',
    replace: 'false',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'users and times stored before the migration are not looked up',
    file: 'packages/events/src/sql/message-keys.sql',
    block: 'insert-keys',
    find: 'k.application_id = x.application_id\n      and k.service_user_id = x.service_user_id',
    replace: 'false',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'keys of the previous version are not written for this one',
    file: MIGRATION,
    find: 'create trigger bridge_new_key before insert on message_keys',
    replace: 'create trigger bridge_new_key before insert on sign_in_failures',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'the previous version is not shown who holds a key',
    file: MIGRATION,
    find: 'from duplicate_keys k where k.id_key = id\n',
    replace: 'from duplicate_keys k where false\n',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'the previous version is not shown who holds a time of a user',
    file: MIGRATION,
    find: 'from duplicate_keys k where k.user_time_key = user_time\n',
    replace: 'from duplicate_keys k where false\n',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'a duplicate of an earlier key keeps its other key',
    file: MIGRATION,
    find: '(k.origin = new.origin or k.holds_both)\n  ) and not exists (',
    replace: '(k.origin = new.origin or k.holds_both) and false\n  ) and not exists (',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'keys that the previous version gives back stay taken for this one',
    file: MIGRATION,
    find: 'create trigger bridge_deleted_key after delete on message_keys',
    replace: 'create trigger bridge_deleted_key after delete on sign_in_failures',
    tests: BRIDGED_KEYS,
  },
  {
    name: 'duplicates within a batch are not detected',
    file: 'packages/events/src/decide-duplicates.ts',
    find: '    ids.add(byId);\n    if (byUserTime !== null) userTimes.add(byUserTime);\n',
    replace: '',
    tests: { project: 'unit', pattern: 'packages/events/src/decide-duplicates' },
  },
  {
    name: 'the receipt of a held event is not written',
    file: 'services/events-consumer/src/apply-event-messages.ts',
    find: 'isDerived: userId === null || isRegistered',
    replace: 'isDerived: true',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'the receipt of a stored event with a reason is not written',
    file: 'services/events-consumer/src/apply-event-messages.ts',
    find: 'if (remark !== undefined) return',
    replace: 'if (remark !== undefined && userId === null) return',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'a stored event gets a pending receipt',
    file: 'packages/events/src/sql/receipts.sql',
    block: 'insert-or-settle-receipts',
    find: "outcome <> 'pending'\n  --",
    replace: 'true\n  --',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'a pending receipt counts more than its event',
    file: 'packages/events/src/sql/parts.sql',
    block: 'shown-receipts',
    find: "coalesce(n.outcome, 'pending') = 'pending'",
    replace: 'n.outcome is null',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'deleted events leave no receipt',
    file: RECEIPTS_MIGRATION,
    find: 'create trigger leave_receipts after delete on events',
    replace: 'create trigger leave_receipts after delete on sign_in_failures',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'a pending receipt stays pending after its event is deleted',
    file: RECEIPTS_MIGRATION,
    find: "do update set outcome = 'stored' where r.outcome = 'pending'",
    replace: 'do nothing',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'deleted events leave receipts that the log has no more',
    file: RECEIPTS_MIGRATION,
    find: 'where exists (\n      select from ingest_requests',
    replace: 'where true or exists (\n      select from ingest_requests',
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'events past the retention of their application lose their user in the log',
    file: 'packages/events/src/sql/due-events.sql',
    block: 'delete-old-events',
    find: "'stored', user_id,",
    replace: "'stored', null,",
    tests: DERIVED_RECEIPTS,
  },
  {
    name: 'only the last update of a user in a batch is applied',
    file: 'packages/people/src/profiles.ts',
    find: 'group.map((update) => stampUpdate(update, settings))',
    replace: 'group.slice(-1).map((update) => stampUpdate(update, settings))',
    tests: { project: 'integration', pattern: 'services/users-consumer/src/apply-user-messages' },
  },
  {
    name: 'values are compared by time only, without the message id',
    file: 'packages/people/src/profile-merge.ts',
    find: 'return a[0] < b[0] ? false : a[1] > b[1];',
    replace: 'return false;',
    tests: PROFILES,
  },
  {
    name: 'fields are compared without their proof rank',
    file: 'packages/people/src/profile-merge.ts',
    find: "  if (a[2] !== b[2]) return b[2] === 'client';\n",
    replace: '',
    tests: PROFILES,
  },
  {
    name: 'consumers do not wait for a user deletion',
    file: 'packages/people/src/sql/deleted-identities.sql',
    block: 'lock-identities-shared',
    find: 'select pg_advisory_xact_lock_shared(hashtextextended(id, $2))',
    replace: 'select hashtextextended(id, $2)',
    tests: {
      project: 'integration',
      pattern: 'services/events-consumer/src/deletion-beside-consumers',
    },
  },
  {
    name: 'a produce request asks for one acknowledgement, not for all',
    file: 'packages/bus/src/kafka-producer.ts',
    find: 'const ACKS_ALL_IN_SYNC = -1;',
    replace: 'const ACKS_ALL_IN_SYNC = 1;',
    tests: { project: 'integration', pattern: 'packages/bus/src/produce-acks' },
  },
];
