import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { drawUsers } from './draws.ts';
import { suggestOfEvents, suggestOfProfiles } from './suggestions.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { applicationId } = await createTestApplication(db);
const other = await createTestApplication(db);
const definition = (slug: string, mergedInto: string | null = null) => ({
  slug,
  kind: 'action' as const,
  name: slug,
  discarded: false,
  mergedInto,
});
const context = { applicationId, definitions: [definition('view'), definition('old', 'view')] };

const profiles: readonly (readonly [fields: object, attributes: object])[] = [
  [
    { city: 'Berlin', email: 'ada@shop.example' },
    { plan: 'pro', age: 30, tags: ['a'] },
  ],
  [
    { city: 'Berlin', country: 'DE' },
    { plan: 'free', age: 31, address: { zip: '10115', at: {} } },
  ],
  [{ city: 'תל אביב' }, { plan: 'pro', age: 'thirty', isVip: true, none: null }],
  [{}, { long: 'x'.repeat(200) }],
];

beforeAll(async () => {
  for (const application of [applicationId, other.applicationId])
    await db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at, fields, custom_attributes)
       select gen_random_uuid(), $1, 'user ' || p.at, now(), p.profile -> 0, p.profile -> 1
       from jsonb_array_elements($2::jsonb) with ordinality p(profile, at)`,
      [
        application,
        JSON.stringify(
          application === applicationId ? profiles : [[{ city: 'Paris' }, { secret: 's' }]],
        ),
      ],
    );
});

describe('suggestions of profiles', () => {
  test('are names, types and frequent values, the most frequent first', async () => {
    const drawn = await drawUsers(db.sql, applicationId, 1);

    const { asked, fields, attributes } = await suggestOfProfiles(db.sql, applicationId, drawn);

    expect(asked).toBe(4);
    expect(fields).toEqual([
      {
        field: 'city',
        type: 'string',
        count: 3,
        values: [
          { value: 'Berlin', count: 2 },
          { value: 'תל אביב', count: 1 },
        ],
      },
      { field: 'country', type: 'string', count: 1, values: [{ value: 'DE', count: 1 }] },
    ]);
    expect(attributes.slice(0, 2)).toEqual([
      {
        attribute: 'plan',
        type: 'string',
        count: 3,
        values: [
          { value: 'pro', count: 2 },
          { value: 'free', count: 1 },
        ],
      },
      {
        attribute: 'age',
        type: 'number',
        count: 2,
        values: [
          { value: 30, count: 1 },
          { value: 31, count: 1 },
        ],
      },
    ]);
    expect(attributes.slice(2)).toEqual(
      expect.arrayContaining([
        { attribute: 'age', type: 'string', count: 1, values: [{ value: 'thirty', count: 1 }] },
        { attribute: 'isVip', type: 'boolean', count: 1, values: [{ value: true, count: 1 }] },
        { attribute: 'tags', type: 'array', count: 1, values: [] },
        {
          attribute: ['address', 'zip'],
          type: 'string',
          count: 1,
          values: [{ value: '10115', count: 1 }],
        },
        { attribute: 'long', type: 'string', count: 1, values: [] },
      ]),
    );
    expect(attributes).toHaveLength(7);
  });

  test('have a bound: 20 values and 100 names', async () => {
    const { applicationId: wide } = await createTestApplication(db);
    await db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at, custom_attributes)
       select gen_random_uuid(), $1, 'user ' || n, now(), jsonb_build_object('often', n, 'name' || n, true)
       from generate_series(1, 150) n`,
      [wide],
    );

    const { attributes } = await suggestOfProfiles(db.sql, wide, await drawUsers(db.sql, wide, 1));

    expect(attributes).toHaveLength(100);
    expect(attributes[0]).toMatchObject({ attribute: 'often', count: 150 });
    expect(attributes[0]?.values).toHaveLength(20);
  });
});

describe('suggestions of events', () => {
  beforeAll(async () => {
    await db.sql.query(
      `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
       select gen_random_uuid(), 0, $1, u.id, 'm' || n, 'action',
         case when n % 2 = 0 then 'view' else 'old' end, n, now(),
         jsonb_build_object('age', case when n <= 500 then 'old' else 'new' end, 'item', jsonb_build_object('sku', 's'))
       from generate_series(1, 1500) n
         cross join (select id from users where application_id = $1 limit 1) u`,
      [applicationId],
    );
  });

  test('are of the newest 1,000, also of the definitions that were merged into it', async () => {
    expect(await suggestOfEvents(db.sql, context, 'view')).toEqual({
      asked: 1_000,
      fields: [],
      attributes: [
        {
          attribute: 'age',
          type: 'string',
          count: 1_000,
          values: [{ value: 'new', count: 1_000 }],
        },
        {
          attribute: ['item', 'sku'],
          type: 'string',
          count: 1_000,
          values: [{ value: 's', count: 1_000 }],
        },
      ],
    });
  });

  test('of no definition', async () => {
    expect(await suggestOfEvents(db.sql, context, 'nosuch')).toBeNull();
  });
});
