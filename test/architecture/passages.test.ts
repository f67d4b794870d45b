import { describe, expect, test } from '@jest/globals';
import { PASSAGES } from './passages.ts';
import { readStatementFiles } from './statement-files.ts';

/** A statement on one line, independent of its layout. */
const plain = (sql: string): string =>
  sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=[([]) | (?=[)\]])/g, '')
    .trim();

const statements = readStatementFiles().map(({ name, sql }) => ({ name, sql: plain(sql) }));

/** `@1` matches the same text at each of its places in one passage. */
function patternOf(passage: string): RegExp {
  const known = new Set<string>();
  const source = plain(passage)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/@(\d)/g, (_, no: string) => {
      const again = known.has(no);
      known.add(no);
      return again ? `\\k<p${no}>` : `(?<p${no}>(?:any\\()?[\\w.$]+\\)?)`;
    });
  return new RegExp(source, 'g');
}

describe('a rule that several statements share is identical in all of them', () => {
  test.each(PASSAGES)('$name', ({ text, times, sign, except = [] }) => {
    const pattern = patternOf(text);
    const signs = new RegExp(sign.source, 'g');
    const having = statements.filter(
      ({ name, sql }) => !except.includes(name) && sql.search(sign) >= 0,
    );
    const offenders = having.filter(({ sql }) => sql.replaceAll(pattern, '').search(signs) >= 0);

    const found = statements.flatMap(({ sql }) => [...sql.matchAll(pattern)]);

    expect(found).toHaveLength(times);
    expect(offenders.map(({ name }) => name)).toEqual([]);
  });

  test.each(PASSAGES.filter(({ except }) => except !== undefined))(
    '$name: each exception is one',
    ({ sign, except = [] }) => {
      const names = statements.filter(({ sql }) => sql.search(sign) >= 0).map(({ name }) => name);

      expect(except.filter((name) => !names.includes(name))).toEqual([]);
    },
  );
});

/** What a marking records: before it for addresses, after it for deliveries. */
const RECORDED =
  /(locked as \(select (?:(?!update).)*?for no key update of d\), )?recorded as \(.*?(do nothing|own\.words)\),? /;

/** Two statements that differ only in these places: what the second has there, and the first. */
const TWINS = [
  [
    'insert-events',
    'insert-missing-events',
    [[' on conflict (request_id, message_index, received_at) do nothing', '']],
  ],
  ['insert-receipts', 'insert-or-settle-receipts', [[/ where outcome <> 'pending' or .*$/, '']]],
  [
    'take-records-for-users',
    'take-records-for-events',
    [
      ['taken_by_users', '@'],
      ['taken_by_events', 'taken_by_users'],
      ['@', 'taken_by_events'],
    ],
  ],
  [
    'change-delivery-states',
    'change-delivery-states-of-dead',
    [
      [/ removed as \(.*?\), (?=logged as)/, ' '],
      [/ union all select distinct on \(r\.application_id.*?(?=\) select id from changed)/, ''],
    ],
  ],
  [
    'mark-deliveries-sending',
    'mark-addresses-sending',
    [
      ['delivery_addresses', 'deliveries'],
      [', $10::smallint[], $4::uuid[]', ''],
      ['x(id, fence, no, words)', 'x(id, fence)'],
      [' left join recorded on recorded.delivery_id = x.id', ''],
      [' and (x.words is null or x.words = recorded.words)', ''],
      ['d.fence, d.campaign_id', 'd.fence, d.application_id, d.campaign_id'],
      ['d.delivery_id = x.id and d.address_no = x.no', 'd.id = x.id'],
      ['d.delivery_id as id, d.address_no', 'd.id'],
      ['id, address_no, fence', 'id, fence'],
    ],
  ],
  [
    'mark-deliveries-sending',
    'mark-read-deliveries-sending',
    [
      [' fence = x.fence,', ''],
      [', $10::float8[]', ''],
      ['x(id, fence, read_until)', 'x(id, fence)'],
      [
        /x\.read_until > date_part\('epoch', now\(\)\) and d\.fence = x\.fence - 1 and \(.*?\) and \(select/,
        "d.fence = x.fence and d.state = 'claimed' and d.lease_until > now() and (select",
      ],
    ],
  ],
  [
    'release-deliveries',
    'release-addresses',
    [
      ['delivery_addresses', 'deliveries'],
      [', $4::smallint[]', ''],
      [', delay_ms, no)', ', delay_ms)'],
      ['d.delivery_id = x.id and d.address_no = x.no', 'd.id = x.id'],
    ],
  ],
  [
    'renew-delivery-leases',
    'renew-address-leases',
    [
      ['delivery_addresses', 'deliveries'],
      [' from unnest($1::uuid[], $2::smallint[]) as x(id, no)', ''],
      ['d.delivery_id = x.id and d.address_no = x.no', 'd.id = any($1)'],
    ],
  ],
  [
    'make-deliveries-due',
    'make-addresses-due',
    [
      ['delivery_addresses', 'deliveries'],
      ['d.delivery_id, d.address_no', 'd.id'],
      ['d.delivery_id = w.delivery_id and d.address_no = w.address_no', 'd.id = w.id'],
      // Addresses are made after the local time of a recipient.
      [
        "'spend_cap'))",
        "'spend_cap') and (d.fence > 0 or not exists (select from campaigns c where c.id = d.campaign_id and c.send_at_local is not null)))",
      ],
    ],
  ],
] as const;

describe('two statements of one rule', () => {
  test.each(TWINS)('%s equals %s except for their subject', (first, second, differences) => {
    const textOf = (name: string): string =>
      statements.find((one) => one.name === name)?.sql.replace(RECORDED, '') ?? name;
    const changed = differences.reduce(
      (text, [from, to]) =>
        text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'g'), to),
      textOf(second),
    );

    expect(changed).toBe(textOf(first));
  });
});
