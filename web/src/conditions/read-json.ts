import { CONDITION_KEYS, type Condition } from '@tidings/contracts/segments/conditions';
import { NO_NAMES, summarize } from './describe-condition.ts';

/** What the fields can show is far below it; the service says where a condition is too deep. */
const DEPTH_MAX = 50;

/** A condition from JSON, or why the text is none. The service judges all that its form allows. */
export function readJson(text: string): { readonly value?: Condition; readonly error?: string } {
  try {
    const value = JSON.parse(text) as unknown;
    const error = faultOf(value, 0);
    return error === undefined ? { value: value as Condition } : { error };
  } catch (error) {
    return { error: `Not valid JSON: ${error instanceof Error ? error.message : ''}` };
  }
}

/** Why fields cannot show it. */
function faultOf(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return 'A condition is an object.';
  if (depth > DEPTH_MAX) return `More than ${DEPTH_MAX} conditions are inside each other.`;
  const key = CONDITION_KEYS.find((each) => Object.hasOwn(value, each));
  if (key === undefined) return `A condition has one of the keys ${CONDITION_KEYS.join(', ')}.`;
  const content = (value as Readonly<Record<string, unknown>>)[key];
  if (key === 'not') return faultOf(content, depth + 1);
  if (key !== 'all' && key !== 'any') return wordsFault(value as Condition, key);
  if (!Array.isArray(content)) return `"${key}" is a list of conditions.`;
  for (const child of content) {
    const fault = faultOf(child, depth + 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A part of another type than the fields and the phrase expect. */
function wordsFault(condition: Condition, key: string): string | undefined {
  try {
    summarize(condition, NO_NAMES);
    return undefined;
  } catch {
    return `A part of the condition "${key}" has another type than it should.`;
  }
}
