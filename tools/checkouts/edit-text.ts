/** An edit of a text that must occur once. */
export type Change = {
  readonly file: string;
  /** In a file of SQL, the statement or part that has the text. */
  readonly block?: string;
  readonly find: string;
  readonly replace: string;
};

/** The text after the change. Throws if what is changed does not occur exactly once. */
export function editText(text: string, { file, block, find, replace }: Change): string {
  const place = block === undefined ? file : `${block} of ${file}`;
  const blocks = block === undefined ? [text] : text.split(/^(?=-- (?:name|part): )/m);
  const at =
    block === undefined
      ? 0
      : blocks.findIndex((one) => /^-- \w+: ([a-z\d-]+)/.exec(one)?.[1] === block);
  const pieces = blocks[at]?.split(find) ?? [];
  if (pieces.length !== 2)
    throw new Error(
      `the text to change must occur once in ${place}, but occurs ${Math.max(0, pieces.length - 1)} times: ${find}`,
    );
  return blocks.with(at, pieces.join(replace)).join('');
}
