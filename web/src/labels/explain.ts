import type { Explanation } from '@tidings/contracts/errors/explanations/explanation';
import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import { humanize } from '../lib/format.ts';

/** The explanation of a code. A code that is newer than this page is shown as readable words. */
export function explain(group: keyof typeof EXPLANATIONS, code: string): Explanation {
  const explanations: Readonly<Record<string, Explanation>> = EXPLANATIONS[group];
  return explanations[code] ?? { summary: `${humanize(code)}.`, remedy: NO_ACTION };
}

/** Why a message was not sent. */
export const explainDelivery = (reason: string): Explanation => explain('deliveryReason', reason);

/** Why a message was dropped or its request rejected. */
export const explainIngest = (code: string): Explanation =>
  explain(code in EXPLANATIONS.messageReason ? 'messageReason' : 'error', code);

const NO_ACTION = 'No action needed.';

/** What to do, or null if no action is needed. */
export const shownRemedy = ({ remedy }: Pick<Explanation, 'remedy'>): string | null =>
  remedy === NO_ACTION ? null : remedy;
