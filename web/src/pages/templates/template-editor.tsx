import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { useMemo, useState } from 'react';
import { httpStatus, readFieldErrors } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Template } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { createLinkedWords } from '../compose/linked-words.ts';
import { changeFields, type StepWords } from '../compose/step-words.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { FieldErrors, TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toOptions } from '../../ui/options.ts';
import { showToast } from '../../ui/toast.tsx';
import { useInsertion } from '../../ui/use-insertion.ts';
import { BuilderFactsContext } from '../../conditions/builder-context.ts';
import { useSegmentFacts } from '../segments/use-segment-facts.ts';
import { MessagePreviewCard } from './message-preview-card.tsx';
import { useTemplateCheck } from './template-check.ts';
import { buildContent, slugFault, toDraft, type TemplateDraft } from './template-draft.ts';
import { useTemplates } from './use-templates.ts';
import { Variables } from './variables.tsx';
import { DEFAULT, VariantFields } from './variant-fields.tsx';

type EditorProps = {
  /** Absent: a new one. */
  readonly template?: Template;
  readonly onSaved: (template: Template) => void;
  /** Shows the newest version instead of what is edited. */
  readonly onReload?: () => void;
};

/** The fields of a template, with its variables and a preview beside them. */
export function TemplateEditor({ template, onSaved, onReload }: EditorProps) {
  const may = useMay('changeTemplates');
  const mayCheck = useMay('previewTemplates');
  const facts = useSegmentFacts();
  const [draft, setDraft] = useState(() => toDraft(template));
  // What this page has seen: the change of a colleague must not be overwritten.
  const [version, setVersion] = useState(template?.version ?? 0);
  const others = useTemplates(template === undefined)?.map((each) => each.slug) ?? [];
  const created = useNewSlug(draft.name, 'template', others);
  const slug = template?.slug ?? created.slug;
  const content = useMemo(() => buildContent(draft), [draft]);
  const check = useTemplateCheck(content);
  const insertion = useInsertion();
  const [shown, setShown] = useState<string>(DEFAULT);
  const [words] = useState(createLinkedWords);
  const save = useChange<void, Template>(
    () => ({
      path: `templates/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: { name: draft.name, ...content, expectedVersion: version },
    }),
    ['templates'],
  );
  const change = (changes: Partial<TemplateDraft>): void => {
    setDraft({ ...draft, ...changes });
    save.reset();
  };
  return (
    <div className="columns">
      <Card>
        <EditForm
          action={template === undefined ? 'Create template' : 'Save'}
          isAllowed={may}
          change={save}
          missing={draft.name.trim() === '' ? ['a name'] : []}
          onSubmit={() =>
            save.mutate(undefined, {
              onSuccess: (saved) => {
                showToast('Template saved');
                setVersion(saved.version);
                onSaved(saved);
              },
            })
          }
        >
          <div className="grid narrow">
            <TextField
              label="Name"
              pointer="/name"
              value={draft.name}
              onChange={(name) => change({ name })}
            />
            {template === undefined && (
              <>
                <ApiName
                  noun="template"
                  slug={slug}
                  onChange={created.setOwn}
                  error={slugFault(slug, others)}
                />
                <Select
                  label="Channel"
                  pointer="/channel"
                  value={draft.channel}
                  onChange={(channel) => change(inChannel(words, draft, channel as Channel))}
                  options={toOptions(CHANNELS, undefined, channelName)}
                  hint="It can’t be changed later."
                />
              </>
            )}
          </div>
          <FieldErrors value={[...readFieldErrors(save.error), ...readFieldErrors(check.error)]}>
            <BuilderFactsContext value={facts}>
              <div {...insertion.boxProps}>
                <VariantFields {...{ draft, shown }} onShow={setShown} onChange={change} />
              </div>
            </BuilderFactsContext>
          </FieldErrors>
        </EditForm>
        {httpStatus(save.error) === 409 && onReload !== undefined && (
          <Conflict onReload={onReload} />
        )}
      </Card>
      <div className="stack">
        {mayCheck && (
          <Variables channel={draft.channel} onInsert={insertion.insert} check={check} />
        )}
        <MessagePreviewCard
          content={content}
          variant={content.variants[draft.variants.findIndex(({ key }) => key === shown)]?.message}
        />
      </div>
    </div>
  );
}

function Conflict({ onReload }: { readonly onReload: () => void }) {
  return (
    <Callout tone="warn">
      <p>
        The template was changed after you opened it. Your version is not stored. Copy what you want
        to keep, then reload.
      </p>
      <div className="row">
        <Button onClick={onReload}>Reload and discard my changes</Button>
      </div>
    </Callout>
  );
}

/** Each text in another channel: that of the template, and those of its variants. */
function inChannel(
  words: StepWords,
  { channel, fields, variants }: TemplateDraft,
  next: Channel,
): Pick<TemplateDraft, 'channel' | 'fields' | 'variants'> {
  return {
    channel: next,
    fields: changeFields(words, { channel, fields }, next),
    variants: variants.map((each) => ({
      ...each,
      fields: changeFields(words, { channel, fields: each.fields, step: each.key }, next),
    })),
  };
}
