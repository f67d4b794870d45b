import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeSegment } from '@tidings/segments/segments';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  const { rows } = await api.db.sql.query('select 1 from campaigns where application_id = $1', [
    api.tenant.applicationId,
  ]);
  await api[Symbol.asyncDispose]();
  if (rows.length > 0) throw new Error('a refused campaign was stored');
});
const german = { field: 'country', is: 'DE' } as const;
const push = { channel: 'SMS', message: { body: 'Hi' } };
const deep = (levels: number): object => (levels === 0 ? german : { not: deep(levels - 1) });

beforeAll(async () => {
  for (const { applicationId } of [api.tenant, api.other])
    await writeSegment(api.db, {
      applicationId,
      slug: applicationId === api.other.applicationId ? 'theirs' : 'german',
      name: 'German',
      condition: german,
      by: 'test',
    });
});

test.each<[string, object, readonly string[]]>([
  ['an unknown segment', { segment: 'nosuch' }, ['/segment invalid_value']],
  ['that of another application', { segment: 'theirs' }, ['/segment invalid_value']],
  [
    'an unknown segment to exclude',
    { segment: 'german', exclude: 'nosuch' },
    ['/exclude invalid_value'],
  ],
  [
    'two unknown segments',
    { segment: 'nosuch', exclude: 'neither' },
    ['/exclude invalid_value', '/segment invalid_value'],
  ],
  ['no condition', { segment: {} }, ['/segment/condition required']],
  ['a condition that is text', { segment: { condition: 'DE' } }, ['/segment/condition wrong_type']],
  ['a condition of null', { segment: { condition: null } }, ['/segment/condition wrong_type']],
  [
    'an integer that would be rounded',
    { segment: { condition: { attribute: 'id', is: JSON.rawJSON('9007199254740993') } } },
    ['/segment/condition/is out_of_range'],
  ],
  ['an empty condition', { segment: { condition: {} } }, ['/segment/condition exactly_one_of']],
  ['a list of none', { segment: { condition: { all: [] } } }, ['/segment/condition/all empty']],
  [
    'two keys in one',
    { segment: { condition: { all: [german, { ...german, event: 'click' }] } } },
    ['/segment/condition/all/1 exactly_one_of'],
  ],
  [
    'an event that does not exist',
    { segment: { condition: { event: 'nosuch' } } },
    ['/segment/condition/event invalid_value'],
  ],
  [
    'a segment in a condition that does not exist',
    { segment: { condition: { not: { segment: 'nosuch' } } } },
    ['/segment/condition/not/segment invalid_value'],
  ],
  [
    'a sum without its currency',
    { segment: { condition: { event: 'nosuch', sum: { gt: 1 } } } },
    ['/segment/condition/currency required', '/segment/condition/event invalid_value'],
  ],
  [
    'a field that is none',
    { segment: { condition: { field: 'shoeSize', is: 5 } } },
    ['/segment/condition/field invalid_value'],
  ],
  [
    'too many levels',
    { segment: { condition: deep(40) } },
    [expect.stringContaining('too_deep') as never],
  ],
  [
    'too many bytes',
    {
      segment: {
        condition: { field: 'country', in: Array.from({ length: 900 }, () => 'x'.repeat(30)) },
      },
    },
    ['/segment/condition too_long'],
  ],
])('%s: every fault with its pointer, in a dry run too', async (_what, fields, faults) => {
  for (const dryRun of [false, true]) {
    const { status, problem } = await api.request('POST', 'campaigns', {
      headers: api.asServer,
      body: { ...push, ...fields, dryRun },
    });

    expect([status, problem.code]).toEqual([400, 'validation_failed']);
    expect(
      (problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).toSorted(),
    ).toEqual(faults);
  }
});
