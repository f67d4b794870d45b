import { afterAll, describe, expect, test } from '@jest/globals';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { listDefinitions } from '@tidings/events/definitions/definitions';
import { systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase } from '@tidings/testing';
import { eventTenant } from './testing/event-tenant.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const newTenant = () => eventTenant(db);

describe('the reason', () => {
  type Case = {
    readonly ids?: Partial<IngestRecord>;
    readonly fields: Record<string, unknown>;
    readonly is: string;
  };
  /**
   * Every message has the id of a processed one and, with `knownUser`, its time: a later rule would
   * apply too.
   */
  const knownUser = systemIds.uuid();
  const cases: readonly [string, Case][] = [
    [
      'an invalid identity comes before an empty name',
      { ids: { customUserId: '' }, fields: { customName: '' }, is: 'dropped empty_user_id' },
    ],
    [
      'an invalid identity comes before an unknown slug',
      {
        ids: { serviceUserId: 'x' },
        fields: { name: 'unknown', customName: null },
        is: 'dropped invalid_service_user_id',
      },
    ],
    [
      'an identity conflict comes before a duplicate',
      {
        ids: { customUserId: 'eve', serviceUserId: knownUser },
        fields: {},
        is: 'dropped identity_conflict',
      },
    ],
    [
      'an empty name comes before a duplicate',
      { fields: { customName: ' \t\u00a0' }, is: 'dropped empty_name' },
    ],
    [
      'an empty slug comes before a duplicate',
      { fields: { name: '', customName: null }, is: 'dropped empty_name' },
    ],
    [
      'an unknown slug comes before a duplicate',
      { fields: { name: 'unknown', customName: null }, is: 'dropped unknown_slug' },
    ],
    [
      'a slug of another kind comes before a duplicate',
      { fields: { name: 'order', customName: null }, is: 'dropped slug_kind_mismatch' },
    ],
    [
      'a discarded definition comes before a duplicate',
      { fields: { customName: 'discarded' }, is: 'dropped definition_discarded' },
    ],
    [
      'a used id comes before a used time',
      { ids: { serviceUserId: knownUser }, fields: {}, is: 'duplicate duplicate_id' },
    ],
    [
      'a used time comes last',
      {
        ids: { serviceUserId: knownUser },
        fields: { id: 'another' },
        is: 'duplicate duplicate_user_time',
      },
    ],
  ];

  test.each(cases)('of %s', async (_, { ids = {}, fields, is }) => {
    const { applicationId, record, applyEvents, outcomes } = await newTenant();
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin, discarded)
       values ($1, 'order', 'revenue', 'order', 'predefined', false), ($1, 'gone', 'action', 'discarded', 'predefined', true)`,
      [applicationId],
    );
    await applyEvents(
      record({ serviceUserId: knownUser, messages: [actionMessage({ id: 'used', time: 1 })] }),
    );

    const sent = record({ ...ids, messages: [actionMessage({ id: 'used', time: 1, ...fields })] });
    await applyEvents(sent);

    expect(await outcomes(sent)).toEqual([is]);
  });

  test('of a repeated id in a batch: the first message wins, with any outcome; the time of the other stays free', async () => {
    const { record, applyEvents, register, outcomes } = await newTenant();
    const serviceUserId = systemIds.uuid();
    const sent = record({
      serviceUserId,
      messages: [
        actionMessage({ id: 'a', time: 1, customName: '' }),
        actionMessage({ id: 'a', time: 2 }),
        actionMessage({ id: 'b', time: 2 }),
        actionMessage({ id: 'c', time: 2 }),
        actionMessage({ id: 'c', time: 3, name: 'unknown', customName: null }),
      ],
    });
    const later = record({ messages: [actionMessage({ id: 'a' }), actionMessage({ id: 'c' })] });

    await register();
    await applyEvents(sent);
    await applyEvents(later);

    expect(await outcomes(sent)).toEqual([
      'dropped empty_name',
      'duplicate duplicate_id',
      'processed',
      'duplicate duplicate_user_time',
      'dropped unknown_slug',
    ]);
    expect(await outcomes(later)).toEqual(['processed', 'processed']);
  });

  test('of events dropped for their name creates no definition', async () => {
    const { applicationId, record, applyEvents } = await newTenant();

    await applyEvents(
      record({
        messages: [
          actionMessage({ customName: ' ' }),
          actionMessage({ name: 'unknown', customName: null }),
        ],
      }),
      record({ customUserId: '' }),
    );

    expect(await listDefinitions(db, applicationId)).toEqual([]);
  });
});
