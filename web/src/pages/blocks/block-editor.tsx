import { SLUG_PATTERN } from '@tidings/contracts/slug';
import { useState } from 'react';
import { httpStatus, readFieldErrors } from '../../api/problem.ts';
import { useChange, useReadAll } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Block } from '../../api/types.ts';
import { counted } from '../../lib/format.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card } from '../../ui/card.tsx';
import { DescribedField } from '../../ui/described-field.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { FieldErrors, TextField } from '../../ui/field.tsx';
import { showToast } from '../../ui/toast.tsx';
import { BlockPreview, useBlockFaults } from './block-preview.tsx';
import { UsedBy } from './used-by.tsx';

type EditorProps = {
  /** Absent: a new one. */
  readonly block?: Block;
  readonly onSaved: (block: Block) => void;
  /** Shows the newest version instead of what is edited. */
  readonly onReload?: () => void;
};

const SLUG = new RegExp(SLUG_PATTERN);

/** The texts of a block, with a preview and the templates that use it beside them. */
export function BlockEditor({ block, onSaved, onReload }: EditorProps) {
  const may = useMay('changeBlocks');
  const [draft, setDraft] = useState({
    name: block?.name ?? '',
    html: block?.html ?? '',
    text: block?.text ?? '',
  });
  // What this page has seen: the change of a colleague must not be overwritten.
  const [version, setVersion] = useState(block?.version ?? 0);
  const { data: all } = useReadAll<Block>('blocks', { enabled: block === undefined });
  const others = all?.map((each) => each.slug) ?? [];
  const created = useNewSlug(draft.name, 'block', others);
  const slug = block?.slug ?? created.slug;
  const { name, html, text } = draft;
  const faults = useBlockFaults(draft);
  const save = useChange<void, Block>(
    () => ({
      path: `blocks/${encodeURIComponent(slug)}`,
      method: 'PUT',
      body: { name, html: html || null, text: text || null, expectedVersion: version },
    }),
    ['blocks', 'templates'],
  );
  const change = (changes: Partial<typeof draft>): void => {
    setDraft({ ...draft, ...changes });
    save.reset();
  };
  const missing = [
    ...(name.trim() === '' ? ['a name'] : []),
    ...(html === '' && text === '' ? ['HTML or plain text'] : []),
  ];
  const uses = block?.usedBy.length ?? 0;
  const taken = others.includes(slug) ? 'Another block has this name.' : undefined;
  return (
    <div className="columns">
      <Card>
        <EditForm
          action={block === undefined ? 'Create block' : 'Save'}
          isAllowed={may}
          change={save}
          missing={missing}
          beside={
            uses > 0 && (
              <span className="soft small">
                Changes {counted(uses, 'template', 'templates')} as well
              </span>
            )
          }
          onSubmit={() =>
            save.mutate(undefined, {
              onSuccess: (saved) => {
                showToast('Block saved');
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
              value={name}
              onChange={(next) => change({ name: next })}
            />
            {block === undefined && (
              <ApiName
                noun="block"
                slug={slug}
                onChange={created.setOwn}
                error={slug === '' || SLUG.test(slug) ? taken : SLUG_FAULT}
              />
            )}
          </div>
          <FieldErrors value={[...readFieldErrors(save.error), ...faults]}>
            <DescribedField
              label="HTML"
              isOptional={false}
              hint="For HTML e-mails and messages in apps and on pages."
              choices={[]}
              rows={8}
              language="html"
              pointer="/html"
              value={html}
              onChange={(next) => change({ html: next })}
            />
            <DescribedField
              label="Plain text"
              isOptional={false}
              hint="For every other text: SMS, pushes, subjects, e-mails in plain text."
              choices={[]}
              rows={4}
              language="text"
              pointer="/text"
              value={text}
              onChange={(next) => change({ text: next })}
            />
          </FieldErrors>
        </EditForm>
        {httpStatus(save.error) === 409 && onReload !== undefined && (
          <Callout tone="warn">
            <p>
              The block was changed after you opened it. Your version is not stored. Copy what you
              want to keep, then reload.
            </p>
            <div className="row">
              <Button onClick={onReload}>Reload and discard my changes</Button>
            </div>
          </Callout>
        )}
      </Card>
      <div className="stack">
        {block !== undefined && <UsedBy block={block} />}
        <BlockPreview html={html} text={text} />
      </div>
    </div>
  );
}

const SLUG_FAULT =
  'Use up to 64 lower-case letters, digits and hyphens. Begin with a letter or digit.';
