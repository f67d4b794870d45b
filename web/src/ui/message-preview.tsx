import { useState } from 'react';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import { isHtmlMessage } from '@tidings/mail-body/is-html';
import { fillUnsubscribeUrl } from '@tidings/mail-body/unsubscribe-places';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import { toText } from '../lib/text.ts';
import { HtmlFrame } from './html-frame.tsx';
import { Json } from './code.tsx';
import { Views } from './views.tsx';

type PreviewProps = {
  readonly channel: Channel;
  readonly message: PushMessage;
  readonly isMarketing?: boolean;
  /** The subject of an e-mail without a title, if known. */
  readonly defaultSubject?: string;
  /** Whether a rendered e-mail is sent as HTML. Without it, the message decides. */
  readonly isHtml?: boolean | undefined;
};

/** A sample of the unsubscribe URL. Each recipient has a different one. */
const SAMPLE_UNSUBSCRIBE_URL = 'https://…/u/…';

/** The message as its recipient sees it. Scripts and links are disabled. */
export function MessagePreview({
  channel,
  message,
  isMarketing = false,
  defaultSubject,
  isHtml,
}: PreviewProps) {
  switch (CHANNEL_DESCRIPTORS[channel].preview) {
    case 'mail':
      return (
        <Mail
          message={message}
          isMarketing={isMarketing}
          defaultSubject={defaultSubject}
          isHtml={isHtml ?? isHtmlMessage(message)}
        />
      );
    case 'text':
      return <Sms text={toText(message.body)} />;
    case 'notification':
      return <Notification message={message} />;
    case 'screen':
      return <OnScreen message={message} />;
    case 'json':
      return (
        <Json
          label="Request body without the recipient"
          value={{
            title: message.title,
            body: message.body,
            customContent: message['customContent'],
          }}
        />
      );
  }
}

type MailProps = Pick<PreviewProps, 'message'> & {
  readonly isMarketing: boolean;
  readonly defaultSubject: string | undefined;
  readonly isHtml: boolean;
};

const VIEWS = [
  { value: 'phone', label: 'Phone' },
  { value: 'desktop', label: 'Desktop' },
  { value: 'dark', label: 'Dark' },
] as const;

function Mail({ message, isMarketing, defaultSubject, isHtml }: MailProps) {
  const [view, setView] = useState<(typeof VIEWS)[number]['value']>('phone');
  const body = fillUnsubscribeUrl(toText(message.body), isHtml, SAMPLE_UNSUBSCRIBE_URL);
  return (
    <div className="stack tight">
      <Views
        label="Shown on"
        views={VIEWS}
        value={view}
        onChange={(next) => setView(next as typeof view)}
      />
      <div className="device" data-view={view}>
        <div className="bar-line">
          <span className="soft small">Subject</span>
          <span className="strong" dir="auto">
            {message.title || defaultSubject || <span className="soft">No subject yet</span>}
          </span>
        </div>
        <HtmlFrame
          html={isHtml ? body : plainAsHtml(body)}
          title="E-mail"
          isDark={view === 'dark'}
        />
      </div>
      {isMarketing && (
        <p className="soft small">
          Mail apps also offer to unsubscribe through the List-Unsubscribe header.
        </p>
      )}
    </div>
  );
}

/** Plain text as an HTML document. */
function plainAsHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<body style="margin:16px;font:15px/1.5 system-ui,sans-serif;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext">${escaped}</body>`;
}

function Sms({ text }: { readonly text: string }) {
  const { segments, encoding } = smsSegments(text);
  return (
    <div className="stack tight">
      <div className="device phone">
        <div className="bubble" dir="auto">
          {text || 'No text yet'}
        </div>
      </div>
      <p className="soft small">
        {Array.from(text).length} characters, {segments} {segments === 1 ? 'segment' : 'segments'} (
        {encoding})
      </p>
    </div>
  );
}

function Notification({ message }: Pick<PreviewProps, 'message'>) {
  const buttons = Array.isArray(message['buttons'])
    ? (message['buttons'] as readonly { readonly label?: string }[])
    : [];
  return (
    <div className="device phone">
      <div className="notification">
        <span className="soft small">
          {readHost(toText(message['url'])) ?? 'Your application'} · now
        </span>
        {message.title && <strong dir="auto">{message.title}</strong>}
        <span dir="auto">{toText(message.body) || 'No text yet'}</span>
        {buttons.length > 0 && (
          <span className="buttons">
            {buttons.map(({ label }, index) => (
              <span key={`${index} ${label}`} dir="auto">
                {label}
              </span>
            ))}
          </span>
        )}
      </div>
    </div>
  );
}

function readHost(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host || null : null;
}

function OnScreen({ message }: Pick<PreviewProps, 'message'>) {
  const title = message.title
    ? `<h1 dir="auto" style="margin:0 0 8px;font-size:18px">${plainText(message.title)}</h1>`
    : '';
  const duration =
    typeof message['duration'] === 'number'
      ? `closes automatically after ${message['duration'] / 1_000} s`
      : 'stays open until closed';
  return (
    <div className="stack tight">
      <div className="device screen">
        <HtmlFrame
          html={`<body style="margin:16px;font:15px/1.5 system-ui,sans-serif">${title}${toText(message.body)}</body>`}
          title="Message on the screen"
        />
      </div>
      <p className="soft small">
        Shown at {toText(message['alignment']).toLowerCase() || 'center'}, {duration}.
      </p>
    </div>
  );
}

const plainText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
