import type { Condition } from '@tidings/contracts/segments/conditions';
import { useState } from 'react';
import { formatJson } from '../lib/exact-json.ts';
import { CodeEditor } from '../ui/code-editor/code-editor.tsx';
import { inWrittenOrder } from './key-order.ts';
import type { LeafProps } from './leaf-props.ts';
import { readJson } from './read-json.ts';

/** A condition as JSON, for what the builder has no fields for. */
export function JsonLeaf({ node, pointer, onChange }: LeafProps<Condition>) {
  const [text, setText] = useState(() => formatJson(inWrittenOrder(node)));
  const [error, setError] = useState<string>();
  return (
    <CodeEditor
      label="JSON"
      pointer={pointer}
      value={text}
      error={error}
      isBlocking
      rows={6}
      language="json"
      onChange={(next) => {
        setText(next);
        const read = readJson(next);
        setError(read.error);
        if (read.value !== undefined) onChange(read.value);
      }}
    />
  );
}
