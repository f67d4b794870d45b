import { useEffect, type ReactNode } from 'react';
import { LongText } from './long-text.tsx';

type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: ReactNode;
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
};

/** A page with its title, description and actions. Also sets the window title. */
export function Page({ title, description, actions, back, isNarrow = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} – Tidings`;
  }, [title]);
  return (
    <div className={isNarrow ? 'page narrow' : 'page'}>
      <header className="page-head">
        <div>
          {back !== undefined && <div className="back">{back}</div>}
          <h1>
            <LongText text={title} />
          </h1>
          {description !== undefined && <p>{description}</p>}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
