import type { FunnelDefinition } from '@tidings/contracts/analytics/funnels';
import { useState } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useMay } from '../../api/roles.ts';
import type { Funnel } from '../../api/types.ts';
import { DeleteUnused } from '../../conditions/delete-unused.tsx';
import type { Names } from '../../conditions/describe-condition.ts';
import { isComplete } from '../../conditions/new-condition.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { SaveDialog } from './save-dialog.tsx';
import { useWriteFunnel } from './use-saving.ts';
import { VersionsDialog } from './versions-dialog.tsx';
import { standardName } from './words.ts';

type ActionsProps = {
  readonly saved: Funnel | null;
  readonly draft: FunnelDefinition;
  /** It is not saved as it is shown. */
  readonly isChanged: boolean;
  readonly names: Names;
  readonly taken: readonly string[];
  readonly onSaved: (funnel: Funnel) => void;
  /** Shows another version. */
  readonly onUse: (funnel: FunnelDefinition) => void;
};

/** Saves, names, compares and deletes a funnel, as far as the role permits it. */
export function FunnelActions({
  saved,
  draft,
  isChanged,
  names,
  taken,
  onSaved,
  onUse,
}: ActionsProps) {
  const may = useMay('changeFunnels');
  const [open, setOpen] = useState<string | null>(null);
  const write = useWriteFunnel();
  const close = (): void => setOpen(null);
  const saveIt = (): void => {
    if (saved === null) return setOpen('save');
    write.mutate(
      { ...saved, expectedVersion: saved.version, funnel: draft },
      {
        onSuccess: (funnel) => {
          showToast('Funnel saved');
          onSaved(funnel);
        },
        onError: (error) => showToast(errorMessage(error), 'bad'),
      },
    );
  };
  const items = [
    ...(saved === null ? [] : [{ value: 'versions', label: 'Versions…' }]),
    ...(may && saved !== null
      ? [
          { value: 'rename', label: 'Rename…' },
          { value: 'copy', label: 'Save as another…' },
          { value: 'delete', label: 'Delete…' },
        ]
      : []),
  ];
  return (
    <>
      {items.length > 0 && (
        <Menu
          className="icon plain"
          name="Actions"
          label={<Icon name="more" />}
          items={items}
          onChoose={setOpen}
        />
      )}
      {may && isChanged && (
        <Button
          kind="primary"
          isBusy={write.isPending}
          disabled={!isComplete(draft)}
          onClick={saveIt}
        >
          Save
        </Button>
      )}
      {open !== null && open === 'versions' && saved !== null && (
        <VersionsDialog
          slug={saved.slug}
          names={names}
          onUse={(funnel) => {
            close();
            onUse(funnel);
          }}
          onClose={close}
        />
      )}
      {open === 'delete' && saved !== null && (
        <DeleteUnused of="funnels" named={saved} onClose={close} />
      )}
      {(open === 'save' || open === 'copy' || open === 'rename') && (
        <SaveDialog
          title={TITLES[open]}
          funnel={open === 'rename' && saved !== null ? saved : draft}
          saved={open === 'rename' ? saved : null}
          name={open === 'rename' ? (saved?.name ?? '') : standardName(draft.steps, names)}
          taken={open === 'copy' ? [...taken, saved?.slug ?? ''] : taken}
          onSaved={(funnel) => {
            close();
            onSaved(funnel);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

const TITLES = {
  save: 'Save funnel',
  copy: 'Save as another funnel',
  rename: 'Rename funnel',
} as const;
