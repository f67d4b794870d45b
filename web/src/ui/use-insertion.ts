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
  /** What is typed next stands behind it. */
  const insert = (text: string): void => {
    const isShown = (field: Element | null): boolean => field?.checkVisibility() === true;
    const field = isShown(last.current)
      ? last.current
      : [...(box.current?.querySelectorAll('[data-insertable] .code') ?? [])].find(isShown);
    if (field == null) return;
    if ('insert' in field) (field as CodeField).insert(text);
    else insertInto(field as TextControl, text);
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

function insertInto(control: TextControl, text: string): void {
  const start = control.selectionStart ?? control.value.length;
  control.setRangeText(text, start, control.selectionEnd ?? start);
  control.dispatchEvent(new InputEvent('input', { bubbles: true }));
  control.focus();
  control.setSelectionRange(start + text.length, start + text.length);
}
