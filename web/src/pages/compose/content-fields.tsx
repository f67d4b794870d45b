import { useContext, useMemo } from 'react';
import { readFieldErrors } from '../../api/problem.ts';
import { Checkbox, FieldErrors } from '../../ui/field.tsx';
import { useInsertion } from '../../ui/use-insertion.ts';
import { Views } from '../../ui/views.tsx';
import { ValueChips } from '../templates/value-chips.tsx';
import { useTemplateCheck } from '../templates/template-check.ts';
import { WinnerFields } from '../split-tests/winner-fields.tsx';
import type { Draft } from './draft.ts';
import { MessageInputs } from './message-inputs.tsx';
import { buildMessage } from './message-values.ts';
import { TemplateFields } from './template-fields.tsx';

const CONTENTS = [
  { value: 'message', label: 'Written here' },
  { value: 'template', label: 'From a template' },
];

type ContentProps = {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
};

/** What is sent: a message that is written here, or templates. */
export function ContentFields({ draft, onChange }: ContentProps) {
  const { boxProps, insert } = useInsertion();
  return (
    <>
      <div className="row">
        <Views
          label="Content"
          views={CONTENTS}
          value={draft.content}
          onChange={(content) => onChange({ content: content as Draft['content'] })}
        />
      </div>
      {draft.content === 'template' ? (
        <>
          <TemplateFields
            channel={draft.channel}
            choices={draft.templates}
            onChange={(templates) => onChange({ templates })}
          />
          {draft.templates.length > 1 && (
            <WinnerFields
              channel={draft.channel}
              winner={draft.winner}
              onChange={(winner) => onChange({ winner })}
            />
          )}
        </>
      ) : (
        <>
          <ValueChips channel={draft.channel} onInsert={insert} />
          <div {...boxProps} className="stack">
            <WrittenMessage draft={draft} onChange={onChange} />
          </div>
          <Checkbox
            label="Personalise this message"
            hint="Fills in {{ user.firstName }} and other values of each recipient. Recipients who lack a value get no message, unless it has a default."
            isChecked={draft.personalize}
            onChange={(personalize) => onChange({ personalize })}
          />
        </>
      )}
    </>
  );
}

/** The fields of the message. Those of a personalised one show its faults while it is written. */
function WrittenMessage({ draft: { channel, fields, personalize }, onChange }: ContentProps) {
  const content = useMemo(
    () => ({ channel, message: buildMessage({ channel, fields }), variants: [] }),
    [channel, fields],
  );
  const check = useTemplateCheck(content, personalize);
  const sent = useContext(FieldErrors);
  const checked = personalize ? readFieldErrors(check.error) : [];
  return (
    <FieldErrors value={[...sent, ...checked]}>
      <MessageInputs
        channel={channel}
        fields={fields}
        pointer="/message"
        onChange={(changed) => onChange({ fields: changed })}
      />
    </FieldErrors>
  );
}
