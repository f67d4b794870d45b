import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { partsIn, showSqlOf, statementsIn } from './statements.ts';

const root = mkdtempSync(join(tmpdir(), 'statements-'));
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;

/** A code folder with these files in its folder `sql`. */
function codeWith(files: Readonly<Record<string, string>>): string {
  const code = join(root, String(++folders));
  mkdirSync(join(code, 'sql'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(code, 'sql', name), text);
  return code;
}

const wholeOf = (code: string, name: string): string | undefined =>
  showSqlOf(code).find((block) => block.name === name)?.whole;

const PARTS = `-- part: due(d, moment)
-- A claim that is over counts, too.
(
  d.next_at <= moment
  or d.lease_until < moment
)

-- part: states
('pending', 'd')

-- part: open(d)
d.state in -- include: states
and -- include: due(d, now())
`;

describe('statements of files', () => {
  test('are found by name, and run in one line without comments', () => {
    const code = codeWith({
      'claims.sql': '-- name: claim\n-- The oldest.\nselect 1\n\n-- name: end-claim\nselect\n  2\n',
    });
    const statement = statementsIn(code);

    expect([statement('claim'), statement('end-claim')]).toEqual(['select 1', 'select 2']);
    expect(() => statement('renew')).toThrow(`there is no statement renew in ${join(code, 'sql')}`);
  });

  test('include parts, with arguments in the place of parameters', () => {
    const code = codeWith({
      'claims.sql':
        '-- name: claim\nselect k.id,\n  -- include: due(k, coalesce($1, now())) as is_due,\n  k.d\nfrom chunks k\nwhere k.id > 0 and -- include: open(k)\n',
      'parts.sql': PARTS,
    });

    expect(wholeOf(code, 'claim')).toBe(`select k.id,
  -- A claim that is over counts, too.
  (
    k.next_at <= coalesce($1, now())
    or k.lease_until < coalesce($1, now())
  ) as is_due,
  k.d
from chunks k
where k.id > 0 and
  k.state in ('pending', 'd')
  and
    -- A claim that is over counts, too.
    (
      k.next_at <= now()
      or k.lease_until < now()
    )
`);
    expect(statementsIn(code)('claim')).toBe(
      "select k.id, ( k.next_at <= coalesce($1, now()) or k.lease_until < coalesce($1, now()) ) as is_due, k.d from chunks k where k.id > 0 and k.state in ('pending', 'd') and ( k.next_at <= now() or k.lease_until < now() )",
    );
  });

  test('include parts of packages by their name', () => {
    const code = codeWith({
      'a.sql':
        '-- name: read\nselect 1 from logs k where -- include: postgres/written-ahead(k.at)\n',
    });

    expect(statementsIn(code)('read')).toBe(
      "select 1 from logs k where k.at > statement_timestamp() + interval '60 s'",
    );
  });

  test('a part is given to SQL that is compiled', () => {
    const part = partsIn(codeWith({ 'parts.sql': PARTS }));

    expect(part('due', 'x', '$2')).toBe('( x.next_at <= $2 or x.lease_until < $2 )');
    expect(() => part('due', 'x')).toThrow('the part due has 2 parameters, not 1');
  });

  test.each([
    ['a file without a heading', 'select 1\n', /a file begins with -- name: … or -- part: …/],
    ['a heading that is none', '-- name: Claim It\nselect 1\n', /a file begins with/],
    [
      'a name that occurs twice',
      '-- name: a\nselect 1\n-- name: a\nselect 2\n',
      /there is another name a/,
    ],
    ['a part that is missing', '-- name: a\nselect\n-- include: b\n', /there is no part b in/],
    [
      'a package that is missing',
      '-- name: a\nselect\n-- include: nowhere/b\n',
      /there is no part b in/,
    ],
    [
      'an argument too many',
      '-- name: a\nselect\n-- include: b(1)\n-- part: b\n1\n',
      /the part b has 0 parameters, not 1/,
    ],
    [
      'a part that includes itself',
      '-- name: a\nselect\n-- include: b\n-- part: b\n-- include: b\n',
      /a part includes itself/,
    ],
    [
      'an include that a line follows',
      '-- name: a\nselect -- include: b from c\n-- part: b\n1\n',
      /not an include/,
    ],
  ])('%s is refused', (_name, text, error) => {
    const code = codeWith({ 'a.sql': text });

    expect(() => statementsIn(code)('a')).toThrow(error);
  });
});
