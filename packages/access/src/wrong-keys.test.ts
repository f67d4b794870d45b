import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createWrongKeys, type WrongKeysOptions } from './wrong-keys.ts';

const FREE_MAX = 20;

function createSubject(options: Omit<WrongKeysOptions, 'clock'> = {}) {
  const clock = createFakeClock();
  const wrongKeys = createWrongKeys({ clock, delayMs: 5, ...options });
  /** The part of a waiting response that this code reads. */
  const note = (
    address: string | null,
    res = new EventEmitter(),
    applicationId: string | null = null,
  ) => wrongKeys.note({ address, applicationId }, res as ServerResponse);
  const noteMany = (times: number, address: string | null) => {
    for (let time = 0; time < times; time += 1) void note(address);
  };
  return { clock, note, noteMany };
}

describe('wrong keys of one address', () => {
  test('are answered at once up to 20 in a minute, and wait beyond', async () => {
    const { note, noteMany, clock } = createSubject();
    for (let time = 0; time < FREE_MAX; time += 1) expect(note('192.0.2.1')).toBeNull();

    const wait = note('192.0.2.1');

    expect(wait).toBeInstanceOf(Promise);
    await wait;
    noteMany(1, '192.0.2.1');
    clock.advance(60_000);
    expect(note('192.0.2.1')).toBeNull();
  });

  test('do not slow down others', () => {
    const { note, noteMany } = createSubject();
    noteMany(FREE_MAX + 1, '192.0.2.1');

    expect(note('192.0.2.2')).toBeNull();
    expect(note(null)).toBeNull();
  });

  test('of IPv6 count for the network that its caller holds', () => {
    const { note, noteMany } = createSubject();
    noteMany(FREE_MAX, '2001:db8::1');

    expect(note('2001:db8::ffff:2')).toBeInstanceOf(Promise);
    expect(note('2001:db8:0:1::1')).toBeNull();
  });

  test('are remembered for a bounded number of addresses', () => {
    const { note, noteMany } = createSubject();
    noteMany(FREE_MAX + 1, '192.0.2.1');
    for (let address = 0; address < 10_000; address += 1)
      void note(`10.0.${address >> 8}.${address & 255}`);

    expect(note('192.0.2.1')).toBeNull();
  });
});

test('wrong keys of one application wait too, from however many addresses they come, and those of others do not', async () => {
  const { note, clock } = createSubject();
  const guess = (address: string, applicationId: string) => note(address, undefined, applicationId);
  for (let address = 0; address < FREE_MAX; address += 1)
    expect(guess(`192.0.2.${address}`, 'app1')).toBeNull();

  const wait = guess('198.51.100.1', 'app1');

  expect(wait).toBeInstanceOf(Promise);
  expect(guess('198.51.100.1', 'app2')).toBeNull();
  await wait;
  clock.advance(60_000);
  expect(guess('198.51.100.2', 'app1')).toBeNull();
});

describe('answers that wait', () => {
  test('are bounded; beyond it an answer comes at once', async () => {
    const { note, noteMany } = createSubject({ delayedMax: 3 });
    noteMany(FREE_MAX, '192.0.2.1');
    const waits = [1, 2, 3].map(async () => note('192.0.2.1'));

    expect(note('192.0.2.1')).toBeNull();
    await Promise.all(waits);
    expect(note('192.0.2.1')).toBeInstanceOf(Promise);
  });

  test('do not wait for a disconnected caller', async () => {
    const { note, noteMany } = createSubject({ delayMs: 60_000 });
    noteMany(FREE_MAX, '192.0.2.1');
    const res = new EventEmitter();
    const wait = note('192.0.2.1', res);

    res.emit('close');

    await wait;
    expect(res.listenerCount('close')).toBe(0);
  });
});
