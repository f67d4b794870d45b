import { useEffect, type ReactNode } from 'react';
import { LongText } from './long-text.tsx';

type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: ReactNode;
  readonly isNarrow?: boolean;
  /** The page is a list: its rows begin at the edges, below the title. */
  readonly isList?: boolean;
  readonly children: ReactNode;
};

/** A page with its title, description and actions. Also sets the window title. */
export function Page({
  title,
  description,
  actions,
  back,
  isNarrow = false,
  isList = false,
  children,
}: PageProps) {
  useEffect(() => {
    document.title = `${title} – Tidings`;
  }, [title]);
  return (
    <div className={['page', isNarrow && 'narrow', isList && 'listing'].filter(Boolean).join(' ')}>
      <header className="page-head">
        <div>
          {back !== undefined && <div className="back">{back}</div>}
          <h1>
            <LongText text={title} />
          </h1>
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      <div className="page-body">
        {description !== undefined && <p className="about">{description}</p>}
        {children}
      </div>
    </div>
  );
}
