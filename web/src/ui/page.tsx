import { useEffect, type ReactNode } from 'react';
import { LongText } from './long-text.tsx';

type PageProps = {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly back?: ReactNode;
  /** Stands where the title would, which is read aloud only. */
  readonly heading?: ReactNode;
  readonly isNarrow?: boolean;
  /** The page is a list: its rows begin at the edges, below the title. */
  readonly isList?: boolean;
  /** What the page is asked, below its title. */
  readonly sentence?: ReactNode;
  readonly children: ReactNode;
};

/** A page with its title, description and actions. Also sets the window title. */
export function Page({
  title,
  description,
  actions,
  back,
  heading,
  isNarrow = false,
  isList = false,
  sentence,
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
          <h1 className={heading === undefined ? undefined : 'hidden-visually'}>
            <LongText text={title} />
          </h1>
          {heading}
        </div>
        {actions !== undefined && <div className="row">{actions}</div>}
      </header>
      {sentence}
      <div className="page-body">
        {description !== undefined && <p className="about">{description}</p>}
        {children}
      </div>
    </div>
  );
}
