import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/queries.ts';
import { chooseApplication, refreshSession } from '../../api/session.ts';
import type { Application } from '../../api/types.ts';
import { ownTimeZone } from '../../lib/own-time-zone.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { TimeZoneField } from './time-zone-field.tsx';

/** Creates an application and opens its first steps. */
export function NewApplication({ onClose }: { readonly onClose: () => void }) {
  const { values, field } = useFields({ name: '', timeZone: ownTimeZone() });
  const navigate = useNavigate();
  const create = useChange<void, Application>(
    () => ({
      path: 'applications',
      method: 'POST',
      body: values.timeZone.trim() === '' ? { name: values.name } : values,
    }),
    [],
  );
  const open = async ({ applicationId }: Application): Promise<void> => {
    await refreshSession();
    chooseApplication(applicationId);
    await navigate({ to: '/start', search: { application: applicationId } });
  };
  return (
    <FormDialog
      title="New application"
      action="Create"
      change={create}
      onSubmit={() =>
        create.mutate(undefined, { onSuccess: (application) => void open(application) })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        {...field('name')}
        hint="Each application has its own users, events, campaigns, keys and settings. Members can see all applications."
        required
      />
      <TimeZoneField
        {...field('timeZone')}
        hint="Charts, days and quiet hours use it. The settings change it later."
      />
    </FormDialog>
  );
}
