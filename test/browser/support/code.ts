import type { Locator } from 'playwright-core';

type Written = {
  readonly value?: string;
  readonly querySelectorAll: (selector: string) => Iterable<{ readonly textContent: string }>;
};

/** What stands in a code editor, or in the text area that stands in its place until it is loaded. */
export const written = (field: Locator): Promise<string> =>
  field.evaluate((element) => {
    const editor = element as unknown as Written;
    return (
      editor.value ??
      Array.from(editor.querySelectorAll('.cm-line'), (line) => line.textContent).join('\n')
    );
  });
