import { useEffect, type ReactNode } from 'react';
import { Brand } from '../../layout/brand.tsx';

/** The frame of pages for signed-out visitors. */
export function AuthPage({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} – Tidings`;
  }, [title]);
  return (
    <main className="auth-page">
      <div>
        <div className="brand">
          <Brand />
        </div>
        <section className="card">
          <div className="inside">
            <h1>{title}</h1>
            {children}
          </div>
        </section>
      </div>
    </main>
  );
}
