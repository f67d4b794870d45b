import type { Channel } from '@tidings/contracts/channels/channels';
import type { CodeLanguage } from '../../ui/code-editor/code-field.ts';
import { DescribedField } from '../../ui/described-field.tsx';
import { INSERTABLE } from '../../ui/use-insertion.ts';
import { listMessageFields, type MessageField } from './message-fields.ts';
import type { MessageTexts } from './message-values.ts';

type Props = {
  readonly channel: Channel;
  readonly fields: MessageTexts;
  /** The JSON pointer of the message. */
  readonly pointer: string;
  readonly onChange: (fields: MessageTexts) => void;
};

/** The fields of a message of a channel. */
export function MessageInputs({ channel, fields, pointer, onChange }: Props) {
  const inputs = listMessageFields(channel).map((field) => (
    <DescribedField
      key={field.name}
      label={field.label}
      hint={field.hint}
      isOptional={!field.isNeeded}
      choices={field.choices}
      unset={field.unset}
      rows={textRows(field)}
      language={languageOf(field, fields[field.name] ?? '')}
      inputMode={field.kind === 'number' ? 'numeric' : undefined}
      pointer={`${pointer}/${field.name}`}
      value={fields[field.name] ?? ''}
      onChange={(value) => onChange({ ...fields, [field.name]: value })}
    />
  ));
  return (
    <div className="stack" {...INSERTABLE}>
      {inputs}
    </div>
  );
}

/** An object of JSON, but no Liquid. */
const OBJECT = /^\s*\{(?![{%])/;

function languageOf({ kind, isTall }: MessageField, value: string): CodeLanguage {
  if (kind === 'json' || (kind === 'textOrObject' && OBJECT.test(value))) return 'json';
  return isTall === true ? 'html' : 'text';
}

function textRows({ kind, isTall }: MessageField): number | undefined {
  if (kind === 'line' || kind === 'number') return undefined;
  return isTall === true ? 8 : 3;
}
