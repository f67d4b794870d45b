import { useRef, type FocusEvent } from 'react';
import type { CodeField } from './code-editor/code-field.ts';

/** Marks what holds fields that texts may be inserted into. */
export const INSERTABLE = { 'data-insertable': '' } as const;
const FIELDS = 'input[type=text]:not([inputmode]), textarea, code-field';

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Inserts texts at the cursor of the field that had the focus last, or else of the first of several lines. */
export function useInsertion() {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef<Element | null>(null);
  /** The part from `from` to `to` is chosen then. */
  const insert = (text: string, from: number, to: number): void => {
    const isShown = (field: Element | null): boolean => field?.checkVisibility() === true;
    const field = isShown(last.current)
      ? last.current
      : [...(box.current?.querySelectorAll('[data-insertable] .code') ?? [])].find(isShown);
    if (field == null) return;
    if ('insert' in field) (field as CodeField).insert(text, from, to);
    else insertInto(field as TextControl, { text, from, to });
  };
  const boxProps = {
    ref: box,
    onFocus: ({ target }: FocusEvent) => {
      if (target.matches(FIELDS) && target.closest('[data-insertable]') !== null)
        last.current = target;
    },
  };
  return { boxProps, insert };
}

function insertInto(
  control: TextControl,
  { text, from, to }: { readonly text: string; readonly from: number; readonly to: number },
): void {
  const start = control.selectionStart ?? control.value.length;
  control.setRangeText(text, start, control.selectionEnd ?? start);
  control.dispatchEvent(new InputEvent('input', { bubbles: true }));
  control.focus();
  control.setSelectionRange(start + from, start + to);
}
