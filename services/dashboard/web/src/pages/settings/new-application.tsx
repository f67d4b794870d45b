import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { chooseApplication, refreshSession } from '../../api/session.ts';
import type { Application } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, TextField } from '../../ui/field.tsx';

/** Makes an application and leads to its first steps. */
export function NewApplication({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = useChange<void, Application>(() => ({ path: 'applications', method: 'POST', body: { name } }), []);
  const enter = async ({ applicationId }: Application): Promise<void> => {
    await refreshSession();
    chooseApplication(applicationId);
    await navigate({ to: '/start', search: { application: applicationId } });
  };
  return (
    <Dialog title="New application" onClose={onClose}>
      <Form onSubmit={() => create.mutate(undefined, { onSuccess: (application) => void enter(application) })} error={create.error}>
        <TextField label="Name" pointer="/name" value={name} onChange={setName} hint="Its users, events, campaigns, keys and settings are its own; members see all applications." required />
        <div className="dialog-foot">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Create
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
