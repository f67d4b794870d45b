import type { StackOptions } from '@tidings/local';

/**
 * Checks that the test file declares the stores that it starts. Programs outside of jest declare
 * nothing.
 * @throws if a store is not in the file's `@needs`
 */
export function checkNeeds(has: StackOptions['has']): void {
  const declared = process.env['TEST_NEEDS']?.split(' ');
  for (const [store, isStarted] of Object.entries(has))
    if (isStarted && declared?.includes(store) === false)
      throw new Error(`This test starts ${store}: its first line must be /** @needs ${store} */.`);
}
