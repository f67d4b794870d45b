import type { FrameContent, FrameEvent, FrameReady } from './contract.ts';

/**
 * Elements that load, run or navigate on their own. The document's policy blocks scripts anyway.
 * SVG animations can change the target of a link.
 */
const REMOVED =
  'script,link,meta,base,iframe,frame,object,embed,template,portal,fencedframe,animate,animateColor,animateMotion,animateTransform,set';
/**
 * Elements whose click can navigate the frame. All of SVG: a `use` copy hides the link inside it.
 */
const LEADING = 'a,area,svg,math';
/**
 * Links of HTML, SVG and MathML, where any element can be a link. `*|href` also matches SVG's
 * `xlink:href`.
 */
const LINK = ':is(a,area,math,math *)[*|href]';
const XLINK = 'http://www.w3.org/1999/xlink';

/** Sent by the page with the content. Older SDKs send none. */
let port: MessagePort | undefined;
const post = (event: FrameEvent | FrameReady): void =>
  port === undefined ? parent.postMessage(event, '*') : port.postMessage(event);

function show({ title, body, language }: FrameContent): void {
  document.documentElement.lang = language;
  const main = document.createElement('main');
  if (title !== undefined) {
    const heading = document.createElement('h1');
    // Text direction by the first strong character, for each part separately.
    heading.dir = 'auto';
    heading.textContent = title;
    main.append(heading);
  }
  const parsed = new DOMParser().parseFromString(body, 'text/html');
  parsed.querySelectorAll(REMOVED).forEach((element) => element.remove());
  const content = document.createElement('div');
  content.dir = 'auto';
  // Plain text keeps its line breaks.
  if (parsed.querySelector('head > *, body > *') === null) content.className = 'plain';
  content.append(...parsed.head.childNodes, ...parsed.body.childNodes);
  main.append(content);
  document.body.replaceChildren(main);
  const { direction } = getComputedStyle(main.firstElementChild ?? main);
  main.dir = direction;
  const report = (): void =>
    post({ tidings: 'size', height: Math.ceil(main.getBoundingClientRect().height), direction });
  new ResizeObserver(report).observe(main);
  report();
}

addEventListener('message', ({ source, data, ports }: MessageEvent<FrameContent | null>) => {
  if (source !== parent || data?.tidings !== 'show') return;
  [port] = ports;
  show(data);
});

document.addEventListener('click', (event) => {
  const target = event.target instanceof Element ? event.target : null;
  // The page opens links and checks their target. The frame never navigates.
  if (target?.closest(LEADING)) event.preventDefault();
  const link = target?.closest(LINK);
  if (link) {
    const href = link.getAttribute('href') ?? link.getAttributeNS(XLINK, 'href') ?? '';
    post({
      tidings: 'click',
      href,
      isNewWindow: link.getAttribute('target') === '_blank' || event.ctrlKey || event.metaKey,
    });
  } else if (target?.closest('[data-close]')) {
    post({ tidings: 'close' });
  }
});
document.addEventListener('auxclick', (event) => event.preventDefault());
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') post({ tidings: 'close' });
});

post({ tidings: 'ready' });
