import { useId, type ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';

/** A part of the page on the way to a campaign, with its number, or a tick once nothing is missing. */
export function Step({
  number,
  title,
  isDone,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className="step" aria-labelledby={id}>
      <header>
        <span className={isDone ? 'step-mark done' : 'step-mark'} aria-hidden="true">
          {isDone ? <Icon name="check" /> : number}
        </span>
        <h2 id={id}>{title}</h2>
      </header>
      {children}
    </section>
  );
}
