import { SetPassword } from './set-password.tsx';

export function SetupPage() {
  return (
    <SetPassword title="Welcome" path="session/first-administrator" hasEmail next="/start">
      Create the owner account of this installation. This link works only once.
    </SetPassword>
  );
}
