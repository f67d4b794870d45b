import { Join } from './join.tsx';

export function InvitationPage() {
  return (
    <Join title="You are invited" path="session/invitation" hasEmail={false} next="/">
      Choose a password to join. This link works once.
    </Join>
  );
}
