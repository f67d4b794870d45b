import { useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { freeSlug, randomSlug, toSlug } from './to-slug.ts';

/** The slug of something new: made of its name until the reader writes one. */
export function useNewSlug(name: string, noun: string, taken: readonly string[]) {
  const [own, setOwn] = useState<string | null>(null);
  const [otherwise] = useState(() => randomSlug(noun));
  return {
    slug: own ?? freeSlug(toSlug(name, otherwise), new Set(taken)),
    isOwn: own !== null,
    setOwn,
  };
}

type ApiNameProps = {
  readonly slug: string;
  /** What it names: `segment`. */
  readonly noun: string;
  readonly error?: string | undefined;
  readonly onChange: (slug: string) => void;
};

/** The slug that the API knows something new by, folded away: few readers need to write it. */
export function ApiName({ slug, noun, error, onChange }: ApiNameProps) {
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    if (isOpen) field.current?.querySelector('input')?.focus();
  }, [isOpen]);
  if (isOpen || error !== undefined)
    return (
      <div ref={field}>
        <TextField
          label="API name"
          pointer="/slug"
          value={slug}
          onChange={onChange}
          error={error}
          spellCheck={false}
          dir="ltr"
          hint={`Names the ${noun} in the API. It can’t be changed later.`}
        />
      </div>
    );
  return (
    <p className="api-name soft small">
      <span>API name: {slug === '' ? 'made of the name' : <code dir="ltr">{slug}</code>}</span>
      <Button kind="plain" isSmall aria-label="Edit the API name" onClick={() => setOpen(true)}>
        Edit
      </Button>
    </p>
  );
}
