import { expect, test } from '@jest/globals';
import { stepsDone } from './steps.ts';

const ALL = {
  hasKey: true,
  hasUser: true,
  hasEvent: true,
  hasReadyChannel: true,
  hasCampaign: true,
};

test.each<[keyof typeof ALL, readonly string[]]>([
  ['hasKey', ['data', 'channel', 'campaign']],
  ['hasUser', ['key', 'channel', 'campaign']],
  ['hasEvent', ['key', 'channel', 'campaign']],
  ['hasReadyChannel', ['key', 'data', 'campaign']],
  ['hasCampaign', ['key', 'data', 'channel']],
])('without %s these are done: %j', (missing, done) => {
  expect(
    Object.entries(stepsDone({ ...ALL, [missing]: false })).flatMap(([step, isDone]) =>
      isDone ? step : [],
    ),
  ).toEqual(done);
});
