import { TRIGGER_KEYS, type AutomationDefinition } from '@tidings/contracts/automations/definition';
import { useState } from 'react';
import { stepTitle } from '../../automations/words.ts';
import { placesOf } from '../../automations/tree.ts';
import type { AutomationDraft } from '../../automations/use-automation-draft.ts';
import { inWrittenOrder } from '../../conditions/key-order.ts';
import { formatJson } from '../../lib/exact-json.ts';
import { Card } from '../../ui/card.tsx';
import { CodeEditor } from '../../ui/code-editor/code-editor.tsx';

/** The definition as the API has it, both ways. */
export function JsonTab({
  draft: { definition, faults, edition, change },
  isAllowed,
}: {
  readonly draft: AutomationDraft;
  readonly isAllowed: boolean;
}) {
  const [text, setText] = useState({ value: written(definition), edition });
  const [error, setError] = useState<string>();
  if (text.edition !== edition) {
    setText({ value: written(definition), edition });
    setError(undefined);
  }
  return (
    <Card>
      <fieldset disabled={!isAllowed}>
        <CodeEditor
          label="Definition as JSON"
          pointer=""
          value={text.value}
          error={error}
          found={faults.map((fault) => fault.error)}
          isBlocking
          rows={30}
          language="json"
          onChange={(next) => {
            setText({ value: next, edition });
            const read = readDefinition(next);
            setError(read.error);
            if (read.value !== undefined) change(read.value);
          }}
        />
      </fieldset>
    </Card>
  );
}

const written = (definition: AutomationDefinition): string =>
  formatJson(inWrittenOrder(definition));

const NO_NAMES = {
  events: new Map(),
  funnels: new Map(),
  segments: new Map(),
  templates: new Map(),
};

/** A definition that the steps can show, or why it is none. The service judges the rest. */
function readDefinition(text: string): {
  readonly value?: AutomationDefinition;
  readonly error?: string;
} {
  let value: AutomationDefinition;
  try {
    value = JSON.parse(text) as AutomationDefinition;
  } catch (error) {
    return { error: `Not valid JSON: ${error instanceof Error ? error.message : ''}` };
  }
  try {
    for (const { node } of placesOf(value.nodes)) stepTitle(node, NO_NAMES);
    return TRIGGER_KEYS.some((key) => key in value.trigger)
      ? { value }
      : { error: `The trigger has one of the keys ${TRIGGER_KEYS.join(', ')}.` };
  } catch {
    return { error: 'A part has another type than it should.' };
  }
}
