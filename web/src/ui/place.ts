/** Between a button and what it opens, and inside of the window, in pixels. */
const GAP = 4;

/**
 * Puts an open popover below its button, or above it where only there is room, inside of the window.
 * `--room` is the height that it has there, `--anchor` the width of the button.
 */
export function placeBeside(popover: HTMLElement, button: HTMLElement): void {
  const { style } = popover;
  const anchor = button.getBoundingClientRect();
  style.setProperty('--anchor', `${anchor.width}px`);
  const { width, height } = popover.getBoundingClientRect();
  const below = innerHeight - anchor.bottom - 2 * GAP;
  const above = anchor.top - 2 * GAP;
  const isAbove = height > below && above > below;
  const isRightToLeft = getComputedStyle(popover).direction === 'rtl';
  const left = isRightToLeft ? anchor.right - width : anchor.left;
  style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
  // From its button on: a list that gets shorter above the button stays at it.
  style.top = isAbove ? 'auto' : `${anchor.bottom + GAP}px`;
  style.bottom = isAbove ? `${innerHeight - anchor.top + GAP}px` : 'auto';
  style.setProperty('--room', `${isAbove ? above : below}px`);
}
