import { useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

/** The width of an element in whole rem; infinite before it is mounted. */
export function useWidthRem(element: Element | null): number {
  const [widthRem, setWidthRem] = useState(Number.POSITIVE_INFINITY);
  useLayoutEffect(() => {
    if (element === null) return;
    const measure = (): void => setWidthRem(Math.floor(element.clientWidth / remPx()));
    measure();
    // Update before the next frame, so that no frame shows columns for another width.
    const observer = new ResizeObserver(() => flushSync(measure));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return widthRem;
}
