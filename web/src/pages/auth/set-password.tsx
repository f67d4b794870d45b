import { PASSWORD_CHARS } from '@tidings/contracts/members';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { httpStatus } from '../../api/problem.ts';
import { request } from '../../api/client.ts';
import { startSession } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/card.tsx';
import { Form, TextField } from '../../ui/field.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { AuthPage } from './auth-page.tsx';

/** The token of a one-time link. It is in the URL fragment, which browsers send to no server. */
const readLinkToken = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';

type JoinProps = {
  readonly title: string;
  readonly path: string;
  readonly hasEmail: boolean;
  readonly next: '/' | '/start';
  readonly children: ReactNode;
};

/** The form behind a one-time link: name and password, and for the first owner the e-mail address. */
export function SetPassword({ title, path, hasEmail, next, children }: JoinProps) {
  const [token] = useState(readLinkToken);
  const { values, field } = useFields({ email: '', name: '', password: '' });
  const navigate = useNavigate();
  const join = useMutation({
    mutationFn: () =>
      request(path, {
        method: 'POST',
        body: {
          token,
          name: values.name,
          password: values.password,
          ...(hasEmail && { email: values.email.trim() }),
        },
      }),
    onSuccess: async () => {
      await startSession();
      await navigate({ to: next, replace: true });
    },
  });
  const isGone = httpStatus(join.error) === 404;
  const isShort = values.password !== '' && values.password.length < PASSWORD_CHARS.min;
  return (
    <AuthPage title={title}>
      {token === '' ? (
        <Callout tone="warn">
          <p>This link is incomplete: it must end with “#token=…”. Open the full link.</p>
        </Callout>
      ) : (
        <>
          <p className="soft">{children}</p>
          {isGone && (
            <Callout tone="bad">
              <p role="alert">This link is no longer valid. Ask for a new one.</p>
            </Callout>
          )}
          <Form onSubmit={() => join.mutate()} error={isGone ? null : join.error}>
            {hasEmail && (
              <TextField
                label="E-mail"
                type="email"
                autoComplete="username"
                {...field('email')}
                required
              />
            )}
            <TextField label="Name" autoComplete="name" {...field('name')} required />
            <TextField
              label="Password"
              type="password"
              autoComplete="new-password"
              {...field('password')}
              hint={`At least ${PASSWORD_CHARS.min} characters – a few random words work well`}
              error={isShort && join.isError ? 'Too short' : undefined}
              required
            />
            <Button
              kind="primary"
              type="submit"
              isBusy={join.isPending}
              disabled={isShort || values.password === ''}
            >
              Continue
            </Button>
          </Form>
        </>
      )}
    </AuthPage>
  );
}
