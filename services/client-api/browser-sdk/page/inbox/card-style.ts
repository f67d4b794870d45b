/** In a shadow root, so neither the page's styles come in nor these go out. */
const CSS = `
.card{all:unset;--paper:#fff;--ink:#1b1d22;--soft:#4a4f5a;--line:#0002;--focus:#0b5cad;
display:block;position:fixed;inset:auto;left:50%;translate:-50%;z-index:2147483647;box-sizing:border-box;width:min(600px,100vw - 24px);
border:1px solid var(--line);border-radius:14px;overflow:hidden;color-scheme:light dark;background:var(--paper);color:var(--ink);box-shadow:0 12px 40px #0004}
.TOP{top:max(12px,env(safe-area-inset-top))}
.BOTTOM{bottom:max(12px,env(safe-area-inset-bottom))}
.CENTER{top:50%;translate:-50% -50%;width:min(480px,100vw - 24px)}
.CENTER::backdrop{background:#0a0c1099}
.loading{visibility:hidden}
.loading::backdrop{background:none}
iframe{display:block;border:0;width:100%;height:0;max-height:calc(100vh - 48px);color-scheme:light dark}
button{all:unset;position:absolute;top:8px;inset-inline-end:8px;width:44px;height:44px;border-radius:50%;cursor:pointer;
font:28px/42px system-ui,sans-serif;text-align:center;color:var(--soft)}
button:hover{background:var(--line)}
button:focus-visible{outline:2px solid var(--focus);outline-offset:-2px}
p{position:absolute;clip-path:inset(50%)}
@media (prefers-color-scheme:dark){.card{--paper:#22252c;--ink:#eef0f4;--soft:#c3c8d2;--line:#fff2;--focus:#8cc2ff}}
@media (prefers-reduced-motion:no-preference){.card{animation:come .25s ease-out}}
@keyframes come{from{opacity:0}}
`.replaceAll('\n', '');

/** A policy of the page against inline styles does not forbid these. */
export function styleCard(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets = [sheet];
  } catch {
    const style = document.createElement('style');
    style.textContent = CSS;
    root.append(style);
  }
}
