/* Prints what hostile bodies cost: a process of its own, for a test runner's sandbox makes some code many times slower. */
import { AppError } from '@tidings/platform';
import type { Handling } from '../routes/ingest/parse-batch.ts';
import { readBatch } from '../routes/ingest/read-batch.ts';

/** CPU cost of one body. */
export type BodyCost = {
  readonly what: string;
  readonly handling: Handling;
  readonly bytes: number;
  readonly ms: number;
};
/** `parseMs`: the unavoidable cost of `JSON.parse` for this size; objects with many keys are its slowest case. */
export type HostileBodyCosts = { readonly parseMs: number; readonly costs: readonly BodyCost[] };

const LONG = '9223372036854775807';
const writeKeys = (count: number, value: string): string =>
  Array.from({ length: count }, (_, index) => `"k${index.toString(36)}":${value}`).join(',');
const writeList = (count: number, item: string): string => `[${`${item},`.repeat(count)}1]`;
const message = (attributes: string, more = ''): string =>
  `{"type":"action","id":"m","time":1700000000000,"customName":"n",${more}"attributes":${attributes}}`;
const batch = (messages: string, more = ''): string =>
  `{"customUserId":"u1",${more}"messages":[${messages}]}`;
const many = (count: number, text: string): string =>
  Array.from({ length: count }, () => text).join(',');
const MISTYPED =
  '{"type":"user","id":1,"time":"x","firstName":1,"email":1,"city":1,"birthday":"x","customAttributes":';

/** Bodies of about 1 MiB, each designed to cost more than its parse. */
const BODIES: Readonly<Record<string, string>> = {
  'nested from its first byte': '['.repeat(500_000) + ']'.repeat(500_000),
  'nested in an unknown field': batch(
    message('{}'),
    `"x":${'['.repeat(500_000)}${']'.repeat(500_000)},`,
  ),
  'nested in a message': batch(message(`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`)),
  'one message of many keys': batch(message(`{${writeKeys(90_000, '1')}}`)),
  'many unknown keys': batch(message('{}'), `${writeKeys(90_000, '1')},`),
  'as many keys as are allowed in every message': batch(
    many(100, message(`{${writeKeys(990, '{}')}}`, '"x":1,')),
  ),
  'unknown empty objects': batch(message('{}'), `"x":${writeList(340_000, '{}')},`),
  'unknown empty objects and a long integer': batch(
    message('{}'),
    `"y":${LONG},"x":${writeList(340_000, '{}')},`,
  ),
  'unknown numbers and a lone surrogate': batch(
    message('{}'),
    `"y":"\\ud800","x":${writeList(500_000, '1')},`,
  ),
  'a list of objects': writeList(340_000, '{}'),
  'a list of objects, and a long integer': `[${LONG},${writeList(340_000, '{}')}]`,
  'far too many messages': batch(many(340_000, '{}')),
  'long lists and long integers': batch(
    many(
      60,
      `{"type":"action","id":"m","time":${LONG},"customName":"n","attributes":{"a":${writeList(8_000, '1')}}}`,
    ),
  ),
  'half surrogates in every message': batch(
    many(60, message(`{"z":"\\ud800","a":${writeList(5_000, '""')}}`)),
  ),
  'nothing but half surrogates': batch(many(34, message(`{"z":"${'\\ud800'.repeat(5_000)}"}`))),
  'nothing but U+0000': batch(message(`{"z":"${'\\u0000'.repeat(174_000)}"}`)),
  'keys with U+0000': batch(
    many(80, message(`{${writeKeys(900, '1').replaceAll('":', '\\u0000":')}}`)),
  ),
  'unknown texts with U+0000': batch(message('{}'), `"x":${writeList(110_000, '"\\u0000"')},`),
  'numbers beyond a double': batch(many(60, message(`{"a":${writeList(2_800, '1e999')}}`))),
  'lists beyond the depth allowed': batch(
    many(60, message(`{"a":${'['.repeat(14)}${writeList(3_200, '[[]]')}${']'.repeat(14)}}`)),
  ),
  'every field mistyped in every message': batch(many(900, `${MISTYPED}{${writeKeys(90, '[]')}}}`)),
  'digits, almost enough for a long integer': batch(
    message(`{"a":"${'123456789012345 '.repeat(65_000)}"}`),
  ),
};

/** Minimum CPU of a few runs, which excludes other processes and one-time compilation. */
function cpuMs(work: () => void, runs = 3): number {
  const spent = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...spent);
}

function read(bytes: Buffer, handling: Handling): void {
  try {
    readBatch(bytes, { handling, now: 1_700_000_000_000 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const parseMs = cpuMs(() => void JSON.parse(`{${writeKeys(90_000, '1')}}`), 5);
const costs = Object.entries(BODIES).flatMap(([what, text]) => {
  const bytes = Buffer.from(text);
  return (['strict', 'lenient'] as const).map((handling): BodyCost => ({
    what,
    handling,
    bytes: bytes.length,
    ms: cpuMs(() => read(bytes, handling)),
  }));
});
process.stdout.write(JSON.stringify({ parseMs, costs } satisfies HostileBodyCosts));
