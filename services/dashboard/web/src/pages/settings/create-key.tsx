import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { NewKey } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Form, Select, TextArea, TextField } from '../../ui/field.tsx';

export function CreateKey({ onClose, onCreated }: { readonly onClose: () => void; readonly onCreated: (key: NewKey) => void }) {
  const [name, setName] = useState('');
  const [type, setType] = useState('server');
  const [origins, setOrigins] = useState('');
  const allowedOrigins = origins.split(/[\s,]+/).filter((origin) => origin !== '');
  const create = useChange<void, NewKey>(() => ({ path: 'keys', method: 'POST', body: { name, type, ...(type === 'client' && allowedOrigins.length > 0 && { allowedOrigins }) } }), ['keys']);
  return (
    <Dialog title="New key" onClose={onClose}>
      <Form onSubmit={() => create.mutate(undefined, { onSuccess: onCreated })} error={create.error}>
        <TextField label="Name" pointer="/name" value={name} onChange={setName} hint="Where it will be used, as “Order service”" required />
        <Select
          label="Type"
          pointer="/type"
          value={type}
          onChange={setType}
          options={[
            { value: 'server', label: 'Server: may do everything' },
            { value: 'client', label: 'Client: for browsers and apps' },
          ]}
        />
        {type === 'client' && <TextArea label="Allowed origins" pointer="/allowedOrigins" value={origins} onChange={setOrigins} hint="One a line, as https://shop.example; empty: any" spellCheck={false} />}
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
