import { SetPassword } from './set-password.tsx';

export function InvitationPage() {
  return (
    <SetPassword title="You are invited" path="session/invitation" hasEmail={false} next="/">
      Choose a password to join. This link works once.
    </SetPassword>
  );
}
