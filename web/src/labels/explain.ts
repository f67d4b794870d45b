import { WORDS, type Words } from '@tidings/contracts';
import { humanize } from '../lib/format.ts';

/** What a code means and what to do about it; of one that is younger than this page, the code as words. */
export function explain(place: keyof typeof WORDS, code: string): Words {
  const words: Readonly<Record<string, Words>> = WORDS[place];
  return words[code] ?? { summary: `${humanize(code)}.`, remedy: NO_ACTION };
}

/** Why a delivery is not sent. */
export const explainDelivery = (reason: string): Words => explain('deliveryReason', reason);

/** Why a message was left out, or its request refused. */
export const explainIngest = (code: string): Words =>
  explain(code in WORDS.messageReason ? 'messageReason' : 'error', code);

const NO_ACTION = 'Nothing.';

/** What to do, where there is anything to do. */
export const shownRemedy = ({ remedy }: Pick<Words, 'remedy'>): string | null =>
  remedy === NO_ACTION ? null : remedy;
