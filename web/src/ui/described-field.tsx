import type { InputHTMLAttributes } from 'react';
import { CodeEditor } from './code-editor/code-editor.tsx';
import type { CodeLanguage } from './code-editor/code-field.ts';
import { TextArea, TextField } from './field.tsx';
import { Select } from './select.tsx';
import { toOptions } from './options.ts';

type Shared = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'autoComplete' | 'inputMode' | 'placeholder' | 'spellCheck' | 'type'
>;
type DescribedFieldProps = Shared & {
  readonly label: string;
  readonly isOptional: boolean;
  readonly hint?: string | undefined;
  /** Empty for text fields. */
  readonly choices: readonly string[];
  /** Label of a first choice without a value. */
  readonly unset?: string | undefined;
  /** The height of a multi-line field; undefined for a single line. */
  readonly rows?: number | undefined;
  /** Of a multi-line field that is code. */
  readonly language?: CodeLanguage | undefined;
  readonly pointer: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

/** A select, a code editor, a text area or a text field, depending on its description. */
export function DescribedField(props: DescribedFieldProps) {
  const {
    label: name,
    isOptional,
    hint,
    choices,
    unset,
    rows,
    language,
    type,
    inputMode,
    ...rest
  } = props;
  const label = (
    <>
      {name}
      {isOptional && <span className="soft"> (optional)</span>}
    </>
  );
  const { pointer, value, onChange } = rest;
  if (choices.length > 0)
    return (
      <Select {...{ label, hint, pointer, value, onChange }} options={toOptions(choices, unset)} />
    );
  if (rows !== undefined && language !== undefined)
    return <CodeEditor {...{ label, hint, rows, language, pointer, value, onChange }} />;
  return rows === undefined ? (
    <TextField {...rest} label={label} hint={hint} type={type ?? 'text'} inputMode={inputMode} />
  ) : (
    <TextArea {...rest} label={label} hint={hint} rows={rows} />
  );
}
