/** What a message is called in the list: not every channel has titles. */
export function titleOf({ title, channel }) {
  return (
    title ||
    {
      SMS: 'Text message',
      WEB_HOOK: 'Hook',
      WEB_PUSH: 'Notification',
      APP_PUSH: 'Notification',
      IN_APP: 'Message',
      ON_SITE: 'Message',
    }[channel] ||
    '(no subject)'
  );
}
