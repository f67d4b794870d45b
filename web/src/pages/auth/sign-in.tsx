import { useNavigate, useSearch } from '@tanstack/react-router';
import { startSession } from '../../api/session.ts';
import { Callout } from '../../ui/card.tsx';
import { explain } from '../../labels/explain.ts';
import { AuthPage } from './auth-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** `signInError`: why the identity provider's sign-in brought nobody in, as the service writes it into the address. */
export function SignInPage() {
  const { signInError } = useSearch({ strict: false }) as { readonly signInError?: string };
  const navigate = useNavigate();
  const enter = async (): Promise<void> => {
    if (signInError !== undefined)
      await navigate({
        to: '.',
        search: ({ signInError: _told, ...rest }: Record<string, unknown>) => rest as never,
        replace: true,
      });
    await startSession();
  };
  return (
    <AuthPage title="Sign in">
      {signInError !== undefined && <Fault fault={signInError} />}
      <SignInForm onSignedIn={() => void enter()} />
    </AuthPage>
  );
}

function Fault({ fault }: { readonly fault: string }) {
  const { summary, remedy } = explain('signInFault', fault);
  return (
    <div role="alert">
      <Callout tone="bad">
        <strong>{summary}</strong>
        <p>{remedy}</p>
      </Callout>
    </div>
  );
}
