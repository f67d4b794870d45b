import { startSession } from '../../api/session.ts';
import { Outside } from './outside.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <Outside title="Sign in">
      <SignInForm onSignedIn={() => void startSession()} />
    </Outside>
  );
}
