import { describe, expect, test } from '@jest/globals';
import type { Sender } from './testing/fairness/simulated-chunks.ts';
import { simulateLane, type LaneReport } from './testing/fairness/simulated-lane.ts';

const QUICK: Sender = { applicationId: 'quick', perSecond: 5, sendMs: 30 };
const slow = (perSecond: number, sendMs: number, rows = 1): Sender => ({
  applicationId: 'slow',
  perSecond,
  sendMs,
  rows,
});

/** A minute of the simulated clock takes a fraction of a second, and longer on a busy machine. */
const WITHIN_MS = 60_000;

const waitsOf = ({ waitsMs }: LaneReport, { applicationId }: Sender): readonly number[] =>
  waitsMs.get(applicationId) ?? [];
const longest = (report: LaneReport, sender: Sender): number =>
  Math.max(0, ...waitsOf(report, sender));

describe('hooks of an application beside another whose receivers are slow', () => {
  test.each([
    ['14 s, 11 a second', slow(11, 14_000)],
    ['14 s, 33 a second', slow(33, 14_000)],
    ['60 s, 17 a second', slow(17, 60_000)],
    ['2 s, 50 a second', slow(50, 2_000)],
    ['14 s, 1 a second of 100 recipients', slow(1, 14_000, 100)],
    ['14 s, 3 a second of 20 recipients', slow(3, 14_000, 20)],
    ['2 s, 1 a second of 100 recipients', slow(1, 2_000, 100)],
    ['1.2 s, 1 a second of 500 recipients', slow(1, 1_200, 500)],
    ['0.8 s, 1 a second of 500 recipients', slow(1, 800, 500)],
  ])(
    '%s: none waits longer than a tenth of a second, also not before the first answer',
    async (_name, sender) => {
      const report = await simulateLane({
        lane: 'express',
        senders: [sender, QUICK],
        concurrency: 20,
        forMs: 60_000,
      });

      expect(waitsOf(report, QUICK)).toHaveLength(300);
      expect(longest(report, QUICK)).toBeLessThanOrEqual(100);
    },
    WITHIN_MS,
  );

  test(
    'nor when receivers that were quick become slow',
    async () => {
      const before = { ...slow(5, 30), untilMs: 10_000 };
      const senders = [before, { ...slow(1, 14_000, 100), fromMs: 10_000 }, QUICK];

      const report = await simulateLane({
        lane: 'express',
        senders,
        concurrency: 20,
        forMs: 40_000,
      });

      expect(waitsOf(report, QUICK)).toHaveLength(200);
      expect(longest(report, QUICK)).toBeLessThanOrEqual(120);
    },
    WITHIN_MS,
  );

  test.each([
    ['before the first answer of the other', 0],
    ['when receivers that were quick become slow', 10_000],
  ])(
    'an application that needs several slots has them, also %s',
    async (_when, fromMs) => {
      const before = { ...slow(5, 30), untilMs: 10_000 };
      const senders = [
        before,
        { ...slow(1, 14_000, 100), fromMs },
        { ...slow(11, 14_000), fromMs },
        { ...QUICK, perSecond: 20, sendMs: 200 },
      ];

      const report = await simulateLane({
        lane: 'express',
        senders,
        concurrency: 20,
        forMs: 30_000,
      });

      expect(waitsOf(report, QUICK)).toHaveLength(600);
      expect(longest(report, QUICK)).toBeLessThanOrEqual(100);
    },
    WITHIN_MS,
  );

  test(
    'two applications with slow receivers do not stop the third',
    async () => {
      const senders = [slow(11, 14_000), { ...slow(11, 5_000), applicationId: 'slower' }, QUICK];

      const report = await simulateLane({
        lane: 'express',
        senders,
        concurrency: 20,
        forMs: 60_000,
      });

      expect(longest(report, QUICK)).toBeLessThanOrEqual(100);
    },
    WITHIN_MS,
  );
});

describe('an application alone', () => {
  test.each([
    ['14 s', slow(11, 14_000), { slots: 10, forMs: 56_000 }],
    ['3 s', slow(20, 3_000), { slots: 10, forMs: 30_000 }],
    ['1.2 s', slow(30, 1_200), { slots: 10, forMs: 18_000 }],
    ['0.8 s', slow(50, 800), { slots: 18, forMs: 12_000 }],
    ['30 ms', slow(2_000, 30), { slots: 18, forMs: 3_000 }],
    ['14 s, in campaigns of 100,', slow(1, 14_000, 100), { slots: 10, forMs: 56_000 }],
    ['3 s, in campaigns of 100,', slow(1, 3_000, 100), { slots: 10, forMs: 30_000 }],
    ['1.2 s, in campaigns of 20,', slow(2, 1_200, 20), { slots: 10, forMs: 18_000 }],
    ['1.2 s, in campaigns of 500,', slow(1, 1_200, 500), { slots: 10, forMs: 18_000 }],
    ['0.8 s, in campaigns of 500,', slow(1, 800, 500), { slots: 18, forMs: 12_000 }],
    ['30 ms, in campaigns of 100,', slow(20, 30, 100), { slots: 18, forMs: 3_000 }],
  ])(
    'whose sends take %s keeps its slots busy',
    async (_name, sender, { slots, forMs }) => {
      const report = await simulateLane({
        lane: 'express',
        senders: [sender],
        concurrency: 20,
        forMs,
      });

      const possible = (forMs / sender.sendMs) * slots;
      expect(waitsOf(report, sender).length).toBeGreaterThanOrEqual(possible * 0.9);
    },
    WITHIN_MS,
  );
});
