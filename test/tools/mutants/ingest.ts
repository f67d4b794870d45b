import type { Mutant } from './run-mutants.ts';

const MESSAGE_KEYS = {
  project: 'integration',
  pattern: 'packages/events/src/message-keys.integration',
} as const;
const PROFILES = { project: 'unit', pattern: 'packages/people/src/profile-merge' } as const;

/** Mutants of the rules behind exactly-once ingest. */
export const INGEST_MUTANTS: readonly Mutant[] = [
  {
    name: 'no unique key (application_id, message_id, origin)',
    file: 'packages/database/migrations/53_baseline.sql',
    find: 'message_id, origin)',
    replace: 'message_id, origin, request_id)',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'no unique key of message ids for Client keys',
    file: 'packages/database/migrations/53_baseline.sql',
    find: 'create unique index message_keys_of_clients',
    replace: 'create index message_keys_of_clients',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'no unique key (application_id, service_user_id, time)',
    file: 'packages/database/migrations/53_baseline.sql',
    find: 'create unique index message_keys_by_user_time',
    replace: 'create index message_keys_by_user_time',
    tests: MESSAGE_KEYS,
  },
  {
    name: 'duplicates within a batch are not detected',
    file: 'packages/events/src/decide-duplicates.ts',
    find: '    ids.add(byId);\n    if (byUserTime !== null) userTimes.add(byUserTime);\n',
    replace: '',
    tests: { project: 'unit', pattern: 'packages/events/src/decide-duplicates' },
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
    file: 'packages/people/src/sql/lock-identities-shared.sql',
    find: 'select pg_advisory_xact_lock_shared(hashtextextended(id, $2))',
    replace: 'select hashtextextended(id, $2)',
    tests: { project: 'integration', pattern: 'services/events-consumer/src/deleted-users' },
  },
  {
    name: 'a produce request asks for one acknowledgement, not for all',
    file: 'packages/bus/src/kafka-producer.ts',
    find: 'const ACKS_ALL_IN_SYNC = -1;',
    replace: 'const ACKS_ALL_IN_SYNC = 1;',
    tests: { project: 'integration', pattern: 'packages/bus/src/produce-acks' },
  },
];
