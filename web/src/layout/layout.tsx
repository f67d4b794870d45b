import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { isSessionOver } from '../api/credentials.ts';
import { startSession, useSession } from '../api/session.ts';
import { useStore } from '../lib/store.ts';
import { SignInForm } from '../pages/auth/sign-in-form.tsx';
import { SignInPage } from '../pages/auth/sign-in.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/states.tsx';
import { ConnectionNotice } from './connection-notice.tsx';
import { Navigation } from './navigation.tsx';
import { useShortcuts } from './use-shortcuts.ts';

/** The frame of all pages for signed-in members. The URL stays unchanged during sign-in, so that it opens the requested page. */
export function Layout() {
  const session = useSession();
  if (session.data === null) return <SignInPage />;
  if (session.data === undefined) {
    return (
      <main className="auth-page">
        {session.error === null ? (
          <Loading />
        ) : (
          <Failure error={session.error} onRetry={() => session.refetch()} />
        )}
      </main>
    );
  }
  return <SignedIn hasApplication={session.data.applications.length > 0} />;
}

function SignedIn({ hasApplication }: { readonly hasApplication: boolean }) {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isFirst = useRef(true);
  const isOver = useStore(isSessionOver);
  useShortcuts();
  useEffect(() => {
    // Move the focus to the new page for keyboard and screen-reader users.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="layout">
        <Navigation hasApplication={hasApplication} />
        <main id="main" className="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <ConnectionNotice />
      {isOver && (
        <Dialog title="Your session has ended" onClose={() => undefined} isClosable={false}>
          <p className="soft">Sign in to continue. Your input on this page is kept.</p>
          <SignInForm onSignedIn={() => void startSession()} />
        </Dialog>
      )}
    </>
  );
}
