import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { useState } from 'react';
import type { Funnel } from '../../api/types.ts';
import { ApiName, useNewSlug } from '../../ui/api-name.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import { useWriteFunnel } from './use-saving.ts';

type SaveProps = {
  readonly title: string;
  readonly funnel: FunnelDefinition;
  /** The one that gets another name; null: a new one is made. */
  readonly saved: Funnel | null;
  readonly name: string;
  readonly taken: readonly string[];
  readonly onSaved: (funnel: Funnel) => void;
  readonly onClose: () => void;
};

/** Names a funnel, and saves it. */
export function SaveDialog({ title, funnel, saved, taken, onSaved, onClose, ...given }: SaveProps) {
  const [name, setName] = useState(given.name);
  const created = useNewSlug(name, 'funnel', taken);
  const write = useWriteFunnel();
  const slug = saved?.slug ?? created.slug;
  return (
    <FormDialog
      title={title}
      action="Save"
      change={write}
      isIncomplete={name.trim() === ''}
      onClose={onClose}
      onSubmit={() =>
        write.mutate(
          { name, slug, expectedVersion: saved?.version ?? 0, funnel },
          {
            onSuccess: (answer) => {
              showToast('Funnel saved');
              onSaved(answer);
            },
          },
        )
      }
    >
      <TextField label="Name" pointer="/name" value={name} onChange={setName} />
      {saved === null && (
        <ApiName
          noun="funnel"
          slug={slug}
          onChange={created.setOwn}
          error={taken.includes(slug) ? 'Another funnel has this name.' : undefined}
        />
      )}
    </FormDialog>
  );
}
