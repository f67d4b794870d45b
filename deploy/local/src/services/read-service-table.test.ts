import { expect, test } from '@jest/globals';
import { readOneProcess, readServiceTable } from './read-service-table.ts';

test('programs wait for what is public and for the providers, not for the API', () => {
  const waitedFor = [readServiceTable(), readOneProcess()].map(({ services }) =>
    services.filter(({ isWaitedFor }) => isWaitedFor === true).map(({ name }) => name),
  );

  expect(waitedFor).toEqual([
    ['gateway', 'client-api', 'sandbox'],
    ['tidings', 'sandbox'],
  ]);
});
