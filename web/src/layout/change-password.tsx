import { PASSWORD_CHARS } from '@tidings/contracts/members';
import { useMutation } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { startSession } from '../api/session.ts';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { showToast } from '../ui/toast.tsx';
import { useFields } from '../ui/use-fields.ts';

/** Changes the password of the signed-in member. All other sessions end. */
export function ChangePassword({ onClose }: { readonly onClose: () => void }) {
  const { values, field } = useFields({ currentPassword: '', newPassword: '' });
  const change = useMutation({
    mutationFn: () => request('session/password', { method: 'POST', body: values }),
    onSuccess: async () => {
      await startSession();
      showToast('Password changed. All other sessions were signed out.');
      onClose();
    },
  });
  return (
    <FormDialog
      title="Change password"
      action="Change"
      isIncomplete={values.currentPassword === '' || values.newPassword.length < PASSWORD_CHARS.min}
      change={change}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        {...field('currentPassword')}
        required
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        {...field('newPassword')}
        hint={`At least ${PASSWORD_CHARS.min} characters`}
        required
      />
    </FormDialog>
  );
}
