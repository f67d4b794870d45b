import { useNavigate, useSearch } from '@tanstack/react-router';
import { startSession } from '../../api/session.ts';
import { Callout } from '../../ui/card.tsx';
import { explain } from '../../labels/explain.ts';
import { AuthPage } from './auth-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** The service adds `signInError` to the URL when signing in through the identity provider fails. */
export function SignInPage() {
  const { signInError } = useSearch({ strict: false }) as { readonly signInError?: string };
  const navigate = useNavigate();
  const continueSignedIn = async (): Promise<void> => {
    if (signInError !== undefined)
      await navigate({
        to: '.',
        search: ({ signInError: _shown, ...rest }: Record<string, unknown>) => rest as never,
        replace: true,
      });
    await startSession();
  };
  return (
    <AuthPage title="Sign in">
      {signInError !== undefined && <SignInError code={signInError} />}
      <SignInForm onSignedIn={() => void continueSignedIn()} />
    </AuthPage>
  );
}

function SignInError({ code }: { readonly code: string }) {
  const { summary, remedy } = explain('signInFault', code);
  return (
    <div role="alert">
      <Callout tone="bad">
        <strong>{summary}</strong>
        <p>{remedy}</p>
      </Callout>
    </div>
  );
}
