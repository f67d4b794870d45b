import { SetPassword } from './set-password.tsx';

export function SetupPage() {
  return (
    <SetPassword title="Welcome" path="session/first-administrator" hasEmail next="/start">
      You are the first here, so you become the owner of this installation. This link works once.
    </SetPassword>
  );
}
