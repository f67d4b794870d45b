import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { fieldErrorMessage } from '../../api/problem.ts';
import { placesOfJson, type Place } from '../../lib/json-places.ts';

/** What is wrong, and where; without a place it is of the whole text. */
export type CodeFault = { readonly text: string; readonly place?: Place };

/** What is wrong with a text that should be JSON. Nothing is wrong with an empty one. */
export function findSyntaxFault(text: string): CodeFault | undefined {
  const { stop } = placesOfJson(text);
  if (stop === null || text.trim() === '') return undefined;
  const sign = Array.from(text.slice(stop))[0];
  const what = sign === undefined ? 'it ends too early' : `“${sign}” can’t stand here`;
  return {
    text: `Line ${lineAt(text, stop)}: Not valid JSON: ${what}.`,
    place: { from: stop, to: stop + 1 },
  };
}

/** Where a fault stands that the service found: by its line and column, or in JSON by its pointer below that of the text. */
export function toFault(
  text: string,
  { line, column, ...error }: FieldError,
  pointer: string | null,
): CodeFault {
  if (line !== undefined && column !== undefined) {
    const place = placeAt(text, line, column);
    return { text: fieldErrorMessage({ line, column, ...error }), ...(place && { place }) };
  }
  const place =
    pointer === null ? undefined : nearestPlace(text, error.pointer.slice(pointer.length));
  if (place === undefined) return { text: fieldErrorMessage(error) };
  return { text: `Line ${lineAt(text, place.from)}: ${fieldErrorMessage(error)}`, place };
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length;

function placeAt(text: string, line: number, column: number): Place | undefined {
  const lines = text.split('\n');
  if (line > lines.length) return undefined;
  const from = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, column - 1);
  return toLineEnd(text, { from, to: text.length });
}

/** Of a part that is missing it is that of what lacks it. */
function nearestPlace(text: string, pointer: string): Place | undefined {
  const { places, stop } = placesOfJson(text);
  if (stop !== null) return undefined;
  for (let of = pointer; ; of = of.slice(0, of.lastIndexOf('/'))) {
    const place = places.get(of);
    if (place !== undefined) return toLineEnd(text, place);
    if (of === '') return undefined;
  }
}

/** A mark over many lines says nothing. */
function toLineEnd(text: string, { from, to }: Place): Place {
  const end = text.indexOf('\n', from);
  return { from, to: end < 0 ? to : Math.min(to, end) };
}
