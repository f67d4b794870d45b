import { useChange } from '../../api/queries.ts';
import type { NewKey } from '../../api/types.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
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
      <TextField label="Name" {...field('name')} hint="e.g. “Order service”" required />
      <Select
        label="Type"
        {...field('type')}
        options={[
          { value: 'server', label: 'Server – full access, for your back end' },
          { value: 'client', label: 'Client – limited access, for browsers and apps' },
        ]}
      />
      {type === 'client' && (
        <TextArea
          label="Allowed origins"
          {...field('allowedOrigins')}
          hint="One per line, e.g. https://shop.example. Leave empty to allow all."
          spellCheck={false}
        />
      )}
    </FormDialog>
  );
}
