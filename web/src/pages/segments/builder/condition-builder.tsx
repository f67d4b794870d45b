import type { Condition } from '@tidings/contracts';
import { useState } from 'react';
import { formatJson } from '../../../lib/exact-json.ts';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { ConditionNode } from './condition-node.tsx';
import { isGroup } from './group.tsx';
import { readJson } from './json-leaf.tsx';
import { newCondition } from './new-condition.ts';

type Props = {
  readonly condition: Condition;
  readonly pointer: string;
  readonly onChange: (condition: Condition) => void;
};

/** Edits a condition by fields or as JSON. */
export function ConditionBuilder(props: Props) {
  const [isJson, setJson] = useState(false);
  const { condition, pointer, onChange } = props;
  return (
    <>
      <div className="row">
        <Button isSmall aria-pressed={!isJson} onClick={() => setJson(false)}>
          Fields
        </Button>
        <Button isSmall aria-pressed={isJson} onClick={() => setJson(true)}>
          JSON
        </Button>
      </div>
      {isJson ? (
        <JsonFields {...props} />
      ) : (
        <>
          <ConditionNode node={condition} pointer={pointer} number="" onChange={onChange} />
          {!isGroup(condition) && (
            <div className="row">
              <Button
                isSmall
                onClick={() => onChange({ all: [condition, newCondition('attribute')] })}
              >
                Add a condition
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

function JsonFields({ condition, pointer, onChange }: Props) {
  const [text, setText] = useState(() => formatJson(condition));
  const [error, setError] = useState<string>();
  return (
    <TextArea
      label="Condition as JSON"
      pointer={pointer}
      value={text}
      error={error}
      rows={16}
      spellCheck={false}
      dir="ltr"
      onChange={(next) => {
        setText(next);
        const read = readJson(next);
        setError(read.error);
        if (read.value !== undefined) onChange(read.value as Condition);
      }}
    />
  );
}
