import { SetPassword } from './set-password.tsx';

export function InvitationPage() {
  return (
    <SetPassword title="Accept your invitation" path="session/invitation" hasEmail={false} next="/">
      Choose a password to join. This link works only once.
    </SetPassword>
  );
}
