import { useCallback, useEffect, useRef } from 'react';

/**
 * Somebody's HTML, as it looks. The frame's document is a file with a policy of its own (its styles and pictures show,
 * nothing else is loaded), and without `allow-scripts` nothing in it runs, whatever is written into it: that is why it may
 * have this page's origin, which is what lets this page write into it without its being loaded anew.
 */
export function HtmlFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const ref = useRef<HTMLIFrameElement>(null);
  const write = useCallback(() => {
    const document = ref.current?.contentDocument;
    if (document?.documentElement == null || document.URL === 'about:blank') return;
    document.documentElement.dir = 'auto';
    document.documentElement.innerHTML = html;
  }, [html]);
  useEffect(write, [write]);
  return (
    <iframe
      ref={ref}
      src="/dashboard/preview.html"
      sandbox="allow-same-origin"
      title={title}
      onLoad={write}
    />
  );
}
