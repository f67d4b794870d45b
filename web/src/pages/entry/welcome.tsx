import { Join } from './join.tsx';

export function WelcomePage() {
  return (
    <Join title="Welcome" path="session/first-administrator" hasEmail next="/start">
      You are the first here, so you become the owner of this installation. This link works once.
    </Join>
  );
}
