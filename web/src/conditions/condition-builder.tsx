import { nodeOf, type Condition } from '@tidings/contracts/segments/conditions';
import { useRef, useState } from 'react';
import { formatJson } from '../lib/exact-json.ts';
import { inWrittenOrder } from './key-order.ts';
import { Button } from '../ui/button.tsx';
import { CodeEditor } from '../ui/code-editor/code-editor.tsx';
import { AddCondition } from './add-condition.tsx';
import { RootPointerContext } from './builder-context.ts';
import { ConditionNode } from './condition-node.tsx';
import { readJson } from './read-json.ts';
import { useJsonFaults } from './use-json-faults.ts';

type Props = {
  readonly condition: Condition;
  readonly pointer: string;
  readonly onChange: (condition: Condition) => void;
};

/** What is written as JSON; with an error, it is no condition yet. */
type Written = { readonly text: string; readonly error?: string | undefined };

/** Edits a condition by fields or as JSON. */
export function ConditionBuilder(props: Props) {
  const { condition, pointer, onChange } = props;
  const [written, setWritten] = useState<Written | null>(null);
  const box = useRef<HTMLDivElement>(null);
  /** Text that is no condition has no fields: it stays, with its error. */
  const showFields = (): void => {
    if (written?.error === undefined) setWritten(null);
    else box.current?.querySelector<HTMLElement>('[data-blocking]')?.focus();
  };
  const isJson = written !== null;
  return (
    <div className="stack" ref={box}>
      <div className="row">
        <Button isSmall aria-pressed={!isJson} onClick={showFields}>
          Fields
        </Button>
        <Button
          isSmall
          aria-pressed={isJson}
          onClick={() => setWritten(written ?? { text: formatJson(inWrittenOrder(condition)) })}
        >
          JSON
        </Button>
      </div>
      {isJson ? (
        <JsonFields {...props} written={written} onWrite={setWritten} />
      ) : (
        <RootPointerContext value={pointer}>
          <ConditionNode node={condition} pointer={pointer} number="" onChange={onChange} />
          {nodeOf(condition).type !== 'group' && (
            <AddCondition onAdd={(added) => onChange({ all: [condition, added] })} />
          )}
        </RootPointerContext>
      )}
    </div>
  );
}

type JsonProps = Omit<Props, 'condition'> & {
  readonly written: Written;
  readonly onWrite: (written: Written) => void;
};

function JsonFields({ pointer, onChange, written: { text, error }, onWrite }: JsonProps) {
  const found = useJsonFaults(text, error !== undefined, pointer);
  return (
    <CodeEditor
      label="Condition as JSON"
      pointer={pointer}
      value={text}
      error={error}
      found={found}
      isBlocking
      rows={16}
      language="json"
      onChange={(next) => {
        const read = readJson(next);
        onWrite({ text: next, error: read.error });
        if (read.value !== undefined) onChange(read.value);
      }}
    />
  );
}
