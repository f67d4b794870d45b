import { itemAt } from '@tidings/platform';
/**
 * Marks of values in HTML that is parsed once for many users. The characters that enclose a mark
 * are reserved in Unicode and refused in templates, so no text contains one. The letter tells
 * whether what parsed the text has turned it to capitals, as plain text does with headings.
 */
export const markOf = (index: number): string => `\uFDD0v${index}\uFDD1`;

const MARK = /\uFDD0([vV])(\d+)\uFDD1/g;

export type MarkedPiece = string | { readonly value: number; readonly isUpperCase: boolean };

/** Splits a text at its marks. */
export function splitAtMarks(text: string): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let done = 0;
  for (const { 0: mark, 1: letter, 2: index, index: at } of text.matchAll(MARK)) {
    if (at > done) pieces.push(text.slice(done, at));
    pieces.push({ value: Number(index), isUpperCase: letter === 'V' });
    done = at + mark.length;
  }
  if (done < text.length) pieces.push(text.slice(done));
  return pieces;
}

export const hasMarks = (text: string): boolean => text.includes('\uFDD0');

/** A text with its marks replaced by values. */
export function fillMarks(text: string, values: readonly string[]): string {
  let filled = '';
  for (const piece of splitAtMarks(text)) filled += fillPiece(piece, values);
  return filled;
}

/** A piece of a text with its value. */
function fillPiece(piece: MarkedPiece, values: readonly string[]): string {
  if (typeof piece === 'string') return piece;
  const value = itemAt(values, piece.value);
  return piece.isUpperCase ? value.toUpperCase() : value;
}
