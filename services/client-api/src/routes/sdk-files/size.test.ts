import { expect, test } from '@jest/globals';
import { PROFILE_FIELDS } from '@tidings/contracts';
import { gzipSync } from 'node:zlib';
import { bundleBrowserSdk } from '../../../browser-sdk/bundle.mjs';

const files = bundleBrowserSdk();
const gzipped = (text: string): number => gzipSync(text, { level: 9 }).length;

test('the scripts of page and worker are 10 KB together, compressed; the frame of messages 1.5 KB', () => {
  expect(gzipped(files['sdk.js']) + gzipped(files['sw.js'])).toBeLessThanOrEqual(10 * 1_024);
  expect(gzipped(files['frame.html'])).toBeLessThanOrEqual(1_536);
});

test('the types name the fields of a profile, every one', () => {
  const [, fields = ''] =
    /type TidingsUserFields = \{([\s\S]*?)\n\};/.exec(files['tidings.d.ts']) ?? [];

  expect([...fields.matchAll(/readonly (\w+)\?:/g)].map(([, name]) => name).sort()).toEqual(
    [...PROFILE_FIELDS, 'customAttributes'].sort(),
  );
});
