import { expect, test } from '@jest/globals';
import { parseFlags } from '../flags.mjs';

const NONE = {
  hasKafka: false,
  hasDemo: true,
  isReset: false,
  isHelp: false,
  port: undefined,
  watched: undefined,
};

test.each([
  [[], NONE],
  [['--no-demo'], { ...NONE, hasDemo: false }],
  [['--reset', '--no-demo'], { ...NONE, isReset: true, hasDemo: false }],
  [['--port', '9000'], { ...NONE, port: 9000 }],
  [['--port=9000'], { ...NONE, port: 9000 }],
  [['--kafka'], { ...NONE, hasKafka: true }],
  [
    ['--watch', 'gateway', '--no-demo', '--kafka'],
    { ...NONE, hasKafka: true, watched: 'gateway', hasDemo: false },
  ],
  [['-h'], { ...NONE, isHelp: true }],
])('accepts %j', (args, flags) => {
  expect(parseFlags(args, {})).toEqual(flags);
});

test('TIDINGS_START chooses the form too', () => {
  expect(parseFlags([], { TIDINGS_START: 'kafka' })).toEqual({ ...NONE, hasKafka: true });
  expect(parseFlags([], { TIDINGS_START: 'one-process' })).toEqual(NONE);
  expect(() => parseFlags([], { TIDINGS_START: 'redis' })).toThrow('TIDINGS_START');
});

test.each([
  [['--prot', '1']],
  [['--port']],
  [['--port', 'x']],
  [['--port', '0']],
  [['--port', '65536']],
  [['--watch']],
  [['--watch', '--no-demo']],
  [['--watch', 'gateway']],
  [['demo']],
])('rejects %j with a message', (args) => {
  expect(() => parseFlags(args, {})).toThrow(
    /npm start|number from 1 to 65535|name of a service|own process/,
  );
});
