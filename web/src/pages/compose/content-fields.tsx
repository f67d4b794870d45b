import { Checkbox, Select, type Option } from '../../ui/field.tsx';
import type { Draft } from './draft.ts';
import { MessageInputs } from './message-inputs.tsx';
import { TemplateFields } from './template-fields.tsx';

const CONTENTS: readonly Option[] = [
  { value: 'message', label: 'A message that I write here' },
  { value: 'template', label: 'A template' },
];

/** What is sent: a message that is written here, or templates. */
export function ContentFields({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
}) {
  return (
    <>
      <Select
        label="Content"
        value={draft.content}
        onChange={(content) => onChange({ content: content as Draft['content'] })}
        options={CONTENTS}
      />
      {draft.content === 'template' ? (
        <TemplateFields
          channel={draft.channel}
          choices={draft.templates}
          onChange={(templates) => onChange({ templates })}
        />
      ) : (
        <>
          <MessageInputs
            channel={draft.channel}
            fields={draft.fields}
            pointer="/message"
            onChange={(fields) => onChange({ fields })}
          />
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
