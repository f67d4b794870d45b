/** Longer Liquid is none that a title has: each brace is looked at so far. */
const EXPRESSION = /\{\{([^{}]{0,200})\}\}|\{%[^{}%]{0,200}%\}/g;
const VARIABLE = /^[a-z_]\w{0,60}(?:\.[a-z_]\w{0,60}){0,8}$/i;

/** Liquid in a title by what it stands for: `⟨first name⟩` for `{{ user.firstName | default: "there" }}`. */
export function nameLiquid(text: string): string {
  return text.replaceAll(EXPRESSION, (_, expression?: string) =>
    expression === undefined ? '' : `⟨${nameOf(expression)}⟩`,
  );
}

function nameOf(expression: string): string {
  const [variable = ''] = expression.replace(/^-|-$/g, '').split('|');
  const path = variable.trim();
  if (!VARIABLE.test(path)) return '…';
  const last = path.split('.').at(-1) ?? path;
  return last
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** The parts of a title; those of Liquid are chips. */
export const splitNamed = (title: string): readonly { text: string; isChip: boolean }[] =>
  title
    .split(/(⟨[^⟨⟩]*⟩)/)
    .filter((text) => text !== '')
    .map((text) =>
      text.startsWith('⟨') && text.endsWith('⟩')
        ? { text: text.slice(1, -1), isChip: true }
        : { text, isChip: false },
    );
