/** `card.css`, minified by `bundle.mjs`. */
declare const CARD_CSS: string;
const css = CARD_CSS;

/** Constructed style sheets are allowed even if the page's policy forbids inline styles. */
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
