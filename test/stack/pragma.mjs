/**
 * What a test file says of itself in its first comment: the words after `@name` on its line, or null if
 * it does not say it. Plain JavaScript because `npm test` reads it before Node 24 is installed.
 */
export function readPragma(source, name) {
  const [comment = ''] = /^\/\*\*[\s\S]*?\*\//.exec(source) ?? [];
  const [, words] = new RegExp(`@${name}\\b([a-z ]*)`).exec(comment) ?? [];
  return words === undefined ? null : words.split(' ').filter((word) => word !== '');
}
