import { expect, test } from '@jest/globals';
import { readCron, writeCron } from './cron.ts';

test.each([
  ['0 9 * * *', { every: 'day', time: '09:00' }],
  ['30 18 * * 1,5', { every: 'week', time: '18:30', days: [1, 5] }],
  ['5 0 31 * *', { every: 'month', time: '00:05', day: 31 }],
] as const)('%s can be chosen, and is written as it was', (cron, schedule) => {
  expect(readCron(cron)).toEqual(schedule);
  expect(writeCron(schedule)).toBe(cron);
});

test.each([
  '*/5 * * * *',
  '0 9 * * 1-5',
  '0 9 1 * 1',
  '0 9 * 6 *',
  '0 9 * * mon',
  '0 9 * *',
  '',
  '0 9 * * * *',
])('%p says more than fields do', (cron) => {
  expect(readCron(cron)).toBeNull();
});

test('days stand in the order of the week', () => {
  expect(writeCron({ every: 'week', time: '09:00', days: [5, 1] })).toBe('0 9 * * 1,5');
});
