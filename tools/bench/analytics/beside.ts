import type { Figure } from '../report/figures.ts';
import { median } from '../report/median.ts';
import type { Asked } from '../segments/ask.ts';
import { measureCost, type Cost } from './cpu.ts';

/** Numbers of a question, and the same by SQL that a developer would write. */
export type Compared = {
  readonly name: string;
  readonly reference: string;
  /** CPU beside the reference. */
  readonly ratioMax: number;
  readonly secondsMax?: number | undefined;
  own(now: number): Promise<readonly number[]>;
  byHand(now: number): Promise<readonly number[]>;
  /** Of the numbers, for the table. */
  describe(numbers: readonly number[]): string;
};

/** Both in turn, which of them is first too. @throws when their numbers differ */
export async function measureBeside(asked: Asked, of: Compared): Promise<readonly Figure[]> {
  console.error(`${of.name} …`);
  const own: Cost[] = [];
  const hand: Cost[] = [];
  let numbers: readonly number[] = [];
  for (let round = -1; round < asked.sizes.rounds; round += 1) {
    const now = Date.now();
    const askOwn = () => measureCost(asked.db, () => of.own(now));
    const askByHand = () => measureCost(asked.db, () => of.byHand(now));
    const isOwnFirst = round % 2 === 0;
    const first = isOwnFirst ? await askOwn() : await askByHand();
    const second = isOwnFirst ? await askByHand() : await askOwn();
    if (first.result.join(' ') !== second.result.join(' '))
      throw new Error(
        `${of.name}: ${first.result.join(' ')}, and in the other way ${second.result.join(' ')}.`,
      );
    numbers = first.result;
    // The first round fills caches.
    if (round < 0) continue;
    own.push(isOwnFirst ? first : second);
    hand.push(isOwnFirst ? second : first);
  }
  const cpu = (of: readonly Cost[]): number => median(of.map(({ cpuSeconds }) => cpuSeconds));
  const seconds = (of: readonly Cost[]): number => median(of.map(({ ms }) => ms)) / 1_000;
  const ratios = own.map(({ cpuSeconds }, round) => cpuSeconds / (hand[round]?.cpuSeconds ?? NaN));
  const figures: readonly Figure[] = [
    {
      name: of.name,
      value: seconds(own),
      unit: 'seconds',
      ...(of.secondsMax !== undefined && { goal: { atMost: of.secondsMax } }),
      note: `${of.describe(numbers)}; ${cpu(own).toFixed(2)} s of CPU`,
    },
    {
      name: `  its CPU beside ${of.reference}`,
      value: median(ratios),
      unit: 'ratio',
      goal: { atMost: of.ratioMax },
      note: `${cpu(hand).toFixed(2)} s of CPU, ${seconds(hand).toFixed(1)} s`,
    },
  ];
  // A later question may fail.
  for (const { name, value, note = '' } of figures)
    console.error(`  ${name.trim()}: ${value.toFixed(2)} (${note})`);
  return figures;
}
