import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { readFieldErrors } from '../api/problem.ts';
import { useQuestion } from '../api/queries.ts';
import { useSettled } from '../ui/use-settled.ts';

const TYPING_MS = 400;
const POINTER = '/condition';

/** All that the service finds wrong with JSON that is no condition. Fields find one fault at a time, and can't say where. */
export function useJsonFaults(
  text: string,
  isWanted: boolean,
  pointer: string,
): readonly FieldError[] {
  const settled = useSettled(text, TYPING_MS);
  const condition = isWanted ? readObject(settled) : null;
  const { error } = useQuestion('segments/preview', { condition }, condition !== null);
  if (condition === null || settled !== text) return [];
  return readFieldErrors(error)
    .filter((each) => each.pointer.startsWith(POINTER))
    .map((each) => ({ ...each, pointer: pointer + each.pointer.slice(POINTER.length) }));
}

function readObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
