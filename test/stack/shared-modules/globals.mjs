// What `@jest/globals` is in a worker that loads each module once: the functions of the file that runs.
// Helpers import them too and outlive a file; these are live bindings, so a call goes to the present
// ones.

export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** Sets the functions of the file that runs. */
export function setTestFunctions(functions) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } = functions);
}

/** Sets the object `jest` of the file that runs. */
export function setJestObject(object) {
  jest = object;
}
