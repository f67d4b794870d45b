import type { FrameContent, FrameNews } from './contract.ts';

/** Whatever would load, run or lead somewhere by itself; scripts in it never ran, by the policy of this document. */
const REMOVED = 'script,link,meta,base,iframe,frame,object,embed,template,portal,fencedframe';

const tell = (news: FrameNews): void => parent.postMessage(news, '*');

function show({ title, body, language }: FrameContent): void {
  document.documentElement.lang = language;
  const main = document.createElement('main');
  if (title !== undefined) {
    const heading = document.createElement('h1');
    // By the first letter that has a direction, each part for itself.
    heading.dir = 'auto';
    heading.textContent = title;
    main.append(heading);
  }
  const parsed = new DOMParser().parseFromString(body, 'text/html');
  parsed.querySelectorAll(REMOVED).forEach((element) => element.remove());
  const content = document.createElement('div');
  content.dir = 'auto';
  // A text without any tag keeps its lines.
  if (parsed.querySelector('head > *, body > *') === null) content.className = 'plain';
  content.append(...parsed.head.childNodes, ...parsed.body.childNodes);
  main.append(content);
  document.body.replaceChildren(main);
  const { direction } = getComputedStyle(main.firstElementChild ?? main);
  main.dir = direction;
  const report = (): void => tell({ tidings: 'size', height: Math.ceil(main.getBoundingClientRect().height), direction });
  new ResizeObserver(report).observe(main);
  report();
}

addEventListener('message', ({ source, data }: MessageEvent<FrameContent | null>) => {
  if (source === parent && data?.tidings === 'show') show(data);
});

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  const link = target?.closest('a[href], area[href]');
  if (link !== null && link !== undefined) {
    // The page opens it, where it is allowed to lead: this frame goes nowhere.
    event.preventDefault();
    const href = link.getAttribute('href') ?? '';
    tell({ tidings: 'click', href, isNewWindow: link.getAttribute('target') === '_blank' || event.ctrlKey || event.metaKey });
  } else if (target?.closest('[data-close]') !== null && target !== null) {
    tell({ tidings: 'close' });
  }
});
document.addEventListener('auxclick', (event) => event.preventDefault());
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') tell({ tidings: 'close' });
});

tell({ tidings: 'ready' });
