import { expect, test } from '@jest/globals';
import { SUPPRESSIBLE_CHANNELS } from '@tidings/contracts/channels/suppressions';
import { readSqlTexts } from './statement-files.ts';

const suppressions = readSqlTexts()
  // They look up the address of a channel that may be suppressed.
  .filter(({ text }) => text.includes("'SMS'") && text.includes("'EMAIL'"));

test('a statement that looks for suppressed addresses does so for every channel that has them', () => {
  const missing = suppressions.flatMap(({ path, name, text }) =>
    SUPPRESSIBLE_CHANNELS.filter((channel) => !text.includes(`'${channel}'`)).map(
      (channel) => `${path}: ${name} lacks ${channel}`,
    ),
  );

  expect(suppressions.length).toBeGreaterThan(3);
  expect(missing).toEqual([]);
});
