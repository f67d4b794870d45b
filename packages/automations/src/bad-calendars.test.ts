import { expect, test } from '@jest/globals';
import { hour, tableOf } from './testing/tables.ts';

const {
  good,
  withNodes,
  faultsOf: read,
} = tableOf({
  segments: { loyal: { field: 'country', is: 'DE' } },
  trigger: { api: true },
  nodes: [hour],
});
const until = (what: unknown) => withNodes({ id: 'a', until: what });
const schedule = (what: object) => ({ ...good, trigger: { schedule: what, segment: 'loyal' } });
const cron = (text: unknown) => schedule({ cron: text });
const onDate = { attribute: 'expiresOn' };
const date = (overrides: object) => ({
  ...good,
  trigger: { date: onDate, at: '09:00', ...overrides },
});

test.each<readonly [string, unknown, readonly string[]]>([
  [
    'a schedule without a segment',
    { ...good, trigger: { schedule: { cron: '0 9 * * 1' } } },
    ['/trigger/segment required'],
  ],
  [
    'a schedule of an unknown segment',
    { ...good, trigger: { schedule: { cron: '0 9 * * 1' }, segment: 'nope' } },
    ['/trigger/segment invalid_value'],
  ],
  ['a schedule without a cron', schedule({}), ['/trigger/schedule/cron required']],
  ['a cron of four fields', cron('0 9 * *'), ['/trigger/schedule/cron invalid_value']],
  ['a cron of six fields', cron('0 0 9 * * 1'), ['/trigger/schedule/cron invalid_value']],
  ['a cron beyond its range', cron('60 9 * * 1'), ['/trigger/schedule/cron invalid_value']],
  ['a cron that never comes', cron('0 9 30 2 *'), ['/trigger/schedule/cron invalid_value']],
  ['a cron of each minute', cron('* * * * *'), ['/trigger/schedule/cron out_of_range']],
  ['a cron of each 14 minutes', cron('0,14 9 * * 1'), ['/trigger/schedule/cron out_of_range']],
  [
    'a cron of ten minutes across the hour',
    cron('5,55 9,10 * * *'),
    ['/trigger/schedule/cron out_of_range'],
  ],
  ['a cron that is empty', cron(''), ['/trigger/schedule/cron empty']],
  ['a cron that is long', cron('1'.repeat(257)), ['/trigger/schedule/cron too_long']],
  ['a cron that is no text', cron(9), ['/trigger/schedule/cron wrong_type']],
  [
    'an unknown zone',
    schedule({ cron: '0 9 * * 1', timeZone: 'Europe/Bonn' }),
    ['/trigger/schedule/timeZone invalid_value'],
  ],
  [
    'an offset for a zone',
    schedule({ cron: '0 9 * * 1', timeZone: '+02:00' }),
    ['/trigger/schedule/timeZone invalid_value'],
  ],
  [
    'a key of events with a schedule',
    { ...schedule({ cron: '0 9 * * 1' }), entry: { again: 'always', key: 'price' } },
    ['/entry/key invalid_value'],
  ],
  ['a date without a time', { ...good, trigger: { date: onDate } }, ['/trigger/at required']],
  ['a date that is none', date({ date: {} }), ['/trigger/date exactly_one_of']],
  [
    'a date of two kinds',
    date({ date: { attribute: 'expiresOn', field: 'birthday' } }),
    ['/trigger/date exactly_one_of'],
  ],
  [
    'a date of a text field',
    date({ date: { field: 'email' } }),
    ['/trigger/date/field invalid_value'],
  ],
  [
    'an attribute that is a number',
    date({ date: { attribute: 5 } }),
    ['/trigger/date/attribute wrong_type'],
  ],
  ['a date at no time', date({ at: '25:00' }), ['/trigger/at invalid_value']],
  [
    'an offset of a date that is none',
    date({ offset: '3 days' }),
    ['/trigger/offset invalid_value'],
  ],
  [
    'an offset of a date beyond a year',
    date({ offset: '-366d' }),
    ['/trigger/offset out_of_range'],
  ],
  ['an age of a date beyond a year', date({ maxAge: '53w' }), ['/trigger/maxAge out_of_range']],
  ['an age of a date that is null', date({ maxAge: null }), ['/trigger/maxAge wrong_type']],
  ['yearly as a text', date({ yearly: 'yes' }), ['/trigger/yearly wrong_type']],
  ['a date by cron', date({ schedule: { cron: '* * * * *' } }), ['/trigger exactly_one_of']],
  ['a time that is none', until({ time: '24:00' }), ['/nodes/0/until/time invalid_value']],
  ['a time without zeros', until({ time: '9:00' }), ['/nodes/0/until/time invalid_value']],
  ['a wait until nothing', until({}), ['/nodes/0/until/time required']],
  ['a wait until a text', until('09:00'), ['/nodes/0/until wrong_type']],
  ['no days', until({ time: '09:00', days: [] }), ['/nodes/0/until/days empty']],
  [
    'an unknown day',
    until({ time: '09:00', days: ['mon', 'Tuesday'] }),
    ['/nodes/0/until/days/1 invalid_value'],
  ],
  [
    'a day twice',
    until({ time: '09:00', days: ['mon', 'mon'] }),
    ['/nodes/0/until/days invalid_value'],
  ],
  [
    'a zone by its name',
    until({ time: '09:00', zone: 'Europe/Berlin' }),
    ['/nodes/0/until/zone invalid_value'],
  ],
  [
    'a time with an offset',
    until({ time: '09:00', offset: '1h' }),
    ['/nodes/0/until/offset invalid_value'],
  ],
  [
    'a date of two kinds',
    until({ attribute: 'expiresOn', field: 'birthday' }),
    ['/nodes/0/until/field invalid_value'],
  ],
  ['a field that is no date', until({ field: 'country' }), ['/nodes/0/until/field invalid_value']],
  [
    'a date with days',
    until({ attribute: 'expiresOn', days: ['mon'] }),
    ['/nodes/0/until/days invalid_value'],
  ],
  [
    'an offset that is none',
    until({ attribute: 'expiresOn', offset: '+1d' }),
    ['/nodes/0/until/offset invalid_value'],
  ],
  [
    'an offset of nothing',
    until({ attribute: 'expiresOn', offset: '-0d' }),
    ['/nodes/0/until/offset invalid_value'],
  ],
  [
    'an offset beyond a year',
    until({ attribute: 'expiresOn', offset: '-53w' }),
    ['/nodes/0/until/offset out_of_range'],
  ],
  ['an attribute without a name', until({ attribute: '' }), ['/nodes/0/until/attribute empty']],
])('%s is a fault', (_what, value, errors) => {
  expect(read(value)).toEqual(errors);
});

test.each<readonly [string, unknown]>([
  ['a schedule', schedule({ cron: '0 9 * * mon', timeZone: 'Europe/Berlin' })],
  ['a date', date({ offset: '-3d', maxAge: '2h' })],
  ['a birthday', date({ date: { field: 'birthday' }, yearly: true })],
  [
    'times of the clock',
    withNodes(
      { id: 'a', until: { time: '09:00' } },
      { id: 'b', until: { time: '23:59', days: ['mon', 'sun'], zone: 'application' } },
    ),
  ],
  [
    'dates of a person',
    withNodes(
      { id: 'a', until: { attribute: ['plan', 'endsOn'], offset: '-52w', time: '09:00' } },
      { id: 'b', until: { field: 'registeredAt', offset: '365d' } },
    ),
  ],
])('%s: taken', (_what, value) => {
  expect(read(value)).toEqual([]);
});
