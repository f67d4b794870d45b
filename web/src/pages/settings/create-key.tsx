import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import type { NewKey } from '../../api/types.ts';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

export function CreateKey({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (key: NewKey) => void;
}) {
  const [name, setName] = useState('');
  const [type, setType] = useState('server');
  const [origins, setOrigins] = useState('');
  const allowedOrigins = origins.split(/[\s,]+/).filter((origin) => origin !== '');
  const create = useChange<void, NewKey>(
    () => ({
      path: 'keys',
      method: 'POST',
      body: {
        name,
        type,
        ...(type === 'client' && allowedOrigins.length > 0 && { allowedOrigins }),
      },
    }),
    ['keys'],
  );
  return (
    <FormDialog
      title="New key"
      action="Create"
      change={create}
      onSubmit={() => create.mutate(undefined, { onSuccess: onCreated })}
      onClose={onClose}
    >
      <TextField
        label="Name"
        pointer="/name"
        value={name}
        onChange={setName}
        hint="Where it will be used, as “Order service”"
        required
      />
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
      {type === 'client' && (
        <TextArea
          label="Allowed origins"
          pointer="/allowedOrigins"
          value={origins}
          onChange={setOrigins}
          hint="One a line, as https://shop.example; empty: any"
          spellCheck={false}
        />
      )}
    </FormDialog>
  );
}
