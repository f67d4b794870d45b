import type { AttributePath } from '@tidings/contracts/segments/leaves/parts';

/** An attribute as readers see it: `address › city` is inside an object. */
export const pathText = (path: AttributePath): string =>
  typeof path === 'string' ? path : path.join(' › ');
