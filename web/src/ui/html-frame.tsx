import { useCallback, useEffect, useRef } from 'react';

/**
 * Renders untrusted HTML. The frame's document has its own content security policy: styles and images load, nothing else.
 * Without `allow-scripts` no script in it can run. It can therefore share this page's origin, which lets this page
 * replace its content without a reload.
 */
export function HtmlFrame({
  html,
  title,
  isDark = false,
}: {
  readonly html: string;
  readonly title: string;
  /** As in a dark mail app, if the document follows it. */
  readonly isDark?: boolean;
}) {
  const ref = useRef<HTMLIFrameElement>(null);
  const write = useCallback(() => {
    const document = ref.current?.contentDocument;
    if (document?.documentElement == null || document.URL === 'about:blank') return;
    document.documentElement.dir = 'auto';
    document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
    document.documentElement.innerHTML = html;
  }, [html, isDark]);
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
