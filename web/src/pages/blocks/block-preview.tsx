import type { FieldError } from '@tidings/contracts/errors/error-codes';
import type { TemplateContent } from '@tidings/contracts/push/templates';
import { useMemo, useState } from 'react';
import { readFieldErrors } from '../../api/problem.ts';
import { Card } from '../../ui/card.tsx';
import { Views } from '../../ui/views.tsx';
import { MessagePreviewCard } from '../templates/message-preview-card.tsx';
import { useTemplateCheck } from '../templates/template-check.ts';

type Form = 'html' | 'text';
type Texts = { readonly [Each in Form]: string };

/** A mail may say all that a block may. */
const asMail = (body: string, format: Form): TemplateContent => ({
  channel: 'EMAIL',
  message: { title: 'The subject of the template', body, format },
  variants: [],
});

function useMails({ html, text }: Texts): Readonly<Record<Form, TemplateContent>> {
  return useMemo(() => ({ html: asMail(html, 'html'), text: asMail(text, 'text') }), [html, text]);
}

/** What is wrong with the texts of a block while they are written, each by itself. */
export function useBlockFaults(texts: Texts): readonly FieldError[] {
  const mails = useMails(texts);
  const html = useTemplateCheck(mails.html, texts.html !== '');
  const text = useTemplateCheck(mails.text, texts.text !== '');
  return Object.entries({ html, text }).flatMap(([form, { error }]) =>
    readFieldErrors(error).map((fault) => ({ ...fault, pointer: `/${form}` })),
  );
}

const VIEWS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Plain text' },
] as const;

/** A block as it is written, or as one user gets it. */
export function BlockPreview(texts: Texts) {
  const [chosen, setChosen] = useState<Form>('html');
  const mails = useMails(texts);
  const written = VIEWS.filter(({ value }) => texts[value] !== '');
  const shown = written.find(({ value }) => value === chosen) ?? written[0];
  if (shown === undefined)
    return (
      <Card title="Preview">
        <p className="soft">Write HTML or plain text to see it here.</p>
      </Card>
    );
  return (
    <>
      {written.length > 1 && (
        <Views
          label="Text to preview"
          views={VIEWS}
          value={shown.value}
          onChange={(value) => setChosen(value as Form)}
        />
      )}
      <MessagePreviewCard key={shown.value} content={mails[shown.value]} />
    </>
  );
}
