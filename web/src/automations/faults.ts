import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import { fieldErrorMessage } from '../api/problem.ts';
import { explain } from '../labels/explain.ts';
import { pointerName } from '../labels/pointer-name.ts';
import { placesOf } from './tree.ts';

/** What opens the panel of everything but the steps. */
export const FRAME = 'frame';

/** A fault in words, and what opens the fields to mend it: the id of a step, or `FRAME`. */
export type Fault = {
  readonly at: string;
  readonly text: string;
  /** Whether it says more than its field does. */
  readonly isPlain: boolean;
  readonly error: FieldError;
};

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\/waitFor\/message\/node$/, 'Choose a message that is sent before.'],
  [/\/event(\/name)?$/, 'Choose an event.'],
  [/\/template$/, 'Choose a template of this channel.'],
  [/^\/name$/, 'Write a name.'],
  [/\/nodes\/\d+$/, 'No way leads here: everyone ends before.'],
  [/^\/nodes$/, 'Add a step.'],
];

/** The faults that the service found, at their steps. */
export function placeFaults(
  { nodes }: AutomationDefinition,
  errors: readonly FieldError[],
): readonly Fault[] {
  const stepAt = stepsOf(nodes);
  return errors.map((error) => {
    const { pointer } = error;
    const known = WORDS.find(([pattern]) => pattern.test(pointer))?.[1];
    return {
      at: stepAt(pointer),
      text: known ?? `${pointerName(pointer)}: ${fieldErrorMessage(error)}`,
      isPlain: known !== undefined,
      error,
    };
  });
}

/** Something to look at that keeps nothing from being saved. */
export type Caution = Pick<Fault, 'at' | 'text'>;

/** Each with the name of its step where several say the same. */
export function nameAlike<Said extends Caution>(
  said: readonly Said[],
  nameOf: (at: string) => string,
): readonly Said[] {
  const isAlike = (one: Caution): boolean =>
    one.at !== FRAME && said.some(({ at, text }) => at !== one.at && text === one.text);
  return said.map((each) =>
    isAlike(each) ? { ...each, text: `${nameOf(each.at)}. ${each.text}` } : each,
  );
}

/** What the service warned about, at its steps. */
export const placeWarnings = (
  { nodes }: AutomationDefinition,
  warnings: readonly Warning[],
): readonly Caution[] =>
  warnings.map(({ code, pointer }) => ({
    at: stepsOf(nodes)(pointer),
    text: explain('warning', code).summary,
  }));

/** Finds what opens the panel in which a pointer is edited. */
function stepsOf(nodes: AutomationDefinition['nodes']): (pointer: string) => string {
  // Inner steps come later, and have longer pointers.
  const places = placesOf(nodes).toReversed();
  return (pointer) =>
    places.find((each) => `${pointer}/`.startsWith(`${each.pointer}/`))?.node.id ?? FRAME;
}
