import { expect, test } from '@jest/globals';
import { watchStatements } from './postgres-statements.ts';

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}`, 'latin1');
  bytes.writeInt32BE(bytes.length - type.length, type.length);
  return bytes;
}

const STARTUP = message('', '\0\x03\0\0user\0me\0\0');
const query = (text: string): Buffer => message('Q', `${text}\0`);
const parse = (text: string): Buffer =>
  Buffer.concat([
    message('P', `\0${text}\0\0\0`),
    message('B', `\0\0${'x'.repeat(5_000)}`),
    message('S', ''),
  ]);
const ANSWER = Buffer.concat([message('D', 'row'), message('C', 'SELECT 1\0'), message('Z', 'I')]);

function watch(stopsAt: (told: string) => boolean = () => false) {
  const told: string[] = [];
  const say = (at: string, text: string): boolean => {
    told.push(`${at} ${text}`);
    return !stopsAt(`${at} ${text}`);
  };
  const filter = watchStatements({
    request: (text) => say('asked', text),
    answer: (text) => say('done', text),
  });
  filter.request(STARTUP);
  // ReadyForQuery of the start-up, before any statement.
  filter.answer(message('Z', 'I'));
  return { filter, told };
}

test('reports each statement before it is forwarded and when it is done, for any chunks', () => {
  const { filter, told } = watch();

  for (const byte of parse('update  x\n set y = 1')) filter.request(Buffer.from([byte]));
  for (const byte of ANSWER) filter.answer(Buffer.from([byte]));
  filter.request(Buffer.concat([query('select 1')]));
  filter.answer(ANSWER);

  expect(told).toEqual([
    'asked update x set y = 1',
    'done update x set y = 1',
    'asked select 1',
    'done select 1',
  ]);
});

test('reports a prepared statement each time it is executed', () => {
  const { filter, told } = watch();
  const bind = (name: string): Buffer =>
    Buffer.concat([
      message('B', `\0${name}\0${'x'.repeat(5_000)}`),
      message('E', '\0\0\0\0\0'),
      message('S', ''),
    ]);
  filter.request(Buffer.concat([message('P', 'one\0select 1\0\0\0'), bind('one')]));
  filter.answer(ANSWER);
  filter.request(Buffer.concat([message('P', 'two\0select 2\0\0\0'), bind('two')]));
  filter.answer(ANSWER);

  for (const byte of bind('one')) filter.request(Buffer.from([byte]));
  filter.answer(ANSWER);

  expect(told).toEqual([
    'asked select 1',
    'done select 1',
    'asked select 2',
    'done select 2',
    'asked select 1',
    'done select 1',
  ]);
});

test('reports a commit with the statements of its transaction, and later ones without them', () => {
  const { filter, told } = watch();

  for (const text of ['begin', 'insert into x', 'commit', 'select 1']) {
    filter.request(query(text));
    filter.answer(ANSWER);
  }

  expect(told.filter((one) => one.startsWith('asked'))).toEqual([
    'asked begin',
    'asked insert into x\nbegin',
    'asked commit\ninsert into x\nbegin',
    'asked select 1',
  ]);
});

test('closes the connection before the statement or before its response', () => {
  const before = watch((told) => told === 'asked select 1');
  const after = watch((told) => told === 'done select 1');

  expect(before.filter.request(query('select 1'))).toBeNull();
  expect(after.filter.request(query('select 1'))).not.toBeNull();
  expect(after.filter.answer(ANSWER)).toBeNull();
});
