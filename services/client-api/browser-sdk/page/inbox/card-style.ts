/** `card.css`, minified by `bundle.mjs`. */
declare const CARD_CSS: string;
const css = CARD_CSS;

/** A policy of the page against inline styles does not forbid these. */
export function styleCard(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    style.textContent = css;
    root.append(style);
  }
}
