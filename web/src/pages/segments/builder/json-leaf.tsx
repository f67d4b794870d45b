import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState } from 'react';
import { formatJson } from '../../../lib/exact-json.ts';
import { TextArea } from '../../../ui/field.tsx';
import type { LeafProps } from './leaf-props.ts';

/** A condition as JSON, for what the builder has no fields for. */
export function JsonLeaf({ node, pointer, onChange }: LeafProps<Condition>) {
  const [text, setText] = useState(() => formatJson(node));
  const [error, setError] = useState<string>();
  return (
    <TextArea
      label="JSON"
      pointer={pointer}
      value={text}
      error={error}
      isBlocking
      rows={6}
      spellCheck={false}
      dir="ltr"
      onChange={(next) => {
        setText(next);
        const read = readJson(next);
        setError(read.error);
        if (read.error === undefined) onChange(read.value as Condition);
      }}
    />
  );
}

/** An object of JSON, or why the text is none. */
export function readJson(text: string): { readonly value?: object; readonly error?: string } {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { value }
      : { error: 'A condition is an object.' };
  } catch (error) {
    return { error: `Not valid JSON: ${error instanceof Error ? error.message : ''}` };
  }
}
