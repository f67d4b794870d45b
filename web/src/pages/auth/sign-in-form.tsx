import { useMutation, useQuery } from '@tanstack/react-query';
import { apiUrl, request } from '../../api/client.ts';
import { httpStatus } from '../../api/problem.ts';
import type { Setup } from '../../api/session.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Form, TextField } from '../../ui/field.tsx';
import { useFields } from '../../ui/use-fields.ts';

/** Signs in with e-mail and password, or through the identity provider if one is configured. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const { values, field } = useFields({ email: '', password: '' });
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: () => request<Setup>('session/setup'),
    staleTime: Infinity,
  });
  const signIn = useMutation({
    mutationFn: () =>
      request('session', { method: 'POST', body: { ...values, email: values.email.trim() } }),
    onSuccess: onSignedIn,
  });
  const isWrong = httpStatus(signIn.error) === 401;
  return (
    <div className="stack">
      {setup.data?.setup === true && (
        <Callout>
          <p>
            There are no members yet. Open the setup link that was printed when the service started.
          </p>
        </Callout>
      )}
      <Form onSubmit={() => signIn.mutate()} error={isWrong ? null : signIn.error}>
        <TextField
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          {...field('email')}
          required
        />
        <TextField
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          {...field('password')}
          required
        />
        {isWrong && (
          <p className="callout bad" role="alert">
            Wrong e-mail or password
          </p>
        )}
        <Button kind="primary" type="submit" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </Form>
      {setup.data?.oidc != null && (
        <a className={buttonClass()} href={apiUrl('session/oidc')}>
          Sign in with {setup.data.oidc.name}
        </a>
      )}
    </div>
  );
}
