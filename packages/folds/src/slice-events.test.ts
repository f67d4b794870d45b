import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createSliceEvents } from './slice-events.ts';

const BEGIN = 1_000_000;

test('a slice gives each person at each instant, in the order of time', async () => {
  const slice = createSliceEvents(BEGIN, 100, true);
  const add = (at: number, person: number, mask: number, group: number): void => {
    slice.add(BEGIN + at, person, mask);
    slice.setGroup(group);
  };
  add(100, 2, 0b10, 5);
  add(0, 1, 0b01, -1);
  add(7, 3, 0b01, 4);
  add(7, 1, 0b10, 6);
  add(7, 3, 0b100, 7);
  const seen: unknown[] = [];
  await slice.visit((person, time, events) => seen.push([time - BEGIN, person, events]));

  expect(seen).toEqual([
    [0, 1, { steps: [0b01], groups: [-1] }],
    [7, 1, { steps: [0b10], groups: [6] }],
    [7, 3, { steps: [0b01, 0b100], groups: [4, 7] }],
    [100, 2, { steps: [0b10], groups: [5] }],
  ]);
});

test('other work of the process has its turns meanwhile, and no instant is divided', async () => {
  const [instants, together] = [20_000, 3];
  const slice = createSliceEvents(BEGIN, instants);
  for (let at = instants - 1; at >= 0; at -= 1)
    for (let event = 0; event < together; event += 1) slice.add(BEGIN + at, 0, 1 << event);
  const visited: number[] = [];
  let isOver = false;
  let turns = 0;
  const done = slice
    .visit((_person, time, { steps }) => {
      if (steps.length !== together) throw new Error(`${steps.length} events of an instant`);
      visited.push(time);
    })
    .then(() => (isOver = true));
  while (!isOver) {
    await turn();
    turns += 1;
  }
  await done;

  expect(visited).toEqual(Array.from({ length: instants }, (_, at) => BEGIN + at));
  expect(turns).toBeGreaterThanOrEqual(5);
});
