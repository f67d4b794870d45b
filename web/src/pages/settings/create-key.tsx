import { useChange } from '../../api/queries.ts';
import type { NewKey } from '../../api/types.ts';
import { Select, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useFields } from '../../ui/use-fields.ts';

export function CreateKey({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (key: NewKey) => void;
}) {
  const { values, field } = useFields({ name: '', type: 'server', allowedOrigins: '' });
  const { name, type } = values;
  const allowedOrigins = values.allowedOrigins.split(/[\s,]+/).filter((origin) => origin !== '');
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
        {...field('name')}
        hint="Where it will be used, as “Order service”"
        required
      />
      <Select
        label="Type"
        {...field('type')}
        options={[
          { value: 'server', label: 'Server: may do everything' },
          { value: 'client', label: 'Client: for browsers and apps' },
        ]}
      />
      {type === 'client' && (
        <TextArea
          label="Allowed origins"
          {...field('allowedOrigins')}
          hint="One a line, as https://shop.example; empty: any"
          spellCheck={false}
        />
      )}
    </FormDialog>
  );
}
