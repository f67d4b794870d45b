import type { ReactNode } from 'react';

/** A question as a sentence below the title of its page: each part of it is a choice. */
export function Sentence({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <section className="sentence" aria-label={label}>
      {children}
    </section>
  );
}

/** What stays together in a line of it. */
export function Clause({
  word,
  children,
}: {
  readonly word?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className="condition-line clause">
      {word !== undefined && <span className="word">{word}</span>}
      {children}
    </div>
  );
}
